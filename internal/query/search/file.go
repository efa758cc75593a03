package search

import (
	"strings"

	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/md/front"
)

// File is a file that a query is asked about.
type File struct {
	Path   string // in the vault
	Text   []byte // of a note, or the JSON of a canvas; nil for attachments
	Note   bool
	Canvas bool

	// Where the caller knows a file's tags, with or without #, or properties
	// already; nil: they are read from the text.
	Tags       func() []string
	Properties func() []front.Field
}

// base is the name with its extension.
func (f *File) base() string { return f.Path[strings.LastIndexByte(f.Path, '/')+1:] }

// name is what a text without an operator is looked for in: without the
// extension of a note or a canvas, which would make "md" a word of every note.
func (f *File) name() string {
	base := f.base()
	if f.Note || f.Canvas {
		if dot := strings.LastIndexByte(base, '.'); dot > 0 {
			return base[:dot]
		}
	}
	return base
}

// CanvasText is what is searched in a canvas: the text of its cards, one below
// the other. What is no canvas has no text.
func CanvasText(canvas []byte) []byte {
	text, _ := canvasText(canvas)
	return text
}

// canvasText also says where the cards are.
func canvasText(canvas []byte) ([]byte, []md.Span) {
	found, err := md.ScanCanvas(canvas)
	if err != nil {
		return nil, nil
	}
	var text []byte
	var cards []md.Span
	for _, one := range found {
		if one.Kind != md.CanvasMarkdown {
			continue
		}
		if len(cards) > 0 {
			text = append(text, "\n\n"...)
		}
		start := len(text)
		text = append(text, one.Value...)
		cards = append(cards, md.Span{Start: start, End: len(text)})
	}
	return text, cards
}
