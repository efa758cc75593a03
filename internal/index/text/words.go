package text

import (
	"encoding/binary"
	"iter"
	"math"
	"math/bits"
	"slices"
)

// Words encodes the part of a segment that finds documents by their words. It is not safe for concurrent use.
type Words struct {
	tokens tokenizer
	terms  termTable

	docs  []wordCount
	found []occurrence // in document order

	pending   []termKey // terms that have not been looked up yet
	pendingAt []uint32  // their indexes in found
	ids       [batchSize]uint32

	sorted []position // scratch for encoding: occurrences in term order
	out    [4][]byte  // scratch for encoding: parts of the segment
}

// Prepare makes room for the words of about size bytes of text. Memory that stays unused is not touched.
func (w *Words) Prepare(size int) {
	w.found = make([]occurrence, 0, size/5)
	w.sorted = make([]position, 0, cap(w.found))
	w.out = [4][]byte{nil, make([]byte, 0, size/4), make([]byte, 0, size/2), make([]byte, 0, size/10)}
	w.terms.prepare(size / 200)
}

// wordCount says how many tokens a document has.
type wordCount struct {
	end    uint32 // of its occurrences
	length uint32 // tokens in its text
}

// occurrence is a token of a document.
type occurrence struct {
	term uint32
	at   uint32 // position in the text; from fieldPosition on, the bit of a field
}

const fieldPosition = math.MaxUint32 - 15

// Add puts the next document into the segment: its text, and the values of its fields.
func (w *Words) Add(text []byte, fields iter.Seq2[Fields, []byte]) {
	length := w.read(text)
	for field, value := range fields {
		at := fieldPosition + uint32(bits.TrailingZeros8(uint8(field)))
		w.tokens.each(value, func(term []byte, _ int) { w.occur(term, at) })
	}
	w.resolve()
	w.docs = append(w.docs, wordCount{end: uint32(len(w.found)), length: length})
}

// read adds the tokens of a text and returns their number. It yields the same tokens as tokenizer.each, but short ASCII
// words, which are the most common, are not copied.
func (w *Words) read(text []byte) (tokens uint32) {
	occur := func(term []byte, at int) {
		w.occur(term, uint32(at))
		tokens++
	}
	for i := 0; i < len(text); {
		if asciiKind[text[i]] == asciiOther {
			i++
			continue
		}
		if i+wholeKey < len(text) {
			if key, length := plainKey(text[i:]); length > 0 {
				w.addShort(key, uint32(i))
				tokens++
				i += length
				continue
			}
		}
		i = w.tokens.next(text, i, occur)
	}
	return tokens
}

// occur adds an occurrence of a term. A short term is looked up later, in a batch.
func (w *Words) occur(term []byte, at uint32) {
	if len(term) > wholeKey {
		w.found = append(w.found, occurrence{w.terms.id(term), at})
		return
	}
	w.addShort(keyOf(term), at)
}

// addShort adds an occurrence of a short term.
func (w *Words) addShort(key termKey, at uint32) {
	if id, ok := w.terms.lately(key); ok {
		w.found = append(w.found, occurrence{id, at})
		return
	}
	w.pending = append(w.pending, key)
	w.pendingAt = append(w.pendingAt, uint32(len(w.found)))
	w.found = append(w.found, occurrence{at: at})
	if len(w.pending) == batchSize {
		w.resolve()
	}
}

// resolve looks up the pending terms.
func (w *Words) resolve() {
	w.terms.ids(w.pending, &w.ids)
	for i, at := range w.pendingAt {
		w.found[at].term = w.ids[i]
	}
	w.pending, w.pendingAt = w.pending[:0], w.pendingAt[:0]
}

// Reset removes all documents but keeps the memory.
func (w *Words) Reset() {
	w.docs, w.found = w.docs[:0], w.found[:0]
	w.terms.reset()
}

