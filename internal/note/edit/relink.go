package edit

import (
	"maps"
	"slices"

	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
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
	return rewriteNote(note, r.in(path))
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
			changes = rewriteCard(text.Value, from)
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
