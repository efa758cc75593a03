// Package md understands a note without changing it: one pass over its bytes
// finds frontmatter, headings, links, tags, block ids, list items, code, math,
// comments, tables, callouts and footnotes, each as a span of the source.
//
// The grammar is Obsidian's: CommonMark with GFM's tables, task lists and
// footnotes, wikilinks, tags, comments in %% %%, math and block ids. One
// scanner feeds every question asked of a note, so that links, renames, tags
// and sections never disagree about what is code and what is text.
//
// Any bytes are a note. Line ends may be LF, CRLF or mixed, text may be
// invalid UTF-8, nesting may be absurd: scanning never fails, never panics
// and takes time linear in the input. The top-level blocks tile the source,
// so that nothing is ever lost between them.
//
// Offsets count bytes and lines count from 1. What the YAML of a frontmatter
// says is the business of package front; md only finds where it is.
package md

// Span is a half-open range of bytes in a source.
type Span struct{ Start, End int }

// Of is the text of the span in src.
func (s Span) Of(src []byte) []byte { return src[s.Start:s.End] }

// Len is the number of bytes.
func (s Span) Len() int { return s.End - s.Start }

// Note is what a scan found, everything in document order.
type Note struct {
	Source    []byte
	Front     Frontmatter
	Body      int     // where the body starts: after a byte-order mark and the frontmatter
	Blocks    []Block // the top-level blocks; they tile the source
	Headings  []Heading
	Links     []Link
	Tags      []Span // with the #
	IDs       []BlockID
	Items     []Item
	Callouts  []Callout
	Footnotes []Footnote
	Regions   []Region // code, math, comments and HTML, inline ones too; ordered by their end
}

// Frontmatter is where a note's properties are written.
type Frontmatter struct {
	Present bool
	Block   Span // from the opening fence to after the closing fence's line end
	YAML    Span // the lines between the fences
}

// BlockKind says what a top-level block is.
type BlockKind uint8

// The kinds of top-level block.
const (
	Blank BlockKind = iota // a run of blank lines
	ByteOrderMark
	YAML
	HeadingBlock
	Paragraph
	List
	Quote
	CalloutBlock
	Code
	Table
	HTML
	Comment
	Math
	Rule
	FootnoteBlock
)

// Block is a run of whole lines at the top level of a note.
type Block struct {
	Span
	Kind BlockKind
	Line int
}

// Heading is an entry of the note's outline. Headings inside of lists, quotes
// and callouts are not part of it.
type Heading struct {
	Span  // whole lines, a setext underline included
	Text  Span
	Level int
	Line  int
}

// LinkKind says how a link is written.
type LinkKind uint8

// The ways to write a link.
const (
	WikiLink     LinkKind = iota // [[dest|text]]
	MarkdownLink                 // [text](dest "title")
	Definition                   // [label]: dest "title"
)

// Link is a link or an embed to somewhere in the vault. Links to the outside
// (https://…) are not reported.
type Link struct {
	Span             // all of it; an embed's ! included
	Dest        Span // path and subpath as written, without < and >
	Text        Span // display text, link text or label
	Kind        LinkKind
	Embed       bool
	HasText     bool // a | was written, or it is no wikilink
	Angled      bool // the destination is written in < and >
	EscapedPipe bool // the | is written \|
}

// IDTarget says what kind of block an id names.
type IDTarget uint8

// What a block id can name.
const (
	IDParagraph IDTarget = iota
	IDListItem
	IDList
	IDQuote
	IDTable
	IDHeading
	IDOther // code, math, HTML and so on
)

// BlockID is an id and the block it names.
type BlockID struct {
	Name   Span // without the ^
	Target IDTarget
	Block  Span // whole lines
	Line   int  // of the block's start
}

// Item is a list item.
type Item struct {
	Span            // whole lines, its children included
	Line   int      // of its marker
	Parent int      // index of the item it is nested in; -1 at the top
	First  int      // index of the first item of its list
	Text   int      // where its text starts, after a task's box
	Task   TaskMark // zero unless the item is a task
}

// TaskMark is the character between the brackets of a task.
type TaskMark struct{ Span }

// IsTask reports whether the item has a box.
func (i Item) IsTask() bool { return i.Task.Len() > 0 }

// Callout is the head of a callout.
type Callout struct {
	Type  Span // between [! and ], without metadata
	Fold  byte // '+', '-' or 0
	Title Span
	Line  int
}

// FootnoteKind says which part of a footnote was found.
type FootnoteKind uint8

// The parts of a footnote.
const (
	FootnoteReference  FootnoteKind = iota // [^label]
	FootnoteDefinition                     // [^label]: text
	FootnoteInline                         // ^[text]
)

// Footnote is a part of a footnote.
type Footnote struct {
	Span
	Label Span // the text of an inline one
	Kind  FootnoteKind
}

// RegionKind says why a region is not plain text.
type RegionKind uint8

// The kinds of region.
const (
	CodeBlock RegionKind = iota
	CodeSpan
	MathBlock
	MathSpan
	HTMLBlock
	HTMLTag
	HTMLComment
	CommentBlock // %% over several lines; links and tags in it count
	CommentSpan  // %% on one line; likewise
)

// Region is a stretch that is not plain text.
type Region struct {
	Span
	Kind RegionKind
}

// LineOf is the line that holds the offset.
func (n *Note) LineOf(offset int) int { return 1 + countLines(n.Source[:offset]) }
