package index

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"runtime"
	"strings"
	"sync"

	"obsidian-mcp/internal/index/text"
	"obsidian-mcp/internal/index/vector"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/text/meaning"
)

// Meanings are the vectors of a snapshot's notes, as far as a store has them.
type Meanings struct {
	Notes int // how many notes there are

	s          *Snapshot
	store      *vector.Store
	generation int            // of the store
	keys       []vector.Key   // by document; of what is not a note, or not shown, the zero key
	blocks     []vector.Block // by document
	missing    []int          // notes without a block
	unread     int            // bytes of their texts
}

// meaningMemo is the vectors that were asked for last.
type meaningMemo struct {
	mu   sync.Mutex // guards what follows
	last *Meanings
}

// Meanings returns the vectors that a store has of the notes.
func (s *Snapshot) Meanings(store *vector.Store) *Meanings {
	s.meanings.mu.Lock()
	defer s.meanings.mu.Unlock()
	last := s.meanings.last
	if last != nil && last.store == store && last.generation == store.Generation() {
		return last
	}
	m := &Meanings{s: s, store: store}
	if last != nil {
		m.keys = last.keys
	} else {
		m.keys = s.vectorKeys()
	}
	m.blocks, m.generation = store.Get(m.keys)
	for doc, key := range m.keys {
		if key == (vector.Key{}) {
			continue
		}
		m.Notes++
		if m.blocks[doc].Len() == 0 {
			m.missing = append(m.missing, doc)
			m.unread += s.sizeOf(doc)
		}
	}
	s.meanings.last = m
	return m
}

// vectorKeys returns the keys of all notes, by document.
func (s *Snapshot) vectorKeys() []vector.Key {
	keys := make([]vector.Key, s.text.Docs())
	for doc := range s.text.Live().All() {
		path := s.pathOf(doc)
		if !path.IsNote() {
			continue
		}
		if doc < len(s.base.paths) {
			keys[doc] = vector.KeyOf(path.Name(), idIn(s.base.meta(doc)))
		} else {
			keys[doc] = vector.KeyOf(path.Name(), s.Entry(path).id)
		}
	}
	runtime.KeepAlive(s.base)
	return keys
}

// sizeOf is the number of bytes of a document's file.
func (s *Snapshot) sizeOf(doc int) int {
	defer runtime.KeepAlive(s.base)
	if doc < len(s.base.paths) {
		return int(binary.LittleEndian.Uint64(s.base.meta(doc)[sizeAt:]))
	}
	return int(s.Entry(s.pathOf(doc)).Size)
}

// meta is what the base knows about a document. It is valid while the base is reachable.
func (b *base) meta(doc int) []byte {
	segment, i := b.locate(int32(doc))
	return segment.Meta(i)
}

// Covered is how many notes have vectors.
func (m *Meanings) Covered() int { return m.Notes - len(m.missing) }

// Unread is how many bytes the notes without vectors have.
func (m *Meanings) Unread() int { return m.unread }

// Keys are those of all notes.
func (m *Meanings) Keys() []vector.Key {
	keys := make([]vector.Key, 0, m.Notes)
	for _, key := range m.keys {
		if key != (vector.Key{}) {
			keys = append(keys, key)
		}
	}
	return keys
}

// readTogether is how many bytes of notes are given to the model at once.
const readTogether = 64 << 10

// Read makes vectors of notes that have none yet, until it has read some bytes, and adds them to the store.
func (m *Meanings) Read(ctx context.Context, most int) error {
	for missing := m.missing; len(missing) > 0 && most > 0; {
		var notes []vector.Note
		var keys []vector.Key
		for size := 0; len(missing) > 0 && size < min(readTogether, most); missing = missing[1:] {
			doc := missing[0]
			m.s.text.Text(doc, func(text []byte, _ bool) {
				notes = append(notes, vector.Note{Title: m.s.pathOf(doc).Name(), Text: bytes.Clone(text)})
				keys = append(keys, m.keys[doc])
				size += len(text) + 1
			})
		}
		blocks, err := vector.Make(ctx, m.store.Model, notes)
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		for i, block := range blocks {
			most -= len(notes[i].Text) + 1
			m.store.Add(keys[i], block)
		}
	}
	return nil
}

// Question returns the vector of a question, as Search asks for it; nil if the model knows none of its words.
func (m *Meanings) Question(ctx context.Context, words []string) (meaning.Vector, error) {
	if m == nil || m.Covered() == 0 {
		return nil, nil
	}
	return m.store.Model.Question(ctx, strings.Join(words, " "))
}

// Alike is the least score of a passage that answers a question.
func (m *Meanings) Alike() float32 { return m.store.Model.Traits().Alike }

// Scores returns how close the passages of some notes are to a question, for each note in the order of its text.
func (m *Meanings) Scores(paths []vpath.Path, question meaning.Vector) [][]vector.Score {
	q := vector.NewQuery(question)
	scores := make([][]vector.Score, len(paths))
	for i, path := range paths {
		if doc := m.s.docOf(path); doc >= 0 && doc < len(m.blocks) {
			scores[i] = q.Scores(m.blocks[doc])
		}
	}
	return scores
}

// near returns the notes of a set that are closest to a vector, the closest first.
func (m *Meanings) near(v meaning.Vector, among text.Set, count int, least float32) []vector.Hit {
	blocks := make([]vector.Block, len(m.blocks))
	for doc := range among.All() {
		if doc < len(blocks) {
			blocks[doc] = m.blocks[doc]
		}
	}
	return vector.NewQuery(v).Closest(blocks, count, least, func(a, b int) int {
		return cmp.Compare(m.s.pathOf(a), m.s.pathOf(b))
	})
}

// Like returns the notes that are most like a note, the closest first.
func (m *Meanings) Like(path vpath.Path, keep func(vpath.Path) bool, count int) []vpath.Path {
	doc := m.s.docOf(path)
	if doc < 0 || doc >= len(m.blocks) || m.blocks[doc].Len() == 0 {
		return nil
	}
	among := text.NewSet(len(m.blocks))
	for other, block := range m.blocks {
		if block.Len() > 0 && keep(m.s.pathOf(other)) {
			among.Add(other)
		}
	}
	var found []vpath.Path
	for _, hit := range m.near(m.blocks[doc].Mean(), among, count, m.store.Model.Traits().Alike) {
		found = append(found, m.s.pathOf(hit.Note))
	}
	return found
}
