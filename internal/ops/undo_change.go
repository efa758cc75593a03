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
	DryRun  bool   `json:"dry_run" jsonschema:"only say what would happen" default:"false"`
	Force   bool   `json:"force" jsonschema:"put notes back though they changed since" default:"false"`
	Confirm string `json:"confirm" jsonschema:"id from a refusal, to change many notes" default:""`
}

// Undone is the result of undo_change.
type Undone struct {
	tool.Meta `json:"-"`

	ID       string   `json:"id"`
	Restored []string `json:"restored"`
	DryRun   bool     `json:"dry_run"`
}

var undoChange = tool.New(tool.Spec{
	Name: "undo_change", Toolset: "history", Title: "Take a change back", Effect: tool.Destroys, Idempotent: true,
	About: "Takes a change of list_changes back: every note of it is again, byte for byte, what it was before; one that the change made goes to the trash. Refused if a note changed since. An undo is a change and can be undone. restore_note brings back one note alone.",
}, (*Ops).UndoChange)

// UndoChange takes a change back.
func (o *Ops) UndoChange(ctx context.Context, in UndoChange) (Undone, error) {
	done, err := o.vault.Exclusive(ctx)
	if err != nil {
		return Undone{}, err
	}
	defer done()
	return reapplied(ctx, "", func() (Undone, error) { return o.undoOnce(ctx, in) })
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
	since, err := o.since(ctx, past)
	if err == nil && !in.Force {
		err = since.inPlace(past, s.Has)
	}
	if err != nil {
		return Undone{}, err
	}
	past = since.placed(past, s.Has)
	undo, err := o.vault.PlanUndo(ctx, past, in.Force)
	if err != nil {
		return Undone{}, err
	}
	restored, removed, err := o.named(ctx, undo)
	if err == nil && !in.DryRun {
		if err = o.asking.check(len(restored), in.Confirm, "undo_change", past.ID, strconv.FormatBool(in.Force)); err == nil {
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

// named names all files that an undo restores, and those of them that it
// restores by taking them away.
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
