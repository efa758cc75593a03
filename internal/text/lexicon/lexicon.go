// Package lexicon finds words in a long list of them.
package lexicon

// Lexicon is a list of words that can be searched.
type Lexicon struct {
	words    string   // one after the other, each with a byte behind it
	starts   []uint32 // of the words, and of what follows the last one
	slots    []uint32 // rows by the hash of their words, plus one; 0: empty
	prefixes []uint64 // a bit for the hash of each beginning of a word; nil: unknown
}

// New returns a lexicon of words that lie one after the other in a string, with one byte behind each. It needs the place where
// each begins and, last, the length of the string.
func New(words string, starts []uint32) *Lexicon {
	count := len(starts) - 1
	slots := 1
	for slots < count+count/2+1 {
		slots *= 2
	}
	l := &Lexicon{words: words, starts: starts, slots: make([]uint32, slots)}
	for row := range count {
		at := finish(hash(begin, l.Word(row))) & uint32(slots-1)
		for l.slots[at] != 0 {
			at = (at + 1) & uint32(slots-1)
		}
		l.slots[at] = uint32(row + 1)
	}
	return l
}

// Of returns a lexicon of words.
func Of(words []string) *Lexicon {
	starts := make([]uint32, 1, len(words)+1)
	var all []byte
	for _, word := range words {
		all = append(append(all, word...), '\n')
		starts = append(starts, uint32(len(all)))
	}
	return New(string(all), starts)
}

// Word returns a word by its row.
func (l *Lexicon) Word(row int) string { return l.words[l.starts[row] : l.starts[row+1]-1] }

// Len is the number of words.
func (l *Lexicon) Len() int { return len(l.starts) - 1 }

// Find returns the row of a word, or -1. Of equal words, it is the first one's.
func (l *Lexicon) Find(word []byte) int { return l.find(hash(begin, word), "", word) }

// find returns the row of a word in two parts.
func (l *Lexicon) find(h uint32, first string, second []byte) int {
	mask := uint32(len(l.slots) - 1)
	for at := finish(h) & mask; l.slots[at] != 0; at = (at + 1) & mask {
		row := int(l.slots[at]) - 1
		if word := l.Word(row); len(word) == len(first)+len(second) && word[:len(first)] == first && word[len(first):] == string(second) {
			return row
		}
	}
	return -1
}

// AllowPrefixes prepares for Prefixes.
func (l *Lexicon) AllowPrefixes() {
	size := 1024
	for size < 8*len(l.words) {
		size *= 2
	}
	l.prefixes = make([]uint64, size/64)
	for row := range l.Len() {
		h := begin
		for _, b := range []byte(l.Word(row)) {
			h = extend(h, b)
			at := finish(h) & uint32(size-1)
			l.prefixes[at/64] |= 1 << (at % 64)
		}
	}
}

// Prefixes yields all words that consist of some given first bytes, which may be none, and of the beginning of a text: their rows,
// and how many bytes of the text they have. The shortest comes first.
func (l *Lexicon) Prefixes(first string, text []byte, yield func(row, length int)) {
	mask := uint32(64*len(l.prefixes) - 1)
	h := hash(begin, first)
	for i, b := range text {
		h = extend(h, b)
		at := finish(h) & mask
		if l.prefixes[at/64]&(1<<(at%64)) == 0 {
			return
		}
		if row := l.find(h, first, text[:i+1]); row >= 0 {
			yield(row, i+1)
		}
	}
}

// begin is the hash of nothing.
const begin = uint32(2166136261)

func extend(h uint32, b byte) uint32 { return (h ^ uint32(b)) * 16777619 }

func finish(h uint32) uint32 { return h ^ h>>15 }

func hash[T string | []byte](h uint32, word T) uint32 {
	for i := range len(word) {
		h = extend(h, word[i])
	}
	return h
}
