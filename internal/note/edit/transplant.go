package edit

import (
	"slices"
	"strconv"
	"strings"

	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/text/order"
)

// Piece is a part of a note that goes to another note.
type Piece struct {
	md.Span            // whole lines of the body
	To      vpath.Path // the other note
	Onto    *md.Note   // what is there already; nil: nothing
}

// Transplant moves pieces of a note to other notes. Every link keeps its target: those in the pieces, those in what
// remains, and those in other files that lead to a heading or block of a piece. Footnotes and definitions of links stay
// with the text that uses them.
type Transplant struct {
	from   vpath.Path
	note   *md.Note
	pieces []Piece
	ids    map[int]string      // new names of block ids that the other note has already, by their index
	labels []map[string]string // new labels of footnotes and definitions, by piece

	definitions []definition
	references  []reference
	used        map[place]map[string]bool // the labels that each place uses
	sources     map[place]*source         // of the links in each place
	links       *Relinker
	inside      []md.Splice // the links of the note itself
	count       int
}

// NewTransplant prepares to move pieces, which must not overlap, out of the note at a path. The set holds the files of
// the vault before.
func NewTransplant(set *vpath.Set, from vpath.Path, note *md.Note, pieces []Piece, format LinkFormat) *Transplant {
	t := newTransplant(from, note, pieces)
	var created []vpath.Path
	for _, piece := range pieces {
		if _, exists := set.Find(piece.To); !exists && !slices.Contains(created, piece.To) {
			created = append(created, piece.To)
		}
	}
	t.links = &Relinker{before: set, after: set.With(nil, created), format: format, parts: t.part}
	return t
}

// NewMerge prepares to move the whole body of a note to another, and to delete it: links to the note then lead to the
// other one.
func NewMerge(set *vpath.Set, from vpath.Path, note *md.Note, to vpath.Path, onto *md.Note, format LinkFormat) *Transplant {
	t := newTransplant(from, note, []Piece{{Span: md.Span{Start: note.Body, End: len(note.Source)}, To: to, Onto: onto}})
	t.links = NewRedirect(set, from, to, nil, format)
	t.links.parts = t.part
	return t
}

func newTransplant(from vpath.Path, note *md.Note, pieces []Piece) *Transplant {
	t := &Transplant{from: from, note: note, pieces: pieces, ids: map[int]string{}}
	for i, id := range note.IDs {
		at := t.pieceAt(id.Name.Start)
		name := string(id.Name.Of(note.Source))
		if at >= 0 && pieces[at].Onto != nil && pieces[at].Onto.FindID(name) >= 0 {
			t.ids[i] = t.freeID(pieces[at].Onto, name)
		}
	}
	t.definitions = definitionsOf(note)
	t.references = referencesOf(note, t.definitions)
	t.used = map[place]map[string]bool{rest: t.usedIn(rest)}
	for i := range pieces {
		t.used[place(i)] = t.usedIn(place(i))
		t.labels = append(t.labels, t.freeLabels(place(i)))
	}
	return t
}

// freeID returns a name that neither of the notes has.
func (t *Transplant) freeID(onto *md.Note, name string) string {
	for n := 2; ; n++ {
		free := name + "-" + strconv.Itoa(n)
		if onto.FindID(free) < 0 && t.note.FindID(free) < 0 {
			return free
		}
	}
}

// Links returns the Relinker for the links of other files. What is set on it before the first text is asked for applies to
// the note's own links too.
func (t *Transplant) Links() *Relinker { return t.links }

// Count is how many links of the note itself change.
func (t *Transplant) Count() int {
	t.rewriteOwn()
	return t.count
}

// pieceAt returns the index of the piece that an offset is in, or -1.
func (t *Transplant) pieceAt(offset int) int {
	return slices.IndexFunc(t.pieces, func(piece Piece) bool { return piece.Start <= offset && offset < piece.End })
}

// part is where a part of a note is.
type part struct {
	file    vpath.Path
	subpath string // with its #
}

// part returns where a part of the note is afterwards. It returns false for parts of other files, and for parts that the
// note does not have.
func (t *Transplant) part(file vpath.Path, subpath string) (part, bool) {
	if file != t.from {
		return part{}, false
	}
	chain := strings.Split(strings.TrimPrefix(subpath, "#"), "#")
	if name, isID := strings.CutPrefix(chain[0], "^"); isID && len(chain) == 1 {
		id := t.note.FindID(name)
		if id < 0 {
			return part{}, false
		}
		if renamed := t.ids[id]; renamed != "" {
			subpath = "#^" + renamed
		}
		return part{t.fileAt(t.note.IDs[id].Name.Start), subpath}, true
	}
	found := t.note.FindHeadings(chain)
	if len(found) == 0 {
		return part{}, false
	}
	last := t.pieceAt(t.note.Headings[found[len(found)-1]].Start)
	kept := chain[:0:0]
	for i, heading := range found {
		if t.pieceAt(t.note.Headings[heading].Start) == last {
			kept = append(kept, chain[i])
		}
	}
	return part{t.fileAt(t.note.Headings[found[len(found)-1]].Start), "#" + strings.Join(kept, "#")}, true
}

// fileAt returns the note that an offset is in afterwards.
func (t *Transplant) fileAt(offset int) vpath.Path {
	if at := t.pieceAt(offset); at >= 0 {
		return t.pieces[at].To
	}
	return t.from
}

