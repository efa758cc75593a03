package livesync

import (
	"errors"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store/livesync/format"
)

// Problem is something wrong with a document.
type Problem struct {
	Path string // "" where not even that can be read
	ID   string
	Kind ProblemKind
	Err  error
}

// ProblemKind is what is wrong.
type ProblemKind string

// What can be wrong with a document.
const (
	MissingChunk  ProblemKind = "missing chunk"
	WrongSize     ProblemKind = "wrong size"
	Undecryptable ProblemKind = "not decryptable"
	Damaged       ProblemKind = "damaged"
	Conflicted    ProblemKind = "conflict"
	WrongID       ProblemKind = "wrong id"
	BadPath       ProblemKind = "bad path"
)

// errWrongID is what is wrong with a document whose id is not that of its path.
var errWrongID = errors.New("its id is not that of its path, so devices ignore it")

func problemOf(err error) ProblemKind {
	switch {
	case errors.Is(err, format.ErrMissing):
		return MissingChunk
	case errors.Is(err, format.ErrSize):
		return WrongSize
	}
	switch fault.KindOf(err) {
	case fault.PermissionDenied:
		return Undecryptable
	case fault.InvalidArgument:
		return BadPath
	}
	return Damaged
}

func refusedAccount(user string) error {
	return fault.PermissionDenied.Errorf("CouchDB does not let '%s' write", user).
		WithHint("give the account the rights of a member of the database, or set OBSIDIAN_MCP_READ_ONLY=true")
}
