package fold

import (
	"sync/atomic"
	"unicode/utf8"
)

// entry says what becomes of a character: another one, when it is below
// plainLimit, or else something that appendSpecial does.
type entry uint32

const (
	plainLimit entry = 1 << 24 // above all characters
	drop       entry = 1 << 24
	join       entry = 2 << 24 // with the character before it
	spellOut   entry = 3 << 24 // as several characters
	operation  entry = 0xFF << 24
)

const pageSize = 256

// page is the table for 256 characters.
type page struct {
	entries [pageSize]entry
	kinds   [pageSize]RuneKind
	spelt   []string // what the numbers in its entries stand for
}

// pages are made when a text first needs them: few texts need more than three
// of them, and all together take longer to make than a program may take to
// start. Two goroutines that make the same page make it alike.
var pages [(utf8.MaxRune + 1) / pageSize]atomic.Pointer[page]

func pageOf(r rune) *page {
	place := &pages[uint32(r)/pageSize%uint32(len(pages))]
	if made := place.Load(); made != nil {
		return made
	}
	made := makePage(r &^ (pageSize - 1))
	place.Store(made)
	return made
}

func lookup(r rune) entry { return pageOf(r).entries[uint32(r)%pageSize] }

func makePage(first rune) *page {
	made := new(page)
	for i := range made.entries {
		r := first + rune(i)
		made.kinds[i] = kindOf(r)
		made.entries[i] = made.entryOf(r)
	}
	return made
}

func (p *page) entryOf(r rune) entry {
	if isUnified(r) {
		return entry(r)
	}
	text := foldRune(r)
	folded := []rune(text)
	switch {
	case len(folded) == 1 && pairs().second[folded[0]]:
		return join | entry(folded[0])
	case len(folded) == 1:
		return entry(folded[0])
	case pairs().second[r]:
		return join | entry(r)
	case len(folded) == 0:
		return drop
	}
	p.spelt = append(p.spelt, text)
	return spellOut | entry(len(p.spelt)-1)
}

// isUnified reports the many characters that certainly stay as they are.
func isUnified(r rune) bool {
	return '\u3400' <= r && r <= '\u9fff' || '\uac00' <= r && r <= '\ud7a3' || '\U00020000' <= r && r <= '\U0002f7ff'
}

// appendSpecial folds what does not become just one character. What was
// appended since start is what a mark can join.
func appendSpecial(dst []byte, start int, r rune, what entry) []byte {
	switch what & operation {
	case spellOut:
		return append(dst, pageOf(r).spelt[what&^operation]...)
	case join:
		mark := rune(what &^ operation)
		before, size := utf8.DecodeLastRune(dst[start:])
		if whole, ok := pairs().join(before, mark); ok && size > 0 {
			return utf8.AppendRune(dst[:len(dst)-size], whole)
		}
		if !isDropped(mark) {
			return utf8.AppendRune(dst, mark)
		}
	}
	return dst
}
