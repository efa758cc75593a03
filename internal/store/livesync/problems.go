package livesync

import (
	"errors"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store/livesync/format"
)

// Problem is a problem with a document.
type Problem struct {
	Path string // "" if it cannot be read
	ID   string
	Kind ProblemKind
	Err  error
}

// ProblemKind says what is wrong.
type ProblemKind string

// The kinds of problems.
const (
	MissingChunk  ProblemKind = "missing chunk"
	WrongSize     ProblemKind = "wrong size"
	Undecryptable ProblemKind = "not decryptable"
	Damaged       ProblemKind = "damaged"
	Conflicted    ProblemKind = "conflict"
	WrongID       ProblemKind = "wrong id"
	BadPath       ProblemKind = "bad path"
)

// errWrongID is the error for a document whose id does not match its path.
var errWrongID = errors.New("its id does not match its path, so devices ignore it")

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
		WithHint("make the account a member of the database, or set OBSIDIAN_MCP_READ_ONLY=true")
}
