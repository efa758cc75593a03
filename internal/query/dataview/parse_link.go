package dataview

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"obsidian-mcp/internal/query/value"
)

// embed reads a link or an embed.
func (p *parser) embed() (value.Link, bool) {
	text := strings.TrimPrefix(p.rest(), "!")
	inner, ok := strings.CutPrefix(text, "[[")
	end := strings.IndexAny(inner, "[]")
	if !ok || end < 0 || !strings.HasPrefix(inner[end:], "]]") {
		return value.Link{}, false
	}
	link := innerLink(inner[:end])
	link.Embed = len(text) < len(p.rest())
	p.at = len(p.text) - len(inner) + end + len("]]")
	return link, true
}

// innerLink reads the text between the brackets of a link.
func innerLink(inner string) value.Link {
	target, display := inner, ""
	for at := 0; at < len(inner); at++ {
		if inner[at] == '|' && (at == 0 || inner[at-1] != '\\') {
			target, display = inner[:at], inner[at+1:]
			break
		}
	}
	link := LinkTo(strings.ReplaceAll(target, `\|`, "|"))
	link.Display = display
	return link
}

// LinkTo reads the target of a link: a path, and perhaps a heading or a block.
func LinkTo(target string) value.Link {
	if path, block, ok := strings.Cut(target, "#^"); ok {
		block, _, _ = strings.Cut(block, "#^")
		return value.Link{Path: path, Kind: value.ToBlock, Subpath: block}
	}
	if path, heading, ok := strings.Cut(target, "#"); ok {
		heading, _, _ = strings.Cut(heading, "#")
		return value.Link{Path: path, Kind: value.ToHeader, Subpath: linkableHeading(heading)}
	}
	return value.FileLink(target)
}

// linkableHeading is the form of a heading in links: words with single blanks between them.
func linkableHeading(heading string) string {
	var out strings.Builder
	for i := 0; i < len(heading); {
		r, size := utf8.DecodeRuneInString(heading[i:])
		if emoji := emojiAt(heading[i:]); emoji > 0 {
			out.WriteString(heading[i : i+emoji])
			i += emoji
			continue
		}
		if unicode.IsLetter(r) || r >= '0' && r <= '9' || r == '_' || r == '-' {
			out.WriteRune(r)
		} else {
			out.WriteByte(' ')
		}
		i += size
	}
	return strings.Join(strings.Fields(out.String()), " ")
}

// emojiAt returns the length of the emoji that a text starts with, with all that is joined to it; 0 if there is none.
func emojiAt(text string) int {
	r, end := utf8.DecodeRuneInString(text)
	if !isEmoji(r) {
		return 0
	}
	for end < len(text) {
		next, size := utf8.DecodeRuneInString(text[end:])
		switch {
		case next == '\uFE0F', next == '\u20E3', next >= 0x1F3FB && next <= 0x1F3FF:
			end += size
		case next == '\u200D':
			joined := emojiAt(text[end+size:])
			if joined == 0 {
				return end
			}
			end += size + joined
		case r >= 0x1F1E6 && r <= 0x1F1FF && next >= 0x1F1E6 && next <= 0x1F1FF:
			return end + size // the two letters of a flag
		default:
			return end
		}
	}
	return end
}

func isEmoji(r rune) bool {
	switch {
	case r < 0x2190:
		return r == '©' || r == '®' || r == '‼' || r == '⁉' || r == '™' || r == 'ℹ'
	case r <= 0x21FF:
		return r >= 0x2194 && r <= 0x2199 || r == 0x21A9 || r == 0x21AA
	case r <= 0x23FF:
		return r == 0x231A || r == 0x231B || r == 0x2328 || r == 0x23CF || r >= 0x23E9 && r <= 0x23FA
	case r <= 0x25FF:
		return r == 0x24C2 || r == 0x25AA || r == 0x25AB || r == 0x25B6 || r == 0x25C0 || r >= 0x25FB
	case r <= 0x27BF:
		return true
	case r <= 0x2BFF:
		return r == 0x2934 || r == 0x2935 || r >= 0x2B05 && r <= 0x2B07 || r == 0x2B1B || r == 0x2B1C || r == 0x2B50 || r == 0x2B55
	}
	return r == 0x3030 || r == 0x303D || r == 0x3297 || r == 0x3299 || r >= 0x1F000 && r <= 0x1FAFF
}
