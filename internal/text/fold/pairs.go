package fold

import (
	"sync"

	"golang.org/x/text/unicode/norm"
)

// pairTable holds the letters that can be written as one character or as two, where the second is a mark that
// folding keeps: が, й, ≠, and Indic vowels.
type pairTable struct {
	composed map[[2]rune]rune
	second   map[rune]bool
}

var pairs = sync.OnceValue(func() *pairTable {
	table := &pairTable{composed: map[[2]rune]rune{}, second: map[rune]bool{}}
	for _, span := range [][2]rune{{0xC0, 0x31FF}, {0x11000, 0x12000}} {
		for r := span[0]; r < span[1]; r++ {
			table.add(r)
		}
	}
	for vowel := rune(hangulVowel); vowel < hangulVowel+hangulVowels; vowel++ {
		table.second[vowel] = true
	}
	for tail := rune(hangulTail + 1); tail < hangulTail+hangulTails; tail++ {
		table.second[tail] = true
	}
	return table
})

// add adds a character if it has two spellings and folding keeps it.
func (p *pairTable) add(r rune) {
	decomposed := norm.NFD.PropertiesString(string(r)).Decomposition()
	if decomposed == nil || norm.NFC.String(string(decomposed)) != string(r) || foldRune(r) != string(r) {
		return
	}
	parts := []rune(string(decomposed))
	first := []rune(norm.NFC.String(string(parts[:len(parts)-1])))
	if len(first) != 1 {
		return
	}
	second := parts[len(parts)-1]
	p.composed[[2]rune{first[0], second}] = r
	p.second[second] = true
}

// join returns the single character that two characters are another spelling of.
func (p *pairTable) join(first, second rune) (rune, bool) {
	if composed, ok := joinHangul(first, second); ok {
		return composed, true
	}
	composed, ok := p.composed[[2]rune{first, second}]
	return composed, ok
}

// Hangul syllables are numbered by lead, vowel and tail; tail 0 means no tail.
const (
	hangulSyllable = 0xAC00
	hangulLead     = 0x1100
	hangulVowel    = 0x1161
	hangulTail     = 0x11A7
	hangulLeads    = 19
	hangulVowels   = 21
	hangulTails    = 28
)

func joinHangul(first, second rune) (rune, bool) {
	lead, vowel := first-hangulLead, second-hangulVowel
	if 0 <= lead && lead < hangulLeads && 0 <= vowel && vowel < hangulVowels {
		return hangulSyllable + (lead*hangulVowels+vowel)*hangulTails, true
	}
	syllable, tail := first-hangulSyllable, second-hangulTail
	if 0 <= syllable && syllable < hangulLeads*hangulVowels*hangulTails && syllable%hangulTails == 0 && 0 < tail && tail < hangulTails {
		return first + tail, true
	}
	return 0, false
}
