package cli

import (
	"io"
	"strings"

	"obsidian-mcp/internal/text/udiff"
)

// printDiff prints a diff, in colour on a terminal. Notes' text may hold what
// terminals take for orders.
func (p Program) printDiff(text string) error {
	for _, line := range udiff.Lines(text) {
		if _, err := io.WriteString(p.Out, p.paint(diffColours[line.Kind], Harmless(line.Text))+"\n"); err != nil {
			return err
		}
	}
	return nil
}

// Harmless is a line in which control characters are shown, instead of having a
// terminal obey them.
func Harmless(line string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return r
		case r < ' ':
			return 0x2400 + r // its picture
		case r == 0x7f:
			return 0x2421
		case r > 0x7f && r < 0xa0, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
			return 0xfffd
		}
		return r
	}, line)
}

// What is painted on a terminal.
const (
	red    = "31"
	green  = "32"
	yellow = "33"
	cyan   = "36"
	bold   = "1"
	dim    = "2"
)

var diffColours = map[udiff.Kind]string{udiff.Added: green, udiff.Removed: red, udiff.Part: cyan, udiff.Head: bold}

func (p Program) paint(colour, text string) string {
	if colour == "" || text == "" || p.Coloured == nil || !p.Coloured() {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}
