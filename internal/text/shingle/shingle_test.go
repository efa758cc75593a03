package shingle

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestLikeness(t *testing.T) {
	const text = "The tide turns twice a day, and the harbour knows it better than the table does."
	for _, test := range []struct {
		name        string
		other       string
		least, most float64
	}{
		{"the same", text, 1, 1},
		{"other case and marks", strings.ToUpper(strings.ReplaceAll(text, ",", " –")), 1, 1},
		{"one word changed at the end", strings.Replace(text, "does", "did", 1), 0.8, 0.99},
		{"something else", "Compost needs air, water and patience; worms do the rest of the work.", 0, 0},
		{"nothing", "", 0, 0},
	} {
		if got := Of([]byte(text)).Likeness(Of([]byte(test.other))); got < test.least || got > test.most {
			t.Errorf("%s: %v", test.name, got)
		}
	}
	if got := Of([]byte(text[:40])).Contained(Of([]byte(text))); got < 0.8 {
		t.Errorf("the beginning of a text is contained by %v", got)
	}
}

// Texts in scripts without spaces are compared by characters, short ones as a whole, and letters whatever their case.
func TestScripts(t *testing.T) {
	for _, pair := range [][2]string{
		{"如何克服拖延症的方法", "如何克服拖延症的方法"}, {"ÉTÉ À LA MER", "été à la mer"}, {"Привет, мир", "ПРИВЕТ МИР"}, {"one", "One!"},
	} {
		if got := Of([]byte(pair[0])).Likeness(Of([]byte(pair[1]))); got != 1 {
			t.Errorf("%q and %q: %v", pair[0], pair[1], got)
		}
	}
	if got := Of([]byte("如何克服拖延症的方法")).Likeness(Of([]byte("如何克服拖延症的办法"))); got < 0.4 || got == 1 {
		t.Error("one character changed:", got)
	}
	if Of([]byte("two words")).Likeness(Of([]byte("words two"))) != 0 {
		t.Error("the order of words does not count")
	}
}

// The smallest shingles are a prefix of all of them, and estimate the likeness.
func TestSmallest(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	words := func(count int) (all []string) {
		for range count {
			all = append(all, string(rune('a'+random.IntN(26)))+string(rune('a'+random.IntN(26))))
		}
		return all
	}
	common := words(400)
	a := []byte(strings.Join(slices.Concat(common, words(100)), " "))
	b := []byte(strings.Join(slices.Concat(common, words(100)), " "))
	for name, text := range map[string]string{
		"short words": string(a), "long words": strings.Join(words(500), strings.Repeat("x", 40)+" "),
		"one word again and again": strings.Repeat("word ", 5000), "few words": "one two three", "no words": strings.Repeat(" – ", 5000),
	} {
		for _, limit := range []int{0, 1, 7, 64, 1000} {
			all, few := Of([]byte(text)), Smallest([]byte(text), limit)
			if !slices.Equal(few, all[:min(limit, len(all))]) {
				t.Errorf("%s: the %d smallest are not those of all", name, limit)
			}
		}
	}
	whole, estimate := Of(a).Likeness(Of(b)), Smallest(a, 64).Likeness(Smallest(b, 64))
	if math.Abs(whole-estimate) > 0.25 {
		t.Errorf("likeness %v, estimated %v", whole, estimate)
	}
}
