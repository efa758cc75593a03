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

// Unpack returns the text that was packed.
func (b *Book) Unpack(packed []byte) []byte { return b.AppendFirst(nil, packed, Size(packed)) }

// AppendFirst unpacks the first bytes of a text and appends them to out.
func (b *Book) AppendFirst(out, packed []byte, count int) []byte {
	size, head := binary.Uvarint(packed)
	count = min(count, int(size))
	from, at := len(out), len(out)
	end := from + count
	if cap(out) < end+16 { // pieces are written whole
		out = append(make([]byte, 0, end+16), out...)
	}
	out = out[:cap(out)]
	for codes := packed[head:]; at < end; {
		number, width := int(codes[0]), 1
		switch {
		case number == spelledOut:
			spelled := codes[2 : 2+int(codes[1])]
			at += copy(out[at:], spelled)
			codes = codes[2+len(spelled):]
			continue
		case number >= firstLong:
			number, width = firstInMore+((number-firstLong)<<16|int(codes[1])<<8|int(codes[2])), 3
		case number >= firstMiddle:
			number, width = firstInTwo+((number-firstMiddle)<<8|int(codes[1])), 2
		}
		codes = codes[width:]
		p := b.pieces[number]
		to := out[at : at+16]
		binary.LittleEndian.PutUint64(to, p.low)
		binary.LittleEndian.PutUint64(to[8:], p.high)
		at += p.len()
	}
	return out[:end]
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
