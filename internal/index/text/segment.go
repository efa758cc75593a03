package text

import (
	"bytes"
	"errors"
	"math"
	"sort"
	"sync"

	"obsidian-mcp/internal/text/pack"
)

// Segment is an immutable collection of documents, read in place from its encoded texts and words. While words are still
// being indexed, it has texts only.
type Segment struct {
	owner any // keeps the bytes alive
	docs  int
	table []byte // documents, docStride bytes each
	text  []byte
	meta  []byte
	book  *pack.Book // unpacks the texts; nil if they are not packed

	hasWords  bool
	tokens    int64 // in all texts
	lengths   []byte
	norms     []byte
	blocks    []byte // for the first of blockSize terms: the offsets of its text, postings, positions and sizes
	sizes     []byte // for each term: the sizes of its text, postings and positions
	blob      []byte
	posts     []byte
	positions []byte

	buckets []byte // ends of the lists in grams
	grams   []byte // for each bucket of trigrams: the terms that have one of them
	terms   int

	oddOnce sync.Once
	isOdd   bool
}

var errSegment = errors.New("not a segment of texts")

// OpenSegment opens the encoded texts and words of a segment. They must not change while owner is reachable. If words is
// nil, the segment can be read but not searched for words.
func OpenSegment(texts, words []byte, owner any) (*Segment, error) {
	return OpenPacked(texts, words, nil, owner)
}

// OpenPacked is OpenSegment for texts that were packed with a book. A nil book means that they were not.
func OpenPacked(texts, words []byte, book *pack.Book, owner any) (*Segment, error) {
	s := &Segment{owner: owner, book: book}
	var docs, isOdd, counted, terms, tokens uint32
	head := []*uint32{&docs}
	if book != nil {
		head = append(head, &isOdd)
		s.oddOnce.Do(func() {}) // isOdd is read below
	}
	if !decodeSections(texts, head, &s.table, &s.text, &s.meta) || len(s.table) != docStride*int(docs) {
		return nil, errSegment
	}
	s.docs, s.isOdd = int(docs), isOdd != 0
	if words == nil {
		return s, nil
	}
	if !decodeSections(words, []*uint32{&counted, &terms, &tokens},
		&s.lengths, &s.norms, &s.blocks, &s.sizes, &s.blob, &s.posts, &s.positions, &s.buckets, &s.grams) {
		return nil, errSegment
	}
	s.hasWords, s.terms, s.tokens = true, int(terms), int64(tokens)
	blocks := (s.terms + blockSize - 1) / blockSize
	if counted != docs || len(s.lengths) != 4*s.docs || len(s.norms) != s.docs ||
		len(s.blocks) != 16*blocks || len(s.buckets) != 4*bucketsFor(s.terms) {
		return nil, errSegment
	}
	return s, nil
}

// Len is the number of documents.
func (s *Segment) Len() int { return s.docs }

// Text returns a document's text. It must not be used after the segment becomes unreachable.
func (s *Segment) Text(doc int) []byte { return s.TextIn(doc, new([]byte)) }

// TextIn is Text, but unpacks a packed text into room, which grows as needed and can be reused.
func (s *Segment) TextIn(doc int, room *[]byte) []byte {
	stored := s.stored(doc)
	if s.book == nil {
		return stored
	}
	*room = s.book.AppendFirst((*room)[:0], stored, pack.Size(stored))
	return *room
}

// First returns the first bytes of a document's text.
func (s *Segment) First(doc, count int) []byte {
	stored := s.stored(doc)
	if s.book == nil {
		return stored[:min(count, len(stored))]
	}
	return s.book.AppendFirst(nil, stored, count)
}

// Size is the number of bytes of a document's text.
func (s *Segment) Size(doc int) int {
	stored := s.stored(doc)
	if s.book == nil {
		return len(stored)
	}
	return pack.Size(stored)
}

// stored is a document's text as the segment stores it.
func (s *Segment) stored(doc int) []byte {
	return s.text[s.textStart(doc):word(s.table, 2*doc)]
}

func (s *Segment) textStart(doc int) uint32 {
	if doc == 0 {
		return 0
	}
	return word(s.table, 2*doc-2)
}

// Meta returns the caller's data for a document. It must not be used after the segment becomes unreachable.
func (s *Segment) Meta(doc int) []byte {
	start := uint32(0)
	if doc > 0 {
		start = word(s.table, 2*doc-1) >> 1
	}
	return s.meta[start : word(s.table, 2*doc+1)>>1]
}

// Binary reports whether a document is binary, and so has no lines.
func (s *Segment) Binary(doc int) bool { return word(s.table, 2*doc+1)&1 != 0 }

// Length returns the number of tokens in a document's text.
func (s *Segment) Length(doc int) int { return int(word(s.lengths, doc)) }

// blockSize is how many terms share a record of offsets; for each term only the sizes are stored.
const blockSize = 16

