package amount_test

import (
	"testing"

	"obsidian-mcp/internal/text/amount"
)

func TestOf(t *testing.T) {
	for n, want := range map[int]string{
		0: "0 notes", 1: "1 note", 2: "2 notes", 999: "999 notes", 1000: "1,000 notes", 1234567: "1,234,567 notes",
		-1000: "-1,000 notes", -100: "-100 notes",
	} {
		if got := amount.Of(n, "note"); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

func TestFew(t *testing.T) {
	for most, want := range map[int]string{1: "a and 2 more", 2: "a, b and 1 more", 3: "a, b, c", 4: "a, b, c"} {
		if got := amount.Few([]string{"a", "b", "c"}, most); got != want {
			t.Errorf("%d: %q, want %q", most, got, want)
		}
	}
}
