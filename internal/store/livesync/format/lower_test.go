package format

import (
	"testing"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"

	"obsidian-mcp/internal/testkit/mode"
)

// TestLower compares with the results of JavaScript's toLowerCase.
func TestLower(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{
		{"ÄÖÜ ẞ É", "äöü ß é"}, {"İSTANBUL", "i\u0307stanbul"}, {"I ı", "i ı"},
		{"ΟΔΥΣΣΕΥΣ", "οδυσσευς"}, {"Σ", "σ"}, {"1Σ", "1σ"}, {"ΣΑΣ ΣΑΣ", "σας σας"}, {"ΑΣ1", "ας1"}, {"ΑΣ-Β", "ας-β"},
		{"ΑΣ.", "ας."}, {"ΑΣ.Β", "ασ.β"}, {"ΑΣ:Β", "ασ:β"}, {"ΑΣ’Β", "ασ’β"}, {"Σ\u00adΣ", "σ\u00adς"},
		{"A\u0301Σ", "a\u0301ς"}, {"ΑΣ\u0345", "ας\u0345"}, {"ʰΣ", "ʰσ"}, {"AʰΣ", "aʰς"}, {"ΑΣʰ", "αςʰ"}, {"ΑΣʰB", "ασʰb"},
		{"ẞΣ", "ßς"}, {"ⅣΣ", "ⅳς"}, {"ǅΣ", "ǆς"},
	} {
		if got := lower(c[0]); got != c[1] {
			t.Errorf("lower(%+q) = %+q, want %+q", c[0], got, c[1])
		}
	}
}

// TestLowerFollowsUnicode compares with golang.org/x/text for every character, alone and around a sigma. The plain form
// tries the Basic Multilingual Plane.
func TestLowerFollowsUnicode(t *testing.T) {
	t.Parallel()
	rules := cases.Lower(language.Und)
	for letter := rune(1); letter <= rune(mode.Pick(0xffff, 0x10ffff, 0x10ffff)); letter++ {
		if letter == 0xd800 {
			letter = 0xe000
		}
		for _, text := range []string{string(letter), "AΣ" + string(letter), "AΣ" + string(letter) + "B", "A" + string(letter) + "Σ"} {
			if got, want := lower(text), rules.String(text); got != want {
				t.Fatalf("lower(%+q) = %+q, want %+q", text, got, want)
			}
		}
	}
}
