// Package history records every change to a vault's files, with their bytes
// before and after, so that each change can be shown and undone.
//
// It promises:
//   - When Begin returns, the change is on disk. Any process finds it again, even
//     after a crash or a power cut.
//   - A content comes back byte for byte or not at all: it is checked against its
//     hash.
//   - Changes beyond the limits of age and size are removed, oldest first; a newer
//     change is never removed before an older one.
//   - Damage to a file costs only the damaged records.
//   - The files are outside of the vault, private to the user, and encrypted if
//     the history has a secret.
//
// What a change means, and how to undo it, is left to the caller.
//
// The log is a folder of segments. A segment is a header followed by frames: the
// contents of files, the record of a change, and the outcome of a change. Only the
// newest segment is appended to; pruning removes whole segments.
package history

import (
	"log/slog"
	"sync"
	"time"

	"obsidian-mcp/internal/system/seal"
)

// Options say where a history is and how much of it is kept.
type Options struct {
	Dir      string        // created with mode 0700 when the first change is recorded
	Secret   string        // encrypts contents and names; "": no encryption
	Keep     time.Duration // how long changes are kept; 0: 30 days
	MaxBytes int64         // 0: 1 GB

	Now func() time.Time // nil: time.Now
	Log *slog.Logger     // nil: no logging
}

// History is the record of a vault's changes. It is safe for use by several
// goroutines, and several processes may share one folder.
type History struct {
	o    Options
	disk *logDisk
	keys *keyring

	writing   chan struct{} // full while a goroutine appends or prunes; guards the next three fields
	contents  contentIndex  // the contents in the segment that is appended to
	abandoned string        // a segment that must not be appended to: the disk may have lost a part of it
	pruned    time.Time     // when the history was last pruned

	mu       sync.Mutex          // guards the fields below, and is held while a segment is read
	segments map[string]*segment // segments that were read, by name
	closed   bool
}

const (
	defaultKeep     = 30 * 24 * time.Hour
	defaultMaxBytes = 1 << 30
)

// Open returns the history in a folder. It neither touches the disk nor derives the
// key: that happens at the first use.
func Open(o Options) *History { return open(o, seal.Iterations) }

func open(o Options, iterations int) *History {
	if o.Keep <= 0 {
		o.Keep = defaultKeep
	}
	if o.MaxBytes <= 0 {
		o.MaxBytes = defaultMaxBytes
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &History{
		o:       o,
		disk:    &logDisk{},
		keys:    newKeyring(o.Secret, iterations),
		writing: make(chan struct{}, 1), segments: map[string]*segment{},
	}
}

// Close waits for writers and refuses further changes. The outcomes of changes
// that have begun can still be recorded.
func (h *History) Close() error {
	h.writing <- struct{}{}
	defer func() { <-h.writing }()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	return nil
}

// What a change did to a file.
const (
	Write  = "write"  // replaced its content, or created it if it did not exist before
	Move   = "move"   // moved it from Path to To, perhaps with new content
	Trash  = "trash"  // moved it to the vault's trash
	Side   = "side"   // ended a conflict in which another file had this version; Path is where its copy goes if that is undone
	Config = "config" // replaced the content of an Obsidian settings file; Path is its name in .obsidian
)

// Draft is a change that is about to be made.
type Draft struct {
	Tool    string
	Client  string
	Token   string
	Session string   // identifies the caller's session, or is ""
	Undoes  []string // the ids of the changes that it undoes, newest first
	Files   []DraftFile
}

// DraftFile is a file before and after a change. Nil bytes mean that it does not exist.
type DraftFile struct {
	Op, Path, To  string
	Before, After []byte
}

// Change is a recorded change.
type Change struct {
	ID      string
	Time    time.Time
	Tool    string
	Client  string
	Token   string
	Session string // "" in records of earlier versions
	Undoes  []string
	Files   []File
	Made    bool // false: its outcome was never recorded

	at location // of its record; its contents are in the same segment
}

// File is a file of a change.
type File struct {
	Op, Path, To  string
	Trash         string  // the path of a trashed file in the trash, once known
	Before, After Content // zero: the file did not exist
}

// Removes reports whether the change removed the file, or what would have been its copy.
func (f File) Removes() bool { return f.Op == Trash || f.Op == Side }

// Content identifies the bytes of a file at some time.
type Content struct {
	Hash string // hex SHA-256; "": the file did not exist
	Size int64
	Kept bool // whether the bytes are in the history; those of files over MaxKept are not

	offset int64 // of the bytes' frame in the change's segment
}

// location is where a change's record is.
type location struct {
	segment string
	offset  int64
}

// Exists reports whether the file existed.
func (c Content) Exists() bool { return c.Hash != "" }

// MaxKept is the size in bytes of the largest content that is kept.
const MaxKept = 16 << 20
