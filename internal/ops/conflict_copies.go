package ops

import (
	"bytes"
	"context"
	"slices"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
)

// commitCopies writes the result into the file and moves its copies to the trash. Links to a copy lead to the file then. If the file
// does not exist, the first copy becomes it.
func (r *resolution) commitCopies(ctx context.Context) error {
	p, err := r.ops.newPlan(ctx, r.s)
	if err != nil {
		return err
	}
	first, last := r.found.sides[0], r.found.sides[1:]
	whole := store.Change{Path: first.path, Base: r.versions[0].Rev, Was: r.versions[0].Data, Data: r.result}
	if first.path != r.found.path {
		whole.Op, whole.To = store.Move, r.found.path
	} else {
		err = r.relinkCopies(ctx, p)
		whole.Data = r.result // whose own links may have changed
	}
	if err != nil {
		return err
	}
	if whole.Op == store.Move || !bytes.Equal(whole.Was, whole.Data) {
		p.changes = append(p.changes, whole)
	}
	for i, side := range last {
		p.changes = append(p.changes, store.Change{Op: store.Trash, Path: side.path, Base: r.versions[i+1].Rev, Was: r.versions[i+1].Data})
	}
	touched := len(p.files) + len(r.found.sides)
	words := append([]string{"resolve_conflict", string(r.found.path), r.in.Choose, store.Hash(r.result)}, r.ids()...)
	if r.in.DryRun {
		r.ops.confirm.preview(ctx, touched, words...)
		return nil
	}
	if err := r.ops.confirm.check(ctx, touched, r.in.Confirm, words...); err != nil {
		return err
	}
	_, err = p.vault.Commit(ctx, p.changes)
	return err
}

// relinkCopies plans to make the links to the copies lead to the file, in the result too.
func (r *resolution) relinkCopies(ctx context.Context, p *plan) error {
	format := r.ops.vault.Settings(ctx).Links.Format
	var copies []vpath.Path
	var moves []*move
	for _, side := range r.found.sides[1:] {
		copies = append(copies, side.path)
		moves = append(moves, newRedirect(p, side.path, r.found.path, format))
	}
	relinked := func(path vpath.Path, data []byte) (after []byte, links int) {
		after = data
		for _, move := range moves {
			splices, count := move.relinked(path, after)
			after, links = md.Apply(after, splices), links+count
		}
		return after, links
	}
	involved := append(copies, r.found.path)
	entries := slices.DeleteFunc(p.searched(r.in.DryRun).MayLinkTo(copies...), func(entry *index.Entry) bool {
		return slices.Contains(involved, entry.Path)
	})
	r.result, _ = relinked(r.found.path, r.result)
	return p.rewrite(ctx, entries, func(path vpath.Path, data []byte) ([]md.Splice, int) {
		after, links := relinked(path, data)
		return []md.Splice{{Span: md.Span{End: len(data)}, Text: after}}, links
	})
}
