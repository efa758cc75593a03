package text

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
)

// Builder makes a segment of documents. Only one goroutine may use it at a time.
type Builder struct {
	tokens tokenizer
	terms  termTable

	text  []byte
	meta  []byte
	docs  []docRecord
	found []occurrence // in document order

	asked []asked  // the terms whose numbers are not known yet
	last  []uint32 // their places in found
	ids   [batchSize]uint32

	sorted []position // scratch for encoding: occurrences in term order
	out    [4][]byte  // scratch for encoding: parts of the segment
}

// NewBuilder returns a builder with room for about size bytes of text. Memory that stays unused is not touched.
func NewBuilder(size int) *Builder {
	b := &Builder{
		text:  make([]byte, 0, size+size/8),
		meta:  make([]byte, 0, size/8),
		found: make([]occurrence, 0, size/5),
	}
	b.terms.prepare(size / 200)
	return b
}

// docRecord says where the parts of a document end.
type docRecord struct {
	text, meta uint32
	found      uint32
	length     uint32 // tokens in its text
	binary     bool
}

// occurrence is a token of a document.
type occurrence struct {
	term uint32
	at   uint32 // position in the text; from fieldPosition on, the bit of a field
}

const fieldPosition = math.MaxUint32 - 15

// Add puts a document into the segment and returns its number there.
func (b *Builder) Add(doc Doc) int {
	length := uint32(0)
	b.tokens.each(doc.Text, func(term []byte, at int) {
		b.occur(term, uint32(at))
		length++
	})
	b.field(0, doc.Title)
	for i, field := range [...][]string{doc.Aliases, doc.Headings, doc.Tags} {
		for _, value := range field {
			b.field(i+1, value)
		}
	}
	b.number()
	b.text = append(b.text, doc.Text...)
	b.meta = append(b.meta, doc.Meta...)
	b.docs = append(b.docs, docRecord{
		text: uint32(len(b.text)), meta: uint32(len(b.meta)), found: uint32(len(b.found)),
		length: length, binary: doc.Binary,
	})
	return len(b.docs) - 1
}

func (b *Builder) field(bit int, value string) {
	b.tokens.each([]byte(value), func(term []byte, _ int) {
		b.occur(term, fieldPosition+uint32(bit))
	})
}

// occur adds an occurrence of a term. Its number may be found out later.
func (b *Builder) occur(term []byte, at uint32) {
	if len(term) > wholeKey {
		b.found = append(b.found, occurrence{b.terms.id(term), at})
		return
	}
	key := keyOf(term)
	b.asked = append(b.asked, asked{key, key.sum(len(term)), len(term)})
	b.last = append(b.last, uint32(len(b.found)))
	b.found = append(b.found, occurrence{at: at})
	if len(b.asked) == batchSize {
		b.number()
	}
}

// number finds out the numbers of terms.
func (b *Builder) number() {
	b.terms.ids(b.asked, &b.ids)
	for i, at := range b.last {
		b.found[at].term = b.ids[i]
	}
	b.asked, b.last = b.asked[:0], b.last[:0]
}

// Len is the number of documents.
func (b *Builder) Len() int { return len(b.docs) }

// Size is the size of all texts in bytes.
func (b *Builder) Size() int { return len(b.text) }

// Metas returns copies of the metas of all documents.
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

// Reset removes all documents but keeps the memory.
func (b *Builder) Reset() {
	b.text, b.meta, b.docs, b.found = b.text[:0], b.meta[:0], b.docs[:0], b.found[:0]
	b.terms.reset()
}

// Encode returns the segment's bytes as consecutive parts. They are valid until the builder is used again.
func (b *Builder) Encode() [][]byte {
	order := b.terms.sorted()
	ends := b.byTerm()
	blob, posts, positions, sizes := b.out[0][:0], b.out[1][:0], b.out[2][:0], b.out[3][:0]
	var blocks []byte
	termEnds := make([]uint32, len(order)) // in blob
	for i, term := range order {
		if i%blockSize == 0 {
			for _, part := range [...][]byte{blob, posts, positions, sizes} {
				blocks = binary.LittleEndian.AppendUint32(blocks, uint32(len(part)))
			}
		}
		text, postsBefore, positionsBefore := b.terms.text(term), len(posts), len(positions)
		blob = append(blob, text...)
		termEnds[i] = uint32(len(blob))
		posts, positions = appendPostings(b.sorted[startOf(ends, term):ends[term]], posts, positions)
		sizes = append(sizes, byte(len(text)))
		sizes = binary.AppendUvarint(sizes, uint64(len(posts)-postsBefore))
		sizes = binary.AppendUvarint(sizes, uint64(len(positions)-positionsBefore))
	}
	b.out = [4][]byte{blob, posts, positions, sizes}
	buckets, grams := trigramLists(blob, termEnds)
	sections := [][]byte{
		b.docTable(), b.norms(), b.text, b.meta, blocks, sizes,
		blob, posts, positions, uint32s(buckets), grams,
	}
	lengths := make([]int, len(sections))
	for i, section := range sections {
		lengths[i] = len(section)
	}
	return append([][]byte{head(uint32(len(b.docs)), uint32(len(order)), b.length(), lengths)}, sections...)
}

