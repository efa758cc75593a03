package web

import (
	"fmt"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"

	"obsidian-mcp/internal/note/md"
)

// outline lists the headings of a note that links can name, as md finds them: by their
// text, each within the section of its parent.
type outline struct {
	headings []outlined
	named    map[string][]int // headings by their folded text
}

type outlined struct {
	level int
	end   int // the index of the heading after its section
	id    string
}

// headingIDs gives ids to all headings of a tree and returns the outline of those outside
// quotes and lists. These get the plain ids first, because links from other notes know no
// others.
func (w *markdownWriter) headingIDs(tree ast.Node, note *md.Note) outline {
	top, nested := headingsOf(tree)
	written := make([]string, 0, len(top)+len(nested))
	for i, heading := range top {
		if len(top) == len(note.Headings) {
			written = append(written, string(note.Headings[i].Text.Of(note.Source)))
		} else {
			written = append(written, string(heading.Lines().Value(w.source)))
		}
	}
	for _, heading := range nested {
		written = append(written, string(heading.Lines().Value(w.source)))
	}
	w.claim(append(top, nested...), written)
	o := outline{named: map[string][]int{}}
	for i, heading := range top {
		folded := md.FoldHeading(written[i])
		o.named[folded] = append(o.named[folded], i)
		o.headings = append(o.headings, outlined{level: heading.Level, id: w.ids[heading]})
	}
	o.setEnds()
	return o
}

// headingsOf lists the headings of a tree: those of the note itself, and those in its
// quotes and lists.
func headingsOf(tree ast.Node) (top, nested []*ast.Heading) {
	_ = ast.Walk(tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if n.Type() == ast.TypeInline {
			return ast.WalkSkipChildren, nil
		}
		if heading, is := n.(*ast.Heading); is && entering {
			if n.Parent() == tree {
				top = append(top, heading)
			} else {
				nested = append(nested, heading)
			}
			return ast.WalkSkipChildren, nil
		}
		return ast.WalkContinue, nil
	})
	return top, nested
}

// claim gives each heading a unique id: its text for the first, with a number for repeats.
func (w *markdownWriter) claim(headings []*ast.Heading, written []string) {
	var again []int
	for i, heading := range headings {
		id := headingID(written[i])
		if _, taken := w.taken[id]; taken {
			again = append(again, i)
			continue
		}
		w.taken[id], w.ids[heading] = 1, id
	}
	for _, i := range again {
		plain := headingID(written[i])
		id := plain
		for taken := true; taken; _, taken = w.taken[id] {
			w.taken[plain]++
			id = fmt.Sprintf("%s-%d", plain, w.taken[plain])
		}
		w.taken[id], w.ids[headings[i]] = 1, id
	}
}

// setEnds finds where the sections end.
func (o outline) setEnds() {
	var open []int
	for i, heading := range o.headings {
		for len(open) > 0 && o.headings[open[len(open)-1]].level >= heading.level {
			o.headings[open[len(open)-1]].end = i
			open = open[:len(open)-1]
		}
		open = append(open, i)
	}
	for _, i := range open {
		o.headings[i].end = len(o.headings)
	}
}

// find returns the id of the heading that a subpath names: #Heading or
// #Heading#Heading.
func (o outline) find(subpath string) (id string, ok bool) {
	from, end := 0, len(o.headings)
	for heading := range strings.SplitSeq(strings.TrimPrefix(subpath, "#"), "#") {
		named := o.named[md.FoldHeading(heading)]
		first, _ := slices.BinarySearch(named, from)
		if first == len(named) || named[first] >= end {
			return "", false
		}
		found := named[first]
		id, from, end = o.headings[found].id, found+1, o.headings[found].end
	}
	return id, true
}

// inside returns the target of a link within the vault. A link within the note leads to the heading that it names, even
// if several have the same text.
func (w *markdownWriter) inside(link string) target {
	file, sub := md.SplitTarget(link)
	if file == "" && w.from != "" && len(link) <= maxAddress {
		return w.withinEmbedded(sub)
	}
	if file == "" && !strings.Contains(sub, "#^") && len(link) <= maxAddress {
		if id, ok := w.outline.find(sub); ok && sub != "" {
			return target{Href: "#" + id}
		}
	}
	return w.markdown.inside(link)
}
