package md

import "math/bits"

// Most bytes of a note are letters with no special meaning. Before it scans, the scanner builds two bitmaps of the source
// with one bit for each byte: where lines end, and where inline content may start. It then steps from bit to bit instead
// of looking at every byte.

// bitmaps holds one bit for each byte of a source.
type bitmaps struct {
	ends  []uint64 // newlines
	marks []uint64 // # $ % [ \ ] ^ ` <
}

const blockSize = 64 // bytes per word of a bitmap

// byteKinds classifies bytes.
var byteKinds = [256]uint8{
	'\n': isNewline,
	'#':  isMark, '$': isMark, '%': isMark, '[': isMark, '\\': isMark, ']': isMark, '^': isMark, '`': isMark, '<': isMark,
}

const (
	isNewline = 1
	isMark    = 2
)

// cover builds the bitmaps for src[from:to].
func (b *bitmaps) cover(src []byte, from, to int) {
	words := (to + blockSize - 1) / blockSize
	if cap(b.ends) <= words {
		b.ends, b.marks = make([]uint64, words+1), make([]uint64, words+1)
	}
	b.ends, b.marks = b.ends[:words+1], b.marks[:words+1]
	b.ends[words], b.marks[words] = 0, 0 // next reads two words
	first, full := from/blockSize, to/blockSize
	if first < full {
		classifyBlocks(src[first*blockSize:full*blockSize], b.ends[first:full], b.marks[first:full])
	}
	if full < words {
		var last [blockSize]byte
		copy(last[:], src[full*blockSize:to])
		classifyBlocks(last[:], b.ends[full:words], b.marks[full:words])
	}
}

// classify returns the words for up to 64 bytes.
func classify(block []byte) (ends, marks uint64) {
	for i, c := range block {
		kind := uint64(byteKinds[c])
		ends |= (kind & isNewline) << i
		marks |= (kind >> 1) << i
	}
	return ends, marks
}

// classifyEach is the portable form of classifyBlocks.
func classifyEach(src []byte, ends, marks []uint64) {
	for i := range ends {
		ends[i], marks[i] = classify(src[i*blockSize : (i+1)*blockSize])
	}
}

// next returns the offset of the first set bit in [pos, end), or end. It first tests 64 bits starting at pos, taken from
// two words: that nearly always finds one, so the processor predicts the branch well.
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

// nextWord is next for the bits of later words.
func nextWord(bitmap []uint64, word uint, end int) int {
	for ; word < uint(len(bitmap)) && int(word*blockSize) < end; word++ {
		if ahead := bitmap[word]; ahead != 0 {
			return min(int(word*blockSize)+bits.TrailingZeros64(ahead), end)
		}
	}
	return end
}
