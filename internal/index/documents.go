package index

import (
	"bytes"
	"runtime"
	"slices"
	"strings"

	"obsidian-mcp/internal/index/text"
	"obsidian-mcp/internal/note/md/front"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/query/search"
)

// Every file is a document of the text engine. The files of the base have the lowest numbers; files that changed since
// the base was built follow.

// pathOf returns the path of a document.
func (s *Snapshot) pathOf(doc int) vpath.Path {
	if doc < len(s.base.paths) {
		return s.base.paths[doc]
	}
	return vpath.Path(s.text.Key(doc))
}

// docOf returns the number of a file's document, or -1.
func (s *Snapshot) docOf(path vpath.Path) int {
	if entry, newer := s.entries.over.get(path); newer {
		if entry == nil {
			return -1
		}
		return s.text.Doc(string(path))
	}
	if doc, ok := s.base.docOf(path); ok {
		return int(doc)
	}
	return -1
}

// frontHas reports whether the frontmatter of a document has a byte.
func (s *Snapshot) frontHas(doc int, c byte) bool {
	if doc >= len(s.base.paths) {
		return strings.IndexByte(s.Entry(s.pathOf(doc)).Front, c) >= 0
	}
	segment, i := s.base.locate(int32(doc))
	defer runtime.KeepAlive(s.base)
	return bytes.IndexByte(segment.First(i, frontEnd(segment.Meta(i))), c) >= 0
}

// match reports whether a document matches a query.
func (s *Snapshot) match(q *search.Query, doc int) bool {
	matched := false
	s.withFile(doc, func(f *search.File) { matched = q.Match(f) })
	return matched
}

// withFile passes a document to use in the form that queries take. The file is valid only until use returns.
func (s *Snapshot) withFile(doc int, use func(*search.File)) {
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

// kinds returns the sets of notes, canvases and other files. The caller must not change them.
func (s *Snapshot) kinds() (notes, canvases, others text.Set) {
	s.kindMemo.once.Do(func() {
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
		s.kindMemo.notes, s.kindMemo.canvases, s.kindMemo.others = notes, canvases, others
	})
	return s.kindMemo.notes, s.kindMemo.canvases, s.kindMemo.others
}
