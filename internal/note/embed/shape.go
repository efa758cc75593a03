package embed

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"obsidian-mcp/internal/note/md"
)

// shape is how the text of an embed fits into the lines around it.
type shape struct {
	span   md.Span // what the text replaces
	before string  // line ends before the text
	after  string  // line ends after it
	indent string  // of its lines but the first
	eol    string
}

// aloneBefore matches what may precede an embed that is alone on its line: indent, quote and list markers, a checkbox.
var aloneBefore = regexp.MustCompile(`^(?:[ \t>]|[-*+][ \t]|\d{1,9}[.)][ \t]|\[.\][ \t])*$`)

// noContinuation matches a line that does not continue the quote above it.
var noContinuation = regexp.MustCompile(`^[ \t>]*(?:$|[-*+][ \t]|\d{1,9}[.)][ \t]|#{1,6}[ \t])`)

// shapeOf says where the text of an embed goes, within a span of its note.
func shapeOf(note *md.Note, link md.Link, span md.Span) shape {
	src := note.Source
	start, end := max(span.Start, md.LineStart(src, link.Start)), min(span.End, md.NextLine(src, link.End))
	head, tail := src[start:link.Start], src[link.End:end]
	s := shape{span: link.Span, eol: md.LineEnd(src, link.Start)}
	if !aloneBefore.Match(head) || len(bytes.TrimSpace(tail)) > 0 {
		return behindBlock(note, link, span, s)
	}
	s.indent = strings.Map(func(r rune) rune {
		if r == '>' || r == '\t' {
			return r
		}
		return ' '
	}, string(head))
	next := src[end:min(span.End, max(end, md.NextLine(src, min(end, len(src)))))]
	if line := bytes.TrimRight(next, "\r\n"); !noContinuation.Match(line) || bytes.HasPrefix(bytes.TrimLeft(line, " "), []byte(">")) && !strings.Contains(s.indent, ">") {
		s.after = s.eol + strings.TrimRight(s.indent, " \t")
	}
	return s
}

// behindBlock puts the text behind the top-level block that the embed is in.
func behindBlock(note *md.Note, link md.Link, span md.Span, s shape) shape {
	holder, _ := slices.BinarySearchFunc(note.Blocks, link.Start, func(block md.Block, offset int) int { return block.End - offset - 1 })
	at := min(span.End, note.Blocks[holder].End)
	s.span = md.Span{Start: at, End: at}
	s.before, s.after = s.eol, s.eol
	if at > 0 && note.Source[at-1] != '\n' {
		s.before += s.eol
	}
	if at < span.End && len(bytes.TrimSpace(note.Source[at:md.NextLine(note.Source, at)])) > 0 {
		s.after += s.eol
	}
	return s
}

func (s shape) splice(text string) md.Splice {
	text = s.before + strings.ReplaceAll(text, "\n", s.eol+s.indent) + s.after
	return md.Splice{Span: s.span, Text: []byte(text)}
}
