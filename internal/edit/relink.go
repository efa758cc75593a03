package edit

import (
	"maps"
	"path"
	"slices"
	"strings"

	"obsidian-mcp/internal/md"
	"obsidian-mcp/internal/md/front"
	"obsidian-mcp/internal/vpath"
)

// Relinker rewrites links after files have moved, as Obsidian does: a link
// whose target was known and whose text now means another file or none is
// written anew, so that it reaches the same file; every other byte stays.
type Relinker struct {
	before, after *vpath.Set
	moves         map[vpath.Path]vpath.Path
	format        LinkFormat
	pins          bool
	spares        func(file vpath.Path) func(linkPath string) bool
}

// Moves lists what moving a file, or a folder with all in it, does to the
// paths of a vault. Any spelling of the old path will do where no folder has
// just that one.
func Moves(set *vpath.Set, from, to vpath.Path) map[vpath.Path]vpath.Path {
	if file, ok := set.Find(from); ok {
		return map[vpath.Path]vpath.Path{file: to}
	}
	exact, folded := map[vpath.Path]vpath.Path{}, map[vpath.Path]vpath.Path{}
	for path := range set.All() {
		if below, ok := path.Below(from); ok {
			folded[path] = to.Join(below)
			if path.In(from) {
				exact[path] = to.Join(below)
			}
		}
	}
	if len(exact) > 0 {
		return exact
	}
	return folded
}

// NewRelinker prepares for moves in a vault whose paths are still the old
// ones.
func NewRelinker(before *vpath.Set, moves map[vpath.Path]vpath.Path, format LinkFormat) *Relinker {
	after := before.With(slices.Collect(maps.Keys(moves)), slices.Collect(maps.Values(moves)))
	return &Relinker{before: before, after: after, moves: moves, format: format}
}

// Pin has every link to a moved file written anew, also where it would find it
// by itself: there may be files that the relinker does not know of.
func (r *Relinker) Pin() *Relinker {
	r.pins = true
	return r
}

// Spare has links left alone, even where they miss. For each file, by its path
// before the moves, spares gives which of its links those are; nil: none.
func (r *Relinker) Spare(spares func(file vpath.Path) func(linkPath string) bool) *Relinker {
	r.spares = spares
	return r
}

// After is the vault's paths once the files have moved.
func (r *Relinker) After() *vpath.Set { return r.after }

// moved is where a file is after the moves.
func (r *Relinker) moved(path vpath.Path) vpath.Path {
	if to, ok := r.moves[path]; ok {
		return to
	}
	return path
}

// source resolves the links of one file, before and after.
type source struct {
	*Relinker
	old, now vpath.Resolver
	from     vpath.Path // before the moves
	path     vpath.Path // after them
	spared   func(linkPath string) bool
}

func (r *Relinker) in(path vpath.Path) *source {
	now := r.moved(path)
	s := &source{Relinker: r, old: r.before.From(path), now: r.after.From(now), from: path, path: now}
	if r.spares != nil {
		s.spared = r.spares(path)
	}
	return s
}

// Breaks reports whether a link in the file at a path, before the moves, has
// to be rewritten. It takes the link's path alone and so needs no file.
func (r *Relinker) Breaks(file vpath.Path, linkPath string) bool {
	_, _, breaks := r.in(file).target(linkPath)
	return breaks
}

// target is the file that a link's path meant and where that file is now, and
// whether the link misses it.
func (s *source) target(linkPath string) (was, is vpath.Path, breaks bool) {
	if linkPath == "" || s.spared != nil && s.spared(linkPath) {
		return "", "", false
	}
	was, known := s.old.Resolve(linkPath)
	if !known {
		return "", "", false
	}
	is = s.moved(was)
	found, ok := s.now.Resolve(linkPath)
	return was, is, !ok || found != is || s.pins && was != is
}

// Note rewrites the links of a note, in its body and in its properties. The
// path is the note's before the moves.
func (r *Relinker) Note(path vpath.Path, note *md.Note) []md.Splice {
	from := r.in(path)
	splices := from.inFront(note)
	return append(splices, from.inText(note)...)
}

// inText rewrites the links that a scan found.
func (s *source) inText(note *md.Note) []md.Splice {
	var splices []md.Splice
	for _, link := range note.Links {
		splices = append(splices, s.rewrite(note.Source, link, link.Target(note.Source), keepText)...)
	}
	return splices
}

func keepText(text string) string { return text }

// rewrite writes one link anew if it has to be. The text is passed through
// quote on its way into the source.
func (s *source) rewrite(src []byte, link md.Link, target string, quote func(string) string) []md.Splice {
	linkPath, _ := md.SplitTarget(target)
	was, is, breaks := s.target(linkPath)
	if !breaks {
		return s.carried(src, link, linkPath, quote)
	}
	dest, ok := s.destination(link, is)
	if !ok {
		return nil
	}
	splices := []md.Splice{{Span: link.PathSpan(src), Text: []byte(quote(dest))}}
	shown := quote(was.Name())
	if link.Kind != md.Definition && link.HasText && string(link.Text.Of(src)) == shown && is.Name() != was.Name() && canShow(is.Name()) {
		splices = append(splices, md.Splice{Span: link.Text, Text: []byte(quote(is.Name()))})
	}
	return splices
}

