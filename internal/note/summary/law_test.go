package summary

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"obsidian-mcp/internal/note/md"
	_ "obsidian-mcp/internal/testkit/mode" // fixes the seed of rapid
)

// checkLaws checks everything that must hold for any summary.
func checkLaws(t interface {
	Helper()
	Fatalf(format string, args ...any)
}, note []byte, title string, maxWords int) Summary {
	t.Helper()
	before := bytes.Clone(note)
	got := Extract(note, title, maxWords, nil)
	switch {
	case !bytes.Equal(before, note):
		t.Fatalf("Extract changed the note %q", before)
	case got != Extract(note, title, maxWords, nil):
		t.Fatalf("two calls give different summaries of %q", note)
	case !utf8.ValidString(got.Text):
		t.Fatalf("invalid UTF-8 in %q, the summary of %q", got.Text, note)
	case got.Words != countWords(got.Text) || got.Words > max(maxWords, 0):
		t.Fatalf("Words = %d, counted %d, requested %d: %q, the summary of %q",
			got.Words, countWords(got.Text), maxWords, got.Text, note)
	case len(got.Text) > 400*(got.Words+1):
		t.Fatalf("the summary has %d bytes for %d words", len(got.Text), got.Words)
	}
	if missing, ok := isDrawnFrom(got.Text, note); !ok {
		t.Fatalf("%q is not in the note, or out of order: %q cannot be a summary of %q", missing, got.Text, note)
	}
	return got
}

// isDrawnFrom reports whether the words of a summary occur in the note in this order. If not, it returns the first that
// does not.
func isDrawnFrom(summary string, note []byte) (missing string, ok bool) {
	text := read(md.Scan(bytes.ToValidUTF8(note, []byte("\ufffd"))))
	var source strings.Builder
	units := text.candidates()
	for i := range units {
		source.WriteString(units[i].mark() + units[i].text + "\n")
	}
	rest := source.String()
	for _, word := range strings.FieldsFunc(summary, func(r rune) bool { return classOf(r) == gap }) {
		at := strings.Index(rest, word)
		if at < 0 {
			return word, false
		}
		rest = rest[at+len(word):]
	}
	return "", true
}

func FuzzExtract(f *testing.F) {
	files, err := filepath.Glob("testdata/judged/*.txtar")
	if err != nil || len(files) == 0 {
		f.Fatal("there are no judged notes for seeds", err)
	}
	for i, file := range files {
		note, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(note, "A title", 20*i)
	}
	for _, note := range []string{
		"", "\xff\xfe. \xff", "- [x] a\n- [ ] b", "> [!tldr] x\n> y. z", "# only\n## headings", "|a|b|\n|-|-|\n|1|2|",
		"a [b](c.md) ![d](https://e) [[f#g|h]] ~~i~~ **j** `k. L` $m$ n[^1].\n\n[^1]: o", "z. B. A. т. д. Б. 3.14 v1.2 … “Q.” R",
	} {
		f.Add([]byte(note), note, 3)
	}
	f.Fuzz(func(t *testing.T, note []byte, title string, maxWords int) {
		checkLaws(t, note, title, maxWords)
	})
}

// TestSummariesAreSentencesInOrder makes notes of sentences that are easy to recognise: a summary must consist of some of
// them, complete and in order.
func TestSummariesAreSentencesInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var note strings.Builder
		var written []string
		for i := range rapid.IntRange(5, 30).Draw(t, "sentences") {
			words := rapid.SliceOfN(rapid.StringMatching(`[a-z]{7,9}`), 1, 12).Draw(t, "words")
			sentence := fmt.Sprintf("Number%d %s.", i, strings.Join(words, " "))
			written = append(written, sentence)
			note.WriteString(sentence + rapid.SampledFrom([]string{" ", "\n\n", "\n\n## Heading\n\n"}).Draw(t, "then"))
		}
		budget := rapid.IntRange(14, 200).Draw(t, "budget")
		got := checkLaws(t, []byte(note.String()), "Title", budget)
		rest := got.Text
		for _, sentence := range written {
			rest = strings.TrimLeft(strings.TrimPrefix(rest, sentence), " \n")
		}
		if rest != "" || got.Text == "" {
			t.Fatalf("the summary %q contains %q, which is not one of the sentences", got.Text, rest)
		}
	})
}

func TestFirstSentenceIsCutIfNothingFits(t *testing.T) {
	for _, test := range []struct {
		note     string
		maxWords int
		want     string
	}{
		{"One two, three four. Five six seven eight nine ten.", 2, "One two…"},
		{"One two, three four. Five six seven eight nine ten.", 3, "One two, three…"},
		{"今天天气很好，我们去公园。", 6, "今天天气很好…"},
		{"- [x] done with all of it", 3, "- [x] done with…"},
		{"- Add oil. Simmer for twenty minutes and wait.", 3, "- Add oil."},
		{"Hi there. This is a sentence of some more words.", 3, "Hi there."},
		{strings.Repeat("a", 100), 1, strings.Repeat("a", 40) + "…"},
		{"Some words.", 0, ""},
		{"Some words.", -1, ""},
	} {
		if got := checkLaws(t, []byte(test.note), "", test.maxWords); got.Text != test.want {
			t.Errorf("%q in %d words: %q, want %q", test.note, test.maxWords, got.Text, test.want)
		}
	}
}
