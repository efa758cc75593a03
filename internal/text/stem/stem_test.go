package stem_test

import (
	"strings"
	"testing"

	"obsidian-mcp/internal/text/fold"
	"obsidian-mcp/internal/text/stem"
)

// The forms of a word have one stem, and can be found from it.
func TestFormsShareAStem(t *testing.T) {
	t.Parallel()
	for _, forms := range []string{
		"measure measures measured measuring", "study studies studied studying", "city cities", "run runs running",
		"Garten Gartens", "Kind Kinder Kindern", "Haus Häuser Häusern", "Tomate Tomaten",
		"libro libros", "casa casas", "porte portes",
		"книга книги книгу книгой книгами", "новый новая новое новые нового", "писать писали",
		"κυψέλη κυψέλες κυψελών", "δρόμος δρόμου δρόμοι δρόμους",
		"كتاب الكتاب والكتاب", "مدرسة المدرسة مدرسات",
	} {
		words := strings.Fields(fold.String(forms))
		want := stem.Of(words[0])
		for _, word := range words {
			if got := stem.Of(word); got != want {
				t.Errorf("the stem of %s is %s, that of %s is %s", word, got, words[0], want)
			}
			if !canStart(want, word) {
				t.Errorf("%s is not looked for where words with the stem %s begin", word, want)
			}
		}
	}
}

func canStart(root, word string) bool {
	found := false
	stem.Starts(root, func(start string) {
		found = found || strings.HasPrefix(word, start) && len(word) <= len(start)+stem.Longest
	})
	return found
}

// Short words, and words that only look alike, are left alone.
func TestOtherWordsDoNot(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]string{
		{"string", "str"}, {"need", "ne"}, {"king", "k"}, {"bus", "bu"}, {"мир", "мы"}, {"知識", "知"}, {"2026", "202"},
	} {
		if stem.Of(pair[0]) == stem.Of(pair[1]) {
			t.Errorf("%s and %s have the same stem", pair[0], pair[1])
		}
	}
}

func FuzzOf(f *testing.F) {
	for _, word := range []string{"measuring", "книгами", "κυψέλες", "والكتاب", "e", "ss", "iy", "\xff"} {
		f.Add(word)
	}
	f.Fuzz(func(t *testing.T, word string) {
		if got := stem.Of(word); len(got) > len(word) {
			t.Errorf("the stem of %q is longer: %q", word, got)
		}
		stem.Starts(word, func(string) {})
	})
}
