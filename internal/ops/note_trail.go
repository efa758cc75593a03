package ops

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/vault"
	"obsidian-mcp/internal/vault/history"
)

// trail follows a note back through its changes: where it was, and whether it was in
// the trash. Before its creation it was nowhere. Other notes may have had its name
// while it was gone.
type trail struct {
	at   string // "": before its creation
	gone bool
}

// stepBack goes back to the state before a change, and reports whether the change
// touched the note.
func (t *trail) stepBack(past vault.PastChange) (touched bool) {
	for _, file := range past.Files {
		switch {
		case t.at == "":
		case t.gone:
			if file.Path == t.at && file.Removes() {
				t.gone, touched = false, true
			}
		case file.Op == history.Move:
			if file.To == t.at {
				t.at, touched = file.Path, true
			}
		case file.Path == t.at:
			touched = true
			if creates(past.Change, file) {
				t.at = ""
			} else {
				t.gone = !file.Before.Exists()
			}
		}
	}
	return touched
}

// creates reports whether a change created a file, rather than bringing it back.
func creates(change history.Change, file history.File) bool {
	return file.Op == history.Write && !file.Before.Exists() && change.Tool != "undo_change" && change.Tool != "restore_note"
}

// laterChanges are all changes after a given one, newest first.
type laterChanges []vault.PastChange

func (o *Ops) changesAfter(ctx context.Context, past vault.PastChange) (laterChanges, error) {
	var later laterChanges
	err := o.vault.EachPastChange(ctx, func(newer vault.PastChange) bool {
		if newer.ID == past.ID {
			return false
		}
		later = append(later, newer)
		return ctx.Err() == nil
	})
	return later, err
}

// follow returns where the file of a change is now, and the change that moved it there;
// "" if it was deleted, so that a file with its name is another one.
func (l laterChanges) follow(file history.File) (now vpath.Path, by string) {
	at, gone := cmp.Or(file.To, file.Path), file.Removes()
	for _, newer := range slices.Backward(l) {
		for _, step := range newer.Files {
			switch {
			case step.Path != at:
			case gone:
				gone = step.Op != history.Write || step.Before.Exists() || creates(newer.Change, step)
			case step.Op == history.Move:
				at, by = step.To, newer.ID
			case step.Removes():
				gone = true
			}
		}
	}
	if gone {
		return "", ""
	}
	return vpath.Path(at), by
}

// renamed lists the notes of a change that have been renamed since, which prevents its undo.
func (l laterChanges) renamed(past vault.PastChange, exists func(vpath.Path) bool) (found []vault.UndoConflict) {
	for _, file := range past.Files {
		left := vpath.Path(cmp.Or(file.To, file.Path))
		now, by := l.follow(file)
		if by == "" || now == left || string(now) == file.Path || !exists(now) {
			continue
		}
		found = append(found, vault.UndoConflict{
			Change: past.ID, Path: left, Reason: fmt.Sprintf("was renamed to '%s' by change %s", plainName(now), by),
			Err: fault.Conflict.Errorf("'%s' has %w: change %s renamed it to '%s'", plainName(left), vault.ErrChangedSince, by, plainName(now)).
				WithHint("undo that change first, or use force=true to restore the old state at the note's current path"),
		})
	}
	return found
}

// relocate returns a change with its files at their current paths.
func (l laterChanges) relocate(past vault.PastChange, exists func(vpath.Path) bool) vault.PastChange {
	past.Files = slices.Clone(past.Files)
	for i, file := range past.Files {
		now, by := l.follow(file)
		switch {
		case by == "" || string(now) == file.Path || !exists(now):
		case file.Op == history.Move:
			past.Files[i].To = string(now)
		default:
			past.Files[i].Path = string(now)
		}
	}
	return past
}
