package vault

import (
	"context"
	"errors"
	"slices"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
)

// CheckResolved refuses to write a file that several devices changed at the same
// time, as the store itself would. Its hint says how to see the other sides,
// because clients seldom show _meta.
func CheckResolved(file store.Info) error {
	if len(file.Conflicts) == 0 {
		return nil
	}
	err := fault.Conflict.Errorf("'%s' %w", file.Path, store.ErrUnresolved)
	switch {
	case file.Path.IsNote():
		return err.WithHint("read_note with revision=%s shows the other side; resolve_conflict merges them", revisions(file.Conflicts))
	case file.Path.IsCanvas():
		return err.WithHint("read_note with revision=%s shows the other side; resolve_conflict keeps the one that you choose", revisions(file.Conflicts))
	}
	return err.WithHint("resolve_conflict keeps the version that you choose")
}

// Conflicted lists the open files in conflict. A limited view does not have those that do not exist any more.
func (w *View) Conflicted(ctx context.Context) ([]store.Conflict, error) {
	found, err := w.vault.store.Conflicted(ctx)
	if err != nil {
		return nil, w.withoutDetails(err, "the conflicts could not be read")
	}
	return slices.DeleteFunc(found, func(c store.Conflict) bool { return !w.sees(c.Path) }), nil
}

// Ancestor reads what a file and one side of its conflict were both made from, as store.Store does.
func (w *View) Ancestor(ctx context.Context, path vpath.Path, rev store.Rev, limit int64) (store.File, error) {
	if !w.sees(path) {
		return store.File{}, absent(path)
	}
	return w.vault.store.Ancestor(ctx, path, rev, limit)
}

// MayPass reports whether an error is a conflict that may be gone at the next attempt.
func MayPass(err error) bool {
	return errors.Is(err, fault.Conflict) && !errors.Is(err, store.ErrUnresolved) && !errors.Is(err, ErrChangedSince)
}

// shownSides is how many sides of a conflict an error names; there may be any
// number.
const shownSides = 3

func revisions(sides []store.Rev) string {
	var names []string
	for _, side := range sides[:min(len(sides), shownSides)] {
		names = append(names, string(side))
	}
	return strings.Join(names, " or ")
}
