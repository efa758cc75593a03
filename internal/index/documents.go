package index

import (
	"slices"

	"obsidian-mcp/internal/index/text"
	"obsidian-mcp/internal/note/md/front"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/query/search"
)

// Files are documents of the text engine, by numbers that are those of the
// base, and behind them those of what changed since.

// pathOf is the path of a document.
func (s *Snapshot) pathOf(doc int) vpath.Path {
	if doc < len(s.base.paths) {
		return s.base.paths[doc]
	}
	return vpath.Path(s.text.Key(doc))
}

// docOf is the number of a file's document, or -1.
func (s *Snapshot) docOf(path vpath.Path) int {
	if entry, newer := s.entries.over[path]; newer {
		if entry == nil {
			return -1
		}
		return s.text.Doc(string(path))
	}
	if doc, ok := s.base.byPath[path]; ok {
		return int(doc)
	}
	return -1
}

// match asks a query about one file.
func (s *Snapshot) match(q *search.Query, doc int) bool {
	matched := false
	s.file(doc, func(f *search.File) { matched = q.Match(f) })
	return matched
}

// file hands a document over as a query sees it, during the call alone.
func (s *Snapshot) file(doc int, use func(*search.File)) {
	path := s.pathOf(doc)
	s.text.Text(doc, func(data []byte, _ bool) {
		f := &search.File{Path: string(path), Note: path.IsNote(), Canvas: path.IsCanvas()}
		if f.Note || f.Canvas {
			f.Text = data
		}
		if f.Note {
			f.Tags = func() []string { return s.Entry(path).Tags }
			f.Properties = func() []front.Field { return s.Entry(path).fields() }
		}
		use(f)
	})
}

// kinds are the sets of notes, canvases and other files. They must not be
// changed.
func (s *Snapshot) kinds() (notes, canvases, others text.Set) {
	s.sorts.once.Do(func() {
		live := s.text.Live()
		notes, canvases, others := text.NewSet(s.text.Docs()), text.NewSet(s.text.Docs()), slices.Clone(live)
		baseNotes, baseCanvases := s.base.byKind()
		copy(notes, baseNotes)
		copy(canvases, baseCanvases)
		for doc := len(s.base.paths); doc < s.text.Docs(); doc++ {
			if !live.Has(doc) {
				continue
			}
			switch path := s.pathOf(doc); {
			case path.IsNote():
				notes.Add(doc)
			case path.IsCanvas():
				canvases.Add(doc)
			}
		}
		notes.And(live)
		canvases.And(live)
		others.Without(notes)
		others.Without(canvases)
		s.sorts.notes, s.sorts.canvases, s.sorts.others = notes, canvases, others
	})
	return s.sorts.notes, s.sorts.canvases, s.sorts.others
}

// byKind are the notes and canvases of the base, hidden ones too.
func (b *base) byKind() (notes, canvases text.Set) {
	b.kinds.once.Do(func() {
		b.kinds.notes, b.kinds.canvases = text.NewSet(len(b.paths)), text.NewSet(len(b.paths))
		for doc, path := range b.paths {
			switch {
			case path.IsNote():
				b.kinds.notes.Add(doc)
			case path.IsCanvas():
				b.kinds.canvases.Add(doc)
			}
		}
	})
	return b.kinds.notes, b.kinds.canvases
}
