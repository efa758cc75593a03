package web

import (
	"bufio"
	"bytes"
	"fmt"

	"github.com/yuin/goldmark/ast"
	extended "github.com/yuin/goldmark/extension/ast"
	goldhtml "github.com/yuin/goldmark/renderer/html"

	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/surface/web/html"
)

// markdownWriter writes a tree as HTML. Every possible element and attribute is written
// here; the contents of notes only pass through escape and resolved.
type markdownWriter struct {
	markdown markdown
	source   []byte
	out      *bufio.Writer
	buffer   *bytes.Buffer
	ids      map[*ast.Heading]string
	taken    map[string]int // ids of headings with the last number used
	outline  outline
	part     string // prefix of footnote ids, if there are several texts
	from     string // the embedded note that is being written
	inLink   bool
	depth    int
}

// maxTree is how deep a tree is followed; what people write is never deeper.
const maxTree = 500

// maxWritten limits the HTML of a note.
const maxWritten = 8 << 20

func newMarkdownWriter(m markdown) *markdownWriter {
	buffer := &bytes.Buffer{}
	return &markdownWriter{
		markdown: m, out: bufio.NewWriter(buffer), buffer: buffer, ids: map[*ast.Heading]string{}, taken: map[string]int{},
	}
}

// write adds a text with its own links and footnotes.
func (w *markdownWriter) write(tree ast.Node, shown []byte, note *md.Note) {
	w.source = shown
	w.outline = w.headingIDs(tree, note)
	w.node(tree)
}

// page returns everything that was written.
func (w *markdownWriter) page() html.Raw {
	if w.full() {
		w.raw("<p>The rest of this note is not shown because the page would be too large.</p>")
	}
	_ = w.out.Flush() // writing to memory cannot fail
	return html.Raw(w.buffer.String())
}

// full reports whether the limit is reached.
func (w *markdownWriter) full() bool { return w.buffer.Len() > maxWritten }

// raw writes our own HTML.
func (w *markdownWriter) raw(format string, args ...any) { _, _ = fmt.Fprintf(w.out, format, args...) }

// escape writes a text literally.
func (w *markdownWriter) escape(text []byte) {
	_, _ = w.out.WriteString(html.Escape(string(withoutUnseen(text))))
}

// resolved writes a text after resolving Markdown's escapes and entities.
func (w *markdownWriter) resolved(text []byte) {
	goldhtml.DefaultWriter.Write(w.out, withoutUnseen(text))
}

func withoutUnseen(text []byte) []byte { return bytes.ReplaceAll(text, []byte(unseen), nil) }

func (w *markdownWriter) children(n ast.Node) {
	if w.depth++; w.depth <= maxTree {
		for child := n.FirstChild(); child != nil; child = child.NextSibling() {
			w.node(child)
		}
	}
	w.depth--
}

// within writes the children of a node between a pair of tags.
func (w *markdownWriter) within(element string, n ast.Node) {
	w.raw("<%s>", element)
	w.children(n)
	w.raw("</%s>", element)
}

// node writes the elements it knows. For others it writes what is inside.
func (w *markdownWriter) node(n ast.Node) {
	if w.full() {
		return
	}
	switch n := n.(type) {
	case *ast.Text, *ast.String, *ast.CodeSpan, *ast.Emphasis, *ast.RawHTML, *extended.Strikethrough, *span:
		w.inline(n)
	case *ast.Link, *ast.AutoLink, *ast.Image, *extended.FootnoteLink, *extended.FootnoteBacklink:
		w.reference(n)
	case *extended.Table, *extended.TableHeader, *extended.TableRow, *extended.TableCell,
		*extended.FootnoteList, *extended.Footnote:
		w.extendedBlock(n)
	case *ast.TextBlock:
		w.children(n)
		w.raw("\n")
	default:
		w.block(n)
	}
}

