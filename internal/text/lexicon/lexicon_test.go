package lexicon

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Words, and the words that a text begins with, are those that comparing all of them finds.
func TestLexicon(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching(`[ab\n]{0,5}`), 0, 40).Draw(t, "words")
		l := Of(words)
		if l.Len() != len(words) {
			t.Fatalf("%d words, want %d", l.Len(), len(words))
		}
		l.AllowPrefixes()
		text := rapid.StringMatching(`[ab\n]{0,8}`).Draw(t, "text")
		if got, want := l.Find([]byte(text)), slices.Index(words, text); got != want {
			t.Fatalf("%q is %d, want %d", text, got, want)
		}
		first := rapid.StringMatching(`[ab]{0,2}`).Draw(t, "first")
		var got, want []string
		l.Prefixes(first, []byte(text), func(row, length int) {
			if l.Word(row) != first+text[:length] {
				t.Fatalf("%q and %d bytes of %q: %q", first, length, text, l.Word(row))
			}
			got = append(got, l.Word(row))
		})
		for length := 1; length <= len(text); length++ {
			if word := first + text[:length]; slices.Contains(words, word) {
				want = append(want, word)
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%q and %q: %q, want %q", first, text, got, want)
		}
	})
	if l := Of(nil); l.Find([]byte(strings.Repeat("x", 9))) >= 0 || l.Find(nil) >= 0 {
		t.Error("an empty list has a word")
	}
}
