package visible_test

import (
	"testing"

	"obsidian-mcp/internal/text/visible"
)

func TestLineShowsControlCharacters(t *testing.T) {
	for text, want := range map[string]string{
		"plain ✓ text":      "plain ✓ text",
		"tab\tstays":        "tab\tstays",
		"a\x1b[31m\rb":      "a␛[31m␍b",
		"\x00\x7f":          "␀␡",
		"c1 \u009b":         "c1 \ufffd",
		"bidi \u202e\u2066": "bidi \ufffd\ufffd",
	} {
		if got := visible.Line(text); got != want {
			t.Errorf("Line(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestNameQuotesWhatCannotBeSeen(t *testing.T) {
	for text, want := range map[string]string{
		"Ünïcode ✓.md": "Ünïcode ✓.md",
		"two words":    "two words",
		"esc\x1b[2J":   `"esc\x1b[2J"`,
		"line\nbreak":  `"line\nbreak"`,
		"bad \xff":     `"bad \xff"`,
	} {
		if got := visible.Name(text); got != want {
			t.Errorf("Name(%q) = %q, want %q", text, got, want)
		}
	}
}
