package web

import (
	"context"

	"obsidian-mcp/internal/query/search"
	"obsidian-mcp/internal/text/regex"
)

// piece is a part of a text, with where it leads and whether it is a match. The text
// itself is never HTML.
type piece struct {
	Text   string
	Marked bool
	To     target
}

const (
	mostMarks = 32
	// markSteps limits what the regular expressions of a query may cost for all
	// snippets of a page.
	markSteps = 1 << 22
)

// marker returns a function that marks what a query matches in a short text, by the same rules as the search. An invalid
// query marks nothing.
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
