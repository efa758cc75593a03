package search

import (
	"bytes"
	"slices"

	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/text/fold"
)

// maxCandidates bounds how many places of a phrase are looked at in one text.
const maxCandidates = 10_000

// Spans are the places in a file's text of what a query asks for, at most so
// many, in order and without overlap. Offsets are those of the text or, for a
// canvas, of its CanvasText. Of what is looked for in lines, blocks, sections
// and tasks, only places in those count that satisfy the operator. Of a regular
// expression, it is the first match that starts in each line.
func (q *Query) Spans(f *File, most int) []md.Span {
	if q.Root == nil || most <= 0 {
		return nil
	}
	m := q.matcher()
	defer q.matchers.Put(m)
	m.open(f)
	defer m.close()
	c := collector{matcher: m, most: most}
	c.collect(q.Root, where{place: &m.body})
	return c.ordered()
}

// collector gathers places. Each text of the query may give as many as are
// wanted, since they are found one text after the other.
type collector struct {
	*matcher
	most  int
	found []md.Span
}

func (c *collector) ordered() []md.Span {
	slices.SortFunc(c.found, func(a, b md.Span) int {
		if a.Start != b.Start {
			return a.Start - b.Start
		}
		return b.End - a.End
	})
	merged := c.found[:0]
	for _, span := range c.found {
		if last := len(merged) - 1; last >= 0 && span.Start < merged[last].End {
			merged[last].End = max(merged[last].End, span.End)
			continue
		}
		merged = append(merged, span)
	}
	return merged[:min(len(merged), c.most)]
}

func (c *collector) collect(node Node, in where) {
	switch n := node.(type) {
	case *And:
		for _, one := range n.Nodes {
			c.collect(one, in)
		}
	case *Or:
		for _, one := range n.Nodes {
			c.collect(one, in)
		}
	case *Word:
		c.literal(in.place, fold.Append(nil, []byte(n.Text)), n.form, n.needle, false)
	case *Phrase:
		c.literal(in.place, n.folded, n.form, n.needle, true)
	case *Regex:
		c.pattern(in.place, n)
	case *Scope:
		c.scope(n, in)
	}
}

func (c *collector) scope(n *Scope, in where) {
	switch n.Op {
	case InFile, InPath:
		return
	case InContent:
		c.collect(n.Node, c.content(in))
		return
	}
	enough := len(c.found) + c.most
	c.eachUnit(n.Op, c.content(in), func(unit where) bool {
		if c.eval(n.Node, unit) {
			c.collect(n.Node, unit)
		}
		return len(c.found) < enough
	})
}

// literal finds a text by its folded form, and then looks at each place again
// in the form that counts.
func (c *collector) literal(in *place, short []byte, wanted form, needle []byte, whole bool) {
	if len(short) == 0 {
		return
	}
	limit := c.most
	if wanted != folded {
		limit = maxCandidates
	}
	var ranges []fold.Range
	text := in.in(folded)
	for from := 0; len(ranges) < limit; {
		at := bytes.Index(text[from:], short)
		if at < 0 {
			break
		}
		start, end := from+at, from+at+len(short)
		if whole && !atBoundaries(text, start, end) {
			from = start + 1
			continue
		}
		ranges = append(ranges, fold.Range{Start: start, End: end})
		from = end
	}
	fold.Align(in.text, ranges)
	for _, one := range ranges {
		if whole && !atBoundaries(in.text, one.Start, one.End) || !reads(in.text[one.Start:one.End], wanted, needle) {
			continue
		}
		c.found = append(c.found, md.Span{Start: in.start + one.Start, End: in.start + one.End})
	}
}

// reads reports whether a text has a form. Folded it was found already.
func reads(text []byte, wanted form, needle []byte) bool {
	switch wanted {
	case lowered:
		return bytes.Equal(fold.AppendCase(nil, text), needle)
	case composed:
		return bytes.Equal(fold.Compose(text), needle)
	}
	return true
}

func (c *collector) pattern(in *place, n *Regex) {
	reader := c.regex(n)
	for from, enough := 0, len(c.found)+c.most; from < len(in.text) && len(c.found) < enough; {
		start, end, ok := reader.Find(in.text[from:])
		if !ok {
			return
		}
		if end > start {
			c.found = append(c.found, md.Span{Start: in.start + from + start, End: in.start + from + end})
		}
		from = md.NextLine(in.text, max(from+start, from+end-1))
	}
}
