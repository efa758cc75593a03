package ops

import (
	"context"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
)

// merge adds the note to another one, and trashes it.
func (c *composition) merge(ctx context.Context) error {
	if c.in.Target == "" {
		return fault.InvalidArgument.Errorf("'target' is missing: which note gets the text?")
	}
	if err := c.ops.tags.checkMove(c.s, c.path); err != nil {
		return err
	}
	_, to, err := c.ops.findNote(ctx, c.in.Target)
	if err != nil {
		return err
	}
	file, onto, err := c.onto(ctx, c.in.Target, to)
	if err != nil {
		return err
	}
	body := md.Span{Start: c.note.Body, End: len(c.note.Source)}
	c.warnOfHeadings(body, onto)
	prepare := func(set *vpath.Set, format edit.LinkFormat) *edit.Transplant {
		return edit.NewMerge(set, c.path, c.note, to, onto, format)
	}
	moved := c.prepared(ctx, prepare)
	c.targets = []vpath.Path{to}
	if err := c.follow(ctx, moved, nil, prepare); err != nil {
		return err
	}
	properties, err := edit.Properties(md.Scan(moved.Properties()))
	if err != nil {
		return err
	}
	aliases := []string{c.path.Name()}
	if c.path.Name() == to.Name() {
		aliases = nil
	}
	data, err := edit.MergeProperties(c.relinked(moved.Links(), to, onto), properties.Fields(), aliases)
	if err != nil {
		return err
	}
	if data, err = c.added(data, moved.Text(0)); err != nil {
		return err
	}
	c.plan.links += moved.Count()
	if err := c.write(ctx, to, file, data); err != nil {
		return err
	}
	c.had = append(c.had, allTags(c.note)...)
	if !c.plan.vault.Limited() {
		c.plan.editConfig(ctx, "bookmarks.json", func(src []byte) []md.Splice {
			return edit.MovePaths(src, func(key, path string) (string, bool) { return string(to), key == "path" && path == string(c.path) })
		})
	}
	c.plan.changes = append(c.plan.changes, store.Change{Op: store.Trash, Path: c.path, Base: c.file.Rev, Was: c.file.Data})
	return nil
}
