package edit

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/text/order"
)

// definition defines a footnote ([^label]: text) or the target of links ([label]: target).
type definition struct {
	md.Span        // whole lines
	label   string // folded; that of a footnote has its ^
	text    md.Span
}

// reference is where a text uses a definition.
type reference struct {
	text  md.Span // the label
	label string  // folded
	form  referenceForm
}

// referenceForm says how a reference is written.
type referenceForm uint8

const (
	footnoteReference  referenceForm = iota // [^label]
	fullReference                           // [text][label]
	collapsedReference                      // [label][]
	shortcutReference                       // [label]
)

var (
	// linkDefinition is a definition, whose address and title may each be on a line of their own.
	linkDefinition = regexp.MustCompile(`(?m)^ {0,3}\[([^\[\]^\n][^\[\]\n]*)\]:` +
		`[ \t]*(?:\r?\n[ \t]*)?(?:<[^<>\n]*>|[^ \t\r\n<][^ \t\r\n]*)` +
		`(?:[ \t]*\r?\n[ \t]*(?:"[^"\n]*"|'[^'\n]*'|\([^()\n]*\))[ \t]*\r?$|[^\n]*$)`)
	bracketed = regexp.MustCompile(`\[([^\[\]\n]+)\]`)
)

// definitionsOf lists the definitions of a note, in order. They do not overlap.
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
		span := md.Span{Start: md.LineStart(note.Source, footnote.Start), End: note.Blocks[at].End}
		all = append(all, definition{span, label, footnote.Label})
	}
	for _, match := range linkDefinition.FindAllSubmatchIndex(note.Source, -1) {
		span := md.Span{Start: match[0], End: md.NextLine(note.Source, match[1])}
		if match[0] < note.Body || isOpaque(note, span) {
			continue
		}
		label := md.Span{Start: match[2], End: match[3]}
		all = append(all, definition{span, foldLabel(string(label.Of(note.Source))), label})
	}
	order.By(all, func(a, b definition) int { return a.Start - b.Start })
	for i := range all[:max(len(all)-1, 0)] {
		all[i].End = min(all[i].End, all[i+1].Start)
	}
	return all
}

func foldLabel(label string) string { return strings.ToLower(strings.Join(strings.Fields(label), " ")) }

// isOpaque reports whether a span touches code, math or HTML.
func isOpaque(note *md.Note, span md.Span) bool {
	return slices.ContainsFunc(note.Regions, func(region md.Region) bool {
		isText := region.Kind == md.CommentBlock || region.Kind == md.CommentSpan
		return !isText && region.Start < span.End && span.Start < region.End
	})
}

// referencesOf lists where a note uses definitions, in no order. Links to external addresses are not part of a scan, so
// references to their definitions are found by their brackets.
func referencesOf(note *md.Note, definitions []definition) []reference {
	var all []reference
	for _, footnote := range note.Footnotes {
		if footnote.Kind == md.FootnoteReference {
			all = append(all, reference{footnote.Label, foldLabel("^" + string(footnote.Label.Of(note.Source))), footnoteReference})
		}
	}
	known := map[string]bool{}
	for _, d := range definitions {
		known[d.label] = true
	}
	src := note.Source
	for _, match := range bracketed.FindAllSubmatchIndex(src[note.Body:], -1) {
		found := md.Span{Start: note.Body + match[2], End: note.Body + match[3]}
		label := foldLabel(string(found.Of(src)))
		if form, ok := referenceAt(note, found); ok && known[label] && !strings.HasPrefix(label, "^") {
			all = append(all, reference{found, label, form})
		}
	}
	return all
}

// referenceAt says whether brackets around a label are a reference: not the brackets of a link, a task, a definition or an
// address, and not escaped.
func referenceAt(note *md.Note, label md.Span) (referenceForm, bool) {
	src := note.Source
	before, after := src[:label.Start-1], src[label.End+1:]
	isInLink := func(link md.Link) bool { return link.Start < label.End && label.Start < link.End }
	isTask := func(item md.Item) bool {
		return item.IsTask() && item.Task.Start <= label.End && label.Start <= item.Task.End
	}
	isHeading := func(heading md.Heading) bool { return heading.Start < label.End && label.Start < heading.End }
	switch {
	case slices.ContainsFunc(note.Links, isInLink), slices.ContainsFunc(note.Items, isTask), isOpaque(note, label),
		slices.ContainsFunc(note.Headings, isHeading): // where a label is part of the text that links name
		return 0, false
	case bytes.HasSuffix(before, []byte("]")) && !bytes.HasSuffix(before, []byte(`\]`)):
		return fullReference, true
	case len(before) > 0 && strings.IndexByte(" \t\r\n(>!*_\"'", before[len(before)-1]) < 0:
		return 0, false
	case bytes.HasPrefix(after, []byte(":")) && len(bytes.TrimSpace(before[md.LineStart(src, label.Start):])) == 0:
		return 0, false // a definition
	case bytes.HasPrefix(after, []byte("[]")):
		return collapsedReference, true
	case bytes.HasPrefix(after, []byte("[")), bytes.HasPrefix(after, []byte("(")):
		return 0, false // the text of a link
	}
	return shortcutReference, true
}

