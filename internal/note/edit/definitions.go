package edit

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"obsidian-mcp/internal/note/md"
)

// definition defines a footnote ([^label]: text) or the target of links ([label]: target).
type definition struct {
	md.Span        // whole lines
	label   string // folded; that of a footnote has its ^
	text    md.Span
}

var linkDefinition = regexp.MustCompile(`(?m)^ {0,3}\[([^\[\]^\n][^\[\]\n]*)\]:[ \t]*[^ \t\r\n].*$`)

// definitionsOf lists the definitions of a note, in order.
func definitionsOf(note *md.Note) []definition {
	var all []definition
	for _, footnote := range note.Footnotes {
		if footnote.Kind != md.FootnoteDefinition {
			continue
		}
		at := slices.IndexFunc(note.Blocks, func(block md.Block) bool { return block.Start <= footnote.Start && footnote.Start < block.End })
		if at < 0 || note.Blocks[at].Kind != md.FootnoteBlock {
			continue // inside a quote or a list
		}
		label := foldLabel("^" + string(footnote.Label.Of(note.Source)))
		all = append(all, definition{note.Blocks[at].Span, label, footnote.Label})
	}
	for _, match := range linkDefinition.FindAllSubmatchIndex(note.Source, -1) {
		span := md.Span{Start: match[0], End: md.NextLine(note.Source, match[0])}
		if match[0] < note.Body || isCode(note, span) {
			continue
		}
		label := md.Span{Start: match[2], End: match[3]}
		all = append(all, definition{span, foldLabel(string(label.Of(note.Source))), label})
	}
	slices.SortFunc(all, func(a, b definition) int { return a.Start - b.Start })
	return all
}

func foldLabel(label string) string { return strings.ToLower(strings.Join(strings.Fields(label), " ")) }

// isCode reports whether a span touches code, math or HTML.
func isCode(note *md.Note, span md.Span) bool {
	return slices.ContainsFunc(note.Regions, func(region md.Region) bool {
		isText := region.Kind == md.CommentBlock || region.Kind == md.CommentSpan
		return !isText && region.Start < span.End && span.Start < region.End
	})
}

// uses reports whether a text refers to a definition: [^label], [label] or [text][label].
func (d definition) uses(text []byte) bool {
	folded := strings.ToLower(string(bytes.Join(bytes.Fields(text), []byte(" "))))
	return strings.Contains(folded, "["+d.label+"]")
}

// place is a piece, by its index, or what remains of the note.
type place int

const rest place = -1

func (t *Transplant) placeOf(d definition) place { return place(t.pieceAt(d.Start)) }

// usedIn returns the labels of the definitions that a place uses, also through other definitions.
func (t *Transplant) usedIn(at place) map[string]bool {
	var gone []md.Splice
	span := md.Span{End: len(t.note.Source)}
	if at == rest {
		for _, piece := range t.pieces {
			gone = append(gone, md.Splice{Span: piece.Span})
		}
	} else {
		span = t.pieces[at].Span
	}
	for _, d := range t.definitions {
		if t.placeOf(d) == at {
			gone = append(gone, md.Splice{Span: md.Span{Start: d.Start - span.Start, End: d.End - span.Start}})
		}
	}
	text := md.Apply(span.Of(t.note.Source), gone)
	used := map[string]bool{}
	for again := true; again; {
		again = false
		for _, d := range t.definitions {
			if !used[d.label] && d.uses(text) {
				used[d.label], again = true, true
				text = append(text, d.Span.Of(t.note.Source)...)
			}
		}
	}
	return used
}

// carried returns the definitions that a place uses and that are elsewhere in the note.
func (t *Transplant) carried(at place) [][]byte {
	var found [][]byte
	for _, d := range t.definitions {
		if t.placeOf(d) == at || !t.used[at][d.label] {
			continue
		}
		found = append(found, bytes.TrimRight(t.definitionIn(at, d), " \t\r\n"))
	}
	return found
}

// definitionIn returns a definition as it reads in a place.
func (t *Transplant) definitionIn(at place, d definition) []byte {
	var splices []md.Splice
	for _, link := range t.note.Links {
		if link.Start < d.Start || link.End > d.End {
			continue
		}
		if changed, ok := t.sources[at].rewrite(t.note.Source, link, link.Target(t.note.Source), usual, keepText); ok {
			splices = append(splices, changed.splices...)
		}
	}
	if at != rest {
		splices = append(splices, relabel(t.note, d.Span, t.labels[at])...)
	}
	for i := range splices {
		splices[i].Start, splices[i].End = splices[i].Start-d.Start, splices[i].End-d.Start
	}
	return md.Apply(d.Span.Of(t.note.Source), splices)
}

