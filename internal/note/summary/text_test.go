package summary

import (
	"slices"
	"strings"
	"testing"

	"obsidian-mcp/internal/note/md"
)

func TestWhereSentencesEnd(t *testing.T) {
	for _, test := range []struct {
		rule string
		text string // | where a sentence ends
	}{
		{"stops", "One.| Two!| Three?| Four"},
		{"several stops", "What?!| No...| Yes"},
		{"small letter after a stop", "It took approx. five days. then it rained.| End."},
		{"titles and initials", "Dr. Weber met J. S. Bach and Mrs. Poe.| They spoke."},
		{"latin abbreviations", "Fruit, e.g. Apples, i.e. Round ones.| Cf. Fig. 3 for more."},
		{"etc. may end", "Pens, ink etc.| Then paper etc. as well."},
		{"German", "Obst, z. B. Äpfel, vgl. Kap. 3.| Am 3. Oktober ist frei.| Um 12.| Dann usw.| Ende."},
		{"German dates", "Seit dem 1. Mai 2024 gilt das.| Im 19. Jahrhundert nicht."},
		{"Russian", "Клиенты и т. д. до среды.| Жил на ул. Ленина, т. е. Рядом.| Яблоки и т. д.| Потом зима."},
		{"numbers, versions, addresses", "Pi is 3.14 in v1.2 at https://a.b/c.d?e=f.| Or so"},
		{"number at the start", "1. First point.| Second."},
		{"year at the end", "That was in 2024.| Then it ended."},
		{"ellipsis", "Wait… what?| Well…| Fine."},
		{"quotes after the stop", "He said “Stop.”| Then (he left.)| End"},
		{"quote that goes on", "“Really?” she asked.| No."},
		{"Chinese", "今天很好。|我们去公园！|你呢？|好"},
		{"Chinese quote", "“河流不会忘记。”作者写道。|完。"},
		{"Japanese quote", "彼は「行く。」と言った。|終わり。"},
		{"mark before Chinese", "OK!|你好"},
		{"Hindi", "यह एक है।| यह दो है।"},
		{"Arabic and Armenian", "من؟| نعم۔| Այո։| Ոչ"},
		{"code", "Run `a. B` now.| Then ``x. ` Y`` too."},
		{"meant line breaks", "A line|\nAnother one.|\nEnd"},
		{"no stops", "just words"},
	} {
		var got, want []string
		plain := strings.ReplaceAll(test.text, "|", "")
		sentences(plain, func(start, end int, _ bool) { got = append(got, plain[start:end]) })
		for _, sentence := range strings.Split(test.text, "|") {
			if sentence = strings.TrimSpace(sentence); sentence != "" {
				want = append(want, sentence)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s:\n got %q\nwant %q", test.rule, got, want)
		}
	}
}

func TestLongSentencesAreSplit(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("word ", 1000) + "end", strings.Repeat("字", 2000), strings.Repeat("half a clause, ", 300),
		strings.Repeat("x", 5000),
	} {
		var parts []string
		sentences(text, func(start, end int, goesOn bool) {
			parts = append(parts, text[start:end])
			if end-start > maxSentence || goesOn != (end < len(text)) {
				t.Errorf("a part of %d bytes ends at %d of %d with goesOn = %v", end-start, end, len(text), goesOn)
			}
		})
		squeeze := func(s string) string { return strings.ReplaceAll(s, " ", "") }
		if squeeze(strings.Join(parts, "")) != squeeze(text) || len(parts) < 3 {
			t.Errorf("%d parts together are not %.20q…", len(parts), text)
		}
	}
}

func TestCountWords(t *testing.T) {
	for text, want := range map[string]int{
		"":                           0,
		"— … !":                      0,
		"one two":                    2,
		"state-of-the-art, isn't it": 3,
		"3.14 v1.2 https://a.b/c":    3,
		"今天天气，很好。":                   6,
		"使用Python编程":                 5,
		"カタカナー":                      5,
		"한국어 문장":                     2,
		"ภาษา":                       4,
		"- [x] done":                 2,
		"one…two":                    2,
		strings.Repeat("a", 40):      1,
		strings.Repeat("a", 41):      2,
		strings.Repeat("a", 4000):    100,
	} {
		if got := countWords(text); got != want {
			t.Errorf("countWords(%q) = %d, want %d", text, got, want)
		}
	}
}

