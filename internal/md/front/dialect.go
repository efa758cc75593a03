package front

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"go.yaml.in/yaml/v3"
)

// Obsidian reads YAML 1.2; the library reads YAML 1.1 in some corners and
// refuses what people write every day, [Why?] among it. The text that it is
// given is masked there: bytes are replaced by as many others, so that all
// positions stay, and what it reads is unmasked again.

// mask is how a text was made readable for the library.
type mask struct {
	text     []byte
	restores []string // pairs of a stand-in and what it stands for
}

// newMask masks a text; the text itself is not changed.
func newMask(text []byte) *mask {
	m := &mask{text: bytes.Clone(text)}
	m.tabs()
	m.breaks()
	if json.Valid(text) {
		m.jsonEscapes()
	}
	m.questions()
	return m
}

// tabs turns tabs into spaces where they only separate: in blank lines, before
// a comment, behind a dash.
func (m *mask) tabs() {
	for start := 0; start < len(m.text); {
		end := start + len(m.text[start:])
		if i := bytes.IndexByte(m.text[start:], '\n'); i >= 0 {
			end = start + i + 1
		}
		line := m.text[start:end]
		white := whiteWidth(line)
		if white == len(line) || line[white] == '#' {
			spaces(line[:white])
		}
		if dash := leading(line); dash+1 < len(line) && line[dash] == '-' && line[dash+1] == '\t' {
			line[dash+1] = ' '
		}
		start = end
	}
}

func spaces(white []byte) {
	for i, c := range white {
		if c == '\t' {
			white[i] = ' '
		}
	}
}

// breaks hides the characters that end a line in YAML 1.1 alone, behind
// characters of the same width that no one writes.
func (m *mask) breaks() {
	for _, pair := range [][2]string{{"\u0085", "\u07fe"}, {"\u2028", "\uf8fe"}, {"\u2029", "\uf8fd"}} {
		if bytes.Contains(m.text, []byte(pair[0])) && !bytes.Contains(m.text, []byte(pair[1])) {
			m.text = bytes.ReplaceAll(m.text, []byte(pair[0]), []byte(pair[1]))
			m.restores = append(m.restores, pair[1], pair[0])
		}
	}
}

// jsonEscapes rewrites the escapes of JSON that the library does not know: \/
// and a character written as two surrogates.
func (m *mask) jsonEscapes() {
	fill, ok := m.free()
	if !ok {
		return
	}
	filled := strings.Repeat(string(fill), 2)
	for i := 0; i+1 < len(m.text); i++ {
		if m.text[i] != '\\' {
			continue
		}
		if m.text[i+1] == '/' {
			copy(m.text[i:], string(fill)+"/")
		} else if r := surrogates(m.text[i:]); r != 0 {
			long := strconv.FormatInt(int64(r), 16)
			copy(m.text[i:], `\U`+strings.Repeat("0", 8-len(long))+long+filled)
		}
		i++
	}
	m.restores = append(m.restores, filled, "", string(fill), "")
}

// surrogates reads \uD83D\uDE00.
func surrogates(text []byte) rune {
	if len(text) < 12 || text[1] != 'u' || text[6] != '\\' || text[7] != 'u' {
		return 0
	}
	high, err1 := strconv.ParseUint(string(text[2:6]), 16, 16)
	low, err2 := strconv.ParseUint(string(text[8:12]), 16, 16)
	if r := utf16.DecodeRune(rune(high), rune(low)); err1 == nil && err2 == nil && r != 0xfffd {
		return r
	}
	return 0
}

// questions hides each ? that is a part of a text. The library takes one for
// the mark of a key wherever it stands between brackets.
func (m *mask) questions() {
	if bytes.IndexByte(m.text, '?') < 0 {
		return
	}
	stand, ok := m.free()
	if !ok {
		return
	}
	for i, c := range m.text {
		if c == '?' && !m.marksKey(i) {
			m.text[i] = stand
		}
	}
	m.restores = append(m.restores, string(stand), "?")
}

// marksKey reports a ? that stands by itself at the start of something.
func (m *mask) marksKey(at int) bool {
	if at+1 < len(m.text) && !isWhite(m.text[at+1]) {
		return false
	}
	before := bytes.TrimRight(m.text[:at], " \t")
	if len(before) == 0 {
		return true
	}
	last := before[len(before)-1]
	return last == '\n' || last == '-' && len(before) < at || isFlowMark(last)
}

// free is a character that the text does not hold and that is ordinary in
// YAML, wherever it stands.
func (m *mask) free() (byte, bool) {
	for _, c := range []byte("^;$()+=/._") {
		if bytes.IndexByte(m.text, c) < 0 && !slices.Contains(m.restores, string(c)) {
			return c, true
		}
	}
	return 0, false
}

// restore unmasks what was read.
func (m *mask) restore(node *yaml.Node) {
	if len(m.restores) == 0 {
		return
	}
	replacer := strings.NewReplacer(m.restores...)
	var visit func(node *yaml.Node)
	visit = func(node *yaml.Node) {
		node.Value = replacer.Replace(node.Value)
		for _, child := range node.Content {
			visit(child)
		}
	}
	visit(node)
}
