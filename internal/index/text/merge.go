package text

import (
	"context"
	"encoding/binary"
	"math"
	"slices"
)

// Merge combines several segments into one, keeping the order of the documents. It returns the encoded texts and words as
// consecutive parts, some of which share memory with the segments, or nil if the documents do not fit into one segment.
func Merge(ctx context.Context, segments []*Segment) (texts, words [][]byte, err error) {
	m := merger{ctx: ctx, readers: make([]termReader, len(segments))}
	textSize, metaSize, tokens := uint64(0), uint64(0), uint64(0)
	for i, segment := range segments {
		m.readers[i] = newTermReader(segment, m.docs)
		m.docs += segment.docs
		textSize, metaSize, tokens = textSize+uint64(len(segment.text)), metaSize+uint64(len(segment.meta)), tokens+uint64(segment.tokens)
	}
	if max(2*(textSize+metaSize), tokens) > math.MaxUint32 {
		return nil, nil, nil
	}
	m.reserve(segments)
	if err := m.terms(); err != nil {
		return nil, nil, err
	}
	of := func(section func(*Segment) []byte) [][]byte {
		parts := make([][]byte, len(segments))
		for i, segment := range segments {
			parts[i] = section(segment)
		}
		return parts
	}
	texts = encodeSections(headOf(segments, m.docs), onePart(mergedTable(segments, m.docs)),
		of(func(s *Segment) []byte { return s.text }), of(func(s *Segment) []byte { return s.meta }))
	buckets, grams := trigramLists(m.blob, m.ends)
	words = encodeSections([]uint32{uint32(m.docs), uint32(len(m.ends)), uint32(tokens)},
		of(func(s *Segment) []byte { return s.lengths }), of(func(s *Segment) []byte { return s.norms }),
		onePart(m.blocks), onePart(m.sizes), onePart(m.blob), onePart(m.posts), onePart(m.positions), onePart(uint32s(buckets)), onePart(grams))
	return texts, words, nil
}

// headOf returns the header of the merged texts. Packed segments must share a book.
func headOf(segments []*Segment, docs int) []uint32 {
	head := []uint32{uint32(docs)}
	if len(segments) == 0 || segments[0].book == nil {
		return head
	}
	return append(head, flag(slices.ContainsFunc(segments, (*Segment).odd)))
}

// mergedTable is the table of the documents of all segments.
func mergedTable(segments []*Segment, docs int) []byte {
	table := make([]byte, 0, docStride*docs)
	text, meta := uint32(0), uint32(0)
	for _, segment := range segments {
		for doc := range segment.docs {
			table = appendDoc(table, text+word(segment.table, 2*doc), meta+word(segment.table, 2*doc+1)>>1, segment.Binary(doc))
		}
		text += uint32(len(segment.text))
		meta += uint32(len(segment.meta))
	}
	return table
}

// merger merges the dictionaries of segments.
type merger struct {
	ctx     context.Context
	readers []termReader
	docs    int

	ends                                  []uint32 // of the terms in blob
	blocks, sizes, blob, posts, positions []byte
}

// termReader reads the terms of a segment in order.
type termReader struct {
	segment *Segment
	first   int // number of its first document
	at      termOffsets
	n       int
	term    []byte // nil at the end
	list    []byte
	where   []byte
}

func newTermReader(segment *Segment, first int) termReader {
	r := termReader{segment: segment, first: first, n: -1}
	if segment.terms > 0 {
		r.at = segment.block(0)
	}
	r.next()
	return r
}

func (r *termReader) next() {
	if r.n++; r.n >= r.segment.terms {
		r.term = nil
		return
	}
	start := r.at
	r.segment.step(&r.at)
	r.term = r.segment.blob[start.term:r.at.term]
	r.list = r.segment.posts[start.posts:r.at.posts]
	if len(r.list) >= longList {
		_, size := longUvarint(r.list)
		r.list = r.list[size:]
	}
	r.where = r.segment.positions[start.positions:r.at.positions]
}

// reserve allocates the output. Segments have many terms in common.
func (m *merger) reserve(segments []*Segment) {
	posts, positions, blob, sizes := 0, 0, 0, 0
	for _, s := range segments {
		posts, positions = posts+len(s.posts), positions+len(s.positions)
		blob, sizes = blob+len(s.blob), sizes+len(s.sizes)
	}
	m.posts, m.positions = make([]byte, 0, posts+posts/32), make([]byte, 0, positions)
	m.blob, m.sizes = make([]byte, 0, blob*2/3), make([]byte, 0, sizes*2/3)
}

// terms merges all terms.
func (m *merger) terms() error {
	for count := 0; ; count++ {
		if count%4096 == 0 && m.ctx.Err() != nil {
			return m.ctx.Err()
		}
		least := m.least()
		if least == nil {
			return nil
		}
		if count%blockSize == 0 {
			for _, part := range [...][]byte{m.blob, m.posts, m.positions, m.sizes} {
				m.blocks = binary.LittleEndian.AppendUint32(m.blocks, uint32(len(part)))
			}
		}
		m.term(least)
	}
}

// least returns the first of the terms that are left, or nil.
func (m *merger) least() []byte {
	var least []byte
	for i := range m.readers {
		if term := m.readers[i].term; term != nil && (least == nil || string(term) < string(least)) {
			least = term
		}
	}
	return least
}

// term appends a term with its documents in all segments.
func (m *merger) term(term []byte) {
	posts, positions := len(m.posts), len(m.positions)
	last, docs := -1, 0
	m.blob = append(m.blob, term...)
	m.ends = append(m.ends, uint32(len(m.blob)))
	for i := range m.readers {
		r := &m.readers[i]
		if r.term == nil || string(r.term) != string(term) {
			continue
		}
		// Only the first distance is to another segment.
		gap, size := longUvarint(r.list)
		first := r.first + int(gap>>1) - 1
		m.posts = binary.AppendUvarint(m.posts, uint64(first-last)<<1|gap&1)
		m.posts = append(m.posts, r.list[size:]...)
		all := newPostings(r.list)
		for all.next() {
			docs++
		}
		last = r.first + all.doc
		m.positions = append(m.positions, r.where...)
		r.next()
	}
	m.posts = countLong(m.posts, posts, docs)
	m.sizes = append(m.sizes, byte(len(term)))
	m.sizes = binary.AppendUvarint(m.sizes, uint64(len(m.posts)-posts))
	m.sizes = binary.AppendUvarint(m.sizes, uint64(len(m.positions)-positions))
}