// termOffsets are the offsets of a term's text, postings, positions and sizes, or the lengths of these.
type termOffsets struct{ term, posts, positions, sizes uint32 }

// block returns the offsets of the first term of a block.
func (s *Segment) block(n int) termOffsets {
	return termOffsets{word(s.blocks, 4*n), word(s.blocks, 4*n+1), word(s.blocks, 4*n+2), word(s.blocks, 4*n+3)}
}

// step moves from a term to the next, and returns the lengths of the first.
func (s *Segment) step(at *termOffsets) (size termOffsets) {
	size.term = uint32(s.sizes[at.sizes])
	posts, n := smallUvarint(s.sizes[at.sizes+1:])
	positions, m := smallUvarint(s.sizes[at.sizes+1+n:])
	size.posts, size.positions, size.sizes = posts, positions, 1+n+m
	at.term += size.term
	at.posts += size.posts
	at.positions += size.positions
	at.sizes += size.sizes
	return size
}

// smallUvarint reads a number. Most take a single byte.
func smallUvarint(data []byte) (value, size uint32) {
	if data[0] < 0x80 {
		return uint32(data[0]), 1
	}
	long, n := longUvarint(data)
	return uint32(long), uint32(n)
}

// at returns the offsets and the lengths of a term.
func (s *Segment) at(n int) (start, size termOffsets) {
	end := s.block(n / blockSize)
	for range n%blockSize + 1 {
		start = end
		size = s.step(&end)
	}
	return start, size
}

// term returns the text of a term.
func (s *Segment) term(n int) []byte {
	start, size := s.at(n)
	return s.blob[start.term : start.term+size.term]
}

// longList is how many bytes of postings make a list long. The number of documents precedes a long list.
const longList = 128

// documents returns the postings of a term.
func (s *Segment) documents(n int) []byte {
	start, size := s.at(n)
	list := s.posts[start.posts : start.posts+size.posts]
	if len(list) >= longList {
		_, head := longUvarint(list)
		list = list[head:]
	}
	return list
}

// frequency returns how many documents have a term, dead ones too.
func (s *Segment) frequency(n int) int {
	start, size := s.at(n)
	list := s.posts[start.posts : start.posts+size.posts]
	if len(list) >= longList {
		count, _ := longUvarint(list)
		return int(count)
	}
	count := 0
	for all := newPostings(list); all.next(); {
		count++
	}
	return count
}

// find returns the number of a term, or -1.
func (s *Segment) find(text string) int {
	found := -1
	s.from(text, func(n int, term []byte) bool {
		if string(term) == text {
			found = n
		}
		return false
	})
	return found
}

// positionsOf returns the positions of a term.
func (s *Segment) positionsOf(n int) []byte {
	start, size := s.at(n)
	return s.positions[start.positions : start.positions+size.positions]
}

// from yields the terms that are not below a text, in order, until yield returns false.
func (s *Segment) from(text string, yield func(n int, term []byte) bool) {
	count := len(s.blocks) / 16
	block := sort.Search(count, func(i int) bool { return string(s.term(i*blockSize)) >= text })
	n := max(0, block-1) * blockSize
	if s.terms == 0 {
		return
	}
	at := s.block(n / blockSize)
	for ; n < s.terms; n++ {
		start := at.term
		s.step(&at)
		if term := s.blob[start:at.term]; string(term) >= text && !yield(n, term) {
			return
		}
	}
}

// holding yields the terms that contain a piece, by searching the whole dictionary.
func (s *Segment) holding(piece string, yield func(n int, term []byte)) {
	if s.terms == 0 {
		return
	}
	for from := 0; ; {
		found := bytes.Index(s.blob[from:], []byte(piece))
		if found < 0 {
			return
		}
		offset := uint32(from + found)
		block := sort.Search(len(s.blocks)/16, func(i int) bool { return word(s.blocks, 4*i) > offset }) - 1
		at := s.block(block)
		n, start := block*blockSize, at.term
		for s.step(&at); at.term <= offset; s.step(&at) {
			start = at.term
			n++
		}
		if offset+uint32(len(piece)) <= at.term {
			yield(n, s.blob[start:at.term])
			from = int(at.term)
			continue
		}
		from += found + 1 // it begins in a term and ends in the next
	}
}

// bucket returns the terms that have a trigram, or another trigram of the same bucket.
func (s *Segment) bucket(gram uint32) []byte {
	n := int(gram) & (len(s.buckets)/4 - 1)
	start := uint32(0)
	if n > 0 {
		start = word(s.buckets, n-1)
	}
	return s.grams[start:word(s.buckets, n)]
}

// normOf encodes a document's length in a byte: eight steps for each doubling.
func normOf(length int) byte {
	return byte(min(255, math.Round(8*math.Log2(float64(length+1)))))
}

// lengths are the lengths that norms encode.
var lengths = func() (lengths [256]float64) {
	for norm := range lengths {
		lengths[norm] = math.Exp2(float64(norm)/8) - 1
	}
	return lengths
}()
