package md

import "math/bits"

// Most bytes of a note are letters that begin nothing. Before the scan, two
// bitmaps are made of the whole source, a bit for each byte: where lines end,
// and where something inside of a text may begin. The scan then steps from
// bit to bit instead of looking at each byte.

// bitmaps has a bit for each byte of a source.
type bitmaps struct {
	ends  []uint64 // newlines
	marks []uint64 // # $ % [ \ ] ^ ` <
}

const blockSize = 64 // bytes that a word of a bitmap is about

// byteKinds holds what classify tells apart.
var byteKinds = [256]uint8{
	'\n': isNewline,
	'#':  isMark, '$': isMark, '%': isMark, '[': isMark, '\\': isMark, ']': isMark, '^': isMark, '`': isMark, '<': isMark,
}

const (
	isNewline = 1
	isMark    = 2
)

// cover makes the bitmaps of the bytes of src from one offset to another.
func (b *bitmaps) cover(src []byte, from, to int) {
	words := (to + blockSize - 1) / blockSize
	if cap(b.ends) <= words {
		b.ends, b.marks = make([]uint64, words+1), make([]uint64, words+1)
	}
	b.ends, b.marks = b.ends[:words+1], b.marks[:words+1]
	b.ends[words], b.marks[words] = 0, 0 // next looks at two words
	first, whole := from/blockSize, to/blockSize
	if first < whole {
		classifyBlocks(src[first*blockSize:whole*blockSize], b.ends[first:whole], b.marks[first:whole])
	}
	if whole < words {
		var last [blockSize]byte
		copy(last[:], src[whole*blockSize:to])
		classifyBlocks(last[:], b.ends[whole:words], b.marks[whole:words])
	}
}

// classify makes the words for up to 64 bytes.
func classify(block []byte) (ends, marks uint64) {
	for i, c := range block {
		kind := uint64(byteKinds[c])
		ends |= (kind & isNewline) << i
		marks |= (kind >> 1) << i
	}
	return ends, marks
}

// classifyEach is classifyBlocks where there is no faster way.
func classifyEach(src []byte, ends, marks []uint64) {
	for i := range ends {
		ends[i], marks[i] = classify(src[i*blockSize : (i+1)*blockSize])
	}
}

// next is the offset of the first bit that is set from pos on, before end; or
// end. It looks at 64 bits from pos on, out of two words: that nearly always
// decides, and a processor likes a branch that nearly always goes one way.
func next(bitmap []uint64, pos, end int) int {
	if pos >= end {
		return end
	}
	word, bit := uint(pos)/blockSize, uint(pos)%blockSize
	if pair := bitmap[word:]; len(pair) > 1 {
		if ahead := pair[0]>>bit | pair[1]<<1<<(blockSize-1-bit); ahead != 0 {
			return min(pos+bits.TrailingZeros64(ahead), end)
		}
	}
	return nextWord(bitmap, word+1, end)
}

// nextWord is next for bits that are in a later word.
func nextWord(bitmap []uint64, word uint, end int) int {
	for ; word < uint(len(bitmap)) && int(word*blockSize) < end; word++ {
		if ahead := bitmap[word]; ahead != 0 {
			return min(int(word*blockSize)+bits.TrailingZeros64(ahead), end)
		}
	}
	return end
}
