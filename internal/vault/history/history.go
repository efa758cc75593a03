// Package history keeps every change of a vault's files, with their bytes
// before and after, so that each can be shown and taken back.
//
// It promises that what Begin has returned is on the disk, and is found again
// after a crash or a power cut, by any process; that contents come back byte
// for byte or not at all, since each is checked against its hash; that what is
// older than it is to be kept, or more than that, goes, the oldest first, and never takes a newer
// change with it; and that a damaged file costs what was damaged alone. It is
// outside of the vault, closed to other users, and sealed if it has a secret.
//
// What a change means, and how to take it back, is left to the caller.
package history

import (
	"log/slog"
	"sync"
	"time"

	"obsidian-mcp/internal/system/seal"
)

// Options say where a history is, and how much of it is kept.
type Options struct {
	Dir    string        // made with mode 0700 when something is first recorded
	Secret string        // what contents and names are sealed with; "": they are not
	Keep   time.Duration // how long; 0: 30 days
	Most   int64         // bytes in all; 0: 1 GB

	Now func() time.Time // time.Now
	Log *slog.Logger     // nothing
}

// History is a history that may be on the disk already. It is safe for use by
// several goroutines, and several processes may have the same one.
type History struct {
	o    Options
	disk *logDisk
	keys *keyring

	writing   chan struct{} // full while a goroutine appends or prunes, which alone has what follows
	known     known         // the contents of the segment that is appended to
	abandoned string        // a segment that the disk may have lost a part of
	pruned    time.Time     // when that was last done

	mu       sync.Mutex          // guards what follows, and is held while a segment is read
	segments map[string]*segment // those that were looked at, by name
	closed   bool
}

const (
	defaultKeep = 30 * 24 * time.Hour
	defaultMost = 1 << 30
)

// Open names a history. The disk is not asked, and the key not derived, before
// something is recorded or read.
func Open(o Options) *History { return open(o, seal.Iterations) }

func open(o Options, iterations int) *History {
	if o.Keep <= 0 {
		o.Keep = defaultKeep
	}
	if o.Most <= 0 {
		o.Most = defaultMost
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

// Close waits for what is being recorded, and lets nothing more be begun. What
// became of changes that were begun can still be said.
func (h *History) Close() error {
	h.writing <- struct{}{}
	defer func() { <-h.writing }()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	return nil
}

// Ops of a file in a change.
const (
	Write  = "write"  // it got other bytes; Before nil: it was made
	Move   = "move"   // it went from Path to To, maybe with other bytes
	Trash  = "trash"  // it went to the vault's trash
	Config = "config" // a file of Obsidian's own settings got other bytes; Path is its name there
)

// Draft is a change that is about to be made.
type Draft struct {
	Tool   string
	Client string
	Token  string
	Undoes string // the id of the change that it takes back; "" if none
	Files  []DraftFile
}

// DraftFile is a file before and after a change; nil bytes: there is none.
type DraftFile struct {
	Op, Path, To  string
	Before, After []byte
}

// Change is a change that was recorded.
type Change struct {
	ID     string
	Time   time.Time
	Tool   string
	Client string
	Token  string
	Undoes string
	Files  []File
	Made   bool // false: nobody has said whether it was made

	at place // where the contents are
}

// File is a file of a change.
type File struct {
	Op, Path, To  string
	Trash         string  // where a trashed file went, once that is known
	Before, After Content // zero: there is no file
}

// Content is the bytes of a file at some time.
type Content struct {
	Hash string // hex SHA-256; "": there was no file
	Size int64
	Kept bool // whether the bytes are in the history; those of very large files are not

	offset int64 // of their frame in the change's segment
}

// place is where a change's record is.
type place struct {
	segment string
	offset  int64
}

// Exists reports whether there was a file.
func (c Content) Exists() bool { return c.Hash != "" }

// MaxKept is the largest content that is kept.
const MaxKept = 16 << 20
