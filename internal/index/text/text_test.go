package text

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	_ "obsidian-mcp/internal/testkit/mode" // fixes rapid's seed
	"obsidian-mcp/internal/text/fold"
	"obsidian-mcp/internal/text/regex"
)

func TestTokens(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text string
		want string // terms with their offsets
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
		tokens.each([]byte(test.text), func(term []byte, at int) {
			got = append(got, fmt.Sprintf("%s@%d", term, at))
		})
		if strings.Join(got, " ") != test.want {
			t.Errorf("%q: got %s, want %s", test.text, strings.Join(got, " "), test.want)
		}
	}
}

// Any piece of at most maxPiece bytes is contained in one of the terms of a long token.
func TestTermsOfLongTokensOverlap(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		token := rapid.StringMatching(`[a-zа-я0-9]{40,200}`).Draw(t, "token")
		var pieces []string
		var tokens tokenizer
		tokens.each([]byte(token), func(term []byte, _ int) { pieces = append(pieces, string(term)) })
		folded := fold.String(token)
		from := rapid.IntRange(0, len(folded)-1).Draw(t, "from")
		part := strings.ToValidUTF8(folded[from:min(len(folded), from+maxPiece-3)], "")
		if part != "" && !slices.ContainsFunc(pieces, func(piece string) bool { return strings.Contains(piece, part) }) {
			t.Fatalf("no term of %q contains %q", pieces, part)
		}
	})
}

// found lists the keys of the documents with a word.
func found(x *Index, word string) []string {
	in := func(text []byte) bool { return strings.Contains(fold.String(string(text)), fold.String(word)) }
	hits := x.Find(Literal{Text: word, In: in}, Title|Body)
	var keys []string
	for doc := range hits.Docs.All() {
		keys = append(keys, x.Key(doc))
	}
	slices.Sort(keys)
	return keys
}

// After many changes batches have been merged, and no document is lost, found twice, or found after it was removed.
func TestManyChangesKeepTheIndexExact(t *testing.T) {
	t.Parallel()
	x := New(nil)
	live := map[string]int{}
	for i := range 700 {
		key := fmt.Sprintf("doc%d", i*7%90)
		text := fmt.Sprintf("common version%d of %s", i, key)
		change := Change{Keys: []string{key}, Docs: []Doc{{Text: []byte(text)}}}
		if _, exists := live[key]; exists {
			change.Removed = []string{key}
		}
		x = x.With(change)
		live[key] = i
	}
	if len(x.parts) > 3*fanIn {
		t.Errorf("%d batches after 700 changes", len(x.parts))
	}
	if got := found(x, "common"); len(got) != len(live) || x.Len() != len(live) {
		t.Errorf("%d documents found, %d counted, want %d", len(got), x.Len(), len(live))
	}
	for key, version := range live {
		if diff := cmp.Diff([]string{key}, found(x, fmt.Sprintf("version%d", version))); diff != "" && version > 99 {
			t.Error(diff)
		}
	}
	if got := found(x, "version5of"); got != nil {
		t.Errorf("a removed text is still found in %v", got)
	}
}

func TestMisspeltWordsAreFound(t *testing.T) {
	t.Parallel()
	x := New(nil).With(Change{
		Keys: []string{"a", "b", "c"},
		Docs: []Doc{{Text: []byte("turbopump")}, {Text: []byte("umbrella")}, {Text: []byte("дневник")}},
	})
	for word, key := range map[string]string{
		"turbopmup": "a", "turbpump": "a", "turbopumpp": "a", "umbrela": "b", "днивник": "c", "umbrellasız": "b",
	} {
		if got := answers(x, word); !slices.Equal(got, []string{key}) {
			t.Errorf("%q finds %q, want %q", word, got, key)
		}
	}
	for _, word := range []string{"cat", "turbine", "xyz", ""} {
		if got := answers(x, word); got != nil {
			t.Errorf("%q finds %q", word, got)
		}
	}
}

