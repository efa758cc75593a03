// Package md scans a note: one pass over its bytes finds frontmatter, headings, links, tags, block ids, list items, code,
// math, comments, tables, callouts and footnotes, each as a span of the source.
//
// The grammar is Obsidian's: CommonMark plus GFM tables, task lists and footnotes, wikilinks, tags, %% comments %%, math
// and block ids. All features of the program use this one scanner, so links, renames, tags and sections never disagree
// about what is code and what is text.
//
// Any bytes are a valid note: line ends may be LF, CRLF or mixed, text may be invalid UTF-8, nesting may be absurd.
// Scanning never fails, never panics and takes time linear in the size of the note. The top-level blocks cover the source
// without gaps.
//
// Offsets count bytes; lines count from 1. The package finds where the frontmatter is and leaves reading its YAML to
// package front.
package md

// Span is a half-open range of bytes in a source.
type Span struct{ Start, End int }

// Of returns the text of the span in src.
func (s Span) Of(src []byte) []byte { return src[s.Start:s.End] }

// Len returns the number of bytes.
func (s Span) Len() int { return s.End - s.Start }

// Note is the result of a scan, everything in document order.
type Note struct {
	Source    []byte
	Front     Frontmatter
	Body      int     // where the body starts: after a byte-order mark and the frontmatter
	Blocks    []Block // the top-level blocks, which cover the source without gaps
	Headings  []Heading
	Links     []Link
	Tags      []Span // with the #
	IDs       []BlockID
	Items     []Item
	Callouts  []Callout
	Footnotes []Footnote
	Regions   []Region // code, math, comments and HTML, also inline; ordered by their end
}

// Frontmatter locates the properties of a note.
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

// Heading is an entry of the note's outline. Headings inside lists, quotes and callouts are not part of it.
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

// Link is a link or an embed that points into the vault. External links (https://…) are not reported.
type Link struct {
	Span             // the entire link, including the ! of an embed
	Dest        Span // path and subpath as written, without < and >
	Text        Span // display text, link text or label
	Kind        LinkKind
	Embed       bool
	HasText     bool // false only for a wikilink without |
	Angled      bool // the destination is written between < and >
	EscapedPipe bool // the | is written \|
}

// IDTarget says what kind of block an id belongs to.
type IDTarget uint8

// The kinds of blocks that can have an id.
const (
	IDParagraph IDTarget = iota
	IDListItem
	IDList
	IDQuote
	IDTable
	IDHeading
	IDOther // code, math, HTML and so on
)

// BlockID is an id and the block it belongs to.
type BlockID struct {
	Name   Span // without the ^
	Target IDTarget
	Block  Span // whole lines
	Line   int  // of the block's start
}

// Item is a list item.
type Item struct {
	Span            // whole lines, including nested items
	Line   int      // of its marker
	Parent int      // index of the item it is nested in, or -1
	First  int      // index of the first item of its list
	Text   int      // where its text starts, after the checkbox of a task
	Task   TaskMark // zero unless the item is a task
}

// TaskMark is the character between the brackets of a task.
type TaskMark struct{ Span }

// IsTask reports whether the item has a checkbox.
func (i Item) IsTask() bool { return i.Task.Len() > 0 }

// Callout is the first line of a callout.
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
	Label Span // for an inline footnote, its text
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
	CommentBlock // %% over several lines; links and tags inside are reported too
	CommentSpan  // %% on one line; likewise
)

// Region is a stretch that is not plain text.
type Region struct {
	Span
	Kind RegionKind
}

// LineOf returns the number of the line that contains the offset.
func (n *Note) LineOf(offset int) int { return 1 + countNewlines(n.Source[:offset]) }
