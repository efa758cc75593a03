package ops

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/text/fold"
)

// prose tells which parts of a note are plain text.
type prose struct {
	source []byte
	others []md.Span // links, tags, headings, code, math, comments and HTML; in order, without overlaps
}

// newProse uses the memory of buf.
func newProse(note *md.Note, buf []md.Span) prose {
	p := prose{source: note.Source, others: buf}
	for _, link := range note.Links {
		p.others = append(p.others, link.Span)
	}
	for _, heading := range note.Headings {
		p.others = append(p.others, heading.Span)
	}
	for _, region := range note.Regions {
		p.others = append(p.others, region.Span)
	}
	p.others = append(p.others, note.Tags...)
	ordered := make([]uint64, len(p.others)) // start<<32 | end of each
	for i, span := range p.others {
		ordered[i] = uint64(span.Start)<<32 | uint64(span.End)
	}
	slices.Sort(ordered)
	merged := p.others[:0]
	for _, both := range ordered {
		span := md.Span{Start: int(both >> 32), End: int(uint32(both))}
		if last := len(merged) - 1; last >= 0 && span.Start < merged[last].End {
			merged[last].End = max(merged[last].End, span.End)
			continue
		}
		merged = append(merged, span)
	}
	p.others = merged
	return p
}

// nearby is how many bytes around a name are looked at.
const nearby = 256

// What may be right before and after a name. Other characters make it a part of something else: an identifier, a file name,
// a footnote, a reference, the id of a block, an address.
const (
	mayPrecede = " \t\n\r\u00a0(\"'“‘„«¿¡—–*"
	mayFollow  = " \t\n\r\u00a0)\"'”’“»—–*,;!?…"
)

// has reports whether a part of a note is plain text that may become a link.
func (p prose) has(span md.Span) bool {
	next, _ := slices.BinarySearchFunc(p.others, span.Start, func(other md.Span, start int) int {
		if other.End <= start {
			return -1
		}
		return 1
	})
	if next < len(p.others) && p.others[next].Start < span.End {
		return false
	}
	before := p.source[max(0, span.Start-nearby):span.Start]
	after := p.source[span.End:min(len(p.source), span.End+nearby)]
	name := span.Of(p.source)
	return mayStart(before, name) && mayEnd(after, name) && !isOpen(before)
}

// isOpen reports whether a text ends inside a link, a Templater command, a template variable or a Kanban date. These may
// begin on an earlier line.
func isOpen(text []byte) bool {
	for i := len(text) - 2; i >= 0; i-- {
		if !endsBracket[text[i+1]] {
			continue
		}
		switch string(text[i : i+2]) {
		case "[[", "<%", "{{", "@{":
			return true
		case "]]", "%>", "}}":
			return false
		}
	}
	return false
}

// endsBracket has the last bytes of the brackets that isOpen looks for.
var endsBracket = [256]bool{'[': true, '%': true, '{': true, ']': true, '>': true, '}': true}

// mayStart reports whether a name may begin behind a text.
func mayStart(before, name []byte) bool {
	last, size := utf8.DecodeLastRune(before)
	first, _ := utf8.DecodeRune(name)
	if size > 0 && !strings.ContainsRune(mayPrecede, last) && !(fold.Kind(first) == fold.CJK && isCJK(last)) {
		return false
	}
	rest := bytes.TrimRight(before, " \t")
	sign, size := utf8.DecodeLastRune(rest) // dates and ids of tasks follow a sign, values of fields two colons
	return !bytes.HasSuffix(rest, []byte("::")) && (size == 0 || len(rest) == len(before) || !unicode.Is(unicode.So, sign) && sign != '\ufe0f')
}

// mayEnd reports whether a name may end before a text.
func mayEnd(after, name []byte) bool {
	first, size := utf8.DecodeRune(after)
	last, _ := utf8.DecodeLastRune(name)
	switch {
	case size == 0 || strings.ContainsRune(mayFollow, first) || fold.Kind(last) == fold.CJK && isCJK(first):
		return true
	case first == '.' || first == ':':
		second, size := utf8.DecodeRune(after[1:])
		return size == 0 || strings.ContainsRune(mayFollow, second)
	}
	return false
}

// isCJK reports whether a character may be beside one of a script without spaces.
func isCJK(r rune) bool {
	return fold.Kind(r) == fold.CJK || unicode.In(r, unicode.Po, unicode.Ps, unicode.Pe) && r > 0x2e7f
}
