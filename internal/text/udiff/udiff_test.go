package udiff_test

import (
	"slices"
	"strings"
	"testing"

	"obsidian-mcp/internal/text/udiff"
)

func TestLines(t *testing.T) {
	const text = `changed A
--- a/A.md
+++ b/A.md
@@ -1,4 +1,3 @@
----
--- x
 same
-old
+++ added
+-
\ No newline at end of file
--- a/B.md
+++ b/B.md
@@ -1 +0,0 @@
-gone
rename from C.md
@@ -1,9 +1,9 @@
 cut
… and 7 more lines

--- a/D.md
@@ nonsense @@
-x
`
	const (
		s, a, r, h, p = udiff.Same, udiff.Added, udiff.Removed, udiff.Header, udiff.Hunk
	)
	want := []udiff.Kind{h, h, h, p, r, r, s, r, a, a, s, h, h, p, r, h, p, s, h, h, h, h, h}
	var got []udiff.Kind
	for i, line := range udiff.Lines(text) {
		got = append(got, line.Kind)
		if line.Text != strings.Split(text, "\n")[i] {
			t.Errorf("text of line %d is %q", i, line.Text)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("got kinds\n%v, want\n%v", got, want)
	}
}

func FuzzLines(f *testing.F) {
	f.Add("--- a\n+++ b\n@@ -1,2 +1 @@\n a\n-b\n")
	f.Fuzz(func(t *testing.T, text string) {
		var lines []string
		for _, line := range udiff.Lines(text) {
			lines = append(lines, line.Text)
		}
		if strings.Join(lines, "\n") != strings.TrimSuffix(text, "\n") {
			t.Errorf("the lines of %q are %q", text, lines)
		}
	})
}
