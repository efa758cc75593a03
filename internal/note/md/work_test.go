package md_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/testkit/mode"
)

// The scanner promises time linear in the size of a note. What could break that promise are searches ahead of the
// current position, such as those for a closing mark: the scanner counts the bytes that they examine, and the tests here
// bound the count. BenchmarkHostilePatterns measures the time.

// hostilePatterns are texts that, repeated, open many things that nothing closes.
var hostilePatterns = append([]string{
	"<a b=\"", "<a b='x' ", "[a](b \"", "[a](<b ", "](a", "![a](b)", "![", "- ", "> - ", "* a\n", " - a\n",
	"[a]: b\n", "[a]:\n", "a|b\n-|-\n", "`a``b```c````d", "$a ", "<!X ", "<?x ", "<![CDATA[ ", "[[a|b ", "[[a]",
	"\\`", "> > > > a\n\n", "1. a\n\n", "%%a", "a\n===\n", "\t", " ", "^[", "[^a", "|", "| a ", "<a ", "<!--->",
	"([", "])", "a b", "日本", "#a", "# a\n", "- [ ] 1. ",
}, tokens...)

// hostileInputs returns functions that make a hostile note of about a given size.
func hostileInputs() map[string]func(size int) []byte {
	inputs := map[string]func(int) []byte{}
	for _, pattern := range hostilePatterns {
		inputs[fmt.Sprintf("%q repeated", pattern)] = func(size int) []byte { return repeated(pattern, size) }
		inputs[fmt.Sprintf("%q repeated in a paragraph", pattern)] = func(size int) []byte {
			return append([]byte("a "), repeated(pattern, size)...)
		}
	}
	for _, pattern := range []string{
		"[[a ", "](a ", "` `` ``` ", "`a``b```c````d`````e", "<a b='", "%%a", "$a ", "\\", "<a ",
	} {
		inputs[fmt.Sprintf("%q repeated on a line before $$", pattern)] = func(size int) []byte {
			return append(repeated(pattern, size), "\n$$\nx\n"...)
		}
	}
	for _, around := range [][2]string{
		{"", " a\n"}, {"a ", " a "}, {"a ", " a\n"}, {"> a ", " a\n"}, {"- a ", " a\n"}, {"[a ", " a](b) "}, {"\\`", " a\n"},
	} {
		inputs[fmt.Sprintf("ever longer runs of backticks in %q", around)] = func(size int) []byte {
			return longerRuns(around, size)
		}
	}
	return inputs
}

func repeated(pattern string, size int) []byte {
	return bytes.Repeat([]byte(pattern), size/len(pattern)+1)
}

// longerRuns returns runs of backticks, each with a different length.
func longerRuns(around [2]string, size int) (src []byte) {
	for length := 1; len(src) < size; length++ {
		src = append(src, around[0]...)
		src = append(src, bytes.Repeat([]byte("`"), length)...)
		src = append(src, around[1]...)
	}
	return src
}

// TestWorkIsLinear checks that four times the input needs about four times the lookahead. Quadratic work would need
// sixteen times as much.
func TestWorkIsLinear(t *testing.T) {
	t.Parallel()
	size := mode.Pick(8<<10, 256<<10, 1<<20)
	if testing.Short() {
		size = 4 << 10
	}
	const bound = 5.5
	for name, input := range hostileInputs() {
		once := md.Lookahead(input(size))
		if growth := float64(md.Lookahead(input(4*size))) / float64(max(once, size)); growth > bound {
			t.Errorf("%s: four times the size needs %.1f times the lookahead, want at most %.1f", name, growth, bound)
		}
	}
}

// TestDeepNesting scans nesting that no person writes. The scanner must not panic, and its lookahead must stay linear;
// each of the nested containers that it follows may search the rest of a line.
func TestDeepNesting(t *testing.T) {
	t.Parallel()
	deep := mode.Pick(10_000, 100_000, 100_000)
	const perByte = 250
	var steps strings.Builder
	for depth := range mode.Pick(300, 2000, 2000) {
		steps.WriteString(strings.Repeat(" ", 2*depth) + "- a\n")
	}
	for name, src := range map[string]string{
		"quotes":       strings.Repeat(">", deep) + " a",
		"items":        strings.Repeat("- ", deep) + "a",
		"brackets":     strings.Repeat("[", deep) + strings.Repeat("](b)", deep),
		"images":       strings.Repeat("![", deep) + "a" + strings.Repeat("](b)", deep),
		"steps":        steps.String(),
		"line":         strings.Repeat("long ", deep) + "[[a]]",
		"quoted lines": strings.Repeat(strings.Repeat(">", 200)+"\n", 1000),
	} {
		checkTiles(t, md.Scan([]byte(src)))
		if got := md.Lookahead([]byte(src)); got > perByte*len(src) {
			t.Errorf("%s: the lookahead is %d bytes for a note of %d", name, got, len(src))
		}
	}
}

// BenchmarkHostilePatterns scans a megabyte of each hostile input.
func BenchmarkHostilePatterns(b *testing.B) {
	for name, input := range hostileInputs() {
		src := input(1 << 20)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			for b.Loop() {
				md.Scan(src)
			}
		})
	}
}
