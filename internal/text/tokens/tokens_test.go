package tokens

import (
	"strings"
	"testing"
)

func TestOf(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "a": 1, "four": 1, "fours": 2, "日本語": 3, "日本語 text": 5, "naïve": 2, strings.Repeat("word ", 100): 125, "\xff\xff": 1,
	} {
		if got := Of([]byte(text)); got != want {
			t.Errorf("%q: %d", text, got)
		}
	}
}

func TestFit(t *testing.T) {
	for _, text := range []string{"", "some words and more of them", "日本語のテキスト", "naïve café", "\xff\xfe"} {
		for most := range Of([]byte(text)) + 2 {
			end := Fit([]byte(text), most)
			if Of([]byte(text[:end])) > most {
				t.Errorf("%q: %q takes more than %d", text, text[:end], most)
			}
			if end < len(text) && end+4 <= len(text) && Of([]byte(text[:end+4])) <= most {
				t.Errorf("%q: %d bytes are not all that fit into %d", text, end, most)
			}
		}
	}
}
