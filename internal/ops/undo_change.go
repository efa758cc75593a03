package ops

import (
	"context"
	"strconv"

	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/vault"
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
	done, err := o.vault.Alone(ctx)
	if err != nil {
		return Undone{}, err
	}
	defer done()
	return reapplied(ctx, "", func() (Undone, error) { return o.undoOnce(ctx, in) })
}

func (o *Ops) undoOnce(ctx context.Context, in UndoChange) (Undone, error) {
	past, err := o.vault.Past(ctx, in.ID)
	if err != nil {
		return Undone{}, err
	}
	undo, err := o.vault.PlanUndo(ctx, past, in.Force)
	if err != nil {
		return Undone{}, err
	}
	if !in.DryRun {
		if err := o.asking.check(len(undo.Files), in.Confirm, "undo_change", past.ID, strconv.FormatBool(in.Force)); err != nil {
			return Undone{}, err
		}
		if err := undo.Commit(ctx); err != nil {
			return Undone{}, err
		}
	}
	return Undone{ID: past.ID, Restored: o.restored(ctx, undo), DryRun: in.DryRun}, nil
}

// restored names the files that an undo brings back.
func (o *Ops) restored(ctx context.Context, undo *vault.Undo) []string {
	names := []string{}
	s, err := o.vault.Snapshot(ctx)
	for _, path := range undo.Files {
		if err == nil && s.Has(path) {
			names = append(names, s.Name(path))
		} else {
			names = append(names, plainName(path))
		}
	}
	return names
}
