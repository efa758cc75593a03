package text

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// Index is documents in several segments. It never changes.
type Index struct {
	parts []*part
	docs  int // numbers in use, those of dead documents too
	live  int // documents

	sums struct { // what is found out when it is first asked for
		once sync.Once
		all  Set
		mean float64 // tokens of a text
	}
}

// part is a segment in an index.
type part struct {
	*lot
	first int // number of its first document
	dead  Set // by their numbers in the segment; nil: none
	alive int
}

// lot is documents whose segment is made when it is first asked for, so that
// a change costs nothing by itself.
type lot struct {
	keys    []string
	byKey   map[string]int
	count   int
	segment atomic.Pointer[Segment]

	mu   sync.Mutex // guards docs, and is held while the segment is made
	docs []Doc      // of a lot that came by a change
}

func (l *lot) get() *Segment {
	if made := l.segment.Load(); made != nil {
		return made
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if made := l.segment.Load(); made != nil {
		return made
	}
	var b Builder
	for _, doc := range l.docs {
		b.Add(doc)
	}
	made, err := OpenSegment(slices.Concat(b.Encode(new(Scratch))...), nil)
	if err != nil {
		panic(err) // it was made a moment ago
	}
	for i := range l.docs {
		l.docs[i].Text = made.Text(i) // one copy is enough
	}
	l.segment.Store(made)
	return made
}

// documents lists the documents of a lot that came by a change.
func (l *lot) documents() []Doc {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.docs)
}

// New is an index of segments. Their documents are numbered from 0 on, and
// keep their numbers in all indexes that With makes of it.
func New(segments []*Segment) *Index {
	x := &Index{}
	for _, segment := range segments {
		whole := &lot{count: segment.docs}
		whole.segment.Store(segment)
		x.append(&part{lot: whole, alive: segment.docs})
	}
	x.count()
	return x
}

func (x *Index) append(p *part) {
	p.first = x.docs
	x.docs += p.lot.count
	x.parts = append(x.parts, p)
}

// count adds up what the parts hold.
func (x *Index) count() {
	x.live = 0
	for _, p := range x.parts {
		x.live += p.alive
	}
}

// Docs is a number above those of all documents.
func (x *Index) Docs() int { return x.docs }

// Len is the number of documents.
func (x *Index) Len() int { return x.live }

// Change is what happened to an index's documents.
type Change struct {
	Dead    []int    // numbers of documents of the first segments
	Removed []string // keys of documents that came by changes
	Keys    []string // of the new documents
	Docs    []Doc
}

// With is the index after a change. The texts of new documents are kept, not
// copied.
func (x *Index) With(change Change) *Index {
	next := &Index{parts: slices.Clone(x.parts)}
	for _, doc := range change.Dead {
		at := x.partOf(doc)
		next.bury(at, doc-x.parts[at].first)
	}
	for _, key := range change.Removed {
		for at := len(next.parts) - 1; at >= 0; at-- {
			if doc, ok := next.parts[at].byKey[key]; ok && !next.parts[at].dead.Has(doc) {
				next.bury(at, doc)
			}
		}
	}
	if len(change.Docs) > 0 {
		fresh := &lot{docs: change.Docs, keys: change.Keys, byKey: make(map[string]int, len(change.Keys)), count: len(change.Docs)}
		for i, key := range change.Keys {
			fresh.byKey[key] = i
		}
		next.parts = append(next.parts, &part{lot: fresh, alive: fresh.count})
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

// Without is the index without some of its documents. The others keep their
// numbers, and all that is known of them is shared.
func (x *Index) Without(docs Set) *Index {
	next := &Index{parts: make([]*part, len(x.parts)), docs: x.docs}
	for i, old := range x.parts {
		changed := *old
		changed.dead = NewSet(old.lot.count)
		copy(changed.dead, old.dead)
		next.parts[i] = &changed
	}
	at := 0
	for doc := range docs.All() {
		for at < len(next.parts) && doc >= next.parts[at].first+next.parts[at].lot.count {
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

// bury marks a document of a part as dead.
func (x *Index) bury(at, doc int) {
	old := x.parts[at]
	changed := *old
	changed.dead = NewSet(old.lot.count)
	copy(changed.dead, old.dead)
	if !changed.dead.Has(doc) {
		changed.dead.Add(doc)
		changed.alive--
	}
	x.parts[at] = &changed
}

// fanIn is how many lots of about one size become one.
const fanIn = 8

// merged puts lots that came by changes together, so that there are few of
// them whatever happens: each level's lots are some times larger than those
// of the level below. Lots of which nothing is alive go away.
func merged(parts []*part) []*part {
	parts = slices.DeleteFunc(parts, func(p *part) bool { return p.byKey != nil && p.alive == 0 })
	for {
		levels := map[int][]*part{}
		var full []*part
		for _, p := range parts {
			if p.byKey == nil {
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

// merge makes one part of the living documents of several.
func merge(parts []*part) *part {
	whole := &lot{byKey: map[string]int{}}
	for _, p := range parts {
		for i, doc := range p.lot.documents() {
			if !p.dead.Has(i) {
				whole.byKey[p.keys[i]] = len(whole.docs)
				whole.docs = append(whole.docs, doc)
				whole.keys = append(whole.keys, p.keys[i])
			}
		}
	}
	whole.count = len(whole.docs)
	return &part{lot: whole, alive: whole.count}
}

// partOf finds the part of a document.
func (x *Index) partOf(doc int) int {
	at, exact := slices.BinarySearchFunc(x.parts, doc, func(p *part, doc int) int { return p.first - doc })
	if !exact {
		at--
	}
	for x.parts[at].lot.count == 0 || doc >= x.parts[at].first+x.parts[at].lot.count {
		at++
	}
	return at
}

// Key is the key of a document that came by a change.
func (x *Index) Key(doc int) string {
	p := x.parts[x.partOf(doc)]
	return p.keys[doc-p.first]
}

// Doc is the number of a document that came by a change, or -1.
func (x *Index) Doc(key string) int {
	for _, p := range x.parts {
		if doc, ok := p.byKey[key]; ok && !p.dead.Has(doc) {
			return p.first + doc
		}
	}
	return -1
}

// Text hands over a document's text, which is valid during the call alone,
// and says whether it is binary.
func (x *Index) Text(doc int, use func(text []byte, binary bool)) {
	p := x.parts[x.partOf(doc)]
	segment := p.get()
	use(segment.Text(doc-p.first), segment.Binary(doc-p.first))
	runtime.KeepAlive(segment)
}

// Live is the set of all documents. It must not be changed.
func (x *Index) Live() Set {
	x.sum()
	return x.sums.all
}

func (x *Index) sum() {
	x.sums.once.Do(func() {
		all := NewSet(x.docs)
		tokens := int64(0)
		for _, p := range x.parts {
			segment := p.get()
			tokens += segment.length
			for doc := range p.lot.count {
				if !p.dead.Has(doc) {
					all.Add(p.first + doc)
				}
			}
			for doc := range p.dead.All() {
				tokens -= int64(segment.Length(doc))
			}
		}
		x.sums.all, x.sums.mean = all, float64(tokens)/float64(max(1, x.live))
	})
}
