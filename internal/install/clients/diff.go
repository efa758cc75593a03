package clients

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// Diff shows the change as a unified diff, which people paste into letters and
// issues. What looks like a secret is blotted out, whoever has put it into the
// file, and so is what the caller knows to be one.
func (p Plan) Diff(secrets ...string) string {
	before, after := unixLines(p.Before), unixLines(p.After)
	text := string(diff.Diff(p.File, before, p.File, after))
	_, text, _ = strings.Cut(text, "\n") // "diff a b"
	text = showing(text, redacted(string(before), p.Client), redacted(string(after), p.Client))
	for _, secret := range secrets {
		if secret != "" {
			text = strings.ReplaceAll(text, secret, blot)
		}
	}
	return text
}

func unixLines(text []byte) []byte { return bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")) }

// hunk is the line that says where the ones below it are in the two texts.
var hunk = regexp.MustCompile(`^@@ -(\d+),\d+ \+(\d+),\d+ @@`)

// showing is a diff with the lines of two other texts in it, which have as many
// of them. The texts with their secrets blotted out cannot be compared
// themselves, since they may differ in a secret alone; and the lines of the diff
// cannot be blotted out, since the name of a secret may be lines above it.
func showing(text, before, after string) string {
	old, fresh := strings.Split(before, "\n"), strings.Split(after, "\n")
	x, y, begun := 0, 0, false
	var out strings.Builder
	for line := range strings.Lines(text) {
		found := hunk.FindStringSubmatch(line)
		switch {
		case found != nil:
			begun = true
			x, _ = strconv.Atoi(found[1])
			y, _ = strconv.Atoi(found[2])
		case begun && line[0] == '+':
			line, y = "+"+fresh[y-1]+"\n", y+1
		case begun && line[0] == '-':
			line, x = "-"+old[x-1]+"\n", x+1
		case begun && line[0] == ' ':
			line, x, y = " "+old[x-1]+"\n", x+1, y+1
		}
		out.WriteString(line)
	}
	return out.String()
}
