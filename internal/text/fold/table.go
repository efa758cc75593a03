package fold

import (
	"sync/atomic"
	"unicode/utf8"
)

// entry says how to fold a character: to another character, if below plainLimit, or else by appendSpecial.
type entry uint32

const (
	plainLimit entry = 1 << 24 // above all characters
	drop       entry = 1 << 24
	join       entry = 2 << 24 // combine with the character before it
	spellOut   entry = 3 << 24 // replace by several characters
	operation  entry = 0xFF << 24
)

const pageSize = 256

// page is the table for 256 characters.
type page struct {
	entries [pageSize]entry
	kinds   [pageSize]RuneKind
	spelt   []string // the texts that spellOut entries refer to
}

// pages are computed when a text first needs them: few texts need more than three, and computing all would take
// longer than the program may take to start. If two goroutines compute the same page, the results are equal.
var pages [(utf8.MaxRune + 1) / pageSize]atomic.Pointer[page]

func pageOf(r rune) *page {
	slot := &pages[uint32(r)/pageSize%uint32(len(pages))]
	if existing := slot.Load(); existing != nil {
		return existing
	}
	built := buildPage(r &^ (pageSize - 1))
	slot.Store(built)
	return built
}

func lookup(r rune) entry { return pageOf(r).entries[uint32(r)%pageSize] }

func buildPage(first rune) *page {
	built := new(page)
	for i := range built.entries {
		r := first + rune(i)
		built.kinds[i] = kindOf(r)
		built.entries[i] = built.entryOf(r)
	}
	return built
}

func (p *page) entryOf(r rune) entry {
	if IsUnified(r) {
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

// IsUnified reports whether a character is in one of the large ranges that folding never changes.
func IsUnified(r rune) bool {
	return '\u3400' <= r && r <= '\u9fff' || '\uac00' <= r && r <= '\ud7a3' || '\U00020000' <= r && r <= '\U0002f7ff'
}

// appendSpecial folds a character that does not become a single other one. A mark may combine with found was
// appended since start.
func appendSpecial(dst []byte, start int, r rune, found entry) []byte {
	switch found & operation {
	case spellOut:
		return append(dst, pageOf(r).spelt[found&^operation]...)
	case join:
		mark := rune(found &^ operation)
		before, size := utf8.DecodeLastRune(dst[start:])
		if composed, ok := pairs().join(before, mark); ok && size > 0 {
			return utf8.AppendRune(dst[:len(dst)-size], composed)
		}
		if !isDropped(mark) {
			return utf8.AppendRune(dst, mark)
		}
	}
	return dst
}
