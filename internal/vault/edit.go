package vault

import (
	"bytes"
	"context"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
)

// MaxNote is the size in bytes of the largest note that is read or written.
const MaxNote = 10_000_000

// maxAttempts bounds how often an edit is repeated because other programs change
// the note at the same time.
const maxAttempts = 10

// Edited is the result of an edit.
type Edited struct {
	Hash    string // of the note as it is now
	Changed bool
}

// EditFunc says how to change a note. It may be called more than once.
type EditFunc func(*md.Note) ([]md.Splice, error)

// Edit reads a note, passes it to change, and writes the result if the note has
// not changed meanwhile. If it has, Edit starts over, unless the note has a
// conflict that only a person can resolve. A note whose bytes stay the same is
// not written. If expected is not empty, the note must have that hash.
func (v *Vault) Edit(ctx context.Context, path vpath.Path, expected string, change EditFunc) (Edited, error) {
	done, err := v.turns.note(ctx, path)
	if err != nil {
		return Edited{}, err
	}
	defer done()
	for attempt := 1; ; attempt++ {
		edited, err := v.editOnce(ctx, path, expected, change)
		if !MayPass(err) || expected != "" || attempt == maxAttempts {
			return edited, err
		}
		if err := Pause(ctx, attempt); err != nil {
			return Edited{}, err
		}
	}
}

// Pause waits before an attempt is repeated, longer each time: the program that
// is writing the note may need a moment to finish.
func Pause(ctx context.Context, attempt int) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(min(time.Millisecond<<attempt, 50*time.Millisecond)):
		return nil
	}
}

func (v *Vault) editOnce(ctx context.Context, path vpath.Path, expected string, change EditFunc) (Edited, error) {
	file, err := v.Read(ctx, path, MaxNote)
	if err != nil {
		return Edited{}, err
	}
	if err := Expect(path, file.Data, expected); err != nil {
		return Edited{}, err
	}
	note, err := edit.Open(file.Data)
	if err != nil {
		return Edited{}, err
	}
	splices, err := change(note)
	if err != nil {
		return Edited{}, err
	}
	after := md.Apply(file.Data, splices)
	if bytes.Equal(after, file.Data) {
		return Edited{Hash: store.Hash(file.Data)}, nil
	}
	if err := CheckResolved(file.Info); err != nil {
		return Edited{}, err
	}
	if err := CheckSize(path, after); err != nil {
		return Edited{}, err
	}
	if _, err := v.Commit(ctx, []store.Change{{Path: path, Base: file.Rev, Was: file.Data, Data: after}}); err != nil {
		return Edited{}, err
	}
	return Edited{Hash: store.Hash(after), Changed: true}, nil
}

// Expect returns a Conflict unless a note has the expected hash, or none is expected.
func Expect(path vpath.Path, data []byte, expected string) error {
	if expected == "" {
		return nil
	}
	if now := store.Hash(data); now != expected {
		return fault.Conflict.Errorf("'%s' has changed since: expected_hash is %s, the note's hash is %s", path.Name(), expected, now).
			WithHint("read the note again")
	}
	return nil
}

// ExpectAbsent is Expect for a note that does not exist.
func ExpectAbsent(path vpath.Path, expected string) error {
	if expected == "" {
		return nil
	}
	return fault.Conflict.Errorf("'%s' does not exist any more: expected_hash is %s", path.Name(), expected)
}

// CheckSize refuses notes that are too large to be read again.
func CheckSize(path vpath.Path, data []byte) error {
	if len(data) > MaxNote {
		return fault.InvalidArgument.Errorf("'%s' would be %d bytes; notes over %d bytes are not written",
			path.Name(), len(data), MaxNote)
	}
	return nil
}
