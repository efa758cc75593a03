package passage_test

import (
	"fmt"
	"strings"
	"testing"

	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/passage"
)

func show(text string, size int) string {
	note := md.Scan([]byte(text))
	var out []string
	for _, p := range passage.Split(note, size) {
		out = append(out, fmt.Sprintf("%s: %q", strings.Join(p.Headings, "/"), p.Of(note.Source)))
	}
	return strings.Join(out, "\n")
}

func TestSplit(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		size int
		want string
	}{
		"nothing":                       {"---\na: 1\n---\n\n%%\nx\n%%\n", 100, ""},
		"paragraphs together":           {"one\n\ntwo\n\n\nthree\n", 100, `: "one\n\ntwo\n\n\nthree\n"`},
		"paragraphs apart":              {"one\n\ntwo\n\nthree\n", 9, ": \"one\\n\\ntwo\\n\"\n: \"three\\n\""},
		"a caption":                     {"Tides.\n\nThe sea rises and falls twice a day.\n\nA longer one follows here, and ends.\n", 56, ": \"Tides.\\n\\nThe sea rises and falls twice a day.\\n\"\n: \"A longer one follows here, and ends.\\n\""},
		"a caption before a long block": {"Tides.\n\n" + strings.Repeat("word ", 12) + "\n", 64, ": \"Tides.\\n\\n" + strings.Repeat("word ", 12) + "\\n\""},
		"headings":                      {"# A\nx\n## B\ny\n# C\n### D\nz\n", 100, "A: \"x\\n\"\nA/B: \"y\\n\"\nC/D: \"z\\n\""},
		"setext":                        {"A\n=\nx\n", 100, `A: "x\n"`},
		"code stays whole":              {"```\na\n\nb\n\nc\n```\n", 10, `: "` + "```" + `\na\n\nb\n\nc\n` + "```" + `\n"`},
		"a long list":                   {"- aaaa\n- bbbb\n- cccc\n- dddd\n- eeee\n", 15, ": \"- aaaa\\n- bbbb\\n\"\n: \"- cccc\\n- dddd\\n- eeee\\n\""},
		"a long line":                   {strings.Repeat("x", 50), 10, ": \"" + strings.Repeat("x", 50) + "\""},
		"a heading in a list":           {"- # in\n\n# B\ny\n", 100, ": \"- # in\\n\"\nB: \"y\\n\""},
	} {
		if got := show(test.text, test.size); got != test.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, test.want)
		}
	}
}

// Passages are in order, do not overlap, and leave out nothing but blank lines, headings and comments.
func FuzzSplit(f *testing.F) {
	for _, seed := range []string{"# A\n\nx\n\ny\n", "- a\n  # b\n- c\n", "```\n\n", "> # q\n\n# r\n", "a\n=\n\n%%\n%%\nb", "|a|\n|-|\n|b|\n\n---\n"} {
		f.Add([]byte(seed), 8)
	}
	f.Fuzz(func(t *testing.T, data []byte, size int) {
		note := md.Scan(data)
		covered := make([]bool, len(data))
		end := 0
		for _, p := range passage.Split(note, max(1, size%1000)) {
			if p.Start < end || p.End <= p.Start {
				t.Fatalf("%v after %d", p.Span, end)
			}
			end = p.End
			for at := p.Start; at < p.End; at++ {
				covered[at] = true
			}
		}
		for _, block := range note.Blocks {
			if block.Kind == md.Paragraph || block.Kind == md.List || block.Kind == md.Code || block.Kind == md.Table {
				for at := block.Start; at < block.End; at++ {
					if !covered[at] {
						t.Fatalf("byte %d of a block is in no passage", at)
					}
				}
			}
		}
	})
}
