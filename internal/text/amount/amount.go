// Package amount formats numbers of things for people.
package amount

import (
	"strconv"
	"strings"
)

// Of formats a number of things: 1 note, 2 notes, 1,000 notes.
func Of(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return Number(n) + " " + thing + "s"
}

// Few names the first things of a list, and how many there are besides: a, b and 3 more.
func Few(names []string, most int) string {
	shown := strings.Join(names[:min(most, len(names))], ", ")
	if more := len(names) - most; more > 0 {
		shown += " and " + Number(more) + " more"
	}
	return shown
}

// Number formats a number with commas between thousands.
func Number(n int) string {
	digits := strconv.Itoa(n)
	for at := len(digits) - 3; at > 0 && digits[at-1] != '-'; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}