func (w *markdownWriter) block(n ast.Node) {
	switch n := n.(type) {
	case *ast.Paragraph:
		w.within("p", n)
	case *ast.Heading:
		w.heading(n)
	case *ast.Blockquote:
		w.quote(n)
	case *ast.List:
		w.list(n)
	case *ast.ListItem:
		w.within("li", n)
	case *ast.CodeBlock, *ast.FencedCodeBlock:
		isFolded := w.folded(n)
		if isFolded {
			w.raw(`<details class="query"><summary>Query</summary>`)
		}
		w.raw(`<pre tabindex="0"><code>`)
		w.escape(n.Lines().Value(w.source))
		w.raw("</code></pre>")
		if isFolded {
			w.raw("</details>")
		}
	case *ast.HTMLBlock:
		w.htmlBlock(n)
	case *ast.ThematicBreak:
		w.raw("<hr>")
	default:
		w.children(n)
	}
	w.raw("\n")
}

// heading writes a heading one level lower, because the title of the page is above them.
func (w *markdownWriter) heading(n *ast.Heading) {
	level := min(n.Level+1, 6)
	w.raw(`<h%d id="`, level)
	w.escape([]byte(w.ids[n]))
	w.raw(`">`)
	w.children(n)
	w.raw("</h%d>", level)
}

// quote writes a quote or a callout.
func (w *markdownWriter) quote(n *ast.Blockquote) {
	head, is := n.FirstChild().(*callout)
	if !is {
		w.within("blockquote", n)
		return
	}
	switch {
	case w.isEmbed(head):
		w.embedded(head)
		return
	case w.isQuery(head):
		w.queried(head)
		return
	}
	element, title := "div", "p"
	if head.folded {
		element, title = "details", "summary"
	}
	w.raw(`<%s class="callout %s"><%s class="callout-title">`, element, head.kind, title)
	if head.HasChildren() {
		w.children(head)
	} else {
		w.escape([]byte(head.name))
	}
	w.raw("</%s>", title)
	for child := head.NextSibling(); child != nil; child = child.NextSibling() {
		w.node(child)
	}
	w.raw("</%s>", element)
}

func (w *markdownWriter) list(n *ast.List) {
	if !n.IsOrdered() {
		w.within("ul", n)
		return
	}
	w.raw(`<ol start="%d">`, n.Start)
	w.children(n)
	w.raw("</ol>")
}

// htmlBlock shows HTML as text, without comments. What follows a comment is a separate paragraph.
func (w *markdownWriter) htmlBlock(n *ast.HTMLBlock) {
	if n.HTMLBlockType == ast.HTMLBlockType2 {
		return
	}
	text := n.Lines().Value(w.source)
	if n.HasClosure() {
		text = append(text, n.ClosureLine.Value(w.source)...)
	}
	w.raw(`<pre class="html" tabindex="0">`)
	w.escape(text)
	w.raw("</pre>")
}

func (w *markdownWriter) extendedBlock(n ast.Node) {
	switch n := n.(type) {
	case *extended.Table:
		w.raw(`<div class="scroll" tabindex="0"><table>`)
		w.children(n)
		w.raw("</tbody></table></div>")
	case *extended.TableHeader:
		w.raw("<thead><tr>")
		w.children(n)
		w.raw("</tr></thead><tbody>")
	case *extended.TableRow:
		w.within("tr", n)
	case *extended.TableCell:
		w.cell(n)
	case *extended.FootnoteList:
		w.raw(`<hr><ol class="footnotes">`)
		w.children(n)
		w.raw("</ol>")
	case *extended.Footnote:
		w.raw(`<li id="fn-%s%d">`, w.part, n.Index)
		w.children(n)
		w.raw("</li>")
	}
	w.raw("\n")
}

func (w *markdownWriter) cell(n *extended.TableCell) {
	element := "td"
	if _, head := n.Parent().(*extended.TableHeader); head {
		element = "th"
	}
	class := ""
	switch n.Alignment {
	case extended.AlignRight:
		class = ` class="right"`
	case extended.AlignCenter:
		class = ` class="centre"`
	}
	w.raw("<%s%s>", element, class)
	w.children(n)
	w.raw("</%s>", element)
}

// plainText returns the text of a node without formatting.
func plainText(n ast.Node, source []byte) string {
	var out bytes.Buffer
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			switch n := n.(type) {
			case *ast.Text:
				out.Write(n.Segment.Value(source))
			case *ast.String:
				out.Write(n.Value)
			case *span:
				out.WriteString(n.shown())
			}
		}
		return ast.WalkContinue, nil
	})
	return out.String()
}
