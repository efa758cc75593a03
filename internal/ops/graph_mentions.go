package ops

import (
	"slices"
	"sync"

	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
)

// mentions lists the places where the name or an alias of a note occurs in another that has no link to it: the first place
// in each note.
func (r *report) mentions() ([]ReportItem, error) {
	names := r.mentionable()
	paths := r.mayMention(names)
	found := make([][]ReportItem, len(paths))
	known := r.ops.called.of(names.sum)
	texts := make([]calledIn, len(paths))
	inParallel(len(paths), func(i int) {
		if r.ctx.Err() == nil {
			sum := r.s.Sum(paths[i])
			texts[i] = known[sum]
			found[i] = r.mentionsIn(paths[i], names, &texts[i])
			texts[i].sum = sum
		}
	})
	if r.note == "" && r.in.Folder == "" && r.ctx.Err() == nil {
		r.remember(names, texts)
	}
	return slices.Concat(found...), nil
}

// calledIn is where a text calls notes by their names.
type calledIn struct {
	sum        textSum // of the text
	isSearched bool
	places     []place // anywhere, in their order
	isRead     bool    // which of them are prose is known
	prose      []said  // the first one of each note
}

// said is a place in prose.
type said struct {
	place
	line int
	text string // as the name is written there
}

// mostRemembered is how many places are remembered.
const mostRemembered = 200_000

// remember keeps where names occur in texts for the next report.
func (r *report) remember(names callings, all []calledIn) {
	texts, places := make(map[textSum]calledIn, len(all)), 0
	for _, text := range all {
		if places += len(text.places) + len(text.prose); places <= mostRemembered {
			texts[text.sum] = text
		}
	}
	r.ops.called.keep(names.sum, texts)
}

// mayMention lists the notes to look at: all, or those that contain a name of the wanted note.
func (r *report) mayMention(names callings) []vpath.Path {
	var paths []vpath.Path
	add := func(path vpath.Path) bool {
		if path != r.note && r.wants(path) {
			paths = append(paths, path)
		}
		return true
	}
	if r.note == "" {
		r.s.Files(add)
	}
	for text, name := range names.byText {
		if r.note != "" && name.note == r.note {
			for _, path := range r.s.Containing(text) {
				add(path)
			}
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

var scanners = sync.Pool{New: func() any { return new(md.Scanner) }}

// mentionsIn lists the mentions in a note of notes that it has no link to. What it finds out about the text it adds to what is
// known.
func (r *report) mentionsIn(path vpath.Path, names callings, known *calledIn) (items []ReportItem) {
	g := r.s.LinkGraph()
	node, _ := g.Node(path)
	isWanted := func(place place) bool {
		if place.note == path {
			return false
		}
		meant, _ := g.Node(place.note)
		_, isLinked := slices.BinarySearch(g.Out[node], meant)
		return !isLinked
	}
	if !known.isSearched || !known.isRead && slices.ContainsFunc(known.places, isWanted) {
		r.s.View(path, func(source []byte) {
			if !known.isSearched {
				known.places, known.isSearched = slices.DeleteFunc(names.in(source), func(place place) bool {
					return place.note == "" || r.note != "" && place.note != r.note
				}), true
			}
			if slices.ContainsFunc(known.places, isWanted) {
				known.read(source)
			}
		})
	}
	for _, said := range slices.Backward(known.prose) { // who makes the edits in this order does not move the places of the others
		if isWanted(said.place) {
			items = append(items, ReportItem{Path: string(path), Line: said.line, Text: said.text, Note: string(said.note), at: said.Span})
		}
	}
	return items
}

// read finds out which places of a text are prose.
func (c *calledIn) read(source []byte) {
	scanner := scanners.Get().(*md.Scanner)
	defer scanners.Put(scanner)
	note := scanner.Scan(source)
	text := newProse(note)
	for _, place := range c.places {
		isKnown := slices.ContainsFunc(c.prose, func(other said) bool { return other.note == place.note })
		if !isKnown && text.has(place.Span) {
			c.prose = append(c.prose, said{place, note.LineOf(place.Start), string(place.Of(source))})
		}
	}
	c.isRead = true
}

// place is where a note is called by its name.
type place struct {
	md.Span
	note vpath.Path
}
