package summary

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// longRun is how many characters of a long run count as one word.
const longRun = 40

// countWords returns the number of words in a text.
func countWords(text string) int {
	_, words := measure(text, math.MaxInt)
	return words
}

// measure returns where the first words of a text end, at most limit of them, and how many there are.
func measure(text string, limit int) (end, words int) {
	length, isWord := 0, false // of the part of the run that counts as one word
	for i, r := range text {
		class := classOf(r)
		if length == longRun || class >= gap {
			if isWord {
				end = i
			}
			length, isWord = 0, false
		}
		if class == gap {
			continue
		}
		if class == alone || class == letter && !isWord {
			if words == limit {
				return end, words
			}
			words++
		}
		if class == alone {
			end = i + utf8.RuneLen(r)
			continue
		}
		length++
		isWord = isWord || class == letter
	}
	return len(text), words
}

// class says how a character forms words.
type class uint8

const (
	other  class = iota // part of a run, but does not make it a word
	letter              // a letter or a digit
	gap                 // ends a run
	alone               // a word by itself
)

var asciiClass = func() (classes [utf8.RuneSelf]class) {
	for r := range rune(utf8.RuneSelf) {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			classes[r] = letter
		case unicode.IsSpace(r):
			classes[r] = gap
		}
	}
	return classes
}()

func classOf(r rune) class {
	switch {
	case r < utf8.RuneSelf:
		return asciiClass[r]
	case standsAlone(r):
		return alone
	case r == '…' || isWide(r) || unicode.IsSpace(r):
		return gap
	case isTermRune(r):
		return letter
	}
	return other
}

// standsAlone reports whether r is a letter of a script written without spaces, and so a word by itself.
func standsAlone(r rune) bool {
	switch {
	case r < 0x0E00:
		return false
	case r < 0x0F00, r >= 0x1000 && r < 0x10A0, r >= 0x1780 && r < 0x1800:
		return unicode.IsLetter(r) // Thai and Lao, Burmese, Khmer
	case r >= 0x3005 && r < 0x3100, r >= 0x31F0 && r < 0x3200, r >= 0x3400 && r < 0xA000,
		r >= 0xF900 && r < 0xFB00, r >= 0xFF66 && r < 0xFFA0, r >= 0x20000 && r < 0x40000:
		return unicode.IsLetter(r) // Han and kana
	}
	return false
}

// isWide reports whether r is a letter or punctuation of Chinese or Japanese text, which has no spaces.
func isWide(r rune) bool {
	return r >= 0x3000 && r < 0xA000 || r >= 0xF900 && r < 0xFB00 || r >= 0xFF01 && r < 0xFFA0 ||
		r >= 0x20000 && r < 0x40000
}

func isTermRune(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= 0 && asciiClass[r] == letter
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

// terms calls use with each term of a text in lower case: runs of letters and digits, and pairs of letters in scripts
// without spaces.
func terms(text string, use func(term string)) {
	text = strings.ToLower(text)
	start, before := -1, -1 // offsets of the current run and of the previous single letter, or -1
	for i, r := range text {
		single := standsAlone(r)
		inRun := !single && (isTermRune(r) || start >= 0 && unicode.Is(unicode.Mn, r))
		if start >= 0 && !inRun {
			use(text[start:i])
			start = -1
		}
		if start < 0 && inRun {
			start = i
		}
		switch {
		case single && before >= 0:
			use(text[before : i+utf8.RuneLen(r)])
			before = i
		case single:
			before = i
		case !unicode.Is(unicode.Mn, r):
			before = -1
		}
	}
	if start >= 0 {
		use(text[start:])
	}
}

// endsWide reports whether no space belongs after a text.
func endsWide(text string) bool {
	last, _ := utf8.DecodeLastRuneInString(text)
	return isWide(last)
}
