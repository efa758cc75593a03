package search

import (
	"bytes"

	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/text/fold"
	"obsidian-mcp/internal/text/order"
)

// maxCandidates bounds how many occurrences of a phrase are checked in a text.
const maxCandidates = 10_000

// Spans returns where a file's text has what a query asks for: at most a number of spans, in order and without
// overlap. Offsets are those of the text or, for a canvas, of its CanvasText. For texts searched in lines, blocks,
// sections and tasks, only spans in units that satisfy the operator count. A regular expression yields the first
// match that starts in each line.
func (q *Query) Spans(f *File, most int) []md.Span {
	if q.Root == nil || most <= 0 {
		return nil
	}
	m := q.matcher()
	defer q.matchers.Put(m)
	m.open(f)
	defer m.close()
	c := collector{m: m, most: most}
	c.collect(q.Root, where{text: &m.body})
	return c.ordered()
}

// collector gathers spans. Each text of the query may yield as many as are wanted, since the texts are searched in
// turn.
type collector struct {
	m     *matcher
	most  int
	found []md.Span
}

func (c *collector) ordered() []md.Span {
	order.By(c.found, func(a, b md.Span) int {
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
		for _, child := range n.Nodes {
			c.collect(child, in)
		}
	case *Or:
		for _, child := range n.Nodes {
			c.collect(child, in)
		}
	case *Word:
		c.literal(in.text, fold.Append(nil, []byte(n.Text)), n.form, n.needle, false)
	case *Phrase:
		c.literal(in.text, n.folded, n.form, n.needle, true)
	case *Regex:
		c.pattern(in.text, n)
	case *Scope:
		c.scope(n, in)
	}
}

func (c *collector) scope(n *Scope, in where) {
	switch n.Op {
	case InFile, InPath:
		return
	case InContent:
		c.collect(n.Node, c.m.content(in))
		return
	}
	enough := len(c.found) + c.most
	c.m.eachUnit(n.Op, c.m.content(in), func(unit where) bool {
		if c.m.eval(n.Node, unit) {
			c.collect(n.Node, unit)
		}
		return len(c.found) < enough
	})
}

// literal finds a text by its folded form, and then checks each occurrence in the form that counts.
func (c *collector) literal(in *haystack, foldedNeedle []byte, wanted form, needle []byte, bounded bool) {
	if len(foldedNeedle) == 0 {
		return
	}
	limit := c.most
	if wanted != folded {
		limit = maxCandidates
	}
	var ranges []fold.Range
	text := in.in(folded)
	for from := 0; len(ranges) < limit; {
		at := bytes.Index(text[from:], foldedNeedle)
		if at < 0 {
			break
		}
		start, end := from+at, from+at+len(foldedNeedle)
		if bounded && !atBoundaries(text, start, end) {
			from = start + 1
			continue
		}
		ranges = append(ranges, fold.Range{Start: start, End: end})
		from = end
	}
	fold.Align(in.text, ranges)
	for _, r := range ranges {
		if bounded && !atBoundaries(in.text, r.Start, r.End) || !hasForm(in.text[r.Start:r.End], wanted, needle) {
			continue
		}
		c.found = append(c.found, md.Span{Start: in.start + r.Start, End: in.start + r.End})
	}
}

// hasForm reports whether a text equals the needle in a form. In the folded form it was found already.
func hasForm(text []byte, wanted form, needle []byte) bool {
	switch wanted {
	case lowered:
		return bytes.Equal(fold.AppendCase(nil, text), needle)
	case composed:
		return bytes.Equal(fold.Compose(text), needle)
	}
	return true
}

func (c *collector) pattern(in *haystack, n *Regex) {
	reader := c.m.regex(n)
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
