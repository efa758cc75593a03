package folder

import (
	"slices"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
)

// rollBack undoes the changes that a failed commit has made so far. Undoing is a commit of its own with its own
// journal, so a crash during it is recovered from like any other.
func (u *unit) rollBack(forward string, cause error) error {
	back := u.inverse()
	if len(back) > 0 {
		var err error
		if forward, err = u.replaceJournal(forward, back); err != nil {
			u.vault.log.Warn("rolling back a failed change without a journal", "error", err.Error())
		}
		undo := u.vault.newUnit()
		defer undo.close()
		if err := undo.complete("", back); err != nil {
			u.discardAll()
			return fault.StoreUnavailable.Errorf(
				"%w; undoing the other changes failed too and will be finished before the next change: %w", cause, err)
		}
	}
	u.discardAll()
	u.vault.removeJournal(forward)
	return cause
}

// inverse lists the changes that undo those made so far, the latest first.
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
		case s.leaving: // the old name still exists; whatever it holds by now stays
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
		back = append(back, store.Change{Op: store.RemoveFolder, Path: vpath.Path(dir)})
	}
	return back
}
