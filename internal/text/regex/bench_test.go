package regex_test

import (
	"strings"
	"testing"

	"obsidian-mcp/internal/testkit/vaultgen"
	"obsidian-mcp/internal/text/regex"
)

// benchText is the text of generated notes, about 30 MB, mostly of Latin syllables: "karemon" and "seltika" are
// among its words.
func benchText(b *testing.B) []byte {
	b.Helper()
	var text strings.Builder
	err := vaultgen.Generate(vaultgen.Options{Notes: 4_500, Seed: 1}, func(note vaultgen.Note) error {
		text.WriteString(note.Text)
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	return []byte(text.String())
}

// BenchmarkLines finds all lines of 30 MB, on a single core.
func BenchmarkLines(b *testing.B) {
	text := benchText(b)
	for _, bench := range []struct{ name, pattern string }{
		{"literal-rare", "Everything meets"},
		{"literal-common", "karemon"},
		{"folded-word", "(?i)karemon"},
		{"alternation", "karemon|seltika|duestilin"},
		{"date", `\d{4}-\d{2}-\d{2}`},
		{"suffix-absent", `[a-z]+ing\b`},
		{"suffix", `[a-z]+lin\b`},
		{"boundary-absent", `\bproject\w* [a-z]+`},
		{"boundary", `\bkare\w* [a-z]+`},
		{"no-literal", `[A-Z][a-z]+ [0-9]+ [a-z]{9}`},
		{"unicode", `\b\w{14}\b`},
		{"cyrillic-folded", `(?i)мирстани`},
	} {
		b.Run(bench.name, func(b *testing.B) {
			r, err := regex.Compile(bench.pattern, regex.Options{})
			if err != nil {
				b.Fatal(err)
			}
			m := r.Matcher()
			lines := 0
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				lines = 0
				m.Lines(text, func(start, end int) bool {
					lines++
					return true
				})
			}
			b.ReportMetric(float64(lines), "lines")
		})
	}
}

// BenchmarkCompile compiles patterns of ordinary and of hostile size.
func BenchmarkCompile(b *testing.B) {
	for _, pattern := range []string{"project", `\w+\s\w+`, `(?i)\bproject\w* [a-z]+`, `\w{1000}`, `(a{1000}){1000}`} {
		b.Run(pattern, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if r, err := regex.Compile(pattern, regex.Options{}); err == nil {
					r.Matcher().Release()
				}
			}
		})
	}
}
