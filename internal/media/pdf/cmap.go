package pdf

import (
	"cmp"
	"slices"
	"unicode/utf16"

	"obsidian-mcp/internal/text/order"
)

// cmap maps the codes of a font to characters (ToUnicode) or to the numbers of glyphs.
type cmap struct {
	spaces     []codeSpace
	characters map[uint32]string
	ranges     []codeRange // sorted by low
}

// codeSpace says how long codes are.
type codeSpace struct {
	length    int
	low, high uint32
}

type codeRange struct {
	low, high uint32
	target    text // of low, in UTF-16; the others follow
	glyph     int  // the glyph of low, for ranges without a target
}

func (f *file) readCMap(found *stream) *cmap {
	m := &cmap{characters: map[uint32]string{}}
	lexer := &lexer{f.decode(found), 0, f.spent}
	var operands []any
	for {
		switch object := lexer.object(0).(type) {
		case endOfInput:
			order.Stably(m.ranges, func(a, b codeRange) int { return cmp.Compare(a.low, b.low) })
			return m
		case operator:
			m.run(object, operands, f.spent)
			operands = operands[:0]
		case closing:
		default:
			if f.spent.keep(32) {
				operands = append(operands, object)
			}
		}
	}
}

func (m *cmap) run(op operator, operands []any, spent *budget) {
	spent.keep(64 * len(operands))
	switch op {
	case "endcodespacerange":
		for ; len(operands) >= 2; operands = operands[2:] {
			low, _ := operands[0].(text)
			high, _ := operands[1].(text)
			if len(low) >= 1 && len(low) <= 4 && len(m.spaces) < 100 {
				m.spaces = append(m.spaces, codeSpace{len(low), codeOf(low), codeOf(high)})
			}
		}
	case "endbfchar":
		for ; len(operands) >= 2; operands = operands[2:] {
			code, _ := operands[0].(text)
			switch target := operands[1].(type) {
			case text:
				m.characters[codeOf(code)] = fromUTF16(target)
			case name:
				m.characters[codeOf(code)] = characterOf(string(target))
			}
		}
	case "endbfrange", "endcidrange":
		for ; len(operands) >= 3; operands = operands[3:] {
			m.addRange(operands[0], operands[1], operands[2])
		}
	case "endcidchar":
		for ; len(operands) >= 2; operands = operands[2:] {
			m.addRange(operands[0], operands[0], operands[1])
		}
	}
}

func (m *cmap) addRange(first, last, target any) {
	low, _ := first.(text)
	high, _ := last.(text)
	switch target := target.(type) {
	case text:
		m.ranges = append(m.ranges, codeRange{low: codeOf(low), high: codeOf(high), target: target})
	case float64:
		m.ranges = append(m.ranges, codeRange{low: codeOf(low), high: codeOf(high), glyph: int(target)})
	case array:
		for i, item := range target {
			if characters, ok := item.(text); ok {
				m.characters[codeOf(low)+uint32(i)] = fromUTF16(characters)
			}
		}
	}
}

// find returns the range of a code.
func (m *cmap) find(code uint32) (codeRange, bool) {
	at, ok := slices.BinarySearchFunc(m.ranges, code, func(r codeRange, code uint32) int { return cmp.Compare(r.low, code) })
	if !ok {
		at--
	}
	if at < 0 || code > m.ranges[at].high {
		return codeRange{}, false
	}
	return m.ranges[at], true
}

// text returns the characters of a code.
func (m *cmap) text(code uint32) (string, bool) {
	if found, ok := m.characters[code]; ok {
		return found, true
	}
	found, ok := m.find(code)
	if !ok || len(found.target) == 0 {
		return "", false
	}
	target := []byte(found.target)
	for i, carry := len(target)-1, code-found.low; i >= 0 && carry > 0; i-- {
		carry += uint32(target[i])
		target[i] = byte(carry)
		carry >>= 8
	}
	return fromUTF16(text(target)), true
}

// glyph returns the number of the glyph of a code.
func (m *cmap) glyph(code uint32) int {
	found, ok := m.find(code)
	if !ok {
		return 0
	}
	return found.glyph + int(code-found.low)
}

// next splits the first code off a string.
func (m *cmap) next(s text) (code uint32, length int) {
	for length := 1; length <= 4 && length <= len(s); length++ {
		code := codeOf(s[:length])
		for _, space := range m.spaces {
			if space.length == length && code >= space.low && code <= space.high {
				return code, length
			}
		}
	}
	length = min(2, len(s))
	return codeOf(s[:length]), length
}

func codeOf(s text) uint32 {
	code := uint32(0)
	for i := range min(len(s), 4) {
		code = code<<8 | uint32(s[i])
	}
	return code
}

func fromUTF16(s text) string {
	if len(s) == 1 {
		return string(rune(s[0]))
	}
	units := make([]uint16, 0, len(s)/2)
	for i := 0; i+1 < len(s); i += 2 {
		units = append(units, uint16(s[i])<<8|uint16(s[i+1]))
	}
	return string(utf16.Decode(units))
}