// dropped returns the definitions that a place has and does not use, but another one does.
func (t *Transplant) dropped(at place) []md.Splice {
	var gone []md.Splice
	for _, d := range t.definitions {
		if t.placeOf(d) != at || t.used[at][d.label] {
			continue
		}
		for other, used := range t.used {
			if other != at && used[d.label] {
				gone = append(gone, md.Splice{Span: d.Span})
				break
			}
		}
	}
	return gone
}

// withDefinitions adds definitions at the end of a text.
func withDefinitions(text []byte, definitions [][]byte, eol string) []byte {
	if len(definitions) == 0 {
		return text
	}
	out := append(slices.Clone(text), gapAfter(text, eol)...)
	for _, definition := range definitions {
		out = append(append(out, definition...), eol...)
	}
	return out
}

// freeLabels returns new names for the footnotes and definitions that a piece uses, where the other note has the same
// label for something else.
func freeLabels(note *md.Note, piece Piece) map[string]string {
	if piece.Onto == nil {
		return nil
	}
	taken := map[string]string{}
	for _, d := range definitionsOf(piece.Onto) {
		taken[d.label] = strings.TrimSpace(string(d.Span.Of(piece.Onto.Source)))
	}
	own := definitionsOf(note)
	labels := map[string]string{}
	for _, d := range own {
		theirs, clash := taken[d.label]
		isUsed := d.uses(piece.Span.Of(note.Source)) || piece.Start <= d.Start && d.Start < piece.End
		if !clash || !isUsed || theirs == strings.TrimSpace(string(d.Span.Of(note.Source))) {
			continue
		}
		written := string(d.text.Of(note.Source))
		mark := strings.TrimSuffix(d.label, foldLabel(written))
		for n := 2; labels[d.label] == ""; n++ {
			free := written + "-" + strconv.Itoa(n)
			folded := mark + foldLabel(free)
			_, isTaken := taken[folded]
			if !isTaken && !slices.ContainsFunc(own, func(other definition) bool { return other.label == folded }) {
				labels[d.label] = free
				taken[folded] = ""
			}
		}
	}
	return labels
}

// relabel renames the footnotes and definitions within a span.
func relabel(note *md.Note, span md.Span, labels map[string]string) []md.Splice {
	if len(labels) == 0 {
		return nil
	}
	var splices []md.Splice
	for _, footnote := range note.Footnotes {
		if footnote.Kind == md.FootnoteInline || footnote.Start < span.Start || footnote.End > span.End {
			continue
		}
		if renamed := labels[foldLabel("^"+string(footnote.Label.Of(note.Source)))]; renamed != "" {
			splices = append(splices, md.Splice{Span: footnote.Label, Text: []byte(renamed)})
		}
	}
	for label, renamed := range labels {
		if strings.HasPrefix(label, "^") {
			continue
		}
		splices = append(splices, relabelLinks(note, span, label, renamed)...)
	}
	return splices
}

var bracketed = regexp.MustCompile(`\[([^\[\]\n]+)\]`)

// relabelLinks renames the label of a definition where links use it: [text][label], and [label] as [label][renamed].
func relabelLinks(note *md.Note, span md.Span, label, renamed string) []md.Splice {
	var splices []md.Splice
	src := note.Source
	for _, match := range bracketed.FindAllSubmatchIndex(span.Of(src), -1) {
		found := md.Span{Start: span.Start + match[2], End: span.Start + match[3]}
		if foldLabel(string(found.Of(src))) != label || isCode(note, found) {
			continue
		}
		after := found.End + 1
		isDefinition := bytes.HasPrefix(src[after:], []byte(":")) && len(bytes.TrimSpace(src[md.LineStart(src, found.Start):found.Start-1])) == 0
		isSecond := found.Start >= 2 && src[found.Start-2] == ']'
		if found.Start >= 2 && src[found.Start-2] == '[' || bytes.HasPrefix(src[after:], []byte("]")) {
			continue // a wikilink
		}
		switch {
		case isDefinition, isSecond:
			splices = append(splices, md.Splice{Span: found, Text: []byte(renamed)})
		case bytes.HasPrefix(src[after:], []byte("[]")):
			splices = append(splices, md.Splice{Span: md.Span{Start: after + 1, End: after + 1}, Text: []byte(renamed)})
		case !bytes.HasPrefix(src[after:], []byte("[")) && !bytes.HasPrefix(src[after:], []byte("(")):
			splices = append(splices, md.Splice{Span: md.Span{Start: after, End: after}, Text: []byte("[" + renamed + "]")})
		}
	}
	return splices
}
