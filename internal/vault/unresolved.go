package vault

import (
	"errors"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store"
)

// CheckResolved refuses to write a file that devices changed at the same time,
// as the store itself would, and tells how to see the other sides. Clients
// seldom show what stands in _meta.
func CheckResolved(file store.Info) error {
	if len(file.Conflicts) == 0 {
		return nil
	}
	err := fault.Conflict.Errorf("'%s' %w", file.Path, store.ErrUnresolved)
	if !file.Path.IsNote() && !file.Path.IsCanvas() {
		return err.WithHint("resolve it in Obsidian on a device")
	}
	return err.WithHint("read_note with revision=%s shows the other side; resolve it in Obsidian on a device", revisions(file.Conflicts))
}

// IsPassing reports a conflict that may be gone at the next attempt.
func IsPassing(err error) bool {
	return errors.Is(err, fault.Conflict) && !errors.Is(err, store.ErrUnresolved) && !errors.Is(err, ErrSince)
}

// shownSides is how many sides an error names. There is no bound on how many
// there are.
const shownSides = 3

func revisions(sides []store.Rev) string {
	var names []string
	for _, side := range sides[:min(len(sides), shownSides)] {
		names = append(names, string(side))
	}
	return strings.Join(names, " or ")
}
