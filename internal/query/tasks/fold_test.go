package tasks

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "obsidian-mcp/internal/testkit/mode" // fixes rapid's seed
)

// containsFold finds what a search in the lower-case text finds.
func TestContainsFoldLaw(t *testing.T) {
	t.Parallel()
	letters := rapid.SampledFrom([]rune("aAbBkéÉßẞİiK\u212a ΑΣς日"))
	rapid.Check(t, func(t *rapid.T) {
		text, part := rapid.StringOfN(letters, 0, 12, -1).Draw(t, "text"), strings.ToLower(rapid.StringOfN(letters, 0, 3, -1).Draw(t, "part"))
		if want := strings.Contains(strings.ToLower(text), part); containsFold(text, part) != want {
			t.Errorf("%q in %q: %v", part, text, !want)
		}
	})
}
