package web

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// htmlBlocks reads HTML as the library's parser does, except that text after a comment on
// its last line becomes a paragraph.
type htmlBlocks struct{ parser.BlockParser }

// Close inserts that paragraph after the comment.
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

// behindComments returns what follows the comment that ends on a line, after any further comments.
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
