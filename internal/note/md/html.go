package md

import (
	"bytes"
	"strings"
)

// htmlKind is one of the seven kinds of HTML blocks in CommonMark, which end in different ways. Zero means none.
type htmlKind uint8

const (
	htmlVerbatim htmlKind = 1 + iota // <script, <pre, <style, <textarea
	htmlComment
	htmlInstruction
	htmlDeclaration
	htmlCDATA
	htmlBlockTag
	htmlAnyTag
)

func (k htmlKind) endsAtBlank() bool { return k >= htmlBlockTag }

var verbatimTags = []string{"script", "pre", "style", "textarea"}

var blockTags = func() map[string]bool {
	names := map[string]bool{}
	for name := range strings.FieldsSeq(`address article aside base basefont blockquote body caption center col
		colgroup dd details dialog dir div dl dt fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5
		h6 head header hr html iframe legend li link main menu menuitem nav noframes ol optgroup option p param search
		section summary table tbody td tfoot th thead title tr track ul`) {
		names[name] = true
	}
	return names
}()

// htmlStart returns the kind of HTML block that a line starts, or 0.
func htmlStart(line []byte, inParagraph bool) htmlKind {
	if len(line) < 2 {
		return 0
	}
	switch {
	case line[1] == '?':
		return htmlInstruction
	case line[1] == '!':
		return markupStart(line)
	}
	at := 1
	closing := line[1] == '/'
	if closing {
		at = 2
	}
	name := line[at : at+nameLength(line[at:])]
	if len(name) == 0 {
		return 0
	}
	rest := line[at+len(name):]
	ends := len(rest) == 0 || isSpace(rest[0]) || rest[0] == '>'
	switch {
	case ends && !closing && isVerbatim(name):
		return htmlVerbatim
	case (ends || bytes.HasPrefix(rest, []byte("/>"))) && isBlockTag(name):
		return htmlBlockTag
	case inParagraph:
		return 0
	}
	if length, _ := tagLength(line); length > 0 && isBlank(line[length:]) {
		return htmlAnyTag
	}
	return 0
}

// markupStart returns the kind of HTML block that starts with <!.
func markupStart(line []byte) htmlKind {
	switch {
	case bytes.HasPrefix(line, []byte("<!--")):
		return htmlComment
	case bytes.HasPrefix(line, []byte("<![CDATA[")):
		return htmlCDATA
	case len(line) > 2 && isLetter(line[2]):
		return htmlDeclaration
	}
	return 0
}

// htmlEnds reports whether a line ends an HTML block of this kind.
func htmlEnds(kind htmlKind, line []byte) bool {
	switch kind {
	case htmlVerbatim:
		for _, name := range verbatimTags {
			if containsFold(line, "</"+name+">") {
				return true
			}
		}
		return false
	case htmlComment:
		return bytes.Contains(line, []byte("-->"))
	case htmlInstruction:
		return bytes.Contains(line, []byte("?>"))
	case htmlDeclaration:
		return bytes.IndexByte(line, '>') >= 0
	case htmlCDATA:
		return bytes.Contains(line, []byte("]]>"))
	}
	return false
}

// containsFold reports whether line contains an ASCII text in any letter case.
func containsFold(line []byte, text string) bool {
	for {
		i := bytes.IndexByte(line, text[0])
		if i < 0 || len(line)-i < len(text) {
			return false
		}
		if strings.EqualFold(string(line[i:i+len(text)]), text) {
			return true
		}
		line = line[i+1:]
	}
}

func isVerbatim(name []byte) bool {
	for _, verbatim := range verbatimTags {
		if len(name) == len(verbatim) && containsFold(name, verbatim) {
			return true
		}
	}
	return false
}

func isBlockTag(name []byte) bool {
	var lower [len("blockquote")]byte // the longest name
	if len(name) > len(lower) {
		return false
	}
	for i, c := range name {
		lower[i] = c
		if isLetter(c) {
			lower[i] = c | 0x20
		}
	}
	return blockTags[string(lower[:len(name)])]
}

// tagLength returns the length of the HTML tag at the start of text, or 0, and how many bytes it examined.
func tagLength(text []byte) (length, looked int) {
	i := 1
	if i < len(text) && text[i] == '/' {
		name := nameLength(text[2:])
		if name == 0 {
			return 0, i
		}
		i = skipSpace(text, 2+name)
		return closeTag(text, i), i
	}
	name := nameLength(text[i:])
	if name == 0 {
		return 0, i
	}
	for i += name; ; {
		after := skipSpace(text, i)
		attribute, examined := attributeLength(text[after:])
		looked = max(looked, after+examined)
		if attribute == 0 {
			if after < len(text) && text[after] == '/' {
				after++
			}
			return closeTag(text, after), looked
		}
		if after == i {
			return 0, looked
		}
		i = after + attribute
	}
}

func closeTag(text []byte, i int) int {
	if i < len(text) && text[i] == '>' {
		return i + 1
	}
	return 0
}

// attributeLength returns the length of name, name=value, name='…' or name="…" at the start of text, or 0, and how many
// bytes it examined.
func attributeLength(text []byte) (length, looked int) {
	i := 0
	for i < len(text) && (isLetter(text[i]) || text[i] == '_' || text[i] == ':' ||
		i > 0 && (isDigit(text[i]) || text[i] == '.' || text[i] == '-')) {
		i++
	}
	if i == 0 {
		return 0, 0
	}
	equals := skipSpace(text, i)
	if equals == len(text) || text[equals] != '=' {
		return i, equals
	}
	value := skipSpace(text, equals+1)
	if value == len(text) {
		return i, value
	}
	if quote := text[value]; quote == '"' || quote == '\'' {
		closing := bytes.IndexByte(text[value+1:], quote)
		if closing < 0 {
			return i, len(text)
		}
		return value + 1 + closing + 1, value + 1 + closing + 1
	}
	end := value
	for end < len(text) && !isSpace(text[end]) && bytes.IndexByte([]byte("\"'=<>`"), text[end]) < 0 {
		end++
	}
	if end == value {
		return i, value
	}
	return end, end
}

// nameLength returns the length of the tag name at the start of text.
func nameLength(text []byte) int {
	n := 0
	for n < len(text) && (isLetter(text[n]) || n > 0 && (isDigit(text[n]) || text[n] == '-')) {
		n++
	}
	return n
}

func skipSpace(text []byte, i int) int {
	for i < len(text) && isSpace(text[i]) {
		i++
	}
	return i
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
