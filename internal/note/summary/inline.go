package summary

import (
	"bytes"
	"html"
	"strings"
	"unicode"
	"unicode/utf8"

	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/text/order"
)

// change replaces a span of the source by another text, mostly by nothing.
type change struct {
	md.Span
	text   string
	linked int // bytes of the link's text, in this change or right after it
}

// changes returns the changes that remove markup, in document order: of links, code, comments, HTML, footnotes and block
// ids.
func changes(note *md.Note) []change {
	src := note.Source
	var list []change
	add := func(start, end int, instead string, linked int) {
		if end > start {
			list = append(list, change{md.Span{Start: start, End: end}, instead, linked})
		}
	}
	for _, link := range note.Links {
		switch {
		case link.Embed || link.Kind == md.Definition:
			add(link.Start, link.End, "", 0)
		case link.HasText && link.Text.Len() > 0:
			add(link.Start, link.Text.Start, "", link.Text.Len())
			add(link.Text.End, link.End, "", 0)
		default:
			shown := link.Display(src)
			add(link.Start, link.End, shown, len(shown))
		}
	}
	for _, region := range note.Regions {
		add(region.Start, region.End, regionText(region, src), 0)
	}
	for _, footnote := range note.Footnotes {
		add(footnote.Start, footnote.End, "", 0)
	}
	for _, id := range note.IDs {
		add(id.Name.Start-1, id.Name.End, "", 0)
	}
	order.Stably(list, func(a, b change) int {
		if a.Start != b.Start {
			return a.Start - b.Start
		}
		return b.End - a.End
	})
	return list
}

// regionText returns the text of a region within a sentence.
func regionText(region md.Region, src []byte) string {
	text := string(region.Of(src))
	switch region.Kind {
	case md.CodeSpan, md.MathSpan:
		return text
	case md.HTMLTag:
		if inner := strings.Trim(text, "<>"); strings.ContainsAny(inner, ":@") && !strings.ContainsAny(inner, " \"'=") {
			return inner // an address in angle brackets
		}
		if strings.HasPrefix(strings.ToLower(text), "<br") {
			return " "
		}
	}
	return ""
}

// maxDestination bounds the search for the end of a link's destination; maxData does for a destination that contains an
// entire picture.
const (
	maxDestination = 2000
	maxData        = 10 << 20
)

// plainText collects text without the marks of emphasis and links.
type plainText struct {
	note    *md.Note
	changes []change // the changes that have not been reached yet
	skip    int      // the source up to here has been handled

	out      []byte
	kept     []byte         // buffer for the result
	cuts     []md.Span      // spans of out that are marks
	brackets []int          // offsets in out of each open [
	open     map[string]int // offsets in out of open runs of emphasis
	unclosed int            // no destination that starts before this offset in the source has an end
	linked   int            // bytes of out that belong to links
	searched int            // bytes examined in search of the ends of destinations
}

var special = [256]bool{'*': true, '_': true, '=': true, '[': true, ']': true, '\\': true}

// write adds a span of the source.
func (p *plainText) write(span md.Span) {
	src := p.note.Source
	for i := max(span.Start, p.skip); i < span.End; i = max(i, p.skip) {
		for len(p.changes) > 0 && p.changes[0].Start < i {
			p.skip = max(p.skip, p.changes[0].End) // a code block that starts with its item
			p.changes = p.changes[1:]
		}
		if p.skip > i {
			continue
		}
		stop := span.End
		if len(p.changes) > 0 && p.changes[0].Start < stop {
			stop = p.changes[0].Start
		}
		if stop == i {
			p.apply(p.changes[0])
			continue
		}
		if special[src[i]] {
			i += p.mark(i, src[i:stop])
			continue
		}
		start := i
		for i < stop && !special[src[i]] {
			i++
		}
		p.out = append(p.out, src[start:i]...)
	}
}

func (p *plainText) apply(c change) {
	p.out = append(p.out, c.text...)
	p.skip = c.End
	p.linked += c.linked
	p.changes = p.changes[1:]
}

// mark handles a character that may be a mark and returns how many bytes it took.
func (p *plainText) mark(offset int, text []byte) int {
	switch text[0] {
	case '\\':
		if len(text) > 1 && text[1] < utf8.RuneSelf && unicode.In(rune(text[1]), unicode.P, unicode.S) {
			p.out = append(p.out, text[1])
			return 2
		}
	case '[':
		if len(p.brackets) < 100 {
			p.brackets = append(p.brackets, len(p.out))
		}
	case ']':
		if taken := p.closeBracket(offset, text); taken > 0 {
			return taken
		}
	default:
		return p.emphasis(offset, text)
	}
	p.out = append(p.out, text[0])
	return 1
}

