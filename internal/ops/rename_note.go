package ops

import (
	"context"
	"errors"
	"maps"
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
	OldName      string `json:"old_name" jsonschema:"note name or path, or a folder that ends in /"`
	NewName      string `json:"new_name" jsonschema:"new name; with a /, the whole new path"`
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
	if strings.HasSuffix(in.OldName, "/") && strings.HasSuffix(in.NewName, "/") {
		return o.renameFolder(ctx, in)
	}
	return exclusively(ctx, o, in.ExpectedHash, func() (Renamed, error) { return o.renameOnce(ctx, in) })
}

// renameFolder is rename_in_vault for a folder.
func (o *Ops) renameFolder(ctx context.Context, in RenameNote) (Renamed, error) {
	done, err := o.RenameInVault(ctx, RenameInVault{
		Kind: "folder", From: in.OldName, To: in.NewName, DryRun: in.DryRun, Confirm: in.Confirm, ExpectedHash: in.ExpectedHash,
	})
	if err != nil {
		return Renamed{}, err
	}
	return Renamed{
		OldName: strings.TrimSuffix(done.From, "/"), NewName: strings.TrimSuffix(done.To, "/"), OldPath: done.From, NewPath: done.To,
		FilesUpdated: done.FilesUpdated, LinksUpdated: done.LinksUpdated, DryRun: in.DryRun,
	}, nil
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
		move := newMove(p, map[vpath.Path]vpath.Path{old: to}, o.vault.Settings(ctx).Links.Format)
		if err := p.relink(ctx, move, in.DryRun); err != nil {
			return Renamed{}, err
		}
		p.moveBookmarks(ctx, move)
		p.move(move, file)
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

// relink plans to rewrite the links that would break, in all files but the moved
// ones.
func (p *plan) relink(ctx context.Context, m *move, dryRun bool) error {
	linking := p.searched(dryRun).MayLinkTo(slices.AppendSeq(slices.Collect(maps.Keys(m.to)), maps.Values(m.to))...)
	broken := slices.DeleteFunc(linking, func(entry *index.Entry) bool { return m.to[entry.Path] != "" || m.breaks(entry) == 0 })
	return p.rewrite(ctx, broken, m.relinked)
}

// move plans the move of one file, with its own links, and returns how many links change. Moves come last.
func (p *plan) move(m *move, file store.File) int {
	change := store.Change{Op: store.Move, Path: file.Path, To: m.to[file.Path], Base: file.Rev, Was: file.Data}
	splices := m.splices(file.Path, file.Data)
	if len(splices) > 0 {
		change.Data = md.Apply(file.Data, splices)
		p.links += len(splices)
	}
	p.changes = append(p.changes, change)
	return len(splices)
}

// moveBookmarks plans to rewrite the user's bookmarks of the moved files.
func (p *plan) moveBookmarks(ctx context.Context, m *move) {
	p.editConfig(ctx, "bookmarks.json", func(src []byte) []md.Splice {
		return edit.MovePaths(src, func(key, path string) (string, bool) {
			to, moved := m.to[vpath.Path(path)]
			return string(to), moved && key == "path"
		})
	})
}

// editConfig plans to change a file of Obsidian's settings, and reports whether anything changes. A file that does not
// exist or cannot be read stays as it is.
func (p *plan) editConfig(ctx context.Context, name string, change func(src []byte) []md.Splice) bool {
	file, err := p.vault.Config(ctx, name)
	if err != nil {
		return false
	}
	splices := change(file.Data)
	if len(splices) > 0 {
		p.changes = append(p.changes, store.Change{
			Op: store.WriteConfig, Config: name, Base: file.Rev, Was: file.Data, Data: md.Apply(file.Data, splices),
		})
	}
	return len(splices) > 0
}
