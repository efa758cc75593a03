package vault

import (
	"context"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/vault/call"
	"obsidian-mcp/internal/vault/history"
)

// Past is a change of the past, as a caller sees it: Files are those that are
// open to him. There may be links in closed notes that changed with them.
type Past struct {
	history.Change
	closed []history.File
}

// Records reports whether the vault has a history.
func (w *View) Records() bool { return w.vault.recorder.history != nil }

// HistoryState tells how much is recorded. Without a history that is nothing.
func (v *Vault) HistoryState(ctx context.Context) (history.State, error) {
	if v.recorder.history == nil {
		return history.State{}, nil
	}
	return v.recorder.history.State(ctx)
}

// Pasts hands over the changes that the caller may see, the newest first,
// until told to stop.
func (w *View) Pasts(ctx context.Context, visit func(Past) bool) error {
	if !w.Records() {
		return noHistory()
	}
	return w.vault.recorder.history.Each(ctx, func(change history.Change) bool {
		if !change.Made && !w.vault.recorder.settle(ctx, change) {
			return true
		}
		past, some := w.visible(ctx, change)
		return !some || visit(past)
	})
}

// Past is one change that the caller may see.
func (w *View) Past(ctx context.Context, id string) (Past, error) {
	if !w.Records() {
		return Past{}, noHistory()
	}
	change, err := w.vault.recorder.history.Find(ctx, id)
	if err != nil {
		return Past{}, err
	}
	past, some := w.visible(ctx, change)
	if !some || !change.Made && !w.vault.recorder.settle(ctx, change) {
		return Past{}, history.NotFound(id)
	}
	for _, file := range past.Files {
		call.Of(ctx).NoteRead(file.Path)
	}
	return past, nil
}

// Content is a file's bytes before or after a change.
func (w *View) Content(ctx context.Context, past Past, content history.Content) ([]byte, error) {
	return w.vault.recorder.history.Content(ctx, past.Change, content)
}

func noHistory() error {
	return fault.InvalidArgument.Errorf("changes of this vault are not recorded").WithHint("set OBSIDIAN_MCP_HISTORY to required")
}

// visible is the part of a change that the caller may see. A change that made,
// moved or removed a closed file is not for him, whatever else it did; and by
// what name others come in is not either.
func (w *View) visible(ctx context.Context, change history.Change) (Past, bool) {
	past := Past{Change: change}
	past.Files = nil
	if w.limited() && past.Token != call.CallerOf(ctx).Token {
		past.Token = ""
	}
	for _, file := range change.Files {
		switch {
		case file.Op == history.Config:
			past.closed = append(past.closed, file)
		case w.opens(file):
			if w.limited() && file.Trash != "" {
				file.Trash = plainTrashPath(vpath.Path(file.Path))
			}
			past.Files = append(past.Files, file)
		case file.Op == history.Write && file.Before.Exists():
			past.closed = append(past.closed, file)
		default:
			return Past{}, false
		}
	}
	return past, len(past.Files) > 0
}

// opens reports whether a file of a change was open to the caller, under both
// its names.
func (w *View) opens(file history.File) bool {
	return !w.limited() || w.scope.Open(vpath.Path(file.Path)) && (file.To == "" || w.scope.Open(vpath.Path(file.To)))
}
