package edit

import (
	"maps"
	"slices"

	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
)

// Relinker rewrites links after files have moved, as Obsidian does: a link that pointed to a file and now points to
// another file, or to none, is rewritten to reach the same file. All other bytes stay.
type Relinker struct {
	before, after *vpath.Set
	moves         map[vpath.Path]vpath.Path
	format        LinkFormat
	pins          bool
	lacks         func(subpath string) bool // parts that a redirected link would miss; nil: none
	parts         func(file vpath.Path, subpath string) (part, bool)
	spares        func(file vpath.Path) func(linkPath string) bool
}

// Moves returns the old and new paths of all files that move when a file or folder moves. The old path may be spelt in
// any letter case; an exact match wins.
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

// NewRelinker returns a Relinker for moves that have not happened yet: before holds the old paths.
func NewRelinker(before *vpath.Set, moves map[vpath.Path]vpath.Path, format LinkFormat) *Relinker {
	after := before.With(slices.Collect(maps.Keys(moves)), slices.Collect(maps.Values(moves)))
	return &Relinker{before: before, after: after, moves: moves, format: format}
}

// NewRedirect returns a Relinker that makes links to a file that is being deleted lead to another file. Links to a heading
// or block that the other file lacks lead to the file as a whole.
func NewRedirect(before *vpath.Set, deleted, to vpath.Path, lacks func(subpath string) bool, format LinkFormat) *Relinker {
	return &Relinker{
		before: before, after: before.With([]vpath.Path{deleted}, nil), moves: map[vpath.Path]vpath.Path{deleted: to},
		lacks: lacks, format: format,
	}
}

// Pin makes the Relinker rewrite every link to a moved file, even one that would still resolve: there may be files that
// the set does not contain.
func (r *Relinker) Pin() *Relinker {
	r.pins = true
	return r
}

// Spare makes the Relinker leave some links alone even if they break. For each file, by its path before the moves, spares
// returns a function that selects those links, or nil.
func (r *Relinker) Spare(spares func(file vpath.Path) func(linkPath string) bool) *Relinker {
	r.spares = spares
	return r
}

// After returns the paths of the vault after the moves.
func (r *Relinker) After() *vpath.Set { return r.after }

// moved returns the path of a file after the moves.
func (r *Relinker) moved(path vpath.Path) vpath.Path {
	if to, ok := r.moves[path]; ok {
		return to
	}
	return path
}

// source rewrites the links of one file.
type source struct {
	relinker *Relinker
	old, now vpath.Resolver // before and after the moves
	from     vpath.Path     // the file before the moves
	path     vpath.Path     // the file after the moves
	spared   func(linkPath string) bool
}

func (r *Relinker) in(path vpath.Path) *source {
	now := r.moved(path)
	s := &source{relinker: r, old: r.before.From(path), now: r.after.From(now), from: path, path: now}
	if r.spares != nil {
		s.spared = r.spares(path)
	}
	return s
}

// Breaks reports whether a link in a file, given by its path before the moves, must be rewritten. It needs only the path
// of the link, not the content of the file.
func (r *Relinker) Breaks(file vpath.Path, linkPath string) bool {
	_, _, breaks := r.in(file).target(linkPath)
	return breaks
}

// target returns the file that a link pointed to, where that file is now, and whether the link must be rewritten.
func (s *source) target(linkPath string) (was, is vpath.Path, breaks bool) {
	if linkPath == "" || s.spared != nil && s.spared(linkPath) {
		return "", "", false
	}
	was, ok := s.old.Resolve(linkPath)
	if !ok {
		return "", "", false
	}
	is = s.relinker.moved(was)
	found, ok := s.now.Resolve(linkPath)
	return was, is, !ok || found != is || s.relinker.pins && was != is
}

// Note rewrites the links in the body and the properties of a note, given with its path before the moves.
func (r *Relinker) Note(path vpath.Path, note *md.Note) []md.Splice {
	return rewriteNote(note, r.in(path))
}

// Canvas rewrites the paths of a canvas's file cards and the links in its text cards. Other strings stay.
func (r *Relinker) Canvas(path vpath.Path, src []byte) ([]md.Splice, error) {
	from := r.in(path)
	return rewriteCanvas(src, func(text md.CanvasText) []md.Splice {
		switch text.Kind {
		case md.CanvasMarkdown:
			return rewriteCard(text.Value, from)
		case md.CanvasSubpath:
			return r.rewritePart(text)
		case md.CanvasFile, md.CanvasBackground:
			return r.rewritePath(text.Value, text.Part)
		}
		return nil
	})
}

// rewritePath rewrites a vault path, of a card that may show only a part of the file.
func (r *Relinker) rewritePath(path, subpath string) []md.Splice {
	was, ok := r.before.Find(vpath.Path(path))
	if !ok {
		return nil
	}
	is, moved := r.moves[was]
	if r.parts != nil && subpath != "" {
		if now, ok := r.parts(was, subpath); ok {
			is, moved = now.file, now.file != was
		}
	}
	if !moved {
		return nil
	}
	return []md.Splice{{Span: md.Span{End: len(path)}, Text: []byte(is)}}
}

// rewritePart rewrites the subpath of a file card.
func (r *Relinker) rewritePart(text md.CanvasText) []md.Splice {
	was, ok := r.before.Find(vpath.Path(text.File))
	if !ok || r.parts == nil {
		return nil
	}
	now, ok := r.parts(was, text.Value)
	if !ok || now.subpath == text.Value {
		return nil
	}
	return []md.Splice{{Span: md.Span{End: len(text.Value)}, Text: []byte(now.subpath)}}
}
