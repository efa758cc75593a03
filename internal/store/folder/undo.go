package folder

import (
	"slices"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/vpath"
)

// takeBack undoes what a failed commit has made so far. The way back is a
// commit of its own, so that a crash on it is mended like any other.
func (u *unit) takeBack(forward *journal, cause error) error {
	u.discardAll()
	back := u.inverse()
	if len(back) == 0 {
		forward.remove()
		u.removeMade()
		return cause
	}
	pending, err := u.turn(forward, back)
	if err != nil {
		u.log.Warn("a failed change is taken back without a journal", "error", err.Error())
		pending = forward
	}
	way := u.newUnit()
	defer way.close()
	if err := way.finish("", back); err != nil {
		return fault.StoreUnavailable.Errorf("%w; taking the other changes back failed too, and what is left is settled before the next change: %w", cause, err)
	}
	pending.remove()
	u.removeMade()
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
		case s.Op == store.Move && s.staged != nil:
			back = append(back, store.Change{Op: store.Move, Path: s.To, To: s.Path, Base: now, Data: notNil(s.old)})
		case s.Op == store.Move:
			back = append(back, store.Change{Op: store.Move, Path: s.To, To: s.Path, Base: now})
		case s.Op == store.Trash:
			back = append(back, store.Change{Op: store.Move, Path: vpath.Path(s.to.path()), To: s.Path, Base: now})
		case s.info == nil:
			back = append(back, store.Change{Op: opRemove, Path: s.Path, Config: s.Config, Base: now})
		default:
			back = append(back, store.Change{Op: s.Op, Path: s.Path, Config: s.Config, Base: now, Data: notNil(s.old)})
		}
	}
	return back
}

// notNil makes no bytes an empty file.
func notNil(data []byte) []byte {
	if data == nil {
		return []byte{}
	}
	return data
}
