package ops

import (
	"cmp"
	"context"
	"slices"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/vault"
	"obsidian-mcp/internal/vault/history"
)

// life is a note on the way back through its changes: where it was, and whether
// it was in the trash. Before it was made it was nowhere. Others may have had its
// name while it was gone.
type life struct {
	at   string
	gone bool
}

// back goes to before a change, and reports whether that was one of the note.
func (l *life) back(past vault.PastChange) (touched bool) {
	for _, file := range past.Files {
		switch {
		case l.at == "":
		case l.gone:
			if file.Path == l.at && file.Op == history.Trash {
				l.gone, touched = false, true
			}
		case file.Op == history.Move:
			if file.To == l.at {
				l.at, touched = file.Path, true
			}
		case file.Path == l.at:
			touched = true
			if isBirth(past.Change, file) {
				l.at = ""
			} else {
				l.gone = !file.Before.Exists()
			}
		}
	}
	return touched
}

// isBirth reports that a file was made, and not brought back.
func isBirth(change history.Change, file history.File) bool {
	return file.Op == history.Write && !file.Before.Exists() && change.Tool != "undo_change" && change.Tool != "restore_note"
}

// story is all changes after one, the newest first.
type story []vault.PastChange

func (o *Ops) since(ctx context.Context, past vault.PastChange) (story, error) {
	var since story
	err := o.vault.EachPastChange(ctx, func(newer vault.PastChange) bool {
		if newer.ID == past.ID {
			return false
		}
		since = append(since, newer)
		return ctx.Err() == nil
	})
	return since, err
}

// follow is where the file of a change has gone since, and which change took it
// there; "" if it was deleted, so that what has its name is another one.
func (s story) follow(file history.File) (now vpath.Path, by string) {
	at, gone := cmp.Or(file.To, file.Path), file.Op == history.Trash
	for _, newer := range slices.Backward(s) {
		for _, step := range newer.Files {
			switch {
			case step.Path != at:
			case gone:
				gone = step.Op != history.Write || step.Before.Exists() || isBirth(newer.Change, step)
			case step.Op == history.Move:
				at, by = step.To, newer.ID
			case step.Op == history.Trash:
				gone = true
			}
		}
	}
	if gone {
		return "", ""
	}
	return vpath.Path(at), by
}

// inPlace refuses to take back a change of notes that have other names by now.
func (s story) inPlace(past vault.PastChange, exists func(vpath.Path) bool) error {
	for _, file := range past.Files {
		left := cmp.Or(file.To, file.Path)
		if now, by := s.follow(file); by != "" && string(now) != left && string(now) != file.Path && exists(now) {
			return fault.Conflict.Errorf("'%s' has %w: it is '%s' by now, by change %s", plainName(vpath.Path(left)), vault.ErrChangedSince, plainName(now), by).
				WithHint("take that change back first; or force=true puts back what was before where the note is now")
		}
	}
	return nil
}

// placed is a change with its files where they are by now.
func (s story) placed(past vault.PastChange, exists func(vpath.Path) bool) vault.PastChange {
	past.Files = slices.Clone(past.Files)
	for i, file := range past.Files {
		now, by := s.follow(file)
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
