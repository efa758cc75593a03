package summary_test

import (
	"strings"
	"testing"

	"obsidian-mcp/internal/note/summary"
)

// BenchmarkExtract summarises a note of 10 MB: prose in paragraphs.
func BenchmarkExtract(b *testing.B) {
	const paragraph = "The quick brown fox jumps over the [[lazy dog]] near the river. It was seen there by 3.14 people, e.g. Mr. Smith, who **ran**.\n\n"
	note := []byte(strings.Repeat(paragraph, 10<<20/len(paragraph)))
	b.SetBytes(int64(len(note)))
	b.ReportAllocs()
	for b.Loop() {
		summary.Extract(note, "The fox", 100, nil)
	}
}
