package text

import (
	"encoding/binary"
	"errors"
	"math"
	"sort"
)

// Segment is an immutable lot of documents, read in place from its bytes.
type Segment struct {
	keep   any // what owns the bytes
	docs   int
	length int64 // tokens of all texts

	table  []byte // of the documents, docStride bytes each
	norms  []byte
	text   []byte
	meta   []byte
	ends   []byte // of each term: its bytes, its documents, its places
	blob   []byte
	posts  []byte
	places []byte

	buckets []byte // ends of the lists of terms with a trigram
	grams   []byte
	terms   int
}

// sectionCount is how many sections a segment has.
const sectionCount = 10

// numberCount is how many numbers come before them.
const numberCount = 3

// sections writes the parts of a segment one after the other. Where each of
// them ends stands in front.
type sections struct {
	out   []byte
	next  int
	start int
}

func newSections(size int) *sections {
	head := 4 * (numberCount + sectionCount)
	return &sections{out: make([]byte, head, head+size+4096), start: head}
}

func (s *sections) numbers(values ...uint32) {
	for _, value := range values {
		s.number(value)
	}
}

func (s *sections) number(value uint32) {
	binary.LittleEndian.PutUint32(s.out[4*s.next:], value)
	s.next++
}

func (s *sections) section(data []byte) {
	s.out = append(s.out, data...)
	s.number(uint32(len(s.out) - s.start))
}

func (s *sections) bytes() []byte { return s.out }

func uint32s(values []uint32) []byte {
	out := make([]byte, 0, 4*len(values))
	for _, value := range values {
		out = binary.LittleEndian.AppendUint32(out, value)
	}
	return out
}

var errSegment = errors.New("not a segment of texts")

// OpenSegment reads a segment from bytes that Encode made. They must stay as
// they are for as long as keep is reachable.
func OpenSegment(data []byte, keep any) (*Segment, error) {
	head := 4 * (numberCount + sectionCount)
	if len(data) < head {
		return nil, errSegment
	}
	s := &Segment{keep: keep}
	s.docs, s.terms = int(word(data, 0)), int(word(data, 1))
	s.length = int64(word(data, 2))
	body := data[head:]
	from := uint32(0)
	for i, section := range []*[]byte{&s.table, &s.norms, &s.text, &s.meta, &s.ends, &s.blob, &s.posts, &s.places, &s.buckets, &s.grams} {
		end := word(data, numberCount+i)
		if end < from || uint64(end) > uint64(len(body)) {
			return nil, errSegment
		}
		*section = body[from:end:end]
		from = end
	}
	if len(s.table) != docStride*s.docs || len(s.norms) != s.docs || len(s.ends) != 12*s.terms || len(s.buckets) != 4*bucketsFor(s.terms) {
		return nil, errSegment
	}
	return s, nil
}

// word is the nth number of four bytes.
func word(data []byte, n int) uint32 { return binary.LittleEndian.Uint32(data[4*n:]) }

// Len is the number of documents.
func (s *Segment) Len() int { return s.docs }

// Text is a document's text. It belongs to the segment, and must not be used
// when that is not reachable any more.
func (s *Segment) Text(doc int) []byte {
	return s.text[s.textStart(doc):word(s.table, 3*doc)]
}

func (s *Segment) textStart(doc int) uint32 {
	if doc == 0 {
		return 0
	}
	return word(s.table, 3*doc-3)
}

// Meta is what the caller gave with a document; what holds for Text holds for
// it.
func (s *Segment) Meta(doc int) []byte {
	start := uint32(0)
	if doc > 0 {
		start = word(s.table, 3*doc-2)
	}
	return s.meta[start:word(s.table, 3*doc+1)]
}

// Length is the number of tokens of a document's text.
func (s *Segment) Length(doc int) int { return int(word(s.table, 3*doc+2) >> 1) }

// Binary reports a document that has no lines.
func (s *Segment) Binary(doc int) bool { return word(s.table, 3*doc+2)&1 != 0 }

// term is a term's bytes.
func (s *Segment) term(n int) []byte {
	start := uint32(0)
	if n > 0 {
		start = word(s.ends, 3*n-3)
	}
	return s.blob[start:word(s.ends, 3*n)]
}

// documents is the list of the documents that have a term.
func (s *Segment) documents(n int) []byte {
	start := uint32(0)
	if n > 0 {
		start = word(s.ends, 3*n-2)
	}
	return s.posts[start:word(s.ends, 3*n+1)]
}

// placesOf is the list of the places of a term.
func (s *Segment) placesOf(n int) []byte {
	start := uint32(0)
	if n > 0 {
		start = word(s.ends, 3*n-1)
	}
	return s.places[start:word(s.ends, 3*n+2)]
}

// lower is the first term that is not below a text.
func (s *Segment) lower(text string) int {
	return sort.Search(s.terms, func(i int) bool { return string(s.term(i)) >= text })
}

// bucket is the list of the terms that have a trigram, or another one of the
// same bucket.
func (s *Segment) bucket(gram uint32) []byte {
	n := int(gram) & (len(s.buckets)/4 - 1)
	start := uint32(0)
	if n > 0 {
		start = word(s.buckets, n-1)
	}
	return s.grams[start:word(s.buckets, n)]
}

// A norm is a document's length in one byte: eight steps for each doubling.
func normOf(length int) byte {
	return byte(min(255, math.Round(8*math.Log2(float64(length+1)))))
}

// lengthOf is the length that a norm stands for.
func lengthOf(norm byte) float64 { return math.Exp2(float64(norm)/8) - 1 }