// rewriteOwn rewrites the links of the note itself, each for the place where it will be.
func (t *Transplant) rewriteOwn() {
	if t.sources != nil {
		return
	}
	old := t.links.before.From(t.from)
	t.sources = map[place]*source{rest: t.links.in(t.from)}
	for i, piece := range t.pieces {
		t.sources[place(i)] = &source{relinker: t.links, old: old, now: t.links.after.From(piece.To), from: t.from, path: piece.To}
	}
	body := rewriteBody(t.note, ownLinks{t}, md.Scan)
	front := rewriteFront(t.note, t.sources[rest])
	t.count = len(body) + len(front)
	t.inside = append(front, body...)
	for i, name := range t.ids {
		t.inside = append(t.inside, md.Splice{Span: t.note.IDs[i].Name, Text: []byte(name)})
	}
	for i, piece := range t.pieces {
		t.inside = append(t.inside, t.relabel(piece.Span, t.labels[i])...)
	}
	order.Stably(t.inside, func(a, b md.Splice) int { return a.Start - b.Start })
}

// ownLinks rewrites the links of the note whose pieces move.
type ownLinks struct{ t *Transplant }

func (w ownLinks) rewrite(
	src []byte, link md.Link, target string, form linkForm, quote func(string) string,
) (rewritten, bool) {
	return w.t.sources[place(w.t.pieceAt(link.Start))].rewrite(src, link, target, form, quote)
}

// rewritePart rewrites a link to a part of a file.
func (s *source) rewritePart(
	src []byte, link md.Link, linkPath, subpath string, form linkForm, quote func(string) string,
) (rewritten, bool) {
	was, ok := s.from, true
	if linkPath != "" {
		was, ok = s.old.Resolve(linkPath)
	}
	if !ok || s.spared != nil && s.spared(linkPath) {
		return rewritten{}, false
	}
	now, isPart := s.relinker.parts(was, subpath)
	if !isPart {
		now = part{s.relinker.moved(was), subpath}
	}
	pinned := s.relinker.pins && linkPath != "" && was != now.file
	if s.leadsTo(linkPath, now.file) && !pinned {
		if now.subpath == subpath {
			return rewritten{}, false
		}
		return withTarget(src, link, linkPath, now.subpath, form, quote), true
	}
	dest, form, ok := s.destination(link, now.file, form)
	if !ok {
		return rewritten{}, false
	}
	return withTarget(src, link, dest, now.subpath, form, quote), true
}

// leadsTo reports whether the path of a link, in the file where it is now, leads to a file.
func (s *source) leadsTo(linkPath string, file vpath.Path) bool {
	if linkPath == "" {
		return s.path == file
	}
	found, ok := s.now.Resolve(linkPath)
	return ok && found == file
}

// withTarget returns a link with a new destination and a new subpath.
func withTarget(src []byte, link md.Link, dest, subpath string, form linkForm, quote func(string) string) rewritten {
	if form > usual {
		subpath = plainSubpath(subpath)
	}
	changed := withDestination(src, link, dest, subpath, form, quote)
	if form < encoded {
		text := dest + subpath
		if link.Kind != md.WikiLink {
			text = written(link, dest) + encode(subpath, link.Angled)
		}
		changed.splices = []md.Splice{{Span: link.Dest, Text: []byte(quote(text))}}
	}
	return changed
}

// Text returns a piece as it reads in the other note, with the footnotes and definitions that it needs.
func (t *Transplant) Text(i int) []byte {
	t.rewriteOwn()
	piece := t.pieces[i]
	text := t.changed(piece.Span, t.dropped(place(i))...)
	return withDefinitions(text, t.carried(place(i)), md.LineEnd(t.note.Source, piece.Start))
}

// changed returns a span of the note with its links rewritten, and other changes made.
func (t *Transplant) changed(span md.Span, others ...md.Splice) []byte {
	var splices []md.Splice
	inside := slices.DeleteFunc(slices.Clone(t.inside), func(change md.Splice) bool {
		return slices.ContainsFunc(others, func(other md.Splice) bool { return other.Start <= change.Start && change.End <= other.End })
	})
	for _, change := range append(inside, others...) {
		if span.Start <= change.Start && change.End <= span.End {
			change.Start, change.End = change.Start-span.Start, change.End-span.Start
			splices = append(splices, change)
		}
	}
	return md.Apply(span.Of(t.note.Source), splices)
}

// Properties returns the frontmatter of the note, with its links rewritten.
func (t *Transplant) Properties() []byte {
	t.rewriteOwn()
	return t.changed(md.Span{End: t.note.Body})
}

// Rest returns the note without the pieces, with something left in their places.
func (t *Transplant) Rest(left []string) []byte {
	t.rewriteOwn()
	var out []byte
	at := 0
	gone := t.dropped(rest)
	for i, piece := range t.pieces {
		out = append(out, t.changed(md.Span{Start: at, End: piece.Start}, gone...)...)
		out = append(out, t.leave(piece.Span, left[i])...)
		at = piece.End
	}
	out = append(out, t.changed(md.Span{Start: at, End: len(t.note.Source)}, gone...)...)
	return withDefinitions(out, t.carried(rest), md.LineEnd(t.note.Source, len(t.note.Source)))
}

// leave returns what is left of a piece. The blank lines around it stay if a text is left.
func (t *Transplant) leave(span md.Span, text string) string {
	if text == "" {
		return ""
	}
	content := trimLines(t.note.Source, span)
	eol := md.LineEnd(t.note.Source, span.Start)
	tail := string(t.note.Source[content.End:span.End])
	if tail == "" && span.End < len(t.note.Source) {
		tail = eol
	}
	return string(t.note.Source[span.Start:content.Start]) + text + tail
}
