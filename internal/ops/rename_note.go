package ops

import (
	"context"
	"errors"
	"slices"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/tool"
)

// RenameNote are the parameters of rename_note.
type RenameNote struct {
	OldName      string `json:"old_name" jsonschema:"note name or path"`
	NewName      string `json:"new_name" jsonschema:"new name; with a /, the whole new path; a leading / means the vault's root"`
	DryRun       bool   `json:"dry_run"`
	Confirm      string `json:"confirm"`
	ExpectedHash string `json:"expected_hash" hidden:"true"`
}

// Renamed is the result of rename_note.
type Renamed struct {
	OldName      string   `json:"old_name"`
	NewName      string   `json:"new_name"`
	OldPath      string   `json:"old_path"`
	NewPath      string   `json:"new_path"`
	FilesUpdated []string `json:"files_updated"`
	LinksUpdated int      `json:"links_updated"`
	DryRun       bool     `json:"dry_run"`
}

var renameNote = tool.New(tool.Spec{
	Name: "rename_note", Toolset: "notes", Title: "Rename or move a note", Effect: tool.Destroys,
	About: "Renames or moves a note and rewrites every link to it in notes, frontmatter and canvases, as Obsidian would. Try dry_run first.",
}, (*Ops).RenameNote)

// RenameNote renames or moves a note.
func (o *Ops) RenameNote(ctx context.Context, in RenameNote) (Renamed, error) {
	done, err := o.vault.Exclusive(ctx)
	if err != nil {
		return Renamed{}, err
	}
	defer done()
	return retryConflicts(ctx, in.ExpectedHash, func() (Renamed, error) { return o.renameOnce(ctx, in) })
}

func (o *Ops) renameOnce(ctx context.Context, in RenameNote) (Renamed, error) {
	s, old, err := o.findExact(ctx, in.OldName)
	if err == nil {
		err = o.vault.CheckUnguarded(old)
	}
	if err != nil {
		return Renamed{}, err
	}
	to, err := o.newPath(s, old, in.NewName)
	if err == nil {
		err = o.tags.checkMove(s, old)
	}
	if err != nil {
		return Renamed{}, err
	}
	file, err := o.readExpected(ctx, in.OldName, old, in.ExpectedHash)
	if err != nil {
		return Renamed{}, err
	}
	p, err := o.newPlan(ctx, s)
	if err != nil {
		return Renamed{}, err
	}
	if old != to {
		move := newMove(p, old, to, o.vault.Settings(ctx).Links.Format)
		if err := p.relink(ctx, move, in.DryRun); err != nil {
			return Renamed{}, err
		}
		p.move(ctx, move, file)
	}
	result := Renamed{
		OldName: s.Name(old), OldPath: string(old), NewPath: string(to), NewName: s.With(index.Change{
			Removed: []vpath.Path{old}, Updated: []*index.Entry{{Path: to}},
		}).Name(to), FilesUpdated: p.files, LinksUpdated: p.links, DryRun: in.DryRun,
	}
	if in.DryRun || old == to {
		o.confirm.preview(ctx, len(p.files)+1, "rename_note", string(old), string(to))
		return result, nil
	}
	if err := o.confirm.check(ctx, len(p.files)+1, in.Confirm, "rename_note", string(old), string(to)); err != nil {
		return Renamed{}, err
	}
	if _, err := p.vault.Commit(ctx, p.changes); err != nil {
		if errors.Is(err, fault.AlreadyExists) {
			err = taken(string(to))
		}
		return Renamed{}, err
	}
	return result, nil
}

// newPath returns the path of a renamed file.
func (o *Ops) newPath(s *index.Snapshot, old vpath.Path, newName string) (vpath.Path, error) {
	name, fromRoot := strings.CutPrefix(newName, "/")
	if !strings.Contains(name, "/") && !fromRoot && old.Dir() != "" {
		name = string(old.Dir()) + "/" + name
	}
	if !old.IsNote() && name == "" {
		return "", fault.InvalidArgument.Errorf("the new name is empty")
	}
	if ext := vpath.Path(name).Ext(); !old.IsNote() && ext != old.Ext() {
		name += old.Base()[len(old.Base())-len(old.Ext()):]
	}
	path, err := vpath.ParseNote(name)
	if err != nil {
		return "", err
	}
	if old.IsNote() && !path.IsNote() {
		return "", fault.InvalidArgument.Errorf("'%s' is not a Markdown note; a renamed note keeps its type", name)
	}
	if spelled, _ := s.AdoptSpelling(path); spelled == old {
		return old, nil
	}
	if !o.vault.MayWrite(path) {
		return "", o.vault.Closed(newName)
	}
	to, err := portablePath(s, path)
	if err != nil {
		return "", err
	}
	if existing, exists := s.Paths.Find(to); exists && existing != old {
		return "", taken(string(existing))
	}
	return to, nil
}

func taken(path string) error {
	return fault.AlreadyExists.Errorf("'%s' already exists", path).WithHint("choose another name")
}

// relink plans to rewrite the links that would break, in all files but the renamed
// one.
func (p *plan) relink(ctx context.Context, m *move, dryRun bool) error {
	linking := p.searched(dryRun).MayLinkTo(m.old, m.to)
	broken := slices.DeleteFunc(linking, func(entry *index.Entry) bool { return entry.Path == m.old || m.breaks(entry) == 0 })
	return p.rewrite(ctx, broken, m.relinked)
}

// move plans the move itself, last, with the renamed file's own links and the
// user's bookmarks.
func (p *plan) move(ctx context.Context, m *move, file store.File) {
	change := store.Change{Op: store.Move, Path: m.old, To: m.to, Base: file.Rev, Was: file.Data}
	if splices := m.splices(m.old, file.Data); len(splices) > 0 {
		change.Data = md.Apply(file.Data, splices)
		p.links += len(splices)
	}
	if bookmarks, err := p.vault.Bookmarks(ctx); err == nil {
		if splices := edit.MoveBookmarks(bookmarks.Data, m.old, m.to); len(splices) > 0 {
			p.changes = append(p.changes, store.Change{
				Op: store.WriteConfig, Config: "bookmarks.json",
				Base: bookmarks.Rev, Was: bookmarks.Data, Data: md.Apply(bookmarks.Data, splices),
			})
		}
	}
	p.changes = append(p.changes, change)
}
