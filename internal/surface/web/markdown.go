package web

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/surface/web/html"
)

// maxRendered is how much of a note is shown.
const maxRendered = 512 << 10

// markdown renders the text of a note as HTML that is safe by construction: our own
// writer renders the parser's tree. It knows every element it may write, takes no
// attribute from the note, and only links to addresses with a safe scheme.
type markdown struct {
	base string
	// resolve finds the path of the file that a link means. If nil, links are taken literally.
	resolve func(link string) (path string, ok bool)
	embeds  embeds
	// queries is the type of the callouts that hold results of query blocks; "" if there are none.
	queries string
	// isResult says that the text is the result of a query.
	isResult bool
}

// render returns the HTML of a note's body, or of several texts separated by partEnd.
// What would cost too much is shown as plain text.
func (m markdown) render(source []byte) html.Raw {
	var notes []*md.Note
	var shown [][]byte
	for part := range bytes.SplitSeq(source, []byte(partEnd)) {
		note := md.ScanText(part)
		notes, shown = append(notes, note), append(shown, shallow(visible(note)))
	}
	if costly(shown...) {
		plain := inWords.Replace(string(bytes.Join(shown, nil)))
		return html.Raw(html.Render(
			html.P(html.Text("This is shown as plain text because rendering it would take too long.")),
			html.Pre(html.Class("plain-text"), html.Text(plain))))
	}
	w := newMarkdownWriter(m)
	all := &budget{}
	for i, part := range shown {
		if w.full() {
			break
		}
		if i > 0 {
			w.part = strconv.Itoa(i+1) + "-"
		}
		w.write(obsidian.Parse(text.NewReader(part), parser.WithContext(all.context())), part, notes[i])
	}
	return w.page()
}

// Noncharacters, which no text contains, as signals to the parser.
const (
	// unseen is never written; it keeps a mark from being read together with the text before it.
	unseen = "\ufdd0"
	// partEnd ends one of several texts; the next one has its own definitions and
	// footnotes.
	partEnd = "\ufdd1"
	// hash is a # in the path of a wikilink that does not begin a subpath.
	hash = "\ufdd2"
)

// inWords turns the signals back into visible text.
var inWords = strings.NewReplacer(unseen, "", partEnd, "", hash, "#")

// obsidian reads Markdown as Obsidian does.
var obsidian = obsidianParser()

func obsidianParser() parser.Parser {
	p := goldmark.New(goldmark.WithExtensions(
		extension.Strikethrough, extension.Footnote,
		extension.NewTable(), extension.NewLinkify(extension.WithLinkifyAllowedProtocols([]string{"http:", "https:"})),
	)).Parser()
	p.AddOptions(
		parser.WithBlockParsers(
			util.Prioritized(mathBlocks{}, 690),                            // before fenced code
			util.Prioritized(htmlBlocks{parser.NewHTMLBlockParser()}, 890), // replaces the library's own
		),
		parser.WithInlineParsers(
			util.Prioritized(tasks{}, 0),       // before everything else that starts with a bracket
			util.Prioritized(mathSpans{}, 110), // after code
			util.Prioritized(wikiLinks{}, 150), // before links
			util.Prioritized(tags{}, 450),
			util.Prioritized(highlights{}, 500),
		),
		parser.WithParagraphTransformers(
			util.Prioritized(manyDefinitions{}, 50), // before definitions are read
			util.Prioritized(calloutHeads{}, 90),
			util.Prioritized(hugeTables{}, 150),       // before tables are made
			util.Prioritized(costlyParagraphs{}, 300), // after tables are made
		),
	)
	return p
}

// visible returns the body of a note without comments and block ids, which readers do not see.
func visible(note *md.Note) []byte {
	source := note.Source
	var hidden []md.Splice
	end := 0
	hide := func(span md.Span) {
		if span.Start >= end {
			hidden = append(hidden, md.Splice{Span: span})
			end = span.End
		}
	}
	ids := note.IDs
	for _, region := range note.Regions {
		for len(ids) > 0 && ids[0].Name.Start < region.Start {
			hide(idSpan(source, ids[0]))
			ids = ids[1:]
		}
		if region.Kind == md.CommentBlock || region.Kind == md.CommentSpan {
			hide(region.Span)
		}
	}
	for _, id := range ids {
		hide(idSpan(source, id))
	}
	return md.Apply(source, hidden)
}

// idSpan returns the span of a block id with its ^ and the space before it.
func idSpan(source []byte, id md.BlockID) md.Span {
	start := id.Name.Start - 1
	for start > 0 && (source[start-1] == ' ' || source[start-1] == '\t') {
		start--
	}
	return md.Span{Start: start, End: id.Name.End}
}

// beginning returns as much of a text as is shown, cut at the end of a line if possible.
func beginning(source []byte) (part []byte, cut bool) {
	if len(source) <= maxRendered {
		return source, false
	}
	part = source[:maxRendered]
	if line := strings.LastIndexByte(string(part), '\n'); line > 0 {
		return part[:line+1], true
	}
	for len(part) > 0 && !utf8.RuneStart(source[len(part)]) {
		part = part[:len(part)-1]
	}
	return part, true
}
