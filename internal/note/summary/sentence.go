package summary

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxSentence is how many bytes a sentence may have.
const maxSentence = 1200

// sentences calls use with the start and end of each sentence. It splits overlong sentences; goesOn says that the sentence
// continues after this part.
func sentences(text string, use func(start, end int, goesOn bool)) {
	emit := func(start, end int) {
		for end-start > maxSentence {
			cut := start + clauseEnd(text[start:start+maxSentence])
			use(start, cut, true)
			for start = cut; start < end && text[start] == ' '; {
				start++
			}
		}
		if start < end {
			use(start, end, false)
		}
	}
	start := 0
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		next, ends := i+size, r == '\n'
		end := i
		switch {
		case r == '`':
			next = codeEnd(text, i)
		case isStop(r):
			end, ends = stop(text, start, i)
			next = end
		}
		if ends {
			emit(start, end)
			for next < len(text) && (text[next] == ' ' || text[next] == '\n') {
				next++
			}
			start = next
		}
		i = next
	}
	emit(start, len(text))
}

// maxCode bounds the search for the end of inline code.
const maxCode = 200

// codeEnd returns where the inline code at i ends. Stops inside it do not end a sentence.
func codeEnd(text string, i int) int {
	after := i + 1
	for after < len(text) && text[after] == '`' {
		after++
	}
	marks := text[i:after]
	if len(marks) < maxCode {
		if end := strings.Index(text[after:min(len(text), after+maxCode)], marks); end >= 0 {
			return after + end + len(marks)
		}
	}
	return after
}

// clauseEnd returns where to cut an overlong text: after a clause in its second half, else at a space, else between two
// characters.
func clauseEnd(text string) int {
	if i := strings.LastIndexAny(text, ";,，、；:："); i > len(text)/2 {
		_, size := utf8.DecodeRuneInString(text[i:])
		return i + size
	}
	if i := strings.LastIndexByte(text, ' '); i > len(text)/2 {
		return i
	}
	end := len(text)
	for r, size := utf8.DecodeLastRuneInString(text[:end]); r == utf8.RuneError && size == 1 && end > 1; {
		end--
		r, size = utf8.DecodeLastRuneInString(text[:end])
	}
	return end
}

// isStop reports whether r may end a sentence.
func isStop(r rune) bool {
	switch r {
	case '.', '!', '?', '…':
		return true
	}
	return endsAlone(r)
}

// endsAlone reports whether r ends a sentence even without a space after it.
func endsAlone(r rune) bool {
	switch r {
	case '。', '！', '？', '｡', '।', '॥', '؟', '۔', '։', '።', '፧', '။', '។':
		return true
	}
	return false
}

// isCloser reports whether r, after a stop, still belongs to the sentence.
func isCloser(r rune) bool {
	return strings.ContainsRune("\"'”’»›)]}」』）】》〉*_", r)
}

// stop returns where the stops and closing marks that start at i end, and whether the sentence ends there.
func stop(text string, start, i int) (end int, ends bool) {
	alone, quoted, last := false, false, rune(0)
	end = i
	for end < len(text) {
		r, size := utf8.DecodeRuneInString(text[end:])
		switch {
		case isStop(r):
			alone, quoted = alone || endsAlone(r), false
			last = r
		case isCloser(r):
			quoted = true
		default:
			return end, endsBefore(text, start, i, end, alone, quoted, last)
		}
		end += size
	}
	return end, true
}

// endsBefore reports whether a sentence ends before the text that follows its stops.
func endsBefore(text string, start, i, end int, alone, quoted bool, last rune) bool {
	next, size := utf8.DecodeRuneInString(text[end:])
	if next == '\n' {
		return true
	}
	if next != ' ' {
		switch {
		case alone && quoted:
			return !standsAlone(next) && !isTermRune(next) // 「…。」と言った continues
		case alone:
			return true
		}
		return (last == '!' || last == '?') && standsAlone(next)
	}
	if alone {
		return true
	}
	next, _ = utf8.DecodeRuneInString(text[end+size:])
	if unicode.IsLower(next) || strings.ContainsRune(",;:", next) {
		return false
	}
	if last == '.' && end == i+1 {
		return !isAbbreviation(text[start:i], text[end+size:])
	}
	return true
}
