package text

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
)

// Builder makes a segment of documents. It serves one goroutine at a time.
type Builder struct {
	tokens tokenizer
	terms  termTable

	text  []byte
	meta  []byte
	docs  []docRecord
	found []occurrence // in the order of the documents
}

// Scratch is memory for encoding, which several builders may share one after
// the other.
type Scratch struct {
	sorted []place // the occurrences in the order of the terms
	out    [4][]byte
}

// NewBuilder makes a builder for about so many bytes of text. The memory is
// taken as it is used.
func NewBuilder(size int) *Builder {
	b := &Builder{text: make([]byte, 0, size+size/8), found: make([]occurrence, 0, size/5), meta: make([]byte, 0, size/8)}
	b.terms.prepare(size / 200)
	return b
}

// docRecord is where the parts of a document are.
type docRecord struct {
	text, meta uint32 // where they end
	found      uint32 // where its occurrences end
	length     uint32 // tokens of its text
	binary     bool
}

// occurrence is one token of a document.
type occurrence struct {
	term uint32
	at   uint32 // its place in the text; from fieldPlace on, one of the fields
}

const fieldPlace = math.MaxUint32 - 15

// Add puts a document into the segment and gives its number there.
func (b *Builder) Add(doc Doc) int {
	length := uint32(0)
	b.tokens.each(doc.Text, func(term []byte, at int) {
		b.found = append(b.found, occurrence{b.terms.id(term), uint32(at)})
		length++
	})
	b.field(0, doc.Title)
	for i, field := range [...][]string{doc.Aliases, doc.Headings, doc.Tags} {
		for _, value := range field {
			b.field(i+1, value)
		}
	}
	b.text = append(b.text, doc.Text...)
	b.meta = append(b.meta, doc.Meta...)
	b.docs = append(b.docs, docRecord{
		text: uint32(len(b.text)), meta: uint32(len(b.meta)), found: uint32(len(b.found)), length: length, binary: doc.Binary,
	})
	return len(b.docs) - 1
}

func (b *Builder) field(bit int, value string) {
	b.tokens.each([]byte(value), func(term []byte, _ int) {
		b.found = append(b.found, occurrence{b.terms.id(term), fieldPlace + uint32(bit)})
	})
}

// Len is the number of documents.
func (b *Builder) Len() int { return len(b.docs) }

// Size is how many bytes of text the documents have.
func (b *Builder) Size() int { return len(b.text) }

// Metas lists the metas of all documents, in copies.
func (b *Builder) Metas() [][]byte {
	all := bytes.Clone(b.meta)
	metas := make([][]byte, len(b.docs))
	start := uint32(0)
	for i, doc := range b.docs {
		metas[i] = all[start:doc.meta]
		start = doc.meta
	}
	return metas
}

// Reset forgets all documents and keeps the memory.
func (b *Builder) Reset() {
	b.text, b.meta, b.docs, b.found = b.text[:0], b.meta[:0], b.docs[:0], b.found[:0]
	b.terms.reset()
}

// Encode gives the segment's bytes, in parts that follow each other. They are
// valid until the builder or the scratch is used again.
func (b *Builder) Encode(scratch *Scratch) [][]byte {
	order := b.terms.sorted()
	ends := b.byTerm(scratch)
	blob, posts, places, sizes := scratch.out[0][:0], scratch.out[1][:0], scratch.out[2][:0], scratch.out[3][:0]
	var blocks []byte
	for i, term := range order {
		if i%blockSize == 0 {
			for _, part := range [...][]byte{blob, posts, places, sizes} {
				blocks = binary.LittleEndian.AppendUint32(blocks, uint32(len(part)))
			}
		}
		text, postsBefore, placesBefore := b.terms.text(term), len(posts), len(places)
		blob = append(blob, text...)
		posts, places = list(scratch.sorted[startOf(ends, term):ends[term]], posts, places)
		sizes = append(sizes, byte(len(text)))
		sizes = binary.AppendUvarint(sizes, uint64(len(posts)-postsBefore))
		sizes = binary.AppendUvarint(sizes, uint64(len(places)-placesBefore))
	}
	scratch.out = [4][]byte{blob, posts, places, sizes}
	buckets, grams := trigramLists(len(order), func(i int) []byte { return b.terms.text(order[i]) })
	sections := [][]byte{b.docTable(), b.norms(), b.text, b.meta, blocks, sizes, blob, posts, places, uint32s(buckets), grams}
	return append([][]byte{head(uint32(len(b.docs)), uint32(len(order)), b.length(), sections)}, sections...)
}

