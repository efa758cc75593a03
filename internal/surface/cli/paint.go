package cli

import (
	"io"

	"obsidian-mcp/internal/text/udiff"
	"obsidian-mcp/internal/text/visible"
)

// printDiff prints a diff, in colour on a terminal. Control characters in notes are made visible.
func (p Program) printDiff(text string) error {
	for _, line := range udiff.Lines(text) {
		if _, err := io.WriteString(p.Out, p.paint(diffColours[line.Kind], visible.Line(line.Text))+"\n"); err != nil {
			return err
		}
	}
	return nil
}

// ANSI codes for colours and styles.
const (
	red    = "31"
	green  = "32"
	yellow = "33"
	cyan   = "36"
	bold   = "1"
	dim    = "2"
)

var diffColours = map[udiff.Kind]string{udiff.Added: green, udiff.Removed: red, udiff.Hunk: cyan, udiff.Header: bold}

func (p Program) paint(colour, text string) string {
	if colour == "" || text == "" || p.Coloured == nil || !p.Coloured() {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}
