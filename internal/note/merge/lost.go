package merge

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line is a line of a text.
type Line struct {
	Number int // from 1
	Text   string
}

// Lost returns the lines that a version has added to its base and that no later text has. A line that was merged word by word is in a
// later text if one of its lines has all words that the version added.
func Lost(base, version []byte, later ...[]byte) (lost []Line) {
	known, old := map[string]bool{}, map[string]bool{}
	for line := range strings.Lines(string(base)) {
		known[trimmedKey(line)] = true
		for _, word := range lettersOf(line) {
			old[word] = true
		}
	}
	var others []map[string]bool // the words of each later line
	for _, text := range later {
		for line := range strings.Lines(string(text)) {
			known[trimmedKey(line)] = true
			others = append(others, setOf(lettersOf(line)))
		}
	}
	number := 0
	for line := range strings.Lines(string(version)) {
		number++
		key := trimmedKey(line)
		if key == "" || known[key] {
			continue
		}
		if known[key] = true; !isJoined(addedWords(line, old), others) {
			lost = append(lost, Line{number, withoutEnd(line)})
		}
	}
	return lost
}

func trimmedKey(line string) string { return strings.TrimSpace(keyOf(line)) }

// addedWords returns the words of a line that are not in the base, or all of them if the base has every one.
func addedWords(line string, old map[string]bool) (added []string) {
	all := lettersOf(line)
	for _, word := range all {
		if !old[word] {
			added = append(added, word)
		}
	}
	if len(added) == 0 {
		return all
	}
	return added
}

// isJoined reports whether a line has all the words.
func isJoined(words []string, lines []map[string]bool) bool {
	for _, line := range lines {
		has := len(words) > 0
		for _, word := range words {
			has = has && line[word]
		}
		if has {
			return true
		}
	}
	return false
}

// lettersOf returns the words of a line, without the status of a task.
func lettersOf(line string) (words []string) {
	for _, word := range wordsOf(keyOf(line)) {
		if first, _ := utf8.DecodeRuneInString(word); unicode.IsLetter(first) || unicode.IsDigit(first) {
			words = append(words, word)
		}
	}
	return words
}

func setOf(words []string) map[string]bool {
	set := make(map[string]bool, len(words))
	for _, word := range words {
		set[word] = true
	}
	return set
}
