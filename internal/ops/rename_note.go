package ops

import (
	"context"
	"errors"
	"strings"

	"obsidian-mcp/internal/edit"
	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/md"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/vpath"
)

// RenameNote are the parameters of rename_note.
type RenameNote struct {
	OldName      string `json:"old_name" jsonschema:"note name or path"`
	NewName      string `json:"new_name" jsonschema:"new name, or with a / the whole new path; a leading / means the vault's root"`
	DryRun       bool   `json:"dry_run" jsonschema:"only say what would happen" default:"false"`
	Confirm      string `json:"confirm" jsonschema:"id from a refusal, to change many notes" default:""`
	ExpectedHash string `json:"expected_hash" jsonschema:"optional: _meta.hash of an earlier result; refused if the note changed since" default:""`
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

// RenameNote gives a note another name or place.
func (o *Ops) RenameNote(ctx context.Context, in RenameNote) (Renamed, error) {
	done, err := o.vault.Alone(ctx)
	if err != nil {
		return Renamed{}, err
	}
	defer done()
	return reapplied(in.ExpectedHash, func() (Renamed, error) { return o.renameOnce(ctx, in) })
}

func (o *Ops) renameOnce(ctx context.Context, in RenameNote) (Renamed, error) {
	s, old, err := o.find(ctx, in.OldName)
	if err != nil {
		return Renamed{}, err
	}
	to, err := newPath(s, old, in.NewName)
	if err != nil {
		return Renamed{}, err
	}
	file, err := o.readExpected(ctx, in.OldName, old, in.ExpectedHash)
	if err != nil {
		return Renamed{}, err
	}
	relink := edit.NewRelinker(s.Paths, map[vpath.Path]vpath.Path{old: to}, o.vault.Settings(ctx).Links.Format)
	p := &plan{files: []string{}}
	if old != to {
		if err := o.planLinks(ctx, s, p, relink, old, to); err != nil {
			return Renamed{}, err
		}
		o.planMove(ctx, p, relink, file, old, to)
	}
	result := Renamed{
		OldName: s.Name(old), OldPath: string(old), NewPath: string(to), NewName: s.With(index.Change{
			Removed: []vpath.Path{old}, Updated: []*index.Entry{{Path: to}},
		}).Name(to), FilesUpdated: p.files, LinksUpdated: p.links, DryRun: in.DryRun,
	}
	if in.DryRun || old == to {
		return result, nil
	}
	if err := o.asking.check(len(p.files)+1, in.Confirm, "rename_note", string(old), string(to)); err != nil {
		return Renamed{}, err
	}
	if _, err := o.vault.Commit(ctx, p.changes); err != nil {
		if errors.Is(err, fault.AlreadyExists) {
			err = taken(string(to))
		}
		return Renamed{}, err
	}
	return result, nil
}

// newPath is where a renamed file goes.
func newPath(s *index.Snapshot, old vpath.Path, name string) (vpath.Path, error) {
	name, fromRoot := strings.CutPrefix(name, "/")
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
		return "", fault.InvalidArgument.Errorf("a note keeps its type: '%s' is none", name)
	}
	if settled, _ := s.Settle(path); settled == old {
		return old, nil
	}
	to, err := settle(s, path)
	if err != nil {
		return "", err
	}
	if there, exists := s.Paths.Find(to); exists && there != old {
		return "", taken(string(there))
	}
	return to, nil
}

func taken(path string) error {
	return fault.AlreadyExists.Errorf("'%s' already exists", path).WithHint("choose another name")
}

// planLinks plans to rewrite the links that would miss, in all files but the
// renamed one.
func (o *Ops) planLinks(ctx context.Context, s *index.Snapshot, p *plan, relink *edit.Relinker, old, to vpath.Path) error {
	for _, entry := range s.Asking(old, to) {
		if entry.Path == old || countBroken(relink, s, entry, old) == 0 {
			continue
		}
		err := o.rewrite(ctx, s, p, entry, func(data []byte) ([]md.Splice, int, error) {
			return relinked(relink, s, entry.Path, old, data)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// relinked rewrites the links of one file.
func relinked(relink *edit.Relinker, s *index.Snapshot, path, old vpath.Path, data []byte) ([]md.Splice, int, error) {
	var splices []md.Splice
	if path.IsCanvas() {
		var err error
		if splices, err = relink.Canvas(path, data); err != nil {
			return nil, 0, nil // what is no canvas has no links
		}
	} else if note := openNote(data); note != nil {
		splices = relink.Note(path, note)
	}
	var parser index.Parser
	return splices, countBroken(relink, s, parser.Parse(path, data), old), nil
}

// countBroken counts the links of a file that a rename breaks.
func countBroken(relink *edit.Relinker, s *index.Snapshot, entry *index.Entry, old vpath.Path) int {
	count := 0
	for _, link := range entry.Links {
		if link.Exact {
			if found, ok := s.Paths.Find(vpath.Path(link.Path)); ok && found == old {
				count++
			}
		} else if relink.Breaks(entry.Path, link.Path) {
			count++
		}
	}
	return count
}

// planMove plans the move itself, last, with the renamed file's own links and
// the user's bookmarks.
func (o *Ops) planMove(ctx context.Context, p *plan, relink *edit.Relinker, file store.File, old, to vpath.Path) {
	move := store.Change{Op: store.Move, Path: old, To: to, Base: file.Rev}
	if old.IsNote() {
		if note := openNote(file.Data); note != nil {
			if splices := relink.Note(old, note); len(splices) > 0 {
				move.Data = md.Apply(file.Data, splices)
				p.links += len(splices)
			}
		}
	} else if old.IsCanvas() {
		if splices, err := relink.Canvas(old, file.Data); err == nil && len(splices) > 0 {
			move.Data = md.Apply(file.Data, splices)
			p.links += len(splices)
		}
	}
	if bookmarks, err := o.vault.Bookmarks(ctx); err == nil {
		if splices := edit.MoveBookmarks(bookmarks.Data, old, to); len(splices) > 0 {
			p.changes = append(p.changes, store.Change{Op: store.WriteConfig, Config: "bookmarks.json", Base: bookmarks.Rev, Data: md.Apply(bookmarks.Data, splices)})
		}
	}
	p.changes = append(p.changes, move)
}
