package history

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkBegin records edits of a note of 4 KB, whose old content is already in the
// segment.
func BenchmarkBegin(b *testing.B) {
	for name, secret := range secrets {
		b.Run(name, func(b *testing.B) {
			h := quick(Options{Dir: b.TempDir(), Secret: secret}) // on a real disk
			text := strings.Repeat("A line of the note, with [[a link]] and words.\n", 85)
			before := text
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				after := fmt.Sprint(text, i)
				record(b, h, write("folder/note.md", before, after))
				before = after
			}
		})
	}
}

// BenchmarkEach lists 20 changes of a history of 2,000 in a fresh process.
func BenchmarkEach(b *testing.B) {
	o := inFolder(b)
	h := quick(o)
	number(b, h, 0, 2_000)
	for b.Loop() {
		left := 20
		if err := quick(o).Each(background, func(Change) bool { left--; return left > 0 }); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkUnsettled searches a history of 2,000 changes in a fresh process.
func BenchmarkUnsettled(b *testing.B) {
	o := inFolder(b)
	number(b, quick(o), 0, 2_000)
	for b.Loop() {
		if left, err := quick(o).Unsettled(background); err != nil || len(left) > 0 {
			b.Fatal(left, err)
		}
	}
}
