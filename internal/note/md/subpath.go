package md

import (
	"strings"
	"unicode"
)

// Section is a heading with everything below it, up to the next heading of the same or a higher level.
type Section struct {
	Span         // including the lines of the heading
	Heading int  // index in the note
	Content Span // without the lines of the heading
}

// SectionOf returns the section of the heading with the given index.
func (n *Note) SectionOf(heading int) Section {
	head := n.Headings[heading]
	end := len(n.Source)
	for _, next := range n.Headings[heading+1:] {
		if next.Level <= head.Level {
			end = next.Start
			break
		}
	}
	return Section{Span: Span{head.Start, end}, Heading: heading, Content: Span{head.End, end}}
}

// FindHeading returns the index of the heading that a subpath's chain of headings points to, or -1.
func (n *Note) FindHeading(chain []string) int {
	found := n.FindHeadings(chain)
	if len(found) == 0 {
		return -1
	}
	return found[len(found)-1]
}

// FindHeadings returns the indexes of all headings of a subpath's chain, or nil if one is missing. It searches each
// heading in the section of the one before; the first match in the document wins. Like Obsidian, it ignores case and
// punctuation.
func (n *Note) FindHeadings(chain []string) []int {
	var found []int
	from, end := 0, len(n.Source)
	for _, wanted := range chain {
		folded := FoldHeading(wanted)
		at := -1
		for i := from; i < len(n.Headings) && n.Headings[i].Start < end; i++ {
			if FoldHeading(string(n.Headings[i].Text.Of(n.Source))) == folded {
				at = i
				break
			}
		}
		if at < 0 {
			return nil
		}
		found = append(found, at)
		from, end = at+1, n.SectionOf(at).End
	}
	return found
}

// FindID returns the index of the block id with a name, or -1. It ignores case; the first match in the document wins.
func (n *Note) FindID(name string) int {
	for i, id := range n.IDs {
		if strings.EqualFold(string(id.Name.Of(n.Source)), name) {
			return i
		}
	}
	return -1
}

// FoldHeading returns the form in which headings are compared: in lower case, with punctuation and runs of white space
// replaced by one space.
func FoldHeading(text string) string {
	var folded strings.Builder
	gap := false
	for _, r := range text {
		if unicode.IsSpace(r) || strings.ContainsRune("!\"#$%&()*+,.:;<=>?@^`{|}~/[]\\", r) {
			gap = true
			continue
		}
		if gap && folded.Len() > 0 {
			folded.WriteByte(' ')
		}
		gap = false
		folded.WriteRune(unicode.ToLower(r))
	}
	return folded.String()
}
