package web

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// htmlBlocks reads HTML as the parser's library does, but for what follows a
// comment in its last line: that is a paragraph.
type htmlBlocks struct{ parser.BlockParser }

// Close puts that paragraph behind the comment.
func (htmlBlocks) Close(node ast.Node, reader text.Reader, _ parser.Context) {
	block, ok := node.(*ast.HTMLBlock)
	if !ok || block.HTMLBlockType != ast.HTMLBlockType2 {
		return
	}
	last := block.Lines().At(block.Lines().Len() - 1)
	if block.HasClosure() {
		last = block.ClosureLine
	}
	line := reader.Source()[last.Start:last.Stop]
	last.Start += len(line) - len(behindComments(line))
	last.Padding = 0
	if rest := paragraphOf(last.TrimRightSpace(reader.Source()), reader.Source()); rest != nil {
		node.Parent().InsertAfter(node.Parent(), node, rest)
	}
}

var commentBegin, commentEnd = []byte("<!--"), []byte("-->")

// behindComments is what follows the comment that ends in a line, and those
// that follow it.
func behindComments(line []byte) []byte {
	_, rest, _ := bytes.Cut(line, commentEnd)
	for bytes.HasPrefix(bytes.TrimLeft(rest, " \t"), commentBegin) {
		_, after, ended := bytes.Cut(rest, commentEnd)
		if !ended {
			break
		}
		rest = after
	}
	return rest
}
