// Package pack keeps texts in about half of their memory and less, so that each can still be read on its own, fast.
//
// A Book lists pieces of text, such as a word with the space before it, and gives each a code of one to three bytes. A packed
// text is the codes of its pieces; what the book lacks is spelled out. A Packer learns the pieces from the texts that it
// packs. A book only grows, so that what was packed before can still be read.
package pack

import "encoding/binary"

// piece is a text of at most maxPiece bytes. The last of its bytes is their number.
type piece struct{ low, high uint64 }

const maxPiece = 15

// pieceAt returns a piece of a text.
func pieceAt(text []byte, start, end int) piece {
	size := end - start
	if start+16 > len(text) {
		var bytes [16]byte
		copy(bytes[:], text[start:end])
		return pieceOf(bytes[:], size)
	}
	return pieceOf(text[start:], size)
}

// pieceOf returns the piece of the first bytes of a text that has sixteen.
func pieceOf(text []byte, size int) piece {
	p := piece{binary.LittleEndian.Uint64(text), binary.LittleEndian.Uint64(text[8:])}
	if size < 8 {
		p.low &= 1<<(8*size) - 1
		p.high = 0
	} else {
		p.high &= 1<<(8*(size-8)) - 1
	}
	p.high |= uint64(size) << 56
	return p
}

func (p piece) len() int { return int(p.high >> 56) }

// The first byte of a code says how many bytes follow.
const (
	shortCodes  = 120        // a code of one byte
	middleCodes = 128        // the first byte of two
	longCodes   = 7          // the first byte of three
	spelledOut  = 0xFF       // the number of bytes follows, then these
	firstMiddle = shortCodes // the first byte of codes of two bytes
	firstLong   = firstMiddle + middleCodes
	firstInTwo  = shortCodes // the number of the first piece with a code of two bytes
	firstInMore = firstInTwo + middleCodes<<8
	maxPieces   = firstInMore + longCodes<<16
	maxSpelled  = 0xFF
)

// Book is a list of pieces. It is safe for concurrent use as long as no Packer extends it.
type Book struct{ pieces []piece }

// Size returns the number of bytes of a packed text once it is unpacked.
func Size(packed []byte) int {
	size, _ := binary.Uvarint(packed)
	return int(size)
}

// AppendFirst unpacks the first bytes of a text and appends them to out.
func (b *Book) AppendFirst(out, packed []byte, count int) []byte {
	size, head := binary.Uvarint(packed)
	at := len(out)
	end := at + min(count, int(size))
	if cap(out) < end+16 { // pieces are written whole
		out = append(make([]byte, 0, end+16), out...)
	}
	out = out[:cap(out)]
	codes := packed[head:]
	for i := 0; at < end; {
		first, second := codes[i], byte(0)
		if i+1 < len(codes) {
			second = codes[i+1]
		}
		number, width := starts[first]+uint32(second&masks[first]), int(widths[first])
		if first >= firstLong {
			if first == spelledOut {
				at += copy(out[at:], codes[i+2:i+2+int(second)])
				i += 2 + int(second)
				continue
			}
			number = firstInMore + (uint32(first-firstLong)<<16 | uint32(second)<<8 | uint32(codes[i+2]))
		}
		i += width
		p := b.pieces[number]
		to := out[at : at+16]
		binary.LittleEndian.PutUint64(to, p.low)
		binary.LittleEndian.PutUint64(to[8:], p.high)
		at += p.len()
	}
	return out[:end]
}

// What the first byte of a code says of codes of one and two bytes, which are read without branches: the number of the first piece,
// which bits of the second byte to add to it; and of all codes but spelledOut, how many bytes they have.
var (
	starts [256]uint32
	masks  [256]byte
	widths [256]byte
)

func init() {
	for first := range starts {
		switch {
		case first < firstMiddle:
			starts[first], widths[first] = uint32(first), 1
		case first < firstLong:
			starts[first], masks[first], widths[first] = uint32(firstInTwo+(first-firstMiddle)<<8), 0xFF, 2
		default:
			widths[first] = 3
		}
	}
}

// appendCode appends the code of a piece.
func appendCode(out []byte, number uint32) []byte {
	switch {
	case number < firstInTwo:
		return append(out, byte(number))
	case number < firstInMore:
		number -= firstInTwo
		return append(out, byte(firstMiddle+number>>8), byte(number))
	}
	number -= firstInMore
	return append(out, byte(firstLong+number>>16), byte(number>>8), byte(number))
}
