// Package udiff tells the lines of unified diffs apart, so that those that were
// added and removed can be seen. A line of a note that begins like the head of a
// file is one of the note: the head of each part says how many lines it has.
package udiff

import (
	"strconv"
	"strings"
)

// Kind is what a line of a diff is.
type Kind int

// The kinds of lines.
const (
	Same    Kind = iota
	Added        // is there since
	Removed      // was there before
	Head         // names a file, or says what became of it
	Part         // says which lines follow
)

// Line is one of a diff, without its end.
type Line struct {
	Kind Kind
	Text string
}

// Lines reads diffs of several files, with whatever stands between them.
func Lines(text string) []Line {
	var all []Line
	before, after := 0, 0 // lines that are still to come of this part
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		kind := Head
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
		default: // a part that was cut ends here
			before, after = lengths(line)
			if before+after > 0 {
				kind = Part
			}
		}
		all = append(all, Line{kind, line})
	}
	return all
}

// lengths are how many lines a part has of each side, as its head says: "@@ -1,2
// +1,3 @@". A number that is left out is one.
func lengths(line string) (before, after int) {
	fields := strings.Fields(line)
	if len(fields) < 4 || fields[0] != "@@" || fields[3] != "@@" {
		return 0, 0
	}
	return length(fields[1]), length(fields[2])
}

func length(of string) int {
	_, count, given := strings.Cut(of, ",")
	if !given {
		return 1
	}
	n, err := strconv.Atoi(count)
	if err != nil || n < 0 {
		return 0
	}
	return n
}
