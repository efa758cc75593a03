package search

import (
	"strings"

	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/md/front"
)

// File is a file to match against a query.
type File struct {
	Path   string // in the vault
	Text   []byte // of a note, or the JSON of a canvas; nil for attachments
	Note   bool
	Canvas bool

	// Tags, with or without #, and Properties return what the caller has parsed already. If nil, the text is
	// parsed.
	Tags       func() []string
	Properties func() []front.Field
}

// base returns the name with its extension.
func (f *File) base() string { return f.Path[strings.LastIndexByte(f.Path, '/')+1:] }

// name returns the name that texts without an operator are searched in. It lacks the extension of a note or a
// canvas, which would make "md" a word of every note.
func (f *File) name() string {
	base := f.base()
	if f.Note || f.Canvas {
		if dot := strings.LastIndexByte(base, '.'); dot > 0 {
			return base[:dot]
		}
	}
	return base
}

// CanvasText returns the searchable text of a canvas: the texts of its cards, node below the other. It is nil if the
// canvas cannot be parsed.
func CanvasText(canvas []byte) []byte {
	text, _ := canvasText(canvas)
	return text
}

// canvasText returns the text of a canvas, and where each card is in it.
func canvasText(canvas []byte) ([]byte, []md.Span) {
	nodes, err := md.ScanCanvas(canvas)
	if err != nil {
		return nil, nil
	}
	var text []byte
	var cards []md.Span
	for _, node := range nodes {
		if node.Kind != md.CanvasMarkdown {
			continue
		}
		if len(cards) > 0 {
			text = append(text, "\n\n"...)
		}
		start := len(text)
		text = append(text, node.Value...)
		cards = append(cards, md.Span{Start: start, End: len(text)})
	}
	return text, cards
}
