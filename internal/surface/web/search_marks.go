package web

import (
	"context"
	"html/template"

	"obsidian-mcp/internal/query/search"
	"obsidian-mcp/internal/text/regex"
)

// piece is a part of a text. Where it leads, and whether it is what somebody
// looked for, are for the template to show: the text itself is never HTML.
type piece struct {
	Text   string
	Marked bool
	To     target
}

// URL is where a piece leads. Its scheme is one of those that may be followed.
func (p piece) URL() template.URL { return template.URL(p.To.Href) }

const (
	mostMarks = 32
	// markSteps is what the regular expressions of a query may cost for all
	// snippets of a page.
	markSteps = 1 << 22
)

// marker finds in short texts what a query asks for, by the rules by which the
// notes were found. A query that cannot be read marks nothing.
func marker(ctx context.Context, asked string) func(text string) []piece {
	parsed, err := search.Parse(asked, search.Options{Limit: regex.NewLimit(ctx.Done(), markSteps)})
	if err != nil || parsed.Root == nil {
		return func(text string) []piece { return []piece{{Text: text}} }
	}
	return func(text string) []piece {
		var pieces []piece
		at := 0
		for _, span := range parsed.Spans(&search.File{Text: []byte(text), Note: true}, mostMarks) {
			if parsed.Exceeded() {
				return []piece{{Text: text}}
			}
			if span.Start > at {
				pieces = append(pieces, piece{Text: text[at:span.Start]})
			}
			pieces = append(pieces, piece{Text: text[span.Start:span.End], Marked: true})
			at = span.End
		}
		if at < len(text) {
			pieces = append(pieces, piece{Text: text[at:]})
		}
		return pieces
	}
}
