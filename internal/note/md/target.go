package md

import (
	"strings"
	"unicode/utf8"
)

// Target returns the path and subpath that a link points to, decoded.
func (l Link) Target(src []byte) string {
	dest := string(l.Dest.Of(src))
	if l.Kind == WikiLink {
		return dest
	}
	return PercentDecode(unescape(dest))
}

// Path returns the file part of the target, trimmed. "" means the note itself.
func (l Link) Path(src []byte) string {
	path, _ := SplitTarget(l.Target(src))
	return path
}

// Display returns the text that a link shows: its own, or else one made from its target.
func (l Link) Display(src []byte) string {
	if l.HasText {
		return string(l.Text.Of(src))
	}
	return DisplayTarget(l.Target(src))
}

// DisplayTarget returns the text that a link without a text of its own shows.
func DisplayTarget(target string) string {
	return strings.ReplaceAll(strings.TrimPrefix(target, "#"), "#", " > ")
}

// SplitTarget splits a link's target at the first #, which stays with the subpath.
func SplitTarget(target string) (path, subpath string) {
	if cut := strings.IndexByte(target, '#'); cut >= 0 {
		target, subpath = target[:cut], target[cut:]
	}
	return strings.Trim(target, " \t"), subpath
}

// PathSpan returns the span of the path within the destination: everything before the subpath.
func (l Link) PathSpan(src []byte) Span {
	dest := l.Dest
	for i := dest.Start; i < dest.End; i++ {
		if src[i] == '#' || l.Kind != WikiLink && strings.HasPrefix(string(src[i:min(i+3, dest.End)]), "%23") {
			return Span{dest.Start, i}
		}
	}
	return dest
}

// unescape removes the backslashes before punctuation.
func unescape(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var plain strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) && isPunct(text[i+1]) {
			i++
		}
		plain.WriteByte(text[i])
	}
	return plain.String()
}

// PercentDecode decodes %XX. A % that starts no such code stays as it is. If the result would not be valid UTF-8,
// PercentDecode returns the text unchanged.
func PercentDecode(text string) string {
	if !strings.Contains(text, "%") {
		return text
	}
	if plain := percentDecode(text); utf8.ValidString(plain) {
		return plain
	}
	return text
}

func percentDecode(text string) string {
	var plain strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '%' && i+2 < len(text) {
			high, low := hexValue(text[i+1]), hexValue(text[i+2])
			if high >= 0 && low >= 0 {
				plain.WriteByte(byte(high<<4 | low))
				i += 2
				continue
			}
		}
		plain.WriteByte(text[i])
	}
	return plain.String()
}

func hexValue(c byte) int {
	switch {
	case isDigit(c):
		return int(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}
