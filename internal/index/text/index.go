package text

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// Index is an immutable collection of documents in several segments.
type Index struct {
	parts []*part
	docs  int // numbers in use, including those of dead documents
	live  int // documents that are not dead

	hasWords bool

	totals struct { // computed on first use
		once sync.Once
		live Set
		mean float64 // tokens per text
	}
}

// part is a batch of documents in an index.
type part struct {
	batch *batch
	first int // number of the first document
	dead  Set // by number in the segment; nil: none
	alive int
}

// batch holds documents that were added together. Its segment is built on first use, so that a change costs nothing
// by itself.
type batch struct {
	keys  []string
	byKey map[string]int
	count int
	built atomic.Pointer[Segment]

	mu   sync.Mutex // guards docs; held while the segment is built
	docs []Doc      // only of a batch that a change added
}

// segment returns the segment, building it on first use. It must have words.
func (b *batch) segment() *Segment {
	segment := b.texts()
	if !segment.hasWords {
		panic("text: a word was asked for before the words were read")
	}
	return segment
}

// texts returns the segment, building it on first use. It may have no words.
func (b *batch) texts() *Segment {
	if built := b.built.Load(); built != nil {
		return built
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if built := b.built.Load(); built != nil {
		return built
	}
	var texts Texts
	var words Words
	for i := range b.docs {
		doc := &b.docs[i]
		texts.Add(doc.Text, nil, doc.Binary)
		words.Add(doc.Text, doc.fields)
	}
	built, err := OpenSegment(slices.Concat(texts.Encode()...), slices.Concat(words.Encode()...), nil)
	if err != nil {
		panic(err) // it was encoded a moment ago
	}
	for i := range b.docs {
		b.docs[i].Text = built.Text(i) // frees the other copy
	}
	b.built.Store(built)
	return built
}

// text passes the text of a document to use. A packed text is unpacked into room. It does not build the segment.
func (b *batch) text(i int, room *[]byte, use func(text []byte, binary bool)) {
	if segment := b.built.Load(); segment != nil {
		use(segment.TextIn(i, room), segment.Binary(i))
		runtime.KeepAlive(segment)
		return
	}
	b.mu.Lock()
	doc := b.docs[i]
	b.mu.Unlock()
	use(doc.Text, doc.Binary)
}

// documents lists the documents of a batch that a change added.
func (b *batch) documents() []Doc {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.docs)
}

// New returns an index of segments. Their documents are numbered from 0, and keep their numbers in all indexes that
// With derives from it.
func New(segments []*Segment) *Index {
	x := &Index{hasWords: true}
	for _, segment := range segments {
		x.hasWords = x.hasWords && segment.hasWords
		loaded := &batch{count: segment.docs}
		loaded.built.Store(segment)
		x.append(&part{batch: loaded, alive: segment.docs})
	}
	x.count()
	return x
}

func (x *Index) append(p *part) {
	p.first = x.docs
	x.docs += p.batch.count
	x.parts = append(x.parts, p)
}

// count adds up the documents of the parts.
func (x *Index) count() {
	x.live = 0
	for _, p := range x.parts {
		x.live += p.alive
	}
}

// Docs is greater than the number of every document.
func (x *Index) Docs() int { return x.docs }

// Len is the number of documents.
func (x *Index) Len() int { return x.live }

// HasWords reports whether the index can be searched for words. If not, only texts can be read.
func (x *Index) HasWords() bool { return x.hasWords }

// Change lists what happened to the documents of an index.
type Change struct {
	Dead    []int    // numbers of removed documents from the segments that New took
	Removed []string // keys of removed documents that earlier changes added
	Keys    []string // of the new documents
	Docs    []Doc
}

// With returns the index after a change. The texts of new documents are kept, not copied.
func (x *Index) With(change Change) *Index {
	next := &Index{parts: slices.Clone(x.parts), hasWords: x.hasWords}
	for _, doc := range change.Dead {
		at := x.partOf(doc)
		next.markDead(at, doc-x.parts[at].first)
	}
	for _, key := range change.Removed {
		for at := len(next.parts) - 1; at >= 0; at-- {
			if doc, ok := next.parts[at].batch.byKey[key]; ok && !next.parts[at].dead.Has(doc) {
				next.markDead(at, doc)
			}
		}
	}
	if len(change.Docs) > 0 {
		added := &batch{
			docs: change.Docs, keys: change.Keys, count: len(change.Docs),
			byKey: make(map[string]int, len(change.Keys)),
		}
		for i, key := range change.Keys {
			added.byKey[key] = i
		}
		next.parts = append(next.parts, &part{batch: added, alive: added.count})
	}
	next.parts = merged(next.parts)
	parts := next.parts
	next.parts, next.docs = nil, 0
	for _, p := range parts {
		moved := *p
		next.append(&moved)
	}
	next.count()
	return next
}