func TestMarkupIsRemoved(t *testing.T) {
	for _, test := range []struct{ rule, note, want string }{
		{"wikilinks", "See [[Note]], [[Note|alias]], [[Note#Part]] and [[Note#Part|part]].", "See Note, alias, Note > Part and part."},
		{"Markdown links", "See [a **b**](c.md), [d](https://e.f/g_(h)) and [i][j].", "See a b, d and i."},
		{"addresses", "At <https://a.b> or https://c.d/e_f_g.", "At https://a.b or https://c.d/e_f_g."},
		{"embeds and pictures", "Before ![[a.png]] ![b](c.png) ![d](https://e/f.png) after.", "Before after."},
		{"emphasis", "**Bold**, *it*, __b__, _i_, ==mark==, ***both*** and `**code**`.", "Bold, it, b, i, mark, both and `**code**`."},
		{"no emphasis", "2 * 3 * 4, snake_case_name, a == b, 5*", "2 * 3 * 4, snake_case_name, a == b, 5*"},
		{"struck text stays marked", "~~old~~ new", "~~old~~ new"},
		{"escapes and entities", `\*a\* &amp; b&nbsp;c \\`, `*a* & b c \`},
		{"comments, HTML, footnotes, ids", "A %%b%% <b>c</b><!-- d --> e[^1]. ^[f] g ^id1\n\n[^1]: note", "A c e. g"},
		{"math stays", "Then $a_1 * b_2$ holds.", "Then $a_1 * b_2$ holds."},
		{"block comment, code, table, math, HTML", "%%\na\n%%\n\n```\nb\n```\n\n|c|\n|-|\n\n$$\nd\n$$\n\n<div>e</div>\n\nf", "f"},
		{"definitions", "[a]: https://b.c\n[d]: e.md\n\nText.", "Text."},
		{"wrapped by hand", "A long line that was wrapped by hand somewhere near its end, at\nAnna's wish and\nwith care.", "A long line that was wrapped by hand somewhere near its end, at Anna's wish and with care."},
		{"meant breaks", "Short line\nAnother line\nand its end", "Short line\nAnother line and its end"},
		{"Chinese lines", "这是一个很长很长很长很长很长很长很长很长很长很长的句子，它在这里\n换行。", "这是一个很长很长很长很长很长很长很长很长很长很长的句子，它在这里换行。"},
		{"items", "- a\n  b\n\n  c\n  - [ ] d\n  1. [x] e ^id\n- ```\n  code\n  ```\n- f", "- a b|- c|- [ ] d|- [x] e|- f"},
		{"quotes", "> a\n> b\n>\n> - c\n> > d", "a b|- c|d"},
		{"lazy lines and quotes in items", "> a\nb\n> c\n\n- d\n  > e\n- f\n  > g", "a b c|- d|e|- f|g"},
		{"callouts", "> [!note]- Title\n> Text\n> | x | y |\n> |---|---|", "Title|Text"},
		{"code in a quote", "> a\n> ```\n> b\n> ```\n> c", "a\nc"},
	} {
		text := read(md.Scan([]byte(test.note)))
		var got []string
		for i := range text.units {
			got = append(got, text.units[i].mark()+text.units[i].text)
		}
		if joined := strings.Join(got, "|"); joined != test.want {
			t.Errorf("%s:\n got %q\nwant %q", test.rule, joined, test.want)
		}
	}
}

func TestNotesWithoutSentences(t *testing.T) {
	for _, test := range []struct{ rule, note, want string }{
		{"empty", "", ""},
		{"frontmatter alone", "---\na: b\n---\n", ""},
		{"headings alone", "# Trips\n\n## *Places*\n", "Trips\nPlaces"},
		{"code under a heading", "# Query\n\n```dataview\nTABLE x\n```\n", "Query"},
		{"few words under headings", "# Plan\n\n## Spring\n\nLaunch is next: ![[x]]\n\n## Autumn\n\n|a|\n|-|\n", "Plan\nSpring\nLaunch is next:\nAutumn"},
		{"code alone", "```\ncode\n```\n", ""},
		{"a table alone", "| What | [[Who]] |\n|---|---|\n| a | b |\n", "What | Who"},
		{"items on a line", "- - a b c\n- [ ] - d\n", "- a b c\n- d"},
		{"links alone", "- [[A]]\n- [b](c.md)\n", "- A\n- b"},
		{"tasks alone", "- [ ] Buy milk\n- [x] Sell cow\n", "- [ ] Buy milk\n- [x] Sell cow"},
		{"an embed alone", "![[picture.png]]\n", ""},
		{"a comment alone", "%%nothing to see%%\n", ""},
	} {
		if got := checkLaws(t, []byte(test.note), "Title", 50); got.Text != test.want {
			t.Errorf("%s: %q, want %q", test.rule, got.Text, test.want)
		}
	}
}

// TestExtractOfUnusualNotes: text without punctuation still has a summary; pictures and repetitions are left out.
func TestExtractOfUnusualNotes(t *testing.T) {
	dictation := "um so today i want to talk about the garden budget " +
		strings.Repeat("and the next point is that plants need water and light ", 70)
	for _, budget := range []int{20, 100, 200} {
		got := Extract([]byte(dictation), "trans", budget, nil)
		if !strings.HasPrefix(got.Text, "um so today") || got.Words > budget {
			t.Errorf("a dictation in %d words: %d words, %q", budget, got.Words, got.Text)
		}
	}
	picture := "Intro sentence about roses.\n\n![pic](data:image/png;base64," + strings.Repeat("QUJD", 30_000) +
		")\n\nEnd sentence about tulips.\n"
	want := "Intro sentence about roses.\nEnd sentence about tulips."
	if got := Extract([]byte(picture), "p", 100, nil); got.Text != want {
		t.Errorf("a note with a picture: %.200q, want %q", got.Text, want)
	}
	again := "Same thing is said. Same thing is said. Another thing is told. Same thing is said."
	got := Extract([]byte(again), "r", 8, nil)
	if strings.Count(got.Text, "Same") != 1 || !strings.Contains(got.Text, "Another") {
		t.Errorf("a note with repetitions: %q", got.Text)
	}
}
