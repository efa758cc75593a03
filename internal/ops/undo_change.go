package ops

import (
	"context"
	"strconv"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/vault"
	"obsidian-mcp/internal/vault/call"
)

// UndoChange are the parameters of undo_change.
type UndoChange struct {
	ID      string `json:"id" jsonschema:"id from list_changes, or _meta.change_id of a write"`
	DryRun  bool   `json:"dry_run" jsonschema:"only report what would happen" default:"false"`
	Force   bool   `json:"force" jsonschema:"undo even if notes have changed since" default:"false"`
	Confirm string `json:"confirm" jsonschema:"id from a refusal, to confirm a change of many notes" default:""`
}

// Undone is the result of undo_change.
type Undone struct {
	tool.Meta `json:"-"`

	ID       string   `json:"id"`
	Restored []string `json:"restored"`
	DryRun   bool     `json:"dry_run"`
}

var undoChange = tool.New(tool.Spec{
	Name: "undo_change", Toolset: "history", Title: "Undo a change", Effect: tool.Destroys, Idempotent: true,
	About: "Undoes a change from list_changes: every note in it gets back exactly the bytes it had before; notes that the change created go to the trash. Refused if a note has changed since. An undo is itself a change and can be undone. Use restore_note to restore a single note.",
}, (*Ops).UndoChange)

// UndoChange undoes a change.
func (o *Ops) UndoChange(ctx context.Context, in UndoChange) (Undone, error) {
	done, err := o.vault.Exclusive(ctx)
	if err != nil {
		return Undone{}, err
	}
	defer done()
	return retryConflicts(ctx, "", func() (Undone, error) { return o.undoOnce(ctx, in) })
}

func (o *Ops) undoOnce(ctx context.Context, in UndoChange) (Undone, error) {
	s, err := o.vault.Snapshot(ctx)
	if err != nil {
		return Undone{}, err
	}
	past, err := o.vault.PastChange(ctx, in.ID)
	if err != nil {
		return Undone{}, err
	}
	later, err := o.changesAfter(ctx, past)
	if err == nil && !in.Force {
		err = later.checkUnmoved(past, s.Has)
	}
	if err != nil {
		return Undone{}, err
	}
	past = later.relocate(past, s.Has)
	undo, err := o.vault.PlanUndo(ctx, past, in.Force)
	if err != nil {
		return Undone{}, err
	}
	restored, removed, err := o.named(ctx, undo)
	if err == nil && !in.DryRun {
		if err = o.confirm.check(ctx, len(restored), in.Confirm, "undo_change", past.ID, strconv.FormatBool(in.Force)); err == nil {
			call.Of(ctx).NoteUndo(past.ID)
			err = undo.Commit(ctx)
		}
	}
	if err != nil {
		return Undone{}, err
	}
	undone := Undone{ID: past.ID, Restored: restored, DryRun: in.DryRun}
	if len(removed) > 0 {
		undone.Meta = tool.Meta{"removed": removed}
	}
	return undone, nil
}

// named returns the names of all files that an undo restores, and of those among them
// that it restores by removing them.
func (o *Ops) named(ctx context.Context, undo *vault.Undo) (all, removed []string, err error) {
	before, err := o.vault.Snapshot(ctx)
	if err != nil {
		return nil, nil, err
	}
	var change index.Change
	for _, path := range undo.Files {
		if !before.Has(path) {
			change.Updated = append(change.Updated, &index.Entry{Path: path})
		}
	}
	after := before.With(change)
	all = []string{}
	for _, path := range undo.Files {
		all = append(all, nameIn(after, path))
	}
	for _, path := range undo.Removed {
		removed = append(removed, nameIn(before, path))
	}
	return append(all, removed...), removed, nil
}
