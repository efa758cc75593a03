package publish

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/md/front"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/text/order"
)

// body rewrites the links in the text of a note.
func (c *converter) body(note *md.Note) []md.Splice {
	return c.rewrite(note.Source, note.Links, escaped)
}

// properties rewrites the links in the frontmatter. It puts values with links in quotes.
func (c *converter) properties(note *md.Note) []md.Splice {
	block, err := front.Parse(note)
	if err != nil {
		return nil
	}
	var splices []md.Splice
	for _, link := range block.Links() {
		value := link.Value
		if len(splices) > 0 && splices[len(splices)-1].Span == value.Span {
			continue // it had several links
		}
		text := []byte(value.Text)
		links := slices.Clone(new(md.Scanner).ScanLinks(text, md.Span{End: len(text)}))
		order.Stably(links, func(a, b md.Link) int { return a.Start - b.Start })
		changed := md.Apply(text, c.rewrite(text, links, asItIs))
		splices = append(splices, md.Splice{Span: value.Span, Text: []byte(front.Quoted(string(changed)))})
	}
	return splices
}

// unquotedLink matches a wikilink without quotes in frontmatter. For YAML it is a list in a list, but people mean a link.
var unquotedLink = regexp.MustCompile(`\[\[[^\[\]"'\n]+\]\]`)

// unquoted removes the folders from wikilinks in the frontmatter that have no quotes. They stay lists.
func (c *converter) unquoted(note *md.Note) []md.Splice {
	var splices []md.Splice
	yaml := note.Front.YAML
	for _, at := range unquotedLink.FindAllIndex(yaml.Of(note.Source), -1) {
		inner := md.Span{Start: yaml.Start + at[0] + 2, End: yaml.Start + at[1] - 2}
		if text := string(inner.Of(note.Source)); strings.Contains(text, "/") && !strings.Contains(text, "://") {
			c.result.Links++
			splices = append(splices, replace(inner, nameOf(text))...)
		}
	}
	return splices
}

// rewrite rewrites links, given in the order of their start.
func (c *converter) rewrite(src []byte, links []md.Link, escape func(string) string) []md.Splice {
	var splices []md.Splice
	done := 0
	for _, link := range links {
		if link.Start < done {
			continue // inside a link that has been replaced as a whole
		}
		changed := c.link(src, link, escape)
		if len(changed) == 1 && changed[0].Span == link.Span {
			done = link.End
		}
		splices = append(splices, changed...)
	}
	return splices
}

// link rewrites one link.
func (c *converter) link(src []byte, link md.Link, escape func(string) string) []md.Splice {
	target := link.Target(src)
	if link.Embed {
		c.result.Embeds++
		return replace(link.Span, embedded(target, escape))
	}
	if link.Kind != md.WikiLink && strings.HasPrefix(target, "//") {
		return nil // a web link with the scheme of the page
	}
	dest, found := c.destination(target)
	if found {
		if link.Kind == md.WikiLink {
			return replace(link.Span, "["+bracketed(shown(src, link, escape))+"]("+dest+")")
		}
		return replace(link.Dest, dest)
	}
	c.result.Links++
	switch {
	case link.Kind == md.Definition:
		return replace(link.Dest, "#") // the text that uses the label stays a link
	case link.Kind == md.WikiLink || len(strings.TrimSpace(string(link.Text.Of(src)))) == 0:
		return replace(link.Span, unmarked(shown(src, link, escape)))
	}
	return append(replace(md.Span{Start: link.Start, End: link.Text.Start}, ""),
		replace(md.Span{Start: link.Text.End, End: link.End}, "")...)
}

func replace(span md.Span, text string) []md.Splice {
	return []md.Splice{{Span: span, Text: []byte(text)}}
}

// destination returns where a link leads in the repository; false if nowhere.
func (c *converter) destination(target string) (dest string, found bool) {
	name, subpath := md.SplitTarget(target)
	if name == "" {
		anchor := c.anchor(c.source.Path, subpath)
		return "#" + anchor, anchor != ""
	}
	to, ok := c.source.Resolve(name)
	if !ok {
		return "", false
	}
	from, _ := c.source.File(c.source.Path)
	file, ok := c.source.File(to)
	if !ok {
		return "", false
	}
	dest = relative(path.Dir(from), file)
	if anchor := c.anchor(to, subpath); anchor != "" {
		dest += "#" + anchor
	}
	return dest, true
}

// relative returns the path from a folder to a file.
func relative(folder, file string) string {
	climb := ""
	for folder != "." && !strings.HasPrefix(file, folder+"/") {
		climb, folder = climb+"../", path.Dir(folder)
	}
	return climb + strings.TrimPrefix(file, folder+"/")
}

// shown returns the text that a link shows: its own, or else the name of what it leads to, without folders.
func shown(src []byte, link md.Link, escape func(string) string) string {
	if text := strings.TrimSpace(string(link.Text.Of(src))); link.HasText && text != "" {
		return text
	}
	return escape(nameOf(link.Target(src)))
}

// embedded names what an embed would show.
func embedded(target string, escape func(string) string) string {
	return "(embedded: " + escape(nameOf(target)) + ")"
}

// nameOf returns the name of a link's target without folders.
func nameOf(target string) string {
	name, subpath := md.SplitTarget(target)
	if name != "" {
		name = vpath.Path(name).Name()
	}
	return md.DisplayTarget(name + subpath)
}

// marks matches what would format a name, or end the text of a link.
var marks = regexp.MustCompile("[\\\\`*<~\\[\\]$]|\\b_|_\\b|^_|_$")

// escaped returns a name as Markdown.
func escaped(name string) string { return marks.ReplaceAllString(name, `\$0`) }

func asItIs(name string) string { return name }

// bracket matches a bracket, escaped or not.
var bracket = regexp.MustCompile(`\\?[\[\]]`)

// bracketed returns a text that can stand between brackets.
func bracketed(text string) string {
	return bracket.ReplaceAllStringFunc(text, func(mark string) string { return `\` + strings.TrimPrefix(mark, `\`) })
}

// blockMark matches the start of a text that would be a heading, a quote or a list item at the start of a line.
var blockMark = regexp.MustCompile(`^(\d{0,9})([#>+-]|[.)])`)

// unmarked returns a text that stays a part of its paragraph.
func unmarked(text string) string { return blockMark.ReplaceAllString(text, `$1\$2`) }
