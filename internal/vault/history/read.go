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

// Each gives the changes that were made, or may have been, the newest first,
// until visit returns false. Those of all processes up to now are among them.
func (h *History) Each(ctx context.Context, visit func(Change) bool) error {
	return h.entries(ctx, func(v *view, e entry) (bool, error) {
		if e.settled == wasDropped {
			return true, nil
		}
		c, err := v.change(e)
		return err != nil || visit(c), nil // what is damaged costs itself alone
	})
}

// Find gives a change that was made, or may have been.
func (h *History) Find(ctx context.Context, id string) (Change, error) {
	c, at, err := h.find(ctx, id)
	if err == nil && at.dropped {
		err = NotFound(id)
	}
	return c, err
}

// lately is how many segments are looked at for changes of which nobody has
// said what became of them: those of a day at least, or of some megabytes.
const lately = 2

// Unsettled lists the changes of late of which nobody has said what became of
// them, the newest first. It is quick, however long the history is.
func (h *History) Unsettled(ctx context.Context) ([]Change, error) {
	var found []Change
	err := h.newest(ctx, lately, func(v *view, e entry) (bool, error) {
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

// Content gives the bytes of a file before or after a change.
func (h *History) Content(ctx context.Context, of Change, c Content) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !c.Exists() {
		return nil, fault.NotFound.Errorf("there was no file in the change '%s'", of.ID)
	}
	if !c.Kept {
		return nil, fault.NotFound.Errorf("the history has no files of more than %d MB, such as this one of the change '%s'", MaxKept>>20, of.ID)
	}
	in, err := h.folder()
	if err != nil {
		return nil, err
	}
	if in == nil {
		return nil, noLonger(of.ID)
	}
	defer in.close()
	v, err := h.look(in, of.at.segment)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, noLonger(of.ID)
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

func noLonger(id string) error {
	return fault.NotFound.Errorf("the change '%s' is no longer kept", id).WithHint("list_changes names those that are")
}

func damagedContent(id string) error {
	return fault.StoreUnavailable.Errorf("the bytes that the history has of the change '%s' are damaged", id)
}

// whereabouts are where a change is, and whether it was dropped.
type whereabouts struct {
	place
	dropped bool
}

// find gives a change, and where it is.
func (h *History) find(ctx context.Context, id string) (found Change, at whereabouts, err error) {
	err = h.entries(ctx, func(v *view, e entry) (bool, error) {
		if e.id != id {
			return true, nil
		}
		var err error
		found, err = v.change(e)
		at = whereabouts{found.at, e.settled == wasDropped}
		return false, err
	})
	if err == nil && found.ID == "" {
		err = NotFound(id)
	}
	return found, at, err
}

// longestShown is the longest text that is repeated as an id in an error.
const longestShown = 40

// NotFound is the error for an id that there is no change of.
func NotFound(id string) error {
	if len(id) > longestShown || strings.ContainsFunc(id, func(r rune) bool { return !unicode.IsGraphic(r) }) {
		return fault.NotFound.Errorf("there is no such change: ids look like mhz3k2p1-4f9c").WithHint("list_changes names them")
	}
	return fault.NotFound.Errorf("there is no change '%s'", id).WithHint("list_changes names them")
}

// entries visits every change, the newest first. Segments are read when it
// comes to them; what of them cannot be read is passed over.
func (h *History) entries(ctx context.Context, visit func(*view, entry) (bool, error)) error {
	return h.newest(ctx, math.MaxInt, visit)
}

// newest is entries for so many segments.
func (h *History) newest(ctx context.Context, most int, visit func(*view, entry) (bool, error)) error {
	in, err := h.folder()
	if in == nil {
		return err
	}
	defer in.close()
	h.forget(in)
	for name := range in.newestFirst() {
		if most--; most < 0 {
			break
		}
		if more, err := h.entriesOf(ctx, in, name, visit); err != nil || !more {
			return err
		}
	}
	return nil
}

func (h *History) entriesOf(ctx context.Context, in *folder, name string, visit func(*view, entry) (bool, error)) (more bool, err error) {
	v, err := h.look(in, name)
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

// newestFirst gives the names of the segments.
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

// change reads a change.
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
	c.at = place{v.name, e.offset}
	return c, v.addTrash(&c, e)
}

// addTrash says where the trashed files went.
func (v *view) addTrash(c *Change, e entry) error {
	trashes := func(f File) bool { return f.Op == Trash }
	if !c.Made || !slices.ContainsFunc(c.Files, trashes) {
		return nil
	}
	data, err := v.frames.readFrame(v.file, v.size, outcomeFrame, e.told)
	if err != nil {
		return err
	}
	told, err := decodeOutcome(data)
	for i, file := range c.Files {
		c.Files[i].Trash = told.trash[file.Path]
	}
	return err
}

// content reads a content, and verifies it.
func (v *view) content(c Content) ([]byte, error) {
	packed, err := v.frames.readFrame(v.file, v.size, contentFrame, c.offset)
	if err != nil {
		return nil, err
	}
	data, err := unpack(packed, c.Size)
	if err != nil {
		return nil, err
	}
	if hexOf(sha256.Sum256(data)) != c.Hash {
		return nil, errDamaged
	}
	return data, nil
}