// Truncated bytes are refused.
func TestOpenSegmentRefusesTruncatedBytes(t *testing.T) {
	t.Parallel()
	texts, words := encoded([]Doc{{Text: []byte("some text")}})
	if _, err := OpenSegment(texts, words, nil); err != nil {
		t.Fatal(err)
	}
	for i := range texts {
		if _, err := OpenSegment(texts[:i], words, nil); err == nil {
			t.Errorf("OpenSegment accepted %d of %d bytes of texts", i, len(texts))
		}
	}
	for i := range words {
		if _, err := OpenSegment(texts, words[:i], nil); err == nil {
			t.Errorf("OpenSegment accepted %d of %d bytes of words", i, len(words))
		}
	}
	two, _ := encoded([]Doc{{Text: []byte("some text")}, {}})
	if _, err := OpenSegment(two, words, nil); err == nil {
		t.Error("OpenSegment accepted the words of one document for the texts of two")
	}
}

// encoded returns the bytes of a segment.
func encoded(docs []Doc) (texts, words []byte) {
	var textsOf Texts
	var wordsOf Words
	for i := range docs {
		textsOf.Add(docs[i].Text, nil, docs[i].Binary)
		wordsOf.Add(docs[i].Text, docs[i].fields)
	}
	return slices.Concat(textsOf.Encode()...), slices.Concat(wordsOf.Encode()...)
}

// Without words, texts can be read, and every document is a candidate for a pattern.
func TestSegmentWithoutWords(t *testing.T) {
	t.Parallel()
	texts, _ := encoded([]Doc{{Text: []byte("one")}, {Text: []byte("two"), Binary: true}})
	segment, err := OpenSegment(texts, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	x := New([]*Segment{segment}).With(Change{Keys: []string{"c"}, Docs: []Doc{{Text: []byte("three")}}})
	if x.HasWords() {
		t.Error("the index claims to have words")
	}
	for doc, want := range []string{"one", "two", "three"} {
		x.Text(doc, func(text []byte, binary bool) {
			if string(text) != want || binary != (doc == 1) {
				t.Errorf("document %d is %q, binary %t", doc, text, binary)
			}
		})
	}
	if got := slices.Collect(x.Candidates(regex.Need{Kind: regex.NeedLiteral, Literal: "three"}).All()); len(got) != 3 {
		t.Errorf("the candidates are %v", got)
	}
	defer func() {
		if recover() == nil {
			t.Error("a word was looked up without words")
		}
	}()
	found(x, "one")
}

// Words.read finds the same terms at the same offsets as the tokenizer, although it reads most words without it.
func TestReadingFindsAllTokens(t *testing.T) {
	t.Parallel()
	pieces := []string{"a", "Zz9", "eightABC", "nineLETTR", "SixteenLettersAB", "SeventeenLettersA", "é", "e\u0301", "Größe", "知識", "co\u00adop", " ", "-", "\xff", "\n"}
	rapid.Check(t, func(t *rapid.T) {
		text := []byte(strings.Join(rapid.SliceOf(rapid.SampledFrom(pieces)).Draw(t, "text"), ""))
		var want, got []string
		var tokens tokenizer
		tokens.each(text, func(term []byte, at int) { want = append(want, fmt.Sprintf("%s@%d", term, at)) })
		var words Words
		if rapid.Bool().Draw(t, "prepared") {
			words.Prepare(len(text))
		}
		words.read(text)
		words.resolve()
		words.found = nil
		count := words.read(text) // again, when its terms are known
		words.resolve()
		for _, found := range words.found {
			got = append(got, fmt.Sprintf("%s@%d", words.terms.text(found.term), found.at))
		}
		if diff := cmp.Diff(want, got); diff != "" || int(count) != len(want) {
			t.Errorf("%q: %d tokens, (-want +got):\n%s", text, count, diff)
		}
	})
}

// Reading the text of an added document must not index its words: every change with listeners does it.
func TestTextDoesNotBuildTheSegment(t *testing.T) {
	t.Parallel()
	x := New(nil).With(Change{Keys: []string{"a", "b"}, Docs: []Doc{{Text: []byte("one")}, {Text: []byte("t\x00o"), Binary: true}}})
	read := func() (all string) {
		for doc := range x.Docs() {
			x.Text(doc, func(text []byte, binary bool) { all += fmt.Sprintf("%q %t ", text, binary) })
		}
		return all
	}
	before := read()
	if x.parts[0].batch.built.Load() != nil {
		t.Error("the segment was built")
	}
	x.parts[0].batch.segment()
	if after := read(); before != after || before != `"one" false "t\x00o" true ` {
		t.Errorf("%s before, %s after", before, after)
	}
}