// Without returns the index without some of its documents. The others keep their numbers, and everything stored
// about them is shared.
func (x *Index) Without(docs Set) *Index {
	next := &Index{parts: make([]*part, len(x.parts)), docs: x.docs, hasWords: x.hasWords}
	for i, old := range x.parts {
		changed := *old
		changed.dead = NewSet(old.batch.count)
		copy(changed.dead, old.dead)
		next.parts[i] = &changed
	}
	at := 0
	for doc := range docs.All() {
		for at < len(next.parts) && doc >= next.parts[at].first+next.parts[at].batch.count {
			at++
		}
		if at == len(next.parts) {
			break
		}
		if p := next.parts[at]; !p.dead.Has(doc - p.first) {
			p.dead.Add(doc - p.first)
			p.alive--
		}
	}
	next.count()
	return next
}

// markDead marks a document of a part as dead.
func (x *Index) markDead(at, doc int) {
	old := x.parts[at]
	changed := *old
	changed.dead = NewSet(old.batch.count)
	copy(changed.dead, old.dead)
	if !changed.dead.Has(doc) {
		changed.dead.Add(doc)
		changed.alive--
	}
	x.parts[at] = &changed
}

// fanIn is how many batches of similar size are merged.
const fanIn = 8

// merged merges batches that changes added, so that there are always few of them: the batches of each level are
// fanIn times larger than those of the level below. Batches without live documents are dropped.
func merged(parts []*part) []*part {
	parts = slices.DeleteFunc(parts, func(p *part) bool { return p.batch.byKey != nil && p.alive == 0 })
	for {
		levels := map[int][]*part{}
		var full []*part
		for _, p := range parts {
			if p.batch.byKey == nil {
				continue
			}
			level := levelOf(p.alive)
			if levels[level] = append(levels[level], p); len(levels[level]) == fanIn {
				full = levels[level]
				break
			}
		}
		if full == nil {
			return parts
		}
		parts = append(slices.DeleteFunc(parts, func(p *part) bool { return slices.Contains(full, p) }), merge(full))
	}
}

func levelOf(docs int) int {
	level := 0
	for ; docs >= fanIn; docs /= fanIn {
		level++
	}
	return level
}

// merge makes a single part of the live documents of several.
func merge(parts []*part) *part {
	all := &batch{byKey: map[string]int{}}
	for _, p := range parts {
		for i, doc := range p.batch.documents() {
			if !p.dead.Has(i) {
				all.byKey[p.batch.keys[i]] = len(all.docs)
				all.docs = append(all.docs, doc)
				all.keys = append(all.keys, p.batch.keys[i])
			}
		}
	}
	all.count = len(all.docs)
	return &part{batch: all, alive: all.count}
}

// filled yields the parts that have live documents, with their positions.
func (x *Index) filled(yield func(at int, p *part) bool) {
	for at, p := range x.parts {
		if p.alive > 0 && !yield(at, p) {
			return
		}
	}
}

// partOf returns the position in x.parts of a document's part.
func (x *Index) partOf(doc int) int {
	at, exact := slices.BinarySearchFunc(x.parts, doc, func(p *part, doc int) int { return p.first - doc })
	if !exact {
		at--
	}
	for x.parts[at].batch.count == 0 || doc >= x.parts[at].first+x.parts[at].batch.count {
		at++
	}
	return at
}

// Key returns the key of a document that a change added.
func (x *Index) Key(doc int) string {
	p := x.parts[x.partOf(doc)]
	return p.batch.keys[doc-p.first]
}

// Doc returns the number of a document that a change added, or -1.
func (x *Index) Doc(key string) int {
	for _, p := range x.parts {
		if doc, ok := p.batch.byKey[key]; ok && !p.dead.Has(doc) {
			return p.first + doc
		}
	}
	return -1
}

// Text passes a document's text, and whether it is binary, to use. The text is valid only until use returns.
func (x *Index) Text(doc int, use func(text []byte, binary bool)) {
	room := rooms.Get().(*[]byte)
	defer rooms.Put(room)
	p := x.parts[x.partOf(doc)]
	p.batch.text(doc-p.first, room, use)
}

// rooms are buffers for unpacked texts.
var rooms = sync.Pool{New: func() any { return new([]byte) }}

// Live returns the set of all documents. The caller must not change it.
func (x *Index) Live() Set {
	x.computeTotals()
	return x.totals.live
}

func (x *Index) computeTotals() {
	x.totals.once.Do(func() {
		live := NewSet(x.docs)
		for _, p := range x.parts {
			for doc := range p.batch.count {
				if !p.dead.Has(doc) {
					live.Add(p.first + doc)
				}
			}
		}
		x.totals.live = live
		if x.hasWords {
			x.totals.mean = float64(x.tokens()) / float64(max(1, x.live))
		}
	})
}

// tokens is the number of tokens in all texts.
func (x *Index) tokens() int64 {
	tokens := int64(0)
	for _, p := range x.parts {
		segment := p.batch.segment()
		tokens += segment.tokens
		for doc := range p.dead.All() {
			tokens -= int64(segment.Length(doc))
		}
	}
	return tokens
}
