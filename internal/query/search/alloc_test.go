package search

import (
	"strings"
	"testing"
)

// A search matches thousands of files, so matching a file must not allocate.
func TestMatchDoesNotAllocate(t *testing.T) {
	for _, text := range []string{
		"needle haystack", "needle -haystack file:note", `"with a" line:(some needle)`, "section:(text haystack)",
	} {
		q, err := Parse(text, Options{})
		if err != nil {
			t.Fatal(err)
		}
		file := &File{Path: "folder/Note.md", Text: []byte(strings.Repeat("some text with a needle\n", 100)), Note: true}
		m := q.matcher()
		m.match(file)
		if got := testing.AllocsPerRun(100, func() { m.match(file) }); got > 0 {
			t.Errorf("%s: %v allocations per file", text, got)
		}
	}
}
