// Package store is the contract between a vault and the place that holds its files: a folder, a database, memory.
// Nothing above it knows which.
//
// Each method's comment is a promise that package storetest checks on every store. All methods may be called from
// several goroutines at once.
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
	// Scan visits every file and folder of the vault that is not hidden, each once, in any order, from several
	// goroutines at once. A file's Data is filled in if want returns true, and is valid only during the visit; files
	// larger than MaxScan are visited without it. want may get nothing but the path. A file that cannot be read is visited with Err set: it exists, and
	// must not be mistaken for a deleted one. If Scan returns an error, the list is incomplete, and the caller must not
	// conclude anything from it.
	Scan(ctx context.Context, want func(Info) bool, visit func(Found)) error

	// Stat describes one file or folder. A path that does not exist is NotFound; something that is neither a file nor
	// a folder is PermissionDenied.
	Stat(ctx context.Context, path vpath.Path) (Info, error)

	// Read returns a file with its revision. A file of more than limit bytes is InvalidArgument.
	Read(ctx context.Context, path vpath.Path, limit int64) (File, error)

	// Branch reads one of the Conflicts of a file, unless it was deleted in that version. Any other revision, including that of the file itself, is NotFound.
	// A branch of more than limit bytes is InvalidArgument.
	Branch(ctx context.Context, path vpath.Path, rev Rev, limit int64) (File, error)

	// Conflicted lists the files that have Conflicts, in any order, and those that were deleted on one device and changed on
	// another one. The latter are read by Branch, and created by a change that Resolves them.
	Conflicted(ctx context.Context) ([]Conflict, error)

	// Ancestor reads the version from which a file and one of its Conflicts were both made. If the store does not have
	// it, or not any more, that is NotFound.
	Ancestor(ctx context.Context, path vpath.Path, rev Rev, limit int64) (File, error)

	// ReadMany reads files like Read, in as few round trips as the store can, perhaps without the time at which each was
	// created. It returns one outcome for each path, in the same order.
	ReadMany(ctx context.Context, paths []vpath.Path, limit int64) []Outcome

	// Commit makes all changes or none; if none, the error says why. A commit that a crash interrupts is finished or
	// undone when the store is next opened. A change whose Base is not the current revision of its file is a Conflict;
	// creating a file that exists is AlreadyExists. A file with Conflicts cannot be changed, moved or trashed, except by
	// a change that Resolves them: that is a Conflict with ErrUnresolved in its chain. Once Commit has returned without
	// an error, the changes survive a power cut. The results are in the order of the changes.
	Commit(ctx context.Context, changes []Change) ([]Result, error)

	// TrashPath returns where a file would go if it were trashed now.
	TrashPath(ctx context.Context, path vpath.Path) (string, error)

	// Watch reports changes by other programs until ctx ends; then it closes the channel. The first event, which asks
	// for a scan, means that watching has begun. Changes made by Commit are not reported.
	Watch(ctx context.Context) <-chan Event

	// Config reads a file of Obsidian's own settings, such as "app.json" or "plugins/calendar/data.json". A missing file is
	// NotFound.
	Config(ctx context.Context, name string) (File, error)

	// Close releases the store's resources. No method may be called after it.
	Close() error
}

// MaxScan is the size of the largest file whose content a scan reads.
const MaxScan = 32 << 20

// Rev identifies one version of a file. It is opaque: callers only compare revisions for equality.
type Rev string

// Absent is the revision of a file that does not exist.
const Absent Rev = ""

// ErrUnresolved is in the chain of the error of a commit that changes a file with Conflicts. Unlike after a stale
// revision, trying again does not help.
var ErrUnresolved = errors.New("has a sync conflict that nobody has resolved")

// Info describes a file or folder without its content.
type Info struct {
	Path     vpath.Path
	Folder   bool
	Size     int64
	Modified time.Time
	Created  time.Time // zero if the store does not know
	Mark     string    // differs whenever the content may have changed

	// Conflicts are the revisions that lost when several devices changed the file at the same time, as long as nobody
	// has resolved the conflict. Most stores never have any.
	Conflicts []Rev
}

// Conflict is a file with Conflicts.
type Conflict struct {
	Path  vpath.Path
	Sides []Side // the file as it is served, then its Conflicts. If the first is Deleted, the file does not exist.
}

// Side is a version of a file with Conflicts.
type Side struct {
	Rev      Rev
	Size     int64
	Modified time.Time
	Deleted  bool // the file was deleted in this version
}

// File is a file with its content.
type File struct {
	Info
	Data []byte
	Rev  Rev
}

// Outcome is a file, or the error why it could not be read.
type Outcome struct {
	File
	Err error
}

// Found is a file or folder that a scan visits.
type Found struct {
	Info
	Data []byte // nil if it was not wanted
	Err  error
}

// Op is a kind of change.
type Op uint8

// The kinds of change.
const (
	Write        Op = iota // Path gets Data; with Base Absent, it is created together with its folders
	Move                   // the file goes from Path to To; Data, if not nil, is its new content
	Trash                  // the file goes to the vault's trash
	WriteConfig            // the file Config of Obsidian's settings gets Data
	RemoveFolder           // the folder Path is removed if the other changes have left it empty; otherwise it stays
)

// Change is one step of a commit.
type Change struct {
	Op     Op
	Path   vpath.Path
	To     vpath.Path
	Config string
	Base   Rev
	Data   []byte

	Modified time.Time // of a new file; zero: now

	// Resolves are all Conflicts of the file that is written: it has none afterwards, unless another device has changed
	// one of those versions in the meantime. If the file has other Conflicts than these, that is a Conflict. Such a
	// change is the only one of its commit.
	Resolves []Rev

	// Was is the content of revision Base, if the caller has it. Stores may ignore it.
	Was []byte
}

// Result describes the outcome of a change.
type Result struct {
	Info             // of the file after the change; of a trashed file only Path, of a folder that stays not even that
	Rev       Rev    // of the file after the change
	TrashPath string // where a trashed file went
}

// Event says what other programs may have changed.
type Event struct {
	Paths []vpath.Path // each may have been created, changed or removed
	All   bool         // anything may have changed: scan again
}

// Hash is the SHA-256 of a file's content in hexadecimal. Clients identify versions of a note by it, whatever the
// store's own revisions are.
func Hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
