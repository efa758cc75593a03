package ops

import (
	"context"
	"strconv"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/vault"
	"obsidian-mcp/internal/vault/call"
)

// UndoChange are the parameters of undo_change.
type UndoChange struct {
	ID      string   `json:"id" jsonschema:"id from list_changes" default:""`
	IDs     []string `json:"ids" jsonschema:"several ids" default:"[]"`
	Session string   `json:"session" jsonschema:"all of a session; 'this' is the calling one" default:""`
	Since   string   `json:"since" jsonschema:"all since then, as in list_changes" default:""`
	DryRun  bool     `json:"dry_run"`
	Force   bool     `json:"force" jsonschema:"undo even if notes have changed since" default:"false"`
	Confirm string   `json:"confirm"`
}

// Undone is the result of undo_change.
type Undone struct {
	tool.Meta `json:"-"`

	ID        string         `json:"id"`
	Restored  []string       `json:"restored"`
	DryRun    bool           `json:"dry_run"`
	Undone    []string       `json:"undone,omitzero"` // nil unless several changes may be undone
	Conflicts []UndoConflict `json:"conflicts,omitzero"`
}

// UndoConflict is a note that has changed since a change, which prevents the undo.
type UndoConflict struct {
	ID     string `json:"id"`
	Note   string `json:"note"`
	Reason string `json:"reason"`
}

var undoChange = tool.New(tool.Spec{
	Name: "undo_change", Toolset: "history", Title: "Undo changes", Effect: tool.Destroys, Idempotent: true,
	About: "Undoes changes that tools made: one from list_changes, several, all of a session, or all since a time. Give exactly one of id, ids, session and since. Notes get back their exact bytes; created ones go to the trash. Refused if a note has changed since; a dry run lists such conflicts. Use restore_note for a single note.",
}, (*Ops).UndoChange)

// UndoChange undoes one or more changes as one unit.
func (o *Ops) UndoChange(ctx context.Context, in UndoChange) (Undone, error) {
	choice, err := in.choice(ctx)
	if err != nil {
		return Undone{}, err
	}
	return exclusively(ctx, o, "", func() (Undone, error) { return o.undoOnce(ctx, in, choice) })
}

func (o *Ops) undoOnce(ctx context.Context, in UndoChange, choice undoChoice) (Undone, error) {
	s, err := o.vault.Texts(ctx)
	if err != nil {
		return Undone{}, err
	}
	chosen, err := o.chosenChanges(ctx, choice)
	if err != nil {
		return Undone{}, err
	}
	undo, err := o.planUndo(ctx, s, chosen, in.Force)
	if err != nil {
		return Undone{}, err
	}
	restored, removed, err := o.named(ctx, undo)
	if err != nil {
		return Undone{}, err
	}
	undone := Undone{Restored: restored, DryRun: in.DryRun}
	if len(removed) > 0 {
		undone.Meta = tool.Meta{"removed": removed}
	}
	ids := chosen.ids()
	if choice.several {
		undone.report(s, undo, chosen)
	} else {
		undone.ID = ids[0]
	}
	if len(undo.Conflicts) > 0 {
		if choice.several && in.DryRun {
			return undone, nil
		}
		return Undone{}, undo.Refusal()
	}
	words := append([]string{"undo_change", strconv.FormatBool(in.Force)}, ids...)
	if in.DryRun {
		o.confirm.preview(ctx, len(restored), words...)
		return undone, nil
	}
	if err := o.confirm.check(ctx, len(restored), in.Confirm, words...); err != nil {
		return Undone{}, err
	}
	call.Of(ctx).NoteUndo(ids)
	if err := undo.Commit(ctx); err != nil {
		return Undone{}, err
	}
	return undone, nil
}

// planUndo plans to undo the chosen changes, newest first.
func (o *Ops) planUndo(ctx context.Context, s *index.Snapshot, chosen chosenChanges, force bool) (*vault.Undo, error) {
	changes := make([]vault.PastChange, len(chosen))
	for i, step := range chosen {
		changes[i] = step.change
	}
	undo := o.vault.NewUndo(ctx, changes, force)
	exists := func(path vpath.Path) bool {
		if will, planned := undo.Planned(path); planned {
			return will
		}
		return s.Has(path)
	}
	for _, step := range chosen {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, conflict := range step.later.renamed(step.change, exists) {
			undo.AddConflict(conflict)
		}
		if err := undo.Add(ctx, step.later.relocate(step.change, exists)); err != nil {
			return nil, err
		}
	}
	return undo, undo.Finish(ctx)
}

// report adds what only the undo of several changes says: which ones, and what prevents it.
func (u *Undone) report(s *index.Snapshot, undo *vault.Undo, chosen chosenChanges) {
	u.Undone, u.Conflicts = []string{}, []UndoConflict{}
	for _, found := range undo.Conflicts {
		u.Conflicts = append(u.Conflicts, UndoConflict{ID: found.Change, Note: nameIn(s, found.Path), Reason: chosen.explain(found)})
	}
	if ids := chosen.ids(); undo.Len() > 0 || len(undo.Conflicts) > 0 {
		u.ID, u.Undone = ids[0], ids
	}
}

// named returns the names of all files that an undo restores, and of those among them
// that it restores by removing them.
func (o *Ops) named(ctx context.Context, undo *vault.Undo) (all, removed []string, err error) {
	before, err := o.vault.Texts(ctx)
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