func (b *Builder) length() uint32 {
	total := uint32(0)
	for _, doc := range b.docs {
		total += doc.length
	}
	return total
}

// docTable holds for each document where its text and its meta end, its
// length, and whether it is binary.
func (b *Builder) docTable() []byte {
	table := make([]byte, 0, docStride*len(b.docs))
	for _, doc := range b.docs {
		length := doc.length << 1
		if doc.binary {
			length |= 1
		}
		table = binary.LittleEndian.AppendUint32(table, doc.text)
		table = binary.LittleEndian.AppendUint32(table, doc.meta)
		table = binary.LittleEndian.AppendUint32(table, length)
	}
	return table
}

const docStride = 12

func (b *Builder) norms() []byte {
	norms := make([]byte, len(b.docs))
	for i, doc := range b.docs {
		norms[i] = normOf(int(doc.length))
	}
	return norms
}

// place is a token of a document, as the list of its term holds it.
type place struct{ doc, at uint32 }

// byTerm sorts the occurrences by their terms, in time that is linear, and
// tells where those of each term end.
func (b *Builder) byTerm(scratch *Scratch) (ends []uint32) {
	next := make([]uint32, b.terms.len()+1)
	for _, one := range b.found {
		next[one.term+1]++
	}
	for i := 1; i < len(next); i++ {
		next[i] += next[i-1]
	}
	scratch.sorted = slices.Grow(scratch.sorted[:0], len(b.found))[:len(b.found)]
	start := uint32(0)
	for doc := range b.docs {
		for _, one := range b.found[start:b.docs[doc].found] {
			scratch.sorted[next[one.term]] = place{uint32(doc), one.at}
			next[one.term]++
		}
		start = b.docs[doc].found
	}
	return next[:b.terms.len()]
}

// startOf is where the places of a term begin.
func startOf(ends []uint32, term uint32) uint32 {
	if term == 0 {
		return 0
	}
	return ends[term-1]
}

// list appends what is known of one term: for each document the distance to
// the one before, with a bit that says whether more follows than one place in
// the text; then how often and in which fields; and apart from it the places.
func list(all []place, posts, places []byte) (newPosts, newPlaces []byte) {
	last := -1
	for i := 0; i < len(all); {
		doc := all[i].doc
		count, mask, before := uint64(0), uint64(0), uint32(0)
		for ; i < len(all) && all[i].doc == doc; i++ {
			at := all[i].at
			if at >= fieldPlace {
				mask |= 1 << (at - fieldPlace)
				continue
			}
			places = binary.AppendUvarint(places, uint64(at-before))
			before = at
			count++
		}
		gap := uint64(int(doc)-last) << 1
		if count == 1 && mask == 0 {
			posts = binary.AppendUvarint(posts, gap)
		} else {
			posts = binary.AppendUvarint(posts, gap|1)
			posts = binary.AppendUvarint(posts, count<<4|mask)
		}
		last = int(doc)
	}
	return posts, places
}

// trigramLists gives for each bucket of trigrams where its list of terms
// ends, and the lists.
func trigramLists(terms int, term func(int) []byte) (ends []uint32, lists []byte) {
	buckets := bucketsFor(terms)
	heads := make([][]byte, buckets)
	last := make([]uint32, buckets) // number of the last term in a bucket, from 1
	for i := range terms {
		text := term(i)
		for j := 0; j+3 <= len(text); j++ {
			bucket := trigram(text[j:]) & uint32(buckets-1)
			if last[bucket] == uint32(i+1) {
				continue
			}
			heads[bucket] = binary.AppendUvarint(heads[bucket], uint64(uint32(i+1)-last[bucket]))
			last[bucket] = uint32(i + 1)
		}
	}
	ends = make([]uint32, buckets)
	total := 0
	for i, head := range heads {
		total += len(head)
		ends[i] = uint32(total)
	}
	return ends, bytes.Join(heads, nil)
}

// bucketsFor is a power of two, about one bucket for four terms.
func bucketsFor(terms int) int {
	buckets := 64
	for buckets < terms/4 && buckets < 1<<16 {
		buckets *= 2
	}
	return buckets
}

// trigram is a number for three bytes.
func trigram(at []byte) uint32 {
	gram := uint32(at[0]) | uint32(at[1])<<8 | uint32(at[2])<<16
	gram *= 0x9E3779B1
	return gram ^ gram>>15
}
