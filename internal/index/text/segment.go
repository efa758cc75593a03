package text

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"sort"
	"sync"
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
	blocks []byte // of terms: where the bytes, documents, places and sizes of each begin
	sizes  []byte // of each term: of its bytes, its documents, its places
	blob   []byte
	posts  []byte
	places []byte

	buckets []byte // ends of the lists of terms with a trigram
	grams   []byte
	terms   int

	oddOnce sync.Once
	isOdd   bool
}

// sectionCount is how many sections a segment has.
const sectionCount = 11

// numberCount is how many numbers come before them.
const numberCount = 3

// head is what stands in front of the sections: numbers, and where each of the
// sections ends.
func head(docs, terms, length uint32, sections [][]byte) []byte {
	out := uint32s([]uint32{docs, terms, length})
	end := 0
	for _, section := range sections {
		end += len(section)
		out = binary.LittleEndian.AppendUint32(out, uint32(end))
	}
	return out
}

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
	for i, section := range []*[]byte{&s.table, &s.norms, &s.text, &s.meta, &s.blocks, &s.sizes, &s.blob, &s.posts, &s.places, &s.buckets, &s.grams} {
		end := word(data, numberCount+i)
		if end < from || uint64(end) > uint64(len(body)) {
			return nil, errSegment
		}
		*section = body[from:end:end]
		from = end
	}
	if len(s.table) != docStride*s.docs || len(s.norms) != s.docs || len(s.blocks) != 16*((s.terms+blockSize-1)/blockSize) || len(s.buckets) != 4*bucketsFor(s.terms) {
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

// blockSize is how many terms share the places where their lists begin; of
// each only the sizes are kept.
const blockSize = 16

// entryOf is where everything about a term is.
type entryOf struct{ term, posts, places, sizes uint32 }

// block is where those of the first term of a block are.
func (s *Segment) block(n int) entryOf {
	return entryOf{word(s.blocks, 4*n), word(s.blocks, 4*n+1), word(s.blocks, 4*n+2), word(s.blocks, 4*n+3)}
}

// step goes from a term to the next, and gives its sizes.
func (s *Segment) step(at *entryOf) (size entryOf) {
	size.term = uint32(s.sizes[at.sizes])
	posts, n := smallUvarint(s.sizes[at.sizes+1:])
	places, m := smallUvarint(s.sizes[at.sizes+1+n:])
	size.posts, size.places, size.sizes = posts, places, 1+n+m
	at.term += size.term
	at.posts += size.posts
	at.places += size.places
	at.sizes += size.sizes
	return size
}

// smallUvarint reads a number of one byte, or of more.
func smallUvarint(data []byte) (value, size uint32) {
	if data[0] < 0x80 {
		return uint32(data[0]), 1
	}
	long, n := longUvarint(data)
	return uint32(long), uint32(n)
}

// at is where everything about a term begins, and how large it is.
func (s *Segment) at(n int) (start, size entryOf) {
	end := s.block(n / blockSize)
	for range n%blockSize + 1 {
		start = end
		size = s.step(&end)
	}
	return start, size
}

// term is a term's bytes.
func (s *Segment) term(n int) []byte {
	start, size := s.at(n)
	return s.blob[start.term : start.term+size.term]
}

// documents is the list of the documents that have a term.
func (s *Segment) documents(n int) []byte {
	start, size := s.at(n)
	return s.posts[start.posts : start.posts+size.posts]
}

// placesOf is the list of the places of a term.
func (s *Segment) placesOf(n int) []byte {
	start, size := s.at(n)
	return s.places[start.places : start.places+size.places]
}

// from yields the terms from the first that is not below a text on, until it
// is told to stop.
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

// holding yields the terms that have a piece in them, by looking at them all.
func (s *Segment) holding(piece string, yield func(n int, term []byte)) {
	if s.terms == 0 {
		return
	}
	for from := 0; ; {
		found := bytes.Index(s.blob[from:], []byte(piece))
		if found < 0 {
			return
		}
		place := uint32(from + found)
		block := sort.Search(len(s.blocks)/16, func(i int) bool { return word(s.blocks, 4*i) > place }) - 1
		at := s.block(block)
		n, start := block*blockSize, at.term
		for s.step(&at); at.term <= place; s.step(&at) {
			start = at.term
			n++
		}
		if place+uint32(len(piece)) <= at.term {
			yield(n, s.blob[start:at.term])
			from = int(at.term)
			continue
		}
		from += found + 1 // it begins in one term and ends in the next
	}
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

// lengths are what the norms stand for.
var lengths = func() (lengths [256]float64) {
	for norm := range lengths {
		lengths[norm] = math.Exp2(float64(norm)/8) - 1
	}
	return lengths
}()