func (b *Builder) length() uint32 {
	total := uint32(0)
	for _, doc := range b.docs {
		total += doc.length
	}
	return total
}

// docTable encodes for each document where its text and its meta end, its length, and whether it is binary.
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

// position is an occurrence of a term.
type position struct{ doc, at uint32 }

// byTerm sorts the occurrences by term, in linear time, and returns where those of each term end.
func (b *Builder) byTerm() (ends []uint32) {
	next := make([]uint32, b.terms.len()+1)
	for _, o := range b.found {
		next[o.term+1]++
	}
	for i := 1; i < len(next); i++ {
		next[i] += next[i-1]
	}
	b.sorted = slices.Grow(b.sorted[:0], len(b.found))[:len(b.found)]
	start := uint32(0)
	for doc := range b.docs {
		for _, o := range b.found[start:b.docs[doc].found] {
			b.sorted[next[o.term]] = position{uint32(doc), o.at}
			next[o.term]++
		}
		start = b.docs[doc].found
	}
	return next[:b.terms.len()]
}

// startOf returns where the occurrences of a term begin.
func startOf(ends []uint32, term uint32) uint32 {
	if term == 0 {
		return 0
	}
	return ends[term-1]
}

// appendPostings appends the postings and the positions of a term. A posting is the distance to the previous
// document, with a bit that is set unless the term occurs exactly once in the text and in no field; if it is set,
// the number of occurrences and the fields follow.
func appendPostings(all []position, posts, positions []byte) (newPosts, newPositions []byte) {
	last, docs, start := -1, 0, len(posts)
	for i := 0; i < len(all); {
		doc := all[i].doc
		count, mask, before := uint64(0), uint64(0), uint32(0)
		for ; i < len(all) && all[i].doc == doc; i++ {
			at := all[i].at
			if at >= fieldPosition {
				mask |= 1 << (at - fieldPosition)
				continue
			}
			positions = binary.AppendUvarint(positions, uint64(at-before))
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
		docs++
	}
	return countLong(posts, start, docs), positions
}

// countLong puts the number of documents before a list that begins at start, if it is long.
func countLong(posts []byte, start, docs int) []byte {
	if len(posts)-start < longList {
		return posts
	}
	return slices.Insert(posts, start, binary.AppendUvarint(nil, uint64(docs))...)
}

// trigramLists returns for each bucket of trigrams where its list of terms ends, and the lists. The first pass measures
// them, the second writes them. The terms are one after the other in blob.
func trigramLists(blob []byte, termEnds []uint32) (ends []uint32, lists []byte) {
	buckets := bucketsFor(len(termEnds))
	last := make([]uint32, buckets) // number of the last term in a bucket, from 1
	each := func(visit func(bucket, distance uint32)) {
		clear(last)
		start := uint32(0)
		for i, end := range termEnds {
			number := uint32(i + 1)
			text := blob[start:end]
			start = end
			for j := 0; j+3 <= len(text); j++ {
				bucket := trigram(text[j:]) & uint32(buckets-1)
				if before := last[bucket]; before != number {
					last[bucket] = number
					visit(bucket, number-before)
				}
			}
		}
	}
	ends = make([]uint32, buckets)
	each(func(bucket, distance uint32) { ends[bucket] += uint32(bits.Len32(distance)+6) / 7 })
	total := uint32(0)
	for bucket, size := range ends {
		ends[bucket] = total // where it begins
		total += size
	}
	lists = make([]byte, total)
	each(func(bucket, distance uint32) {
		at := ends[bucket]
		for ; distance >= 0x80; distance >>= 7 {
			lists[at] = byte(distance) | 0x80
			at++
		}
		lists[at] = byte(distance)
		ends[bucket] = at + 1
	})
	return ends, lists
}

// bucketsFor returns a power of two, about a quarter of the number of terms.
func bucketsFor(terms int) int {
	buckets := 64
	for buckets < terms/4 && buckets < 1<<16 {
		buckets *= 2
	}
	return buckets
}

// trigram hashes three bytes.
func trigram(at []byte) uint32 {
	gram := uint32(at[0]) | uint32(at[1])<<8 | uint32(at[2])<<16
	gram *= 0x9E3779B1
	return gram ^ gram>>15
}
