package pack

import (
	"cmp"
	"encoding/binary"

	"obsidian-mcp/internal/text/order"
)

// Packer packs texts with a book that it extends. It is not safe for concurrent use.
type Packer struct {
	book  *Book
	table table   // of the pieces in the book, and of others that were met: a use
	fresh int     // how many the others are
	found []found // scratch: the pieces of the texts
}

// use is the number of a piece in the book with isListed, or how often the piece was met.
type use = uint32

const isListed use = 1 << 31

// found is a piece of a text: its number in the book, or isFresh.
type found struct {
	number uint32
	size   uint8
}

const isFresh = ^uint32(0)

// NewPacker returns a packer with an empty book.
func NewPacker() *Packer { return &Packer{book: &Book{}, table: newTable()} }

// Book is the book with which the texts can be read.
func (p *Packer) Book() *Book { return p.book }

// Append extends the book by what some texts repeat, packs them, appends them to out and says where each ends.
func (p *Packer) Append(out []byte, texts [][]byte) (packed []byte, ends []int) {
	for len(texts) > 0 {
		count, size := 1, len(texts[0])
		for count < len(texts) && size+len(texts[count]) <= mostTogether {
			size += len(texts[count])
			count++
		}
		if size > mostTogether {
			out = p.appendLarge(out, texts[0])
			ends = append(ends, len(out))
		} else {
			out, ends = p.appendAll(out, texts[:count], ends)
		}
		texts = texts[count:]
	}
	return out, ends
}

// mostTogether is how many bytes of text are divided into pieces at a time.
const mostTogether = 4 << 20

func (p *Packer) appendAll(out []byte, texts [][]byte, ends []int) (packed []byte, newEnds []int) {
	p.found = p.found[:0]
	for _, text := range texts {
		p.read(text)
	}
	p.extend()
	rest := p.found
	for _, text := range texts {
		out = binary.AppendUvarint(out, uint64(len(text)))
		out, rest = p.write(out, text, rest)
		ends = append(ends, len(out))
	}
	return out, ends
}

// appendLarge packs a text that is too large to be divided at once.
func (p *Packer) appendLarge(out, text []byte) []byte {
	out = binary.AppendUvarint(out, uint64(len(text)))
	for len(text) > 0 {
		part := text[:min(len(text), mostTogether)]
		p.found = p.found[:0]
		p.read(part)
		p.extend()
		out, _ = p.write(out, part, p.found)
		text = text[len(part):]
	}
	return out
}

// read finds the pieces of a text, and counts those that the book lacks.
func (p *Packer) read(text []byte) {
	for at := 0; at < len(text); {
		end := next(text, at)
		use, number := p.table.value(pieceAt(text, at, end)), isFresh
		switch {
		case *use&isListed != 0:
			number = *use &^ isListed
		case *use == 0:
			p.fresh++
			*use = 1
		default:
			*use++
		}
		p.found = append(p.found, found{number, uint8(end - at)})
		at = end
	}
}

const (
	leastUse = 3       // how often a piece must be met to save more than it takes in the book
	maxFresh = 1 << 15 // how many pieces are remembered that have not been met that often
)

// extend adds the pieces that were met often to the book.
func (p *Packer) extend() {
	type counted struct {
		piece
		count use
	}
	var added []counted
	for i, use := range p.table.values {
		piece := p.table.pieces[i]
		if use&isListed == 0 && (use >= leastUse && piece.len() > 1 || use >= 64*leastUse) {
			added = append(added, counted{piece, use})
		}
	}
	order.By(added, func(a, b counted) int {
		return cmp.Or(cmp.Compare(b.count, a.count), cmp.Compare(a.low, b.low), cmp.Compare(a.high, b.high))
	})
	for _, piece := range added[:min(len(added), maxPieces-len(p.book.pieces))] {
		*p.table.value(piece.piece) = isListed | use(len(p.book.pieces))
		p.book.pieces = append(p.book.pieces, piece.piece)
		p.fresh--
	}
	for least := use(2); p.fresh > maxFresh; least++ {
		p.table.resize(len(p.table.pieces), func(use use) bool { return use >= least })
		p.fresh = p.table.count - len(p.book.pieces)
	}
}

// write packs a text that consists of the first of some pieces, and returns the others.
func (p *Packer) write(out, text []byte, pieces []found) (packed []byte, rest []found) {
	done := 0 // what is before it is packed
	for at := 0; at < len(text); pieces = pieces[1:] {
		end := at + int(pieces[0].size)
		number := pieces[0].number
		if number == isFresh {
			if use := p.table.find(pieceAt(text, at, end)); use&isListed != 0 {
				number = use &^ isListed
			}
		}
		if number != isFresh {
			out = appendCode(spell(out, text[done:at]), number)
			done = end
		}
		at = end
	}
	return spell(out, text[done:]), pieces
}

// spell spells a text out.
func spell(out, text []byte) []byte {
	for len(text) > 0 {
		size := min(len(text), maxSpelled)
		out = append(append(out, spelledOut, byte(size)), text[:size]...)
		text = text[size:]
	}
	return out
}
