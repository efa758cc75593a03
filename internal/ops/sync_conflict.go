package ops

import (
	"context"
	"errors"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/tool"
)

// withConflicts adds the losing sides of a sync conflict, if there is one, to a
// result's metadata.
func withConflicts(conflicts []store.Rev, meta tool.Meta) tool.Meta {
	if len(conflicts) > 0 {
		sides := make([]string, len(conflicts))
		for i, side := range conflicts {
			sides[i] = string(side)
		}
		meta["conflicts"] = sides
	}
	return meta
}

// hintConflict says that a note has other versions: clients seldom show metadata.
func (o *Ops) hintConflict(ctx context.Context, path vpath.Path, sides []store.Rev) {
	if _, err := o.help.Find(resolveConflict.Name); err == nil && len(sides) > 0 {
		tool.AddHint(ctx, tool.HintSuggest, "'%s' was changed on two devices at once, and this is one of %d versions; resolve_conflict merges them.", path.Name(), len(sides)+1)
	}
}

// readSide reads the current text of a file, or one side of its sync conflict.
func (o *Ops) readSide(ctx context.Context, name string, path vpath.Path, side store.Rev) (store.File, error) {
	if side == store.Absent {
		return o.readText(ctx, name, path, maxPart)
	}
	if err := checkText(name, path); err != nil {
		return store.File{}, err
	}
	file, err := o.vault.Branch(ctx, path, side, maxPart)
	if errors.Is(err, fault.NotFound) {
		return store.File{}, fault.NotFound.Errorf("'%s' has no side '%s' of a sync conflict", name, side).
			WithHint("the conflict may have been resolved; read the note without revision")
	}
	return file, err
}
