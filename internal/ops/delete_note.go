package ops

import (
	"context"
	"slices"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/tool"
)

// DeleteNote are the parameters of delete_note.
type DeleteNote struct {
	Name         string `json:"name" jsonschema:"note name or path"`
	DryRun       bool   `json:"dry_run" jsonschema:"only report what would happen" default:"false"`
	Confirm      string `json:"confirm" jsonschema:"id from a refusal, to confirm a change of many notes" default:""`
	ExpectedHash string `json:"expected_hash" hidden:"true" jsonschema:"optional: _meta.hash of an earlier result; refused if the note has changed since" default:""`
}

// Deleted is the result of delete_note.
type Deleted struct {
	Name         string   `json:"name"`
	Path         string   `json:"path"`
	TrashPath    string   `json:"trash_path"`
	FilesUpdated []string `json:"files_updated"`
	LinksUpdated int      `json:"links_updated"`
	DryRun       bool     `json:"dry_run"`
}

var deleteNote = tool.New(tool.Spec{
	Name: "delete_note", Toolset: "notes", Title: "Delete a note", Effect: tool.Destroys,
	About: "Moves a note to the vault's .trash and marks wikilinks to it as [[Name (deleted)]]; Markdown links and canvas cards stay as they are and break. Try dry_run first.",
}, (*Ops).DeleteNote)

// DeleteNote moves a note to the trash.
func (o *Ops) DeleteNote(ctx context.Context, in DeleteNote) (Deleted, error) {
	done, err := o.vault.Exclusive(ctx)
	if err != nil {
		return Deleted{}, err
	}
	defer done()
	return retryConflicts(ctx, in.ExpectedHash, func() (Deleted, error) { return o.deleteOnce(ctx, in) })
}

func (o *Ops) deleteOnce(ctx context.Context, in DeleteNote) (Deleted, error) {
	s, path, err := o.findExact(ctx, in.Name)
	if err == nil {
		err = o.tags.checkMove(s, path)
	}
	if err != nil {
		return Deleted{}, err
	}
	file, err := o.readExpected(ctx, in.Name, path, in.ExpectedHash)
	if err != nil {
		return Deleted{}, err
	}
	p, err := o.newPlan(ctx, s)
	if err != nil {
		return Deleted{}, err
	}
	if err := p.markDeleted(ctx, path, in.DryRun); err != nil {
		return Deleted{}, err
	}
	p.changes = append(p.changes, store.Change{Op: store.Trash, Path: path, Base: file.Rev, Was: file.Data})
	trash, err := o.vault.TrashPath(ctx, path)
	if err != nil {
		return Deleted{}, err
	}
	result := Deleted{
		Name: s.Name(path), Path: string(path), TrashPath: trash,
		FilesUpdated: p.files, LinksUpdated: p.links, DryRun: in.DryRun,
	}
	if in.DryRun {
		o.confirm.preview(ctx, len(p.files)+1, "delete_note", string(path))
		return result, nil
	}
	if err := o.confirm.check(ctx, len(p.files)+1, in.Confirm, "delete_note", string(path)); err != nil {
		return Deleted{}, err
	}
	results, err := p.vault.Commit(ctx, p.changes)
	if err != nil {
		return Deleted{}, err
	}
	result.TrashPath = o.vault.ShownTrashPath(results[len(results)-1])
	return result, nil
}

// markDeleted plans to mark the wikilinks to a note that is deleted.
func (p *plan) markDeleted(ctx context.Context, gone vpath.Path, dryRun bool) error {
	linking := p.searched(dryRun).MayLinkTo(gone)
	notes := slices.DeleteFunc(linking, func(entry *index.Entry) bool { return entry.Path == gone || !entry.Path.IsNote() })
	return p.rewrite(ctx, notes, func(path vpath.Path, data []byte) ([]md.Splice, int) {
		note := openNote(data)
		if note == nil {
			return nil, 0
		}
		paths := p.seen.Paths
		if !p.vault.Open(path) {
			paths = p.vault.Snapshot.Paths
		}
		splices := edit.MarkDeleted(paths, path, note, gone, sparedLinks(p.vault, path, gone))
		return splices, len(splices)
	})
}
