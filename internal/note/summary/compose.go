package summary

import "strings"

// compose joins the pieces, which are in the order of the note.
func compose(chosen []*piece) string {
	var out strings.Builder
	for i, p := range chosen {
		follows := false
		if i > 0 {
			previous := chosen[i-1]
			follows = previous.precedes(p)
			if previous.goesOn && !follows {
				out.WriteString("…")
			}
			out.WriteString(joiner(previous, p))
		}
		if i == 0 || chosen[i-1].unit != p.unit {
			out.WriteString(p.unit.mark())
		}
		if p.continues && !follows {
			out.WriteString("…")
		}
		out.WriteString(strings.ReplaceAll(p.text, "\n", p.unit.lineBreak()))
	}
	if chosen[len(chosen)-1].goesOn {
		out.WriteString("…")
	}
	return out.String()
}

// joiner returns the text between two consecutive pieces of a summary.
func joiner(first, second *piece) string {
	switch {
	case first.unit != second.unit:
		return "\n"
	case first.breaksBefore(second):
		return first.unit.lineBreak()
	case endsWide(first.text):
		return ""
	}
	return " "
}
