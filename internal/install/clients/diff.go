package clients

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// Diff shows the change as a unified diff. People paste it into messages and issues, so everything that looks like a
// secret is masked, and so are the secrets that the caller names.
func (p Plan) Diff(secrets ...string) string {
	text := p.MaskedDiff(func(text string) string { return redacted(text, p.Client) })
	for _, secret := range secrets {
		if secret != "" {
			text = strings.ReplaceAll(text, secret, mask)
		}
	}
	return text
}

// MaskedDiff shows the change as a unified diff of texts that the caller masks. Masking must keep the number of lines.
func (p Plan) MaskedDiff(masked func(string) string) string {
	before, after := unixLines(p.Before), unixLines(p.After)
	text := string(diff.Diff(p.File, before, p.File, after))
	_, text, _ = strings.Cut(text, "\n") // "diff a b"
	return replaceLines(text, masked(string(before)), masked(string(after)))
}

func unixLines(text []byte) []byte { return bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")) }

// hunk matches the line that says where the following lines are in the two texts.
var hunk = regexp.MustCompile(`^@@ -(\d+),\d+ \+(\d+),\d+ @@`)

// replaceLines replaces the lines of a diff with the corresponding lines of two masked texts. Comparing the masked texts
// would miss a change that only affects a secret. Masking the diff would miss secrets whose name is on an earlier line.
func replaceLines(text, before, after string) string {
	oldLines, newLines := strings.Split(before, "\n"), strings.Split(after, "\n")
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
			line, y = "+"+newLines[y-1]+"\n", y+1
		case begun && line[0] == '-':
			line, x = "-"+oldLines[x-1]+"\n", x+1
		case begun && line[0] == ' ':
			line, x, y = " "+oldLines[x-1]+"\n", x+1, y+1
		}
		out.WriteString(line)
	}
	return out.String()
}
