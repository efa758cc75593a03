package ops

import (
	"bytes"
	"slices"
	"sync"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/text/words"
)

// mentions lists the places where the name or an alias of a note occurs in another that has no link to it: the first place
// in each note. Only the items that are shown are made.
func (r *report) mentions() (made, error) {
	names := r.mentionable()
	nodes := r.mayMention(names)
	known := r.ops.called.of(names.sum)
	texts, counts := make([]calledIn, len(nodes)), make([]int, len(nodes))
	index.InParallel(len(nodes), func(i int) {
		if r.ctx.Err() == nil {
			viewWithKey(r.s, r.s.LinkGraph().Paths[nodes[i]], func(key textKey, source []byte) {
				texts[i] = known[key]
				counts[i] = r.countMentions(source, nodes[i], names, &texts[i])
				texts[i].key = key
			})
		}
	})
	if r.note == "" && r.in.Folder == "" && r.ctx.Err() == nil {
		r.remember(names, texts)
	}
	total := 0
	for _, count := range counts {
		total += count
	}
	return made{total, func(from, to int) ([]ReportItem, error) {
		var items []ReportItem
		for i, before := 0, 0; i < len(nodes) && before < to; i++ {
			if after := before + counts[i]; after > from {
				found := r.mentionsIn(nodes[i], names, texts[i])
				items = append(items, found[min(max(0, from-before), len(found)):min(to-before, len(found))]...)
			}
			before += counts[i]
		}
		return r.withEdits(items)
	}}, nil
}

// calledIn is where a text calls notes by their names.
type calledIn struct {
	key        textKey
	isSearched bool
	places     []place // anywhere, in their order
	isRead     bool    // which of them are prose is known
	prose      []place // the first one of each note
}

// place is where a note is called by its name. There may be many.
type place struct {
	start, end int32
	note       int32 // its number among those that have names
}

func (p place) isOf(other place) bool { return p.note == other.note }

func (p place) span() md.Span { return md.Span{Start: int(p.start), End: int(p.end)} }

// mostRemembered is how many places are remembered.
const mostRemembered = 200_000

// remember keeps where names occur in texts for the next report.
func (r *report) remember(names *callings, all []calledIn) {
	texts, places := make(map[textKey]calledIn, len(all)), 0
	for _, text := range all {
		if places += len(text.places) + len(text.prose); places <= mostRemembered {
			texts[text.key] = text
		}
	}
	r.ops.called.keep(names.sum, texts)
}

// mayMention lists the nodes of the notes to look at: all, or those that contain a name of the wanted note.
func (r *report) mayMention(names *callings) (nodes []int32) {
	g := r.s.LinkGraph()
	if r.note == "" {
		for node, path := range g.Paths {
			if r.wants(path) {
				nodes = append(nodes, int32(node))
			}
		}
		return nodes
	}
	for text, name := range names.byText {
		if name.note < 0 || name.note != names.wanted {
			continue
		}
		for _, path := range r.s.Containing(text) {
			if node, ok := g.Node(path); ok && path != r.note && r.wants(path) {
				nodes = append(nodes, node)
			}
		}
	}
	slices.Sort(nodes)
	return slices.Compact(nodes)
}

// isWanted returns a function that reports whether a note that is called in another has no link from that.
func (r *report) isWanted(node int32, names *callings) func(place) bool {
	out, nodes := r.s.LinkGraph().Out[node], names.nodes
	return func(place place) bool {
		meant := nodes[place.note]
		_, isLinked := slices.BinarySearch(out, meant)
		return meant != node && !isLinked
	}
}

// countMentions counts the mentions in a note's text of notes that it has no link to. What it finds out about the text it adds to what is
// known.
func (r *report) countMentions(source []byte, node int32, names *callings, known *calledIn) (count int) {
	isWanted := r.isWanted(node, names)
	if !known.isSearched || !known.isRead && slices.ContainsFunc(known.places, isWanted) {
		desk := desks.Get().(*desk)
		defer desks.Put(desk)
		if !known.isSearched {
			known.places, known.isSearched = desk.search(names, source), true
		}
		if slices.ContainsFunc(known.places, isWanted) {
			known.prose, known.isRead = desk.read(source, known.places), true
		}
	}
	for _, place := range known.prose {
		if isWanted(place) {
			count++
		}
	}
	return count
}

// mentionsIn lists the mentions that countMentions has counted. Whoever makes their edits in this order does not move the places of the
// others.
func (r *report) mentionsIn(node int32, names *callings, known calledIn) (items []ReportItem) {
	isWanted, path := r.isWanted(node, names), r.s.LinkGraph().Paths[node]
	r.s.View(path, func(source []byte) {
		line, lineAt := 1+bytes.Count(source, []byte("\n")), len(source)
		for _, place := range slices.Backward(known.prose) {
			at := place.span()
			line, lineAt = line-bytes.Count(source[at.Start:lineAt], []byte("\n")), at.Start
			if isWanted(place) {
				items = append(items, ReportItem{Path: string(path), Line: line, Text: string(at.Of(source)), Note: string(names.notes[place.note]), at: at})
			}
		}
	})
	return items
}

// desk is what looking for names in texts needs. It serves one text after the other.
type desk struct {
	words, ahead words.Scanner
	folded       []byte
	places       []place
	others       []md.Span
	scanner      md.Scanner
}

var desks = sync.Pool{New: func() any { return new(desk) }}

// read finds out which places of a text are prose.
func (d *desk) read(source []byte, places []place) []place {
	text := newProse(d.scanner.Scan(source), d.others[:0])
	d.others, d.places = text.others, d.places[:0]
	for _, place := range places {
		if !slices.ContainsFunc(d.places, place.isOf) && text.has(place.span()) {
			d.places = append(d.places, place)
		}
	}
	return slices.Clone(d.places)
}
