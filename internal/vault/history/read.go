package history

import (
	"context"
	"crypto/sha256"
	"errors"
	"io/fs"
	"iter"
	"math"
	"slices"
	"strings"
	"unicode"

	"obsidian-mcp/internal/fault"
)

// Each calls visit for the changes that were made, or may have been, newest first,
// until visit returns false. It includes the changes of all processes up to now.
func (h *History) Each(ctx context.Context, visit func(Change) bool) error {
	return h.entries(ctx, func(v *view, e entry) (bool, error) {
		if e.settled == wasDropped {
			return true, nil
		}
		c, err := v.change(e)
		return err != nil || visit(c), nil // skip a damaged change
	})
}

// Find returns a change that was made, or may have been.
func (h *History) Find(ctx context.Context, id string) (Change, error) {
	c, dropped, err := h.find(ctx, id)
	if err == nil && dropped {
		err = NotFound(id)
	}
	return c, err
}

// recentSegments is how many segments Unsettled searches: at least those of the last
// day, or several megabytes.
const recentSegments = 2

// Unsettled lists the recent changes without a recorded outcome, newest first. It is
// fast, however long the history is.
func (h *History) Unsettled(ctx context.Context) ([]Change, error) {
	var found []Change
	err := h.newest(ctx, recentSegments, func(v *view, e entry) (bool, error) {
		if e.settled != unsettled {
			return true, nil
		}
		if c, err := v.change(e); err == nil {
			found = append(found, c)
		}
		return true, nil
	})
	return found, err
}

// Content returns the bytes of a file before or after a change.
func (h *History) Content(ctx context.Context, of Change, c Content) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !c.Exists() {
		return nil, fault.NotFound.Errorf("the file did not exist at that point of change '%s'", of.ID)
	}
	if !c.Kept {
		return nil, fault.NotFound.Errorf("the file in change '%s' is not in the history, which keeps files up to %d MB", of.ID, MaxKept>>20)
	}
	in, err := h.folder()
	if err != nil {
		return nil, err
	}
	if in == nil {
		return nil, expiredChange(of.ID)
	}
	defer in.close()
	v, err := h.readSegment(in, of.at.segment)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, expiredChange(of.ID)
	}
	if err != nil || v == nil {
		return nil, damagedContent(of.ID)
	}
	defer v.close()
	data, err := v.content(c)
	if err != nil {
		return nil, damagedContent(of.ID)
	}
	return data, nil
}

func expiredChange(id string) error {
	return fault.NotFound.Errorf("change '%s' is no longer in the history", id).
		WithHint("list_changes lists the changes that are")
}

func damagedContent(id string) error {
	return fault.StoreUnavailable.Errorf("the history's data for change '%s' is damaged", id)
}

// find returns a change, and whether it was dropped.
func (h *History) find(ctx context.Context, id string) (found Change, dropped bool, err error) {
	err = h.entries(ctx, func(v *view, e entry) (bool, error) {
		if e.id != id {
			return true, nil
		}
		var err error
		found, err = v.change(e)
		dropped = e.settled == wasDropped
		return false, err
	})
	if err == nil && found.ID == "" {
		err = NotFound(id)
	}
	return found, dropped, err
}

// maxShown is the length of the longest id that an error repeats.
const maxShown = 40

// NotFound is the error for an unknown id.
func NotFound(id string) error {
	if len(id) > maxShown || strings.ContainsFunc(id, func(r rune) bool { return !unicode.IsGraphic(r) }) {
		return fault.NotFound.Errorf("not the id of a change: ids look like mhz3k2p1-4f9c").
			WithHint("list_changes lists them")
	}
	return fault.NotFound.Errorf("no change has the id '%s'", id).WithHint("list_changes lists them")
}

// entries visits every change, newest first. It reads each segment when it gets to
// it, and skips what cannot be read.
func (h *History) entries(ctx context.Context, visit func(*view, entry) (bool, error)) error {
	return h.newest(ctx, math.MaxInt, visit)
}

// newest visits the changes of the newest segments, up to a limit.
func (h *History) newest(ctx context.Context, limit int, visit func(*view, entry) (bool, error)) error {
	in, err := h.folder()
	if in == nil {
		return err
	}
	defer in.close()
	h.forget(in)
	for name := range in.newestFirst() {
		if limit--; limit < 0 {
			break
		}
		if more, err := h.entriesOf(ctx, in, name, visit); err != nil || !more {
			return err
		}
	}
	return nil
}

func (h *History) entriesOf(
	ctx context.Context, in *folder, name string, visit func(*view, entry) (bool, error),
) (more bool, err error) {
	v, err := h.readSegment(in, name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		h.o.Log.Warn("a part of the history cannot be read", "segment", name, "error", withoutPath(err))
	}
	if v == nil {
		return true, ctx.Err()
	}
	defer v.close()
	for _, e := range slices.Backward(v.changes) {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		if more, err := visit(v, e); err != nil || !more {
			return false, err
		}
	}
	return true, nil
}

// newestFirst yields the names of the segments.
func (f *folder) newestFirst() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, name := range slices.Backward(f.names) {
			if !yield(name) {
				return
			}
		}
	}
}

func (v *view) last() entry { return v.changes[len(v.changes)-1] }

// change reads the record of a change.
func (v *view) change(e entry) (Change, error) {
	data, err := v.frames.readFrame(v.file, v.size, changeFrame, e.offset)
	if err != nil {
		return Change{}, err
	}
	c, err := decodeChange(data)
	if err != nil {
		return Change{}, err
	}
	c.Made = e.settled == wasMade
	c.at = location{v.name, e.offset}
	return c, v.addTrash(&c, e)
}

// addTrash adds the paths of trashed files in the trash, which the outcome has.
func (v *view) addTrash(c *Change, e entry) error {
	trashes := func(f File) bool { return f.Op == Trash }
	if !c.Made || !slices.ContainsFunc(c.Files, trashes) {
		return nil
	}
	data, err := v.frames.readFrame(v.file, v.size, outcomeFrame, e.outcome)
	if err != nil {
		return err
	}
	made, err := decodeOutcome(data)
	for i, file := range c.Files {
		c.Files[i].Trash = made.trash[file.Path]
	}
	return err
}

// content reads a content and verifies its hash.
func (v *view) content(c Content) ([]byte, error) {
	compressed, err := v.frames.readFrame(v.file, v.size, contentFrame, c.offset)
	if err != nil {
		return nil, err
	}
	data, err := decompress(compressed, c.Size)
	if err != nil {
		return nil, err
	}
	if hexOf(sha256.Sum256(data)) != c.Hash {
		return nil, errDamaged
	}
	return data, nil
}
