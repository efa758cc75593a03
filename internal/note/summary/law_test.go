package summary

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"obsidian-mcp/internal/note/md"
)

// checkLaws holds a summary to what is true of any.
func checkLaws(t interface {
	Helper()
	Fatalf(format string, args ...any)
}, note []byte, title string, maxWords int) Summary {
	t.Helper()
	before := bytes.Clone(note)
	got := Extract(note, title, maxWords, nil)
	switch {
	case !bytes.Equal(before, note):
		t.Fatalf("the note %q was changed", before)
	case got != Extract(note, title, maxWords, nil):
		t.Fatalf("two summaries of %q", note)
	case !utf8.ValidString(got.Text):
		t.Fatalf("invalid UTF-8 in %q, the summary of %q", got.Text, note)
	case got.Words != countWords(got.Text) || got.Words > max(maxWords, 0):
		t.Fatalf("%d words, counted %d, asked for %d: %q, the summary of %q", got.Words, countWords(got.Text), maxWords, got.Text, note)
	case len(got.Text) > 400*(got.Words+1):
		t.Fatalf("%d words in %d bytes", got.Words, len(got.Text))
	}
	if missing, ok := isDrawnFrom(got.Text, note); !ok {
		t.Fatalf("%q is not in the note, or not in order: %q is no summary of %q", missing, got.Text, note)
	}
	return got
}

// isDrawnFrom reports whether the words of a summary are words of the note, in
// its order; else the first that is not.
func isDrawnFrom(summary string, note []byte) (missing string, ok bool) {
	text := read(md.Scan(bytes.ToValidUTF8(note, []byte("\ufffd"))))
	var source strings.Builder
	units := text.telling()
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
		f.Fatal("no seeds", err)
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

// Sentences that need no knowledge of Markdown to be found again: a summary is
// some of them, whole and in order.
func TestWholeSentencesInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var note strings.Builder
		var all []string
		for i := range rapid.IntRange(5, 30).Draw(t, "sentences") {
			words := rapid.SliceOfN(rapid.StringMatching(`[a-z]{7,9}`), 1, 12).Draw(t, "words")
			sentence := fmt.Sprintf("Number%d %s.", i, strings.Join(words, " "))
			all = append(all, sentence)
			note.WriteString(sentence + rapid.SampledFrom([]string{" ", "\n\n", "\n\n## Heading\n\n"}).Draw(t, "then"))
		}
		budget := rapid.IntRange(14, 200).Draw(t, "budget")
		got := checkLaws(t, []byte(note.String()), "Title", budget)
		rest := got.Text
		for _, sentence := range all {
			rest = strings.TrimLeft(strings.TrimPrefix(rest, sentence), " \n")
		}
		if rest != "" || got.Text == "" {
			t.Fatalf("%q is left of %q", rest, got.Text)
		}
	})
}

func TestTheFirstSentenceIsCut(t *testing.T) {
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

func TestLargeAndHostileNotes(t *testing.T) {
	const size = 1 << 18
	texts := map[string]string{
		"prose":      strings.Repeat("The quick brown fox jumps over the lazy dog near the river. It was seen there by 3.14 people, e.g. Mr. Smith.\n\n", 8*size/115),
		"headings":   strings.Repeat("## A heading\n\nA sentence under it. Another one.\n", 8*size/48),
		"list":       strings.Repeat("- an item of a list\n  - [ ] another\n", size/36),
		"CJK":        strings.Repeat("城市的历史就是水的历史", size/33),
		"emphasis":   strings.Repeat("*a **b _c ", size/10),
		"wide mix":   strings.Repeat("あa。", size/7),
		"paragraphs": strings.Repeat("Word word word word\n", size/20),
	}
	for _, unit := range []string{"a", "!", ", ", "[", "](", "[](", "[a](b", "`", "` ", "*", "**a", "==a", ".", ". ", "A. ", "“. ", "&amp;", "&#0;", "> ", "- ", "%%", "\\", "(", "…", "\u200b", "\x00", "| a ", "x:: y\n", "<b>", "[^1]", "a\n", "Z\n\n", "\xff", "𐌰", "ก", "^a ", "[[a]] ", "$"} {
		texts[fmt.Sprintf("%q", unit)] = strings.Repeat(unit, size/len(unit))
	}
	names := make([]string, 0, len(texts))
	for name := range texts {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		note := []byte(texts[name])
		start := time.Now()
		got := Extract(note, "The fox", 2000, nil)
		took := time.Since(start)
		if took > 5*time.Second {
			t.Errorf("%s took %s", name, took)
		}
		if got.Words > 2000 || len(got.Text) > 400*2000 {
			t.Errorf("%s: %d words in %d bytes", name, got.Words, len(got.Text))
		}
		t.Logf("%-12s %8s, %d of %d words", name, took.Round(time.Millisecond), got.Words, got.Total)
	}
}
