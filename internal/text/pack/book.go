// Package pack compresses texts to less than half of their size. Each text can be unpacked quickly and independently of the others.
//
// A Book lists pieces of text, such as a word with the space before it, and gives each a code of one to three bytes. A packed
// text consists of the codes of its pieces; pieces that are not in the book are stored as they are. A Packer adds pieces to
// the book as it packs texts. A book only grows, so texts that were packed earlier can still be unpacked.
package pack

import "encoding/binary"

// piece is a text of at most maxPiece bytes. Its last byte is the length.
type piece struct{ low, high uint64 }

const maxPiece = 15

// pieceAt returns the piece between two offsets of a text.
func pieceAt(text []byte, start, end int) piece {
	size := end - start
	if start+16 > len(text) {
		var bytes [16]byte
		copy(bytes[:], text[start:end])
		return pieceOf(bytes[:], size)
	}
	return pieceOf(text[start:], size)
}

// pieceOf returns the first size bytes of a text, which must be at least 16 bytes long.
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

// The first byte of a code determines its length.
const (
	shortCodes  = 120                       // first bytes of one-byte codes: 0 to 119
	middleCodes = 128                       // first bytes of two-byte codes
	longCodes   = 7                         // first bytes of three-byte codes
	firstMiddle = shortCodes                // the lowest first byte of a two-byte code
	firstLong   = firstMiddle + middleCodes // the lowest first byte of a three-byte code
	literal     = 0xFF                      // a length of one byte and that many bytes of text follow
	maxLiteral  = 0xFF

	firstInTwo   = shortCodes // the number of the first piece with a two-byte code
	firstInThree = firstInTwo + middleCodes<<8
	maxPieces    = firstInThree + longCodes<<16
)

// Book is a list of pieces. It is safe for concurrent use unless a Packer is extending it.
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
	if cap(out) < end+16 { // each piece is written as 16 bytes
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
			if first == literal {
				at += copy(out[at:], codes[i+2:i+2+int(second)])
				i += 2 + int(second)
				continue
			}
			number = firstInThree + (uint32(first-firstLong)<<16 | uint32(second)<<8 | uint32(codes[i+2]))
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

// Codes of one and two bytes are decoded without branches: starts[first] + second&masks[first] is the number of the piece.
var (
	starts [256]uint32
	masks  [256]byte
	widths [256]byte // the length of the code
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
	case number < firstInThree:
		number -= firstInTwo
		return append(out, byte(firstMiddle+number>>8), byte(number))
	}
	number -= firstInThree
	return append(out, byte(firstLong+number>>16), byte(number>>8), byte(number))
}
