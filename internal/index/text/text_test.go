package text

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"obsidian-mcp/internal/text/fold"
)

func TestTokens(t *testing.T) {
	for _, one := range []struct {
		text string
		want string // terms with their places
	}{
		{"", ""},
		{"Hello, World 42!", "hello@0 world@7 42@13"},
		{"snake_case path/to/file.md", "snake@0 case@6 path@11 to@16 file@19 md@24"},
		{"Größe naïve e\u0301te\u0301", "grosse@0 naive@8 ete@15"},
		{"Мирный ёж", "мирный@0 еж@13"}, // й is a letter of its own, ё is е
		{"知識", "知識@0 識@3"},
		{"識", "識@0"},
		{"a知識b", "a@0 知識@1 識@4 b@7"},
		{"co\u00adop", "coop@0 co@0 op@4"},
		{"x\xffy", "x@0 y@2"},
	} {
		var got []string
		var tokens tokenizer
		tokens.each([]byte(one.text), func(term []byte, at int) { got = append(got, fmt.Sprintf("%s@%d", term, at)) })
		if strings.Join(got, " ") != one.want {
			t.Errorf("%q: %s, want %s", one.text, strings.Join(got, " "), one.want)
		}
	}
}

// TestLongTokensStandWhole: whatever is at most maxPiece bytes long is in one
// piece of a token.
func TestLongTokensStandWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		token := rapid.StringMatching(`[a-zа-я0-9]{40,200}`).Draw(t, "token")
		var pieces []string
		var tokens tokenizer
		tokens.each([]byte(token), func(term []byte, _ int) { pieces = append(pieces, string(term)) })
		folded := fold.String(token)
		from := rapid.IntRange(0, len(folded)-1).Draw(t, "from")
		part := strings.ToValidUTF8(folded[from:min(len(folded), from+maxPiece-3)], "")
		if part != "" && !slices.ContainsFunc(pieces, func(piece string) bool { return strings.Contains(piece, part) }) {
			t.Fatalf("%q is in none of %q", part, pieces)
		}
	})
}

// found lists the keys of the documents with a word.
func found(x *Index, word string) []string {
	hits := x.Find(Literal{Text: word, In: func(text []byte) bool { return strings.Contains(fold.String(string(text)), fold.String(word)) }}, Title|Body)
	var keys []string
	for doc := range hits.Docs.All() {
		keys = append(keys, x.Key(doc))
	}
	slices.Sort(keys)
	return keys
}

// TestManyChanges: lots are merged, and nothing is lost, found twice or found
// when it is gone.
func TestManyChanges(t *testing.T) {
	x := New(nil)
	live := map[string]int{}
	for i := range 700 {
		key := fmt.Sprintf("doc%d", i*7%90)
		change := Change{Keys: []string{key}, Docs: []Doc{{Text: []byte(fmt.Sprintf("common version%d of %s", i, key))}}}
		if _, there := live[key]; there {
			change.Removed = []string{key}
		}
		x = x.With(change)
		live[key] = i
	}
	if len(x.parts) > 3*fanIn {
		t.Errorf("%d lots after 700 changes", len(x.parts))
	}
	if got := found(x, "common"); len(got) != len(live) || x.Len() != len(live) {
		t.Errorf("%d documents found, %d counted, %d there", len(got), x.Len(), len(live))
	}
	for key, version := range live {
		if diff := cmp.Diff([]string{key}, found(x, fmt.Sprintf("version%d", version))); diff != "" && version > 99 {
			t.Error(diff)
		}
	}
	if got := found(x, "version5of"); got != nil {
		t.Errorf("what is gone is found in %v", got)
	}
}

func TestSimilar(t *testing.T) {
	x := New(nil).With(Change{Keys: []string{"a", "b", "c"}, Docs: []Doc{{Text: []byte("turbopump")}, {Text: []byte("umbrella")}, {Text: []byte("дневник")}}})
	for word, key := range map[string]string{"turbopmup": "a", "turbpump": "a", "turbopumpp": "a", "umbrela": "b", "днивник": "c"} {
		hits := x.Similar(word)
		if hits.Len() != 1 || x.Key(slices.Collect(hits.Docs.All())[0]) != key {
			t.Errorf("%s is like %d documents", word, hits.Len())
		}
	}
	for _, word := range []string{"cat", "turbine", "xyz", ""} {
		if hits := x.Similar(word); hits.Len() != 0 {
			t.Errorf("%s is like %d documents", word, hits.Len())
		}
	}
}

// TestOpenSegmentOfRubbish: bytes that are no segment are an error.
func TestOpenSegmentOfRubbish(t *testing.T) {
	var b Builder
	b.Add(Doc{Text: []byte("some text")})
	whole := slices.Concat(b.Encode(new(Scratch))...)
	if _, err := OpenSegment(whole, nil); err != nil {
		t.Fatal(err)
	}
	for i := range len(whole) {
		if _, err := OpenSegment(whole[:i], nil); err == nil {
			t.Fatalf("%d of %d bytes are taken for a segment", i, len(whole))
		}
	}
}
