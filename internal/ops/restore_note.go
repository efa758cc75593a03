package ops

import (
	"context"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/vault"
	"obsidian-mcp/internal/vault/history"
)

// RestoreNote are the parameters of restore_note.
type RestoreNote struct {
	Name     string `json:"name" jsonschema:"note name or path, as it is or as it was"`
	ChangeID string `json:"change_id" jsonschema:"id from list_changes: the note gets the text that it had before that change"`

	ExpectedHash string `json:"expected_hash" jsonschema:"optional: _meta.hash of an earlier result; refused if the note changed since" default:""`
}

// Restored is the result of restore_note.
type Restored struct {
	Name     string `json:"name"`
	Restored bool   `json:"restored"`
}

var restoreNote = tool.New(tool.Spec{
	Name: "restore_note", Toolset: "history", Title: "Restore a note", Effect: tool.Destroys, Idempotent: true,
	About: "Gives one note the text that it had before a change of list_changes, whatever became of it since; a deleted note comes back. What it replaces can be restored in turn. undo_change takes a whole change back.",
}, (*Ops).RestoreNote)

// RestoreNote gives a note the text that it had before a change.
func (o *Ops) RestoreNote(ctx context.Context, in RestoreNote) (Restored, error) {
	done, err := o.vault.Exclusive(ctx)
	if err != nil {
		return Restored{}, err
	}
	defer done()
	return reapplied(ctx, in.ExpectedHash, func() (Restored, error) { return o.restoreOnce(ctx, in) })
}

func (o *Ops) restoreOnce(ctx context.Context, in RestoreNote) (Restored, error) {
	past, err := o.vault.PastChange(ctx, in.ChangeID)
	if err != nil {
		return Restored{}, err
	}
	s, err := o.vault.Snapshot(ctx)
	if err != nil {
		return Restored{}, err
	}
	since, err := o.since(ctx, past)
	if err != nil {
		return Restored{}, err
	}
	file, err := fileIn(s, past, since, in.Name)
	if err != nil {
		return Restored{}, err
	}
	place, _ := since.follow(file)
	undo, err := o.vault.PlanRestore(ctx, past, file, place, in.ExpectedHash)
	if err != nil {
		return Restored{}, err
	}
	names, _, err := o.named(ctx, undo)
	if err == nil {
		err = undo.Commit(ctx)
	}
	if err != nil || len(names) == 0 {
		return Restored{Name: in.Name}, err
	}
	return Restored{Name: names[0], Restored: true}, nil
}

// fileIn is the file of a change that a name means: by its path then; by what
// the file is called now; by what it was called.
func fileIn(s *index.Snapshot, past vault.PastChange, since story, name string) (history.File, error) {
	exact, _ := vpath.ParseNote(strings.TrimPrefix(name, "/"))
	var today vpath.Path
	if found, err := s.Find(name); err == nil {
		note := life{at: string(found)}
		for _, newer := range since {
			note.back(newer)
		}
		today = vpath.Path(note.at)
	}
	for _, meant := range []vpath.Path{exact, today} {
		for _, file := range past.Files {
			if meant != "" && (vpath.Path(file.Path) == meant || vpath.Path(file.To) == meant) {
				return before(file, name)
			}
		}
	}
	return fileCalled(past, name)
}

func fileCalled(past vault.PastChange, name string) (history.File, error) {
	var called []history.File
	for _, file := range past.Files {
		if isCalled(vpath.Path(file.Path), name) || isCalled(vpath.Path(file.To), name) {
			called = append(called, file)
		}
	}
	switch len(called) {
	case 0:
		return history.File{}, fault.NotFound.Errorf("the change '%s' did not touch '%s'", past.ID, name).WithHint("show_change shows what it touched")
	case 1:
		return before(called[0], name)
	}
	return history.File{}, fault.AmbiguousName.Errorf("the change touched several notes called '%s'", name).WithHint("give the path, such as %s", called[0].Path)
}

// before checks that there was a file before a change.
func before(file history.File, name string) (history.File, error) {
	if !file.Before.Exists() {
		return file, fault.InvalidArgument.Errorf("there was no '%s' before that change, which made it", name).WithHint("undo_change takes it away; delete_note deletes it")
	}
	return file, nil
}
