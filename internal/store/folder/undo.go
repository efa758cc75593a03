package folder

import (
	"slices"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
)

// takeBack undoes what a failed commit has made so far. The way back is a
// commit of its own, so that a crash on it is mended like any other.
func (u *unit) takeBack(forward string, cause error) error {
	back := u.inverse()
	if len(back) > 0 {
		var err error
		if forward, err = u.turn(forward, back); err != nil {
			u.log.Warn("a failed change is taken back without a journal", "error", err.Error())
		}
		way := u.newUnit()
		defer way.close()
		if err := way.finish("", back); err != nil {
			u.discardAll()
			return fault.StoreUnavailable.Errorf("%w; taking the other changes back failed too, and what is left is settled before the next change: %w", cause, err)
		}
	}
	u.discardAll()
	u.settle(forward)
	return cause
}

// inverse lists the changes that lead back, the last one first.
func (u *unit) inverse() []store.Change {
	var back []store.Change
	for _, s := range slices.Backward(u.steps) {
		if !s.touched {
			continue
		}
		now := s.Base
		if s.staged != nil {
			now = revOf(s.Data)
		}
		switch {
		case s.leaving: // the old name stands, with whatever is there by now
			back = append(back, store.Change{Op: opRemove, Path: vpath.Path(s.to.path()), Base: now})
		case s.Op == store.Move && s.staged != nil:
			back = append(back, store.Change{Op: store.Move, Path: s.To, To: s.Path, Base: now, Data: s.old})
		case s.Op == store.Move, s.Op == store.Trash:
			back = append(back, store.Change{Op: store.Move, Path: vpath.Path(s.to.path()), To: s.Path, Base: now})
		case s.info == nil:
			back = append(back, store.Change{Op: opRemove, Path: s.Path, Config: s.Config, Base: now})
		default:
			back = append(back, store.Change{Op: s.Op, Path: s.Path, Config: s.Config, Base: now, Data: s.old})
		}
	}
	if len(back) == 0 {
		return nil
	}
	for _, dir := range slices.Backward(u.made) {
		back = append(back, store.Change{Op: opRemoveFolder, Path: vpath.Path(dir)})
	}
	return back
}