// carried writes a relative link of a moved note anew that means nothing here,
// so that it names the same place as before: there may be a file that the
// relinker does not know of. What is there does not matter.
func (s *source) carried(src []byte, link md.Link, linkPath string, quote func(string) string) []md.Splice {
	isRelative := strings.HasPrefix(linkPath, "./") || strings.HasPrefix(linkPath, "../")
	if _, known := s.old.Resolve(linkPath); !s.pins || s.from == s.path || !isRelative || known {
		return nil
	}
	place := path.Join(string(s.from.Dir()), linkPath)
	if place == ".." || strings.HasPrefix(place, "../") {
		return nil // outside of the vault
	}
	dest := relativeTo(string(s.path.Dir()), place)
	if link.Kind != md.WikiLink {
		dest = encode(dest, link.Angled)
	}
	if span := link.PathSpan(src); string(span.Of(src)) != quote(dest) {
		return []md.Splice{{Span: span, Text: []byte(quote(dest))}}
	}
	return nil
}

// relativeTo is the way from a folder to a place.
func relativeTo(folder, place string) string {
	up := ""
	for folder != "" && !strings.HasPrefix(place+"/", folder+"/") {
		up += "../"
		folder = strings.TrimSuffix(path.Dir(folder), ".")
	}
	if folder != "" {
		place = strings.TrimPrefix(place, folder+"/")
	}
	if up == "" {
		up = "./"
	}
	return up + place
}

// canShow reports whether a name can stand as a link's text as it is.
func canShow(name string) bool { return !strings.ContainsAny(name, "[]|\\`<$") }

// inFront rewrites the links in a note's properties, inside of the values'
// own quotes.
func (s *source) inFront(note *md.Note) []md.Splice {
	return changeLinks(note, func(src []byte, link front.Link, quote func(string) string) []md.Splice {
		return s.rewrite(src, link.Link, link.Target, quote)
	})
}

// changeLinks makes changes of the links in a note's properties. What YAML
// refuses holds no links.
func changeLinks(note *md.Note, change func(src []byte, link front.Link, quote func(string) string) []md.Splice) []md.Splice {
	block, err := front.Parse(note)
	if err != nil {
		return nil
	}
	var splices []md.Splice
	links := block.Links()
	for len(links) > 0 {
		value, folded := links[0].Value, links[0].Folded
		src, quote := note.Source, value.Quote
		if folded {
			src, quote = []byte(value.Text), keepText
		}
		var changes []md.Splice
		for len(links) > 0 && links[0].Value.Span == value.Span {
			changes = append(changes, change(src, links[0], quote)...)
			links = links[1:]
		}
		splices = append(splices, inValue(note.Source, value, folded, changes)...)
	}
	return splices
}

// inValue makes the changes of one value. A plain one that they would turn into
// something else is put into quotes; one whose links run through its folded
// lines is written anew.
func inValue(src []byte, value front.TextPlace, folded bool, changes []md.Splice) []md.Splice {
	if len(changes) == 0 {
		return nil
	}
	if folded {
		return []md.Splice{{Span: value.Span, Text: []byte(front.Quoted(string(md.Apply([]byte(value.Text), changes))))}}
	}
	local := make([]md.Splice, len(changes))
	for i, change := range changes {
		local[i] = md.Splice{Span: md.Span{Start: change.Start - value.Start, End: change.End - value.Start}, Text: change.Text}
	}
	text := string(md.Apply(value.Of(src), local))
	if quoted := value.Requote(text); quoted != "" && !strings.Contains(text, "\n") {
		return []md.Splice{{Span: value.Span, Text: []byte(quoted)}}
	}
	return changes
}

// Canvas rewrites the references of a canvas: the paths of its file cards and
// the links in its text cards. Only the strings concerned change.
func (r *Relinker) Canvas(path vpath.Path, src []byte) ([]md.Splice, error) {
	texts, err := md.ScanCanvas(src)
	if err != nil {
		return nil, err
	}
	from := r.in(path)
	var splices []md.Splice
	for _, text := range texts {
		var changes []md.Splice
		switch text.Kind {
		case md.CanvasMarkdown:
			changes = from.inText(md.ScanText([]byte(text.Value)))
		case md.CanvasFile, md.CanvasBackground:
			changes = r.inPath(text.Value)
		}
		splices = append(splices, text.Splices(src, changes)...)
	}
	return splices, nil
}

// inPath rewrites a whole vault path.
func (r *Relinker) inPath(path string) []md.Splice {
	was, known := r.before.Find(vpath.Path(path))
	if !known {
		return nil
	}
	is, moved := r.moves[was]
	if !moved {
		return nil
	}
	return []md.Splice{{Span: md.Span{End: len(path)}, Text: []byte(is)}}
}
