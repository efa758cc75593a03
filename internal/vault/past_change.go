package vault

import (
	"context"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/vault/call"
	"obsidian-mcp/internal/vault/history"
)

// PastChange is a recorded change as a caller may see it: Files has open files
// only. Links in closed notes may have changed with them.
type PastChange struct {
	history.Change
	closed []history.File
}

// HasHistory reports whether the vault's changes are recorded.
func (w *View) HasHistory() bool { return w.vault.recorder.history != nil }

// HistoryState returns how much is recorded; without a history, the zero State.
func (v *Vault) HistoryState(ctx context.Context) (history.State, error) {
	if v.recorder.history == nil {
		return history.State{}, nil
	}
	return v.recorder.history.State(ctx)
}

// EachPastChange calls visit for the changes that the caller may see, newest first,
// until visit returns false.
func (w *View) EachPastChange(ctx context.Context, visit func(PastChange) bool) error {
	if !w.HasHistory() {
		return noHistory()
	}
	return w.vault.recorder.history.Each(ctx, func(change history.Change) bool {
		if !change.Made && !w.vault.recorder.settle(ctx, change) {
			return true
		}
		past, ok := w.visible(ctx, change)
		return !ok || visit(past)
	})
}

// PastChange finds a change that the caller may see.
func (w *View) PastChange(ctx context.Context, id string) (PastChange, error) {
	if !w.HasHistory() {
		return PastChange{}, noHistory()
	}
	change, err := w.vault.recorder.history.Find(ctx, id)
	if err != nil {
		return PastChange{}, err
	}
	past, ok := w.visible(ctx, change)
	if !ok || !change.Made && !w.vault.recorder.settle(ctx, change) {
		return PastChange{}, history.NotFound(id)
	}
	for _, file := range past.Files {
		call.Of(ctx).NoteRead(file.Path)
	}
	return past, nil
}

// Content returns a file's bytes before or after a change.
func (w *View) Content(ctx context.Context, past PastChange, content history.Content) ([]byte, error) {
	return w.vault.recorder.history.Content(ctx, past.Change, content)
}

func noHistory() error {
	return fault.InvalidArgument.Errorf("the changes of this vault are not recorded").
		WithHint("set OBSIDIAN_MCP_HISTORY to required")
}

// visible returns the part of a change that the caller may see; ok is false if
// there is none. A change that created, moved or removed a closed file is hidden
// as a whole. So are the token names and sessions of other callers.
func (w *View) visible(ctx context.Context, change history.Change) (past PastChange, ok bool) {
	past = PastChange{Change: change}
	past.Files = nil
	if w.limited() && past.Token != call.CallerOf(ctx).Token {
		past.Token, past.Session = "", ""
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
		case file.Op == history.Write && file.Before.Exists(), file.Op == history.Side:
			past.closed = append(past.closed, file)
		default:
			return PastChange{}, false
		}
	}
	return past, len(past.Files) > 0
}

// opens reports whether a file of a change is open to the caller under its old and its new path.
func (w *View) opens(file history.File) bool {
	return w.scope.Open(vpath.Path(file.Path)) && (file.To == "" || w.scope.Open(vpath.Path(file.To)))
}
