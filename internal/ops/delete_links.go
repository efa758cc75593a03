package ops

import (
	"context"
	"slices"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
)

// What may become of the links to a deleted file.
const (
	linksMark     = "mark"
	linksKeep     = "keep"
	linksUnlink   = "unlink"
	linksRedirect = "redirect"
)

// redirectTarget checks the parameters about links, and returns the file that links are redirected to, if they are.
func (o *Ops) redirectTarget(ctx context.Context, in DeleteNote, deleted vpath.Path) (vpath.Path, error) {
	choices := []string{linksMark, linksKeep, linksUnlink, linksRedirect}
	switch {
	case !slices.Contains(choices, in.Links):
		return "", fault.InvalidArgument.Errorf("Invalid links: %s. Valid: %s", in.Links, strings.Join(choices, ", "))
	case in.Links != linksRedirect && in.RedirectTo != "":
		return "", fault.InvalidArgument.Errorf("redirect_to needs links=redirect, not links=%s", in.Links)
	case in.Links != linksRedirect:
		return "", nil
	case in.RedirectTo == "":
		return "", fault.InvalidArgument.Errorf("links=redirect needs redirect_to")
	}
	_, target, err := o.find(ctx, in.RedirectTo)
	if err == nil && target == deleted {
		err = fault.InvalidArgument.Errorf("redirect_to is the deleted note itself")
	}
	return target, err
}

// planLinks plans what becomes of the links to a deleted file.
func (o *Ops) planLinks(ctx context.Context, p *plan, in DeleteNote, deleted, target vpath.Path) error {
	switch in.Links {
	case linksMark:
		return p.rewriteLinksTo(ctx, deleted, in.DryRun, markLinks)
	case linksUnlink:
		return p.rewriteLinksTo(ctx, deleted, in.DryRun, unlinkLinks)
	case linksRedirect:
		return p.relink(ctx, newRedirect(p, deleted, target, o.vault.Settings(ctx).Links.Format), in.DryRun)
	}
	return nil
}

// rewriteLinksTo plans to change the links to a deleted file in all others.
func (p *plan) rewriteLinksTo(ctx context.Context, deleted vpath.Path, dryRun bool, change func(edit.Deletion, []byte) []md.Splice) error {
	linking := p.searched(dryRun).MayLinkTo(deleted)
	others := slices.DeleteFunc(linking, func(entry *index.Entry) bool { return entry.Path == deleted })
	spares := sparedLinks(p.vault, []vpath.Path{deleted})
	return p.rewrite(ctx, others, func(path vpath.Path, data []byte) ([]md.Splice, int) {
		paths := p.seen.Paths
		if !p.vault.Open(path) {
			paths = p.vault.Snapshot.Paths
		}
		splices := change(edit.Deletion{Set: paths, From: path, Deleted: deleted, Spares: spares(path)}, data)
		return splices, len(splices)
	})
}

// markLinks marks the wikilinks of a note; those in canvases stay.
func markLinks(d edit.Deletion, data []byte) []md.Splice {
	if note := openNote(data); d.From.IsNote() && note != nil {
		return d.Mark(note)
	}
	return nil
}

// unlinkLinks replaces the links of a note or canvas by their text.
func unlinkLinks(d edit.Deletion, data []byte) []md.Splice {
	if d.From.IsCanvas() {
		splices, _ := d.UnlinkCanvas(data)
		return splices
	}
	if note := openNote(data); d.From.IsNote() && note != nil {
		return d.Unlink(note)
	}
	return nil
}
