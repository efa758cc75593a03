package web

import (
	"github.com/yuin/goldmark/ast"
	extended "github.com/yuin/goldmark/extension/ast"
)

// isQuery reports whether a callout holds the result of a query block, as read_note adds it.
func (w *markdownWriter) isQuery(head *callout) bool {
	return w.markdown.queries != "" && head.written == w.markdown.queries
}

// queried writes the result of a query block. Its links have the paths of their files.
func (w *markdownWriter) queried(head *callout) {
	outer := w.markdown
	w.markdown.resolve, w.markdown.isResult = nil, true
	w.raw(`<div class="result"><p class="help">`)
	w.children(head)
	w.raw("</p>")
	for child := head.NextSibling(); child != nil; child = child.NextSibling() {
		w.node(child)
	}
	w.raw("</div>")
	w.markdown = outer
}

// folded reports whether a code block is a query with its result behind it, which readers want to see instead.
func (w *markdownWriter) folded(n ast.Node) bool {
	quote, isQuote := n.NextSibling().(*ast.Blockquote)
	if !isQuote {
		return false
	}
	head, isCallout := quote.FirstChild().(*callout)
	return isCallout && w.isQuery(head)
}

// resultTags are the tags that results have in the cells of their tables, for lists.
var resultTags = map[string]bool{"<ul>": true, "</ul>": true, "<li>": true, "</li>": true, "<b>": true, "</b>": true, "<br>": true}

// isResultTag reports whether a tag of a result is written as it is: tables need it to hold lists in a cell.
func (w *markdownWriter) isResultTag(n *ast.RawHTML, tag []byte) bool {
	_, inCell := n.Parent().(*extended.TableCell)
	return w.markdown.isResult && inCell && resultTags[string(tag)]
}
