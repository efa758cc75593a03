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

// MaxNote is the largest note that is read or written whole.
const MaxNote = 10_000_000

// attempts bounds how often an edit is made anew because others change the
// note at the same time.
const attempts = 10

// Edited tells what an edit did.
type Edited struct {
	Hash    string // of the note as it is now
	Changed bool
}

// Edit changes one note: it is read, given to change, and written if it is
// still the one that was read; otherwise all of that is done again, unless
// the note has a conflict that does not pass by itself. A note whose bytes
// come out the same is not written. Where expected is not empty, the note must
// have that hash.
func (v *Vault) Edit(ctx context.Context, path vpath.Path, expected string, change func(*md.Note) ([]md.Splice, error)) (Edited, error) {
	done, err := v.turns.note(ctx, path)
	if err != nil {
		return Edited{}, err
	}
	defer done()
	for attempt := 1; ; attempt++ {
		edited, err := v.editOnce(ctx, path, expected, change)
		if !IsPassing(err) || expected != "" || attempt == attempts {
			return edited, err
		}
		if err := Pause(ctx, attempt); err != nil {
			return Edited{}, err
		}
	}
}

// Pause waits before a change is tried again, longer with each attempt: who
// is writing the note may need some time to finish.
func Pause(ctx context.Context, attempt int) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(min(time.Millisecond<<attempt, 50*time.Millisecond)):
		return nil
	}
}

func (v *Vault) editOnce(ctx context.Context, path vpath.Path, expected string, change func(*md.Note) ([]md.Splice, error)) (Edited, error) {
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

// Expect compares a note with the hash that a caller knows of it.
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

// CheckSize refuses to write what could not be read again.
func CheckSize(path vpath.Path, data []byte) error {
	if len(data) > MaxNote {
		return fault.InvalidArgument.Errorf("'%s' would be %d bytes; notes over %d bytes are not written", path.Name(), len(data), MaxNote)
	}
	return nil
}
