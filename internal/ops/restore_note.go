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
	Name     string `json:"name" jsonschema:"note name or path, current or former"`
	ChangeID string `json:"change_id" jsonschema:"id from list_changes"`

	ExpectedHash string `json:"expected_hash" hidden:"true"`
}

// Restored is the result of restore_note.
type Restored struct {
	Name     string `json:"name"`
	Restored bool   `json:"restored"`
}

var restoreNote = tool.New(tool.Spec{
	Name: "restore_note", Toolset: "history", Title: "Restore a note", Effect: tool.Destroys, Idempotent: true,
	About: "Gives one note back the text it had before a change from list_changes, whatever happened since; a deleted note comes back. Use undo_change to undo a whole change.",
}, (*Ops).RestoreNote)

// RestoreNote gives a note back the text it had before a change.
func (o *Ops) RestoreNote(ctx context.Context, in RestoreNote) (Restored, error) {
	return exclusively(ctx, o, in.ExpectedHash, func() (Restored, error) { return o.restoreOnce(ctx, in) })
}

func (o *Ops) restoreOnce(ctx context.Context, in RestoreNote) (Restored, error) {
	past, err := o.vault.PastChange(ctx, in.ChangeID)
	if err != nil {
		return Restored{}, err
	}
	s, err := o.vault.Texts(ctx)
	if err != nil {
		return Restored{}, err
	}
	later, err := o.changesAfter(ctx, past)
	if err != nil {
		return Restored{}, err
	}
	file, err := fileIn(s, past, later, in.Name)
	if err != nil {
		return Restored{}, err
	}
	path, _ := later.follow(file)
	undo, err := o.vault.PlanRestore(ctx, past, file, path, in.ExpectedHash)
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

// fileIn returns the file of a change that a name means: first by its path at the
// time, then by its current name, then by its former name.
func fileIn(s *index.Snapshot, past vault.PastChange, later laterChanges, name string) (history.File, error) {
	exact, _ := vpath.ParseNote(strings.TrimPrefix(name, "/"))
	var former vpath.Path
	if found, err := s.Find(name); err == nil {
		trail := trail{at: string(found)}
		for _, change := range later {
			trail.stepBack(change)
		}
		former = vpath.Path(trail.at)
	}
	for _, path := range []vpath.Path{exact, former} {
		for _, file := range past.Files {
			if path != "" && (vpath.Path(file.Path) == path || vpath.Path(file.To) == path) {
				return before(file, name)
			}
		}
	}
	return fileNamed(past, name)
}

func fileNamed(past vault.PastChange, name string) (history.File, error) {
	var found []history.File
	for _, file := range past.Files {
		if hasName(vpath.Path(file.Path), name) || hasName(vpath.Path(file.To), name) {
			found = append(found, file)
		}
	}
	switch len(found) {
	case 0:
		return history.File{}, fault.NotFound.Errorf("the change '%s' did not touch '%s'", past.ID, name).WithHint("show_change lists the notes that it touched")
	case 1:
		return before(found[0], name)
	}
	return history.File{}, fault.AmbiguousName.Errorf("the change touched several notes called '%s'", name).WithHint("give the path, such as %s", found[0].Path)
}

// before checks that a file existed before a change.
func before(file history.File, name string) (history.File, error) {
	if !file.Before.Exists() {
		return file, fault.InvalidArgument.Errorf("'%s' did not exist before that change, which created it", name).
			WithHint("undo_change removes it; delete_note deletes it")
	}
	return file, nil
}
