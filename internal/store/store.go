// Package store is the contract between a vault and where its files are: a
// folder, a database, memory. Nothing above it knows which.
//
// Each method's comment is a promise that package storetest checks on every
// store. All of them may be called from several goroutines at once.
package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"time"

	"obsidian-mcp/internal/note/vpath"
)

// Store keeps the files of one vault.
type Store interface {
	// Scan visits every file and folder of the vault that is not hidden, each
	// once, in no order, from several goroutines at once. A file's Data is
	// filled in where want says so, and is valid during the visit alone; a
	// file larger than MaxScan is visited without it. What cannot be read is
	// visited with Err set: it is there, and must not be taken for gone. An
	// error means that the vault as a whole could not be listed, and then
	// nothing may be concluded from what was visited.
	Scan(ctx context.Context, want func(Info) bool, visit func(Found)) error

	// Stat tells of one file or folder. A path that has none is NotFound; what
	// is there but is neither is PermissionDenied.
	Stat(ctx context.Context, path vpath.Path) (Info, error)

	// Read gives a file with its revision. One over limit bytes is
	// InvalidArgument.
	Read(ctx context.Context, path vpath.Path, limit int64) (File, error)

	// Branch reads one side of a conflict that Info names; any other revision,
	// that of the file itself included, is NotFound. One over limit bytes is
	// InvalidArgument.
	Branch(ctx context.Context, path vpath.Path, rev Rev, limit int64) (File, error)

	// ReadMany reads files as Read does, in as few steps as the store can. Each
	// has an outcome of its own, in the order of the paths.
	ReadMany(ctx context.Context, paths []vpath.Path, limit int64) []Outcome

	// Commit makes changes as one unit: all of them are made, or none is and
	// the error says why; a crash in between is mended when the store is next
	// opened. A change whose Base is not the file's revision by now is a
	// Conflict, one that would create what exists is AlreadyExists. A file with
	// Conflicts is not changed, moved or trashed: that is a Conflict with
	// ErrUnresolved in its chain. Once it has returned without error, the
	// changes survive a power cut. Results are in the order of the changes.
	Commit(ctx context.Context, changes []Change) ([]Result, error)

	// TrashPath tells where a file would go if it were trashed now.
	TrashPath(ctx context.Context, path vpath.Path) (string, error)

	// Watch reports what others change, until ctx ends; then the channel is
	// closed. Its first event, which asks for a look at everything, tells that
	// watching has begun. Changes made by Commit are not reported.
	Watch(ctx context.Context) <-chan Event

	// Config reads a file of Obsidian's own settings, such as "app.json".
	// One that is absent is NotFound.
	Config(ctx context.Context, name string) (File, error)

	// Close frees what the store holds. No other call may follow.
	Close() error
}

// MaxScan is the largest file whose text is scanned.
const MaxScan = 32 << 20

// Rev identifies one state of a file. It is opaque: only equality counts.
type Rev string

// Absent is the revision of a file that does not exist.
const Absent Rev = ""

// ErrUnresolved is in the chain of the Conflict of a commit onto a file with
// Conflicts. Unlike with a stale revision, trying again does not help.
var ErrUnresolved = errors.New("has a sync conflict that nobody has resolved")

// Info is what can be known of a file without reading it.
type Info struct {
	Path     vpath.Path
	Folder   bool
	Size     int64
	Modified time.Time
	Created  time.Time // zero where the store cannot tell
	Mark     string    // changes whenever the content may have

	// Conflicts are the revisions of branches that did not win, where others
	// changed the file at the same time and nobody has decided. Most stores
	// have none.
	Conflicts []Rev
}

// File is a file with its content.
type File struct {
	Info
	Data []byte
	Rev  Rev
}

// Outcome is a file, or why it could not be read.
type Outcome struct {
	File
	Err error
}

// ReadEach is ReadMany for stores that read one file as fast as another.
func ReadEach(ctx context.Context, s Store, paths []vpath.Path, limit int64) []Outcome {
	all := make([]Outcome, len(paths))
	for i, path := range paths {
		if all[i].Err = ctx.Err(); all[i].Err == nil {
			all[i].File, all[i].Err = s.Read(ctx, path, limit)
		}
	}
	return all
}

// Found is what a scan visits.
type Found struct {
	Info
	Data []byte // nil where it was not wanted
	Err  error
}

// Op is a kind of change.
type Op uint8

// The kinds of change.
const (
	Write       Op = iota // Path gets Data; Base Absent creates it and its folders
	Move                  // the file goes from Path to To; Data, if not nil, is its new content
	Trash                 // the file goes to the vault's trash
	WriteConfig           // the file of Obsidian's settings named Config gets Data
)

// Change is one step of a commit.
type Change struct {
	Op     Op
	Path   vpath.Path
	To     vpath.Path
	Config string
	Base   Rev
	Data   []byte

	Modified time.Time // that a new file is to have; zero: now

	// Was is the file of revision Base, where the caller has it. Stores need
	// not look at it.
	Was []byte
}

// Result tells what became of a change.
type Result struct {
	Info             // of the file as it is now; of a trashed one only Path
	Rev       Rev    // of the file as it is now
	TrashPath string // where a trashed file went
}

// Event tells that others may have changed something.
type Event struct {
	Paths []vpath.Path // each may have been made, changed or removed
	All   bool         // anything may have changed: scan again
}

// Hash is the SHA-256 of a file's bytes: what clients know a state of a note
// by, whatever the store's own revisions are.
func Hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
