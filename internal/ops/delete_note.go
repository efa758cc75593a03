package ops

import (
	"context"

	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/tool"
)

// DeleteNote are the parameters of delete_note.
type DeleteNote struct {
	Name         string `json:"name" jsonschema:"name or path"`
	Links        string `json:"links" jsonschema:"links to it: mark, keep, unlink (plain text) or redirect" default:"mark"`
	RedirectTo   string `json:"redirect_to" jsonschema:"redirect: the note they lead to then" default:""`
	DryRun       bool   `json:"dry_run"`
	Confirm      string `json:"confirm"`
	ExpectedHash string `json:"expected_hash" hidden:"true"`
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
	About: "Deletes a note (or an attachment or canvas): moves it to the vault's .trash and marks wikilinks to it as [[Name (deleted)]], or redirects, unlinks or keeps them. Try dry_run first.",
}, (*Ops).DeleteNote)

// DeleteNote moves a note to the trash.
func (o *Ops) DeleteNote(ctx context.Context, in DeleteNote) (Deleted, error) {
	if in.RedirectTo != "" && in.Links == linksMark {
		in.Links = linksRedirect
	}
	return exclusively(ctx, o, in.ExpectedHash, func() (Deleted, error) { return o.deleteOnce(ctx, in) })
}

func (o *Ops) deleteOnce(ctx context.Context, in DeleteNote) (Deleted, error) {
	s, path, err := o.findExact(ctx, in.Name)
	if err == nil {
		err = o.vault.CheckUnguarded(path)
	}
	if err == nil {
		err = o.tags.checkMove(s, path)
	}
	if err != nil {
		return Deleted{}, err
	}
	target, err := o.redirectTarget(ctx, in, path)
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
	if err := o.planLinks(ctx, p, in, path, target); err != nil {
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
	words := []string{"delete_note", string(path), in.Links, string(target)}
	if in.DryRun {
		o.confirm.preview(ctx, len(p.files)+1, words...)
		return result, nil
	}
	if err := o.confirm.check(ctx, len(p.files)+1, in.Confirm, words...); err != nil {
		return Deleted{}, err
	}
	results, err := p.vault.Commit(ctx, p.changes)
	if err != nil {
		return Deleted{}, err
	}
	o.noteDroppedTags(ctx, s.Entry(path).Tags)
	result.TrashPath = o.vault.ShownTrashPath(results[len(results)-1])
	return result, nil
}
