package publish

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
)

// outline is a note that links lead to, with the anchors that a Git host gives its headings.
type outline struct {
	note    *md.Note
	anchors []string // by heading; nil until they are needed
}

// anchor returns the anchor of the heading that a subpath names in a note, or "" if it names none.
func (c *converter) anchor(to vpath.Path, subpath string) string {
	subpath = strings.Trim(subpath, "# ")
	if subpath == "" {
		return ""
	}
	known := c.outlines[to]
	if known == nil {
		known = &outline{}
		if note, ok := c.source.Read(to); ok {
			known.note = note
		}
		c.outlines[to] = known
	}
	if known.note == nil {
		return ""
	}
	heading := known.note.FindHeading(strings.Split(subpath, "#"))
	if heading < 0 {
		return ""
	}
	if known.anchors == nil {
		known.anchors = anchorsOf(known.note)
	}
	return known.anchors[heading]
}

// anchorsOf returns the anchors of a note's headings. Headings with the same text are numbered.
func anchorsOf(note *md.Note) []string {
	anchors, times := make([]string, len(note.Headings)), map[string]int{}
	for i, heading := range note.Headings {
		anchor := anchorOf(plainText(heading.Text.Of(note.Source)))
		anchors[i] = anchor
		if n := times[anchor]; n > 0 {
			anchors[i] = fmt.Sprintf("%s-%d", anchor, n)
		}
		times[anchor]++
	}
	return anchors
}

// anchorOf makes an anchor as GitHub does: in lower case, dashes for spaces, without punctuation.
func anchorOf(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || unicode.In(r, unicode.L, unicode.M, unicode.Nd, unicode.Pc):
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}

// webLink matches a link that is not into the vault.
var webLink = regexp.MustCompile(`!?\[([^\]]*)\]\([^)]*\)`)

// plainText returns the text of a heading as it is shown when it is published.
func plainText(heading []byte) string {
	text := md.Apply(heading, removePrivate(md.ScanText(heading)))
	var tags []md.Splice
	for _, region := range md.ScanText(text).Regions {
		if region.Kind == md.HTMLTag || region.Kind == md.HTMLComment {
			tags = append(tags, md.Splice{Span: region.Span})
		}
	}
	text = md.Apply(text, tags)
	var links []md.Splice
	done := 0
	for _, link := range md.ScanText(text).Links {
		if link.Start < done {
			continue
		}
		done = link.End
		shows := shown(text, link, asItIs)
		if link.Embed {
			shows = embedded(link.Target(text), asItIs)
		}
		links = append(links, md.Splice{Span: link.Span, Text: []byte(shows)})
	}
	return strings.TrimSpace(webLink.ReplaceAllString(string(md.Apply(text, links)), "$1"))
}
