package pack

import (
	"cmp"
	"encoding/binary"

	"obsidian-mcp/internal/text/order"
)

// Packer packs texts with a book that it extends. It is not safe for concurrent use.
type Packer struct {
	book     *Book
	table    table  // the pieces in the book, and others that were seen
	unlisted int    // the number of those others
	read     []seen // scratch: the pieces of the texts that are being packed
}

// A value in the table is the number of a piece in the book with this bit set, or how often a piece was seen that is not in it.
const isListed = 1 << 31

// seen is a piece of a text: its number in the book, or notListed.
type seen struct {
	number uint32
	size   uint8
}

const notListed = ^uint32(0)

// NewPacker returns a packer with an empty book.
func NewPacker() *Packer { return &Packer{book: &Book{}, table: newTable()} }

// Book returns the book that unpacks the texts.
func (p *Packer) Book() *Book { return p.book }

// Append adds the frequent pieces of some texts to the book, appends the packed texts to out, and returns where each ends.
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
	p.read = p.read[:0]
	for _, text := range texts {
		p.look(text)
	}
	p.extend()
	rest := p.read
	for _, text := range texts {
		out = binary.AppendUvarint(out, uint64(len(text)))
		out, rest = p.write(out, text, rest)
		ends = append(ends, len(out))
	}
	return out, ends
}

// appendLarge packs a text that is too large to be divided into pieces at once.
func (p *Packer) appendLarge(out, text []byte) []byte {
	out = binary.AppendUvarint(out, uint64(len(text)))
	for len(text) > 0 {
		part := text[:min(len(text), mostTogether)]
		p.read = p.read[:0]
		p.look(part)
		p.extend()
		out, _ = p.write(out, part, p.read)
		text = text[len(part):]
	}
	return out
}

// look divides a text into pieces, and counts those that are not in the book.
func (p *Packer) look(text []byte) {
	for at := 0; at < len(text); {
		end := next(text, at)
		value, number := p.table.value(pieceAt(text, at, end)), notListed
		if *value&isListed != 0 {
			number = *value &^ isListed
		} else {
			if *value == 0 {
				p.unlisted++
			}
			*value++
		}
		p.read = append(p.read, seen{number, uint8(end - at)})
		at = end
	}
}

const (
	leastUse    = 3       // occurrences from which a piece saves more than its place in the book costs
	maxUnlisted = 1 << 15 // pieces that are remembered without being in the book
)

// extend adds the pieces that occurred often enough to the book.
func (p *Packer) extend() {
	type candidate struct {
		piece
		count uint32
	}
	var added []candidate
	for i, value := range p.table.values {
		if value&isListed == 0 && value >= leastUse {
			added = append(added, candidate{p.table.pieces[i], value})
		}
	}
	order.By(added, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.count, a.count), cmp.Compare(a.low, b.low), cmp.Compare(a.high, b.high))
	})
	for _, candidate := range added[:min(len(added), maxPieces-len(p.book.pieces))] {
		*p.table.value(candidate.piece) = isListed | uint32(len(p.book.pieces))
		p.book.pieces = append(p.book.pieces, candidate.piece)
		p.unlisted--
	}
	for least := uint32(2); p.unlisted > maxUnlisted; least++ {
		p.table.resize(len(p.table.pieces), func(value uint32) bool { return value >= least })
		p.unlisted = p.table.count - len(p.book.pieces)
	}
}

// write packs a text, given its pieces and those of the texts after it, which it returns.
func (p *Packer) write(out, text []byte, pieces []seen) (packed []byte, rest []seen) {
	done := 0 // everything before it is packed
	for at := 0; at < len(text); pieces = pieces[1:] {
		end := at + int(pieces[0].size)
		number := pieces[0].number
		if number == notListed {
			if value := p.table.find(pieceAt(text, at, end)); value&isListed != 0 {
				number = value &^ isListed
			}
		}
		if number != notListed {
			out = appendCode(appendLiteral(out, text[done:at]), number)
			done = end
		}
		at = end
	}
	return appendLiteral(out, text[done:]), pieces
}

// appendLiteral appends a text as it is.
func appendLiteral(out, text []byte) []byte {
	for len(text) > 0 {
		size := min(len(text), maxLiteral)
		out = append(append(out, literal, byte(size)), text[:size]...)
		text = text[size:]
	}
	return out
}
