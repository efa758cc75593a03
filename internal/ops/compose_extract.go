package ops

import (
	"context"
	"strconv"
	"strings"
	"unicode"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/text/amount"
)

// extract moves a section or lines to another note.
func (c *composition) extract(ctx context.Context) error {
	span, heading, err := c.extracted(ctx)
	if err != nil {
		return err
	}
	name := c.in.Target
	if name == "" {
		if name = noteName(heading); name == "" {
			return fault.InvalidArgument.Errorf("'target' is missing: which note gets the text?")
		}
	}
	_, to, exists, err := c.ops.findOrPlace(ctx, name)
	if err != nil {
		return err
	}
	if exists && c.in.Target == "" {
		return fault.AlreadyExists.Errorf("Note '%s' already exists", to.WithoutExt()).WithHint("give target='%s' to add the text to it, or another name", to.WithoutExt())
	}
	piece := edit.Piece{Span: span, To: to}
	var file store.File
	if exists {
		if file, piece.Onto, err = c.onto(ctx, name, to); err != nil {
			return err
		}
		c.warnOfHeadings(span, piece.Onto)
	}
	prepare := func(set *vpath.Set, format edit.LinkFormat) *edit.Transplant {
		return edit.NewTransplant(set, c.path, c.note, []edit.Piece{piece}, format)
	}
	moved := c.prepared(ctx, prepare)
	c.targets = []vpath.Path{to}
	data := asBody(trimmed(moved.Text(0)))
	subpath := ""
	var made []vpath.Path
	if exists {
		if data, err = c.added(c.relinked(moved.Links(), to, piece.Onto), data); err != nil {
			return err
		}
		if heading != "" && piece.Onto.FindHeading([]string{heading}) < 0 {
			subpath = edit.HeadingSubpath(heading)
		}
	} else {
		made = c.targets
	}
	link, err := c.left(ctx, moved, to, subpath)
	if err == nil {
		err = c.follow(ctx, moved, made, prepare)
	}
	if err == nil {
		err = c.write(ctx, c.path, c.file, c.rest(moved, []string{link}))
	}
	if err == nil {
		err = c.write(ctx, to, file, data)
	}
	c.plan.links += moved.Count()
	return err
}

// extracted returns the text to extract, and its heading if it is a section.
func (c *composition) extracted(ctx context.Context) (md.Span, string, error) {
	switch {
	case (c.in.Section == "") == (c.in.Lines == ""):
		return md.Span{}, "", fault.InvalidArgument.Errorf("give either section or lines")
	case c.in.Lines != "":
		span, err := c.lines()
		return span, "", err
	case strings.HasPrefix(c.in.Section, "^"):
		return md.Span{}, "", fault.InvalidArgument.Errorf("section must be a heading").WithHint("give the lines of a block")
	}
	section, err := findSection(ctx, c.note, c.in.Note, c.in.Section)
	if err != nil {
		return md.Span{}, "", err
	}
	return section.Span, string(c.note.Headings[section.Heading].Text.Of(c.note.Source)), nil
}

// lines returns the span of lines such as 12-40, which must be in the body.
func (c *composition) lines() (md.Span, error) {
	first, last, isRange := strings.Cut(c.in.Lines, "-")
	if !isRange {
		last = first
	}
	from, err := strconv.Atoi(strings.TrimSpace(first))
	to, err2 := strconv.Atoi(strings.TrimSpace(last))
	if err != nil || err2 != nil || from < 1 || to < from {
		return md.Span{}, fault.InvalidArgument.Errorf("lines must be like 12-40")
	}
	src := c.note.Source
	if total := lineCount(src); to > total {
		return md.Span{}, fault.InvalidArgument.Errorf("lines: the note has only %d lines", total)
	}
	span := md.Span{}
	for line := 1; line <= to; line++ {
		if line == from {
			span.Start = span.End
		}
		span.End = md.NextLine(src, span.End)
	}
	if !c.note.Front.Present {
		span.Start = max(span.Start, c.note.Body) // after a byte-order mark
	}
	if span.Start < c.note.Body {
		return md.Span{}, fault.InvalidArgument.Errorf("lines: the frontmatter cannot be extracted; the text begins at line %d", c.note.LineOf(c.note.Body))
	}
	if strings.TrimSpace(string(span.Of(src))) == "" {
		return md.Span{}, fault.InvalidArgument.Errorf("lines %s are blank", c.in.Lines)
	}
	return span, nil
}

// noteName makes the name of a note from a heading: without marks, and without characters that file names or links
// cannot have.
func noteName(heading string) string {
	plain := strings.Map(func(r rune) rune {
		if strings.ContainsRune("\\/:*?\"<>|#^[]", r) || unicode.IsControl(r) {
			return ' '
		}
		return r
	}, heading)
	name := []rune(strings.Trim(strings.Join(strings.Fields(plain), " "), ". "))
	return strings.TrimRight(string(name[:min(len(name), maxNoteName)]), ". ")
}

// maxNoteName is the length of the longest name that is made from a heading, in characters.
const maxNoteName = 60

// warnOfHeadings tells about headings that both notes have: links find the first.
func (c *composition) warnOfHeadings(span md.Span, onto *md.Note) {
	var both []string
	for _, heading := range c.note.Headings {
		text := string(heading.Text.Of(c.note.Source))
		if span.Start <= heading.Start && heading.Start < span.End && onto.FindHeading([]string{text}) >= 0 {
			both = append(both, "'"+text+"'")
		}
	}
	if len(both) > 0 {
		c.say("Both notes have these headings: %s. Links to them lead to the first one.", amount.Few(both, shownCollisions))
	}
}
