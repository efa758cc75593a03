package front

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// Obsidian reads YAML 1.2. The library follows YAML 1.1 in some details and rejects text that people write every day,
// such as [Why?]. The text is therefore masked before the library sees it: problematic bytes are replaced by the same
// number of other bytes, so that all positions stay, and the result is unmasked. A stand-in is a character that does not
// occur in the text, neither literally nor as an escape.

// mask is a masked text and how to unmask what the library made of it.
type mask struct {
	text   []byte
	used   map[rune]bool
	always []string // pairs of a stand-in and its original, for any scalar
	quoted []string // the same for scalars in double quotes
	other  []string // the same for all other scalars
}

// newMask masks a copy of a text.
func newMask(text []byte) *mask {
	m := &mask{text: bytes.Clone(text)}
	m.tabs()
	m.breaks()
	m.escapes()
	m.questions()
	return m
}

// tabs replaces tabs by spaces where they only separate: in blank lines, before a comment, after a dash.
func (m *mask) tabs() {
	if bytes.IndexByte(m.text, '\t') < 0 {
		return
	}
	for rest := m.text; len(rest) > 0; {
		end := len(rest)
		if i := bytes.IndexByte(rest, '\n'); i >= 0 {
			end = i + 1
		}
		line := rest[:end]
		rest = rest[end:]
		white := whiteWidth(line)
		if white == len(line) || line[white] == '#' {
			spaces(line[:white])
		}
		if dash := leading(line); dash < len(line) && line[dash] == '-' {
			spaces(line[dash+1 : dash+1+whiteWidth(line[dash+1:])])
		}
	}
}

func spaces(white []byte) {
	for i, c := range white {
		if c == '\t' {
			white[i] = ' '
		}
	}
}

// breaks masks the characters that end a line in YAML 1.1 only, with characters of the same width that nobody uses.
func (m *mask) breaks() {
	for _, pair := range [][2]rune{{0x85, 0x7fe}, {0x2028, 0xf8fe}, {0x2029, 0xf8fd}} {
		if bytes.ContainsRune(m.text, pair[0]) && m.isFree(pair[1]) {
			m.text = bytes.ReplaceAll(m.text, []byte(string(pair[0])), []byte(string(pair[1])))
			m.always = append(m.always, string(pair[1]), string(pair[0]))
		}
	}
}

// escapes masks the JSON escapes that YAML 1.2 allows and the library does not know: \/ and surrogate pairs. Outside
// double quotes they are ordinary text.
func (m *mask) escapes() {
	if !bytes.Contains(m.text, []byte(`\/`)) && !bytes.Contains(m.text, []byte(`\u`)) {
		return
	}
	fill, ok := m.free()
	if !ok {
		return
	}
	masked := false
	for i := 0; i+1 < len(m.text); i++ {
		if m.text[i] != '\\' {
			continue
		}
		standIn := ""
		if m.text[i+1] == '/' {
			standIn = string(fill) + "/"
		} else if r := surrogates(m.text[i:]); r != 0 {
			long := strconv.FormatInt(int64(r), 16)
			standIn = `\U` + strings.Repeat("0", 8-len(long)) + long + string(fill) + string(fill)
		}
		if standIn != "" {
			m.other = append(m.other, standIn, string(m.text[i:i+len(standIn)]))
			copy(m.text[i:], standIn)
			masked = true
		}
		i++
	}
	if masked {
		m.used[rune(fill)] = true
		m.quoted = append(m.quoted, string(fill), "")
	}
}

// surrogates decodes an escaped surrogate pair such as \uD83D\uDE00. It returns 0 for anything else.
func surrogates(text []byte) rune {
	if len(text) < 12 || text[1] != 'u' || text[6] != '\\' || text[7] != 'u' {
		return 0
	}
	high, err1 := strconv.ParseUint(string(text[2:6]), 16, 16)
	low, err2 := strconv.ParseUint(string(text[8:12]), 16, 16)
	if r := utf16.DecodeRune(rune(high), rune(low)); err1 == nil && err2 == nil && r != utf8.RuneError {
		return r
	}
	return 0
}

// questions masks every ? that is part of a text. Inside brackets the library takes any ? for the mark of a key.
func (m *mask) questions() {
	if bytes.IndexByte(m.text, '?') < 0 {
		return
	}
	standIn, ok := m.free()
	if !ok {
		return
	}
	for i, c := range m.text {
		if c == '?' && !m.marksKey(i) {
			m.text[i] = standIn
		}
	}
	m.always = append(m.always, string(standIn), "?")
}

// marksKey reports whether a ? marks a key: it starts an item or a line and white space follows.
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

// free returns a character that can serve as a stand-in: it has no special meaning in YAML.
func (m *mask) free() (byte, bool) {
	for _, c := range []byte("^;$()+=/._QXZJqxzj0123456789") {
		if m.isFree(rune(c)) {
			return c, true
		}
	}
	return 0, false
}

// isFree reports whether the text contains the character neither literally nor as an escape.
func (m *mask) isFree(r rune) bool {
	if m.used == nil {
		m.used = map[rune]bool{}
		for _, c := range string(m.text) {
			m.used[c] = true
		}
		for i := 0; i+1 < len(m.text); i++ {
			if m.text[i] != '\\' {
				continue
			}
			width := map[byte]int{'x': 2, 'u': 4, 'U': 8}[m.text[i+1]]
			if digits := m.text[i+2 : min(i+2+width, len(m.text))]; len(digits) == width {
				code, _ := strconv.ParseUint(string(digits), 16, 32)
				m.used[rune(code)] = true
			}
			i++
		}
	}
	return !m.used[r]
}

// restore unmasks the values of a node and its children.
func (m *mask) restore(node *yaml.Node) {
	if len(m.always)+len(m.quoted) == 0 {
		return
	}
	quoted := strings.NewReplacer(append(m.quoted, m.always...)...)
	other := strings.NewReplacer(append(m.other, m.always...)...)
	var visit func(node *yaml.Node)
	visit = func(node *yaml.Node) {
		if node.Style&yaml.DoubleQuotedStyle != 0 {
			node.Value = quoted.Replace(node.Value)
		} else {
			node.Value = other.Replace(node.Value)
		}
		for _, child := range node.Content {
			visit(child)
		}
	}
	visit(node)
}
