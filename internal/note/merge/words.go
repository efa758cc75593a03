package merge

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// taskLine matches the beginning of a task, up to its text.
var taskLine = regexp.MustCompile(`^[ \t>]*(?:[-*+]|\d+[.)])[ \t]+\[(.)\][ \t]`)

// doneMark matches what the plugin Tasks adds to a task that is done or cancelled.
var doneMark = regexp.MustCompile(`[ \t]*[✅❌]\x{fe0f}?[ \t]*\d{4}-\d{2}-\d{2}`)

func isTask(line string) bool { return taskLine.MatchString(line) }

// keyOf returns what makes lines the same: their text without the line end, and for a task without its status.
func keyOf(line string) string {
	line = withoutEnd(line)
	box := taskLine.FindStringSubmatchIndex(line)
	if box == nil {
		return line
	}
	return line[:box[2]] + "?" + doneMark.ReplaceAllString(line[box[3]:], "")
}

// joined merges three versions of a line. If they cannot be joined, it returns both sides.
func joined(base, ours, theirs string) []string {
	switch {
	case ours == theirs, theirs == base:
		return []string{ours}
	case ours == base:
		return []string{theirs}
	case withoutEnd(ours) == withoutEnd(theirs), withoutEnd(theirs) == withoutEnd(base):
		return []string{ours}
	case withoutEnd(ours) == withoutEnd(base):
		return []string{theirs}
	}
	if base != "" {
		if line, ok := joinWords(base, ours, theirs); ok {
			return []string{line}
		}
	} else if isTask(ours) && keyOf(ours) == keyOf(theirs) {
		return []string{max(ours, theirs)} // the same task in two states: the one that is done
	}
	if ours > theirs { // in an order that does not depend on the sides
		ours, theirs = theirs, ours
	}
	return []string{ours, theirs}
}

// joinWords merges the changed words of a line. In a task, where one field follows another, both sides may add words in the same
// place.
func joinWords(base, ours, theirs string) (string, bool) {
	b, o, t := wordsOf(base), wordsOf(ours), wordsOf(theirs)
	var all strings.Builder
	for h := range hunks(b, o, t) {
		was, mine, other := b[h.baseFrom:h.baseTo], o[h.oursFrom:h.oursTo], t[h.theirsFrom:h.theirsTo]
		switch {
		case slices.Equal(mine, other), slices.Equal(other, was):
			all.WriteString(strings.Join(mine, ""))
		case slices.Equal(mine, was):
			all.WriteString(strings.Join(other, ""))
		case len(was) == 0 && isTask(base):
			first, second := strings.Join(mine, ""), strings.Join(other, "")
			all.WriteString(min(first, second) + max(first, second))
		default:
			return "", false
		}
		if h.baseTo < len(b) {
			all.WriteString(b[h.baseTo])
		}
	}
	return all.String(), true
}

// wordsOf splits a line into words, blanks, and single other characters.
func wordsOf(line string) (all []string) {
	kind := func(r rune) int {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r):
			return 1
		case unicode.IsSpace(r):
			return 2
		}
		return 0
	}
	start, last := 0, 0
	for i, r := range line {
		if now := kind(r); i > start && (now != last || now == 0) {
			all = append(all, line[start:i])
			start = i
		}
		last = kind(r)
	}
	if start < len(line) {
		all = append(all, line[start:])
	}
	return all
}