// Encode returns the bytes as consecutive parts. They are valid until the builder is used again.
func (w *Words) Encode() [][]byte {
	order := w.terms.sorted()
	blob, termEnds := w.terms.texts(order, w.out[0])
	ends := w.byTerm(order)
	posts, positions, sizes := w.out[1][:0], w.out[2][:0], w.out[3][:0]
	var blocks []byte
	termStart, start := uint32(0), uint32(0)
	for i, end := range ends {
		if i%blockSize == 0 {
			for _, offset := range [...]int{int(termStart), len(posts), len(positions), len(sizes)} {
				blocks = binary.LittleEndian.AppendUint32(blocks, uint32(offset))
			}
		}
		postsBefore, positionsBefore := len(posts), len(positions)
		posts, positions = appendPostings(w.sorted[start:end], posts, positions)
		sizes = append(sizes, byte(termEnds[i]-termStart))
		sizes = appendNumber(sizes, uint64(len(posts)-postsBefore))
		sizes = appendNumber(sizes, uint64(len(positions)-positionsBefore))
		termStart, start = termEnds[i], end
	}
	w.out = [4][]byte{blob, posts, positions, sizes}
	buckets, grams := trigramLists(blob, termEnds)
	lengths, norms := w.counts()
	return encodeSections([]uint32{uint32(len(w.docs)), uint32(len(order)), w.length()},
		onePart(lengths), onePart(norms), onePart(blocks), onePart(sizes), onePart(blob), onePart(posts), onePart(positions), onePart(uint32s(buckets)), onePart(grams))
}

func (w *Words) length() uint32 {
	total := uint32(0)
	for _, doc := range w.docs {
		total += doc.length
	}
	return total
}

// counts encodes the number of tokens of each document, both exactly and rounded for ranking.
func (w *Words) counts() (lengths, norms []byte) {
	for _, doc := range w.docs {
		lengths = binary.LittleEndian.AppendUint32(lengths, doc.length)
		norms = append(norms, normOf(int(doc.length)))
	}
	return lengths, norms
}

// position is an occurrence of a term.
type position struct{ doc, at uint32 }

// byTerm sorts the occurrences by term, in the given order and in linear time, and returns the end offset of each term.
func (w *Words) byTerm(order []uint32) (ends []uint32) {
	next := make([]uint32, len(order)) // first the number of occurrences of each term, then the index of its next one
	for _, o := range w.found {
		next[o.term]++
	}
	ends = make([]uint32, len(order))
	end := uint32(0)
	for i, term := range order {
		next[term], end = end, end+next[term]
		ends[i] = end
	}
	w.sorted = slices.Grow(w.sorted[:0], len(w.found))[:len(w.found)]
	start := uint32(0)
	for doc := range w.docs {
		for _, o := range w.found[start:w.docs[doc].end] {
			w.sorted[next[o.term]] = position{uint32(doc), o.at}
			next[o.term]++
		}
		start = w.docs[doc].end
	}
	return ends
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
			positions = appendNumber(positions, uint64(at-before))
			before = at
			count++
		}
		gap := uint64(int(doc)-last) << 1
		if count == 1 && mask == 0 {
			posts = appendNumber(posts, gap)
		} else {
			posts = appendNumber(posts, gap|1)
			posts = appendNumber(posts, count<<4|mask)
		}
		last = int(doc)
		docs++
	}
	return countLong(posts, start, docs), positions
}

// appendNumber is binary.AppendUvarint for numbers that are mostly small.
func appendNumber(out []byte, number uint64) []byte {
	switch {
	case number < 1<<7:
		return append(out, byte(number))
	case number < 1<<14:
		return append(out, byte(number)|0x80, byte(number>>7))
	}
	return binary.AppendUvarint(out, number)
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
	buckets := make([]struct{ last, at uint32 }, bucketsFor(len(termEnds))) // the number of the last term, from 1; where the list goes on
	each := func(visit func(bucket int, distance uint32)) {
		start := uint32(0)
		for i, end := range termEnds {
			number := uint32(i + 1)
			for at := start; at+3 <= end; at++ {
				bucket := int(trigram(blob[at:])) & (len(buckets) - 1)
				if before := buckets[bucket].last; before != number {
					buckets[bucket].last = number
					visit(bucket, number-before)
				}
			}
			start = end
		}
	}
	each(func(bucket int, distance uint32) { buckets[bucket].at += uint32(bits.Len32(distance)+6) / 7 })
	total := uint32(0)
	for i, bucket := range buckets {
		buckets[i].last, buckets[i].at = 0, total
		total += bucket.at
	}
	lists = make([]byte, total)
	each(func(bucket int, distance uint32) {
		at := buckets[bucket].at
		for ; distance >= 0x80; distance >>= 7 {
			lists[at] = byte(distance) | 0x80
			at++
		}
		lists[at] = byte(distance)
		buckets[bucket].at = at + 1
	})
	ends = make([]uint32, len(buckets))
	for i, bucket := range buckets {
		ends[i] = bucket.at
	}
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