// closeBracket handles [text](destination) and [text][label], because the scanner reports only links into the vault.
func (p *plainText) closeBracket(offset int, text []byte) int {
	if len(p.brackets) == 0 {
		return 0
	}
	opened := p.brackets[len(p.brackets)-1]
	p.brackets = p.brackets[:len(p.brackets)-1]
	if len(text) < 2 || text[1] != '(' && text[1] != '[' || offset < p.unclosed {
		return 0
	}
	limit := maxDestination
	if bytes.HasPrefix(text[1:], []byte("(data:")) {
		limit = maxData
	}
	text = text[:min(len(text), limit)]
	end := destinationEnd(text[1:])
	if end < 0 {
		p.searched += len(text)
		p.unclosed = offset + len(text)
		return 0
	}
	p.searched += end
	if opened > 0 && p.out[opened-1] == '!' {
		p.cuts = append(p.cuts, md.Span{Start: opened - 1, End: len(p.out)})
	} else {
		p.cuts = append(p.cuts, md.Span{Start: opened, End: opened + 1})
		p.linked += len(p.out) - opened
	}
	return 1 + end
}

// destinationEnd returns the offset behind the bracket that closes the first one, or -1. There may be another pair inside,
// as in addresses of Wikipedia.
func destinationEnd(text []byte) int {
	closing := byte(')')
	if text[0] == '[' {
		closing = ']'
	}
	end := bytes.IndexByte(text, closing)
	if end > 0 && bytes.IndexByte(text[1:end], text[0]) >= 0 {
		if next := bytes.IndexByte(text[end+1:], closing); next >= 0 {
			end += 1 + next
		}
	}
	if end < 0 {
		return -1
	}
	return end + 1
}

// emphasis handles a run of *, _ or =. If a later run closes it, both are removed.
func (p *plainText) emphasis(offset int, text []byte) int {
	length := 1
	for length < len(text) && text[length] == text[0] {
		length++
	}
	at := len(p.out)
	p.out = append(p.out, text[:length]...)
	if length > 3 || text[0] == '=' && length != 2 {
		return length
	}
	before, _ := utf8.DecodeLastRune(p.out[:at])
	after, size := utf8.DecodeRune(p.note.Source[offset+length:])
	canClose := at > 0 && !unicode.IsSpace(before)
	canOpen := size > 0 && !unicode.IsSpace(after)
	if text[0] == '_' {
		canOpen = canOpen && (at == 0 || !isTermRune(before))
		canClose = canClose && (size == 0 || !isTermRune(after))
	}
	run := string(text[:length])
	opened, isOpen := p.open[run]
	switch {
	case canClose && isOpen:
		p.cuts = append(p.cuts, md.Span{Start: opened, End: opened + length}, md.Span{Start: at, End: at + length})
		delete(p.open, run)
	case canOpen:
		p.open[run] = at
	}
	return length
}

// take returns the collected text and resets p. The text has at most one space between words and no spaces around line
// breaks.
func (p *plainText) take() (text string, linked int) {
	order.By(p.cuts, func(a, b md.Span) int { return a.Start - b.Start })
	p.kept = p.kept[:0]
	from := 0
	for _, cut := range p.cuts {
		if cut.Start > from {
			p.kept = append(p.kept, p.out[from:cut.Start]...)
		}
		from = max(from, cut.End)
	}
	p.kept = append(p.kept, p.out[from:]...)
	linked = p.linked
	p.out, p.cuts, p.brackets, p.linked = p.out[:0], p.cuts[:0], p.brackets[:0], 0
	clear(p.open)
	if bytes.IndexByte(p.kept, '&') >= 0 {
		p.kept = append(p.kept[:0], html.UnescapeString(string(p.kept))...)
	}
	return string(tidy(p.kept)), linked
}

// tidy evens out white space, in place; control characters are space too.
func tidy(text []byte) []byte {
	out := text[:0] // the output never overtakes the input
	pending := byte(0)
	for i := 0; i < len(text); {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(text[i:])
		}
		start := i
		i += size
		switch {
		case r > ' ' && r < 0x7f:
		case r == '\n':
			pending = '\n'
			continue
		case unicode.IsSpace(r), unicode.IsControl(r), r == '\u200b', r == '\ufeff':
			if pending == 0 {
				pending = ' '
			}
			continue
		}
		if pending != 0 && len(out) > 0 {
			out = append(out, pending)
		}
		pending = 0
		out = append(out, text[start:i]...)
	}
	return out
}
