package ops

import (
	"context"
	"strconv"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
)

// split makes a note of each section whose heading has the level.
func (c *composition) split(ctx context.Context) error {
	if c.in.Level < 1 || c.in.Level > 6 {
		return fault.InvalidArgument.Errorf("level must be between 1 and 6")
	}
	folder := c.path.Dir()
	if given := strings.Trim(c.in.Target, "/"); given != "" || c.in.Target == "/" {
		path, err := vpath.Parse(given)
		if err != nil && given != "" {
			return err
		}
		folder = path
	}
	if err := checkFolder(c.s, folder); err != nil {
		return err
	}
	var pieces []edit.Piece
	used := map[vpath.Key]bool{}
	for i, heading := range c.note.Headings {
		if heading.Level != c.in.Level {
			continue
		}
		path, err := c.freePath(ctx, folder, noteName(string(heading.Text.Of(c.note.Source))), used)
		if err != nil {
			return err
		}
		pieces = append(pieces, edit.Piece{Span: c.note.SectionOf(i).Span, To: path})
	}
	if len(pieces) == 0 {
		return fault.NotFound.Errorf("'%s' has no heading of level %d", c.s.Name(c.path), c.in.Level).WithHint("get_headings lists them")
	}
	prepare := func(set *vpath.Set, format edit.LinkFormat) *edit.Transplant {
		return edit.NewTransplant(set, c.path, c.note, pieces, format)
	}
	moved := c.prepared(ctx, prepare)
	left := make([]string, len(pieces))
	for i, piece := range pieces {
		c.targets = append(c.targets, piece.To)
		var err error
		if left[i], err = c.left(ctx, moved, piece.To, ""); err != nil {
			return err
		}
	}
	if err := c.follow(ctx, moved, c.targets, prepare); err != nil {
		return err
	}
	c.plan.links += moved.Count()
	if err := c.write(ctx, c.path, c.file, c.rest(moved, left)); err != nil {
		return err
	}
	for i, piece := range pieces {
		if err := c.write(ctx, piece.To, store.File{}, asBody(trimmed(moved.Text(i)))); err != nil {
			return err
		}
	}
	return nil
}

// freePath returns a path for a new note in a folder.
func (c *composition) freePath(ctx context.Context, folder vpath.Path, name string, used map[vpath.Key]bool) (vpath.Path, error) {
	if name == "" {
		name = c.path.Name()
	}
	for n := 1; ; n++ {
		numbered := name
		if n > 1 {
			numbered += " " + strconv.Itoa(n)
		}
		path, err := c.ops.newNotePath(ctx, c.s, string(folder.Join(vpath.Path(numbered+vpath.NoteExt))), "")
		if err != nil {
			return "", err
		}
		if _, exists := c.s.Paths.Find(path); !exists && !used[path.Key()] {
			used[path.Key()] = true
			return path, nil
		}
	}
}
