// Package udiff classifies the lines of unified diffs, so that added and removed lines can be highlighted. A
// removed line of a note that looks like a file header is still a line of the note: the header of each hunk says
// how many lines it has.
package udiff

import (
	"strconv"
	"strings"
)

// Kind is the kind of a line of a diff.
type Kind int

const (
	Same    Kind = iota
	Added        // only in the new text
	Removed      // only in the old text
	Header       // names a file or describes a change to it
	Hunk         // says which lines follow
)

// Line is a line of a diff, without its line end.
type Line struct {
	Kind Kind
	Text string
}

// Lines classifies the lines of diffs of several files, and of any text between them.
func Lines(text string) []Line {
	var lines []Line
	before, after := 0, 0 // lines of the hunk that are still to come
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		kind := Header
		sign := line[:min(1, len(line))]
		switch {
		case before+after > 0 && sign == " ":
			kind, before, after = Same, before-1, after-1
		case before > 0 && sign == "-":
			kind, before = Removed, before-1
		case after > 0 && sign == "+":
			kind, after = Added, after-1
		case sign == `\`:
			kind = Same // "No newline at end of file"
		default: // also ends a hunk that was cut short
			before, after = lengths(line)
			if before+after > 0 {
				kind = Hunk
			}
		}
		lines = append(lines, Line{kind, line})
	}
	return lines
}

// lengths returns how many lines a hunk has of each side, from its header "@@ -1,2 +1,3 @@". A number that is left
// out is 1.
func lengths(line string) (before, after int) {
	fields := strings.Fields(line)
	if len(fields) < 4 || fields[0] != "@@" || fields[3] != "@@" {
		return 0, 0
	}
	return length(fields[1]), length(fields[2])
}

func length(of string) int {
	_, count, ok := strings.Cut(of, ",")
	if !ok {
		return 1
	}
	n, err := strconv.Atoi(count)
	if err != nil || n < 0 {
		return 0
	}
	return n
}
