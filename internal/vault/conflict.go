package vault

import (
	"errors"
	"strings"

	"obsidian-mcp/internal/fault"
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
	if !file.Path.IsNote() && !file.Path.IsCanvas() {
		return err.WithHint("resolve it in Obsidian on a device")
	}
	return err.WithHint("read_note with revision=%s shows the other side; resolve it in Obsidian on a device",
		revisions(file.Conflicts))
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