// place is a piece, by its index, or what remains of the note.
type place int

const rest place = -1

func (t *Transplant) placeOf(d definition) place { return place(t.pieceAt(d.Start)) }

// usedIn returns the labels of the definitions that a place uses, also through other definitions.
func (t *Transplant) usedIn(at place) map[string]bool {
	used := map[string]bool{}
	inDefinition := func(ref reference) int {
		return slices.IndexFunc(t.definitions, func(d definition) bool { return d.Start <= ref.text.Start && ref.text.Start < d.End })
	}
	for again := true; again; {
		again = false
		for _, ref := range t.references {
			d := inDefinition(ref)
			isUse := d < 0 && place(t.pieceAt(ref.text.Start)) == at || d >= 0 && used[t.definitions[d].label]
			if isUse && !used[ref.label] {
				used[ref.label], again = true, true
			}
		}
	}
	return used
}

// carried returns the definitions that a place uses and that are elsewhere in the note.
func (t *Transplant) carried(at place) [][]byte {
	var found [][]byte
	for _, d := range t.definitions {
		if t.placeOf(d) != at && t.used[at][d.label] {
			found = append(found, bytes.TrimRight(t.definitionIn(at, d), " \t\r\n"))
		}
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
		splices = append(splices, t.relabel(d.Span, t.labels[at])...)
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
		if t.placeOf(d) != at || t.used[at][d.label] || int(at) != t.pieceAt(d.End-1) {
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
func (t *Transplant) freeLabels(at place) map[string]string {
	piece := t.pieces[at]
	if piece.Onto == nil {
		return nil
	}
	taken := map[string]string{}
	for _, d := range definitionsOf(piece.Onto) {
		taken[d.label] = strings.TrimSpace(string(d.Span.Of(piece.Onto.Source)))
	}
	labels := map[string]string{}
	for _, d := range t.definitions {
		theirs, clash := taken[d.label]
		isThere := t.used[at][d.label] || t.placeOf(d) == at
		if !clash || !isThere || theirs == strings.TrimSpace(string(d.Span.Of(t.note.Source))) {
			continue
		}
		written := string(d.text.Of(t.note.Source))
		mark := strings.TrimSuffix(d.label, foldLabel(written))
		for n := 2; labels[d.label] == ""; n++ {
			free := written + "-" + strconv.Itoa(n)
			folded := mark + foldLabel(free)
			_, isTaken := taken[folded]
			if !isTaken && !slices.ContainsFunc(t.definitions, func(other definition) bool { return other.label == folded }) {
				labels[d.label] = free
				taken[folded] = ""
			}
		}
	}
	return labels
}

// relabel renames the footnotes and definitions within a span: [text][label] gets another label, and [label] becomes
// [label][another].
func (t *Transplant) relabel(span md.Span, labels map[string]string) []md.Splice {
	if len(labels) == 0 {
		return nil
	}
	isInside := func(at md.Span) bool { return span.Start <= at.Start && at.End <= span.End }
	var splices []md.Splice
	for _, d := range t.definitions {
		if renamed := labels[d.label]; renamed != "" && isInside(d.text) {
			splices = append(splices, md.Splice{Span: d.text, Text: []byte(renamed)})
		}
	}
	for _, ref := range t.references {
		renamed := labels[ref.label]
		if renamed == "" || !isInside(ref.text) {
			continue
		}
		switch after := ref.text.End + 1; ref.form {
		case collapsedReference:
			splices = append(splices, md.Splice{Span: md.Span{Start: after + 1, End: after + 1}, Text: []byte(renamed)})
		case shortcutReference:
			splices = append(splices, md.Splice{Span: md.Span{Start: after, End: after}, Text: []byte("[" + renamed + "]")})
		default:
			splices = append(splices, md.Splice{Span: ref.text, Text: []byte(renamed)})
		}
	}
	return splices
}
