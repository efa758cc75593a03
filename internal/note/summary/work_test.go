package summary

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/testkit/mode"
)

// hostileNotes returns large and hostile notes of about a given size.
func hostileNotes(size int) map[string]string {
	repeated := func(text string, size int) string { return strings.Repeat(text, size/len(text)+1) }
	prose := "The quick brown fox jumps over the lazy dog near the river. " +
		"It was seen there by 3.14 people, e.g. Mr. Smith.\n\n"
	notes := map[string]string{
		"prose":      repeated(prose, 8*size),
		"headings":   repeated("## A heading\n\nA sentence under it. Another one.\n", 8*size),
		"list":       repeated("- an item of a list\n  - [ ] another\n", size),
		"CJK":        repeated("城市的历史就是水的历史", size),
		"emphasis":   repeated("*a **b _c ", size),
		"wide mix":   repeated("あa。", size),
		"paragraphs": repeated("Word word word word\n", size),
		"pictures":   repeated("[](data:", size),
	}
	for _, text := range []string{
		"a", "!", ", ", "[", "](", "[](", "[a](b", "`", "` ", "*", "**a", "==a", ".", ". ", "A. ", "“. ", "&amp;", "&#0;",
		"> ", "- ", "1. ", "%%", "\\", "(", "…", "\u200b", "\x00", "| a ", "x:: y\n", "<b>", "[^1]", "a\n", "Z\n\n", "\xff",
		"𐌰", "ก", "^a ", "[[a]] ", "$",
	} {
		notes[fmt.Sprintf("%q", text)] = repeated(text, size)
	}
	return notes
}

// TestWorkOnHostileNotesIsLinear bounds the memory that Extract allocates and the bytes that it examines in search of the
// ends of links, both in proportion to the note. BenchmarkHostileNotes measures the time.
func TestWorkOnHostileNotesIsLinear(t *testing.T) {
	size := mode.Pick(1<<14, 1<<18, 1<<20)
	if testing.Short() {
		size = 1 << 12
	}
	const maxWords = 2000
	for name, text := range hostileNotes(size) {
		note := []byte(text)
		var got Summary
		allocated := allocatedBytes(func() { got = Extract(note, "The fox", maxWords, nil) })
		if got.Words > maxWords || len(got.Text) > 400*maxWords {
			t.Errorf("%s: the summary has %d words and %d bytes", name, got.Words, len(got.Text))
		}
		if limit := uint64(1<<20 + 400*len(note)); allocated > limit {
			t.Errorf("%s: Extract allocated %d bytes for a note of %d, want at most %d", name, allocated, len(note), limit)
		}
		if searched := read(md.Scan(note)).searched; searched > 2*len(note) {
			t.Errorf("%s: the search for the ends of links examined %d bytes of a note of %d", name, searched, len(note))
		}
	}
}

// allocatedBytes returns how much memory a function allocates.
func allocatedBytes(run func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	run()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// BenchmarkHostileNotes summarises a quarter of a megabyte of each hostile note.
func BenchmarkHostileNotes(b *testing.B) {
	for name, text := range hostileNotes(1 << 18) {
		note := []byte(text)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(note)))
			for b.Loop() {
				Extract(note, "The fox", 2000, nil)
			}
		})
	}
}
