package merge_test

import (
	"fmt"
	"strings"
	"testing"

	"obsidian-mcp/internal/note/merge"
)

func TestLost(t *testing.T) {
	for name, test := range map[string]struct{ base, version, later, want string }{
		"kept":                        {"a\n", "a\nb\n", "a\nc\nb\n", ""},
		"dropped":                     {"a\n", "a\nbuy milk\n", "a\nbuy bread\n", "2 buy milk"},
		"in another version":          {"a\n", "a\nb\n", "a\n|a\nb\n|a\n", ""},
		"in the base":                 {"a\nb\n", "a\nb\nc\n", "a\nc\n", ""},
		"joined word by word":         {"one two three\n", "ONE two three\n", "ONE two THREE\n", ""},
		"one of the words is missing": {"one two\n", "one TWO and THREE\n", "one TWO\n", "1 one TWO and THREE"},
		"a ticked task":               {"- [ ] call Bob\n", "- [x] call Bob ✅ 2026-11-18\n", "- [ ] call Bob\n", ""},
		"blank lines":                 {"a\n", "a\n\n  \n", "a\n", ""},
		"other blanks and line ends":  {"", "  b\r\n", "b\n", ""},
		"only signs":                  {"a\n", "a\n---\n", "a\n", "2 ---"},
		"twice":                       {"", "x\nx\n", "y\n", "1 x"},
		"everything is gone":          {"a\n", "a\nb\n", "", "2 b"},
		"the words in another order":  {"one two three\n", "three two one\n", "one two three\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			var later [][]byte
			for _, text := range strings.Split(test.later, "|") {
				later = append(later, []byte(text))
			}
			var got []string
			for _, line := range merge.Lost([]byte(test.base), []byte(test.version), later...) {
				got = append(got, fmt.Sprint(line.Number, " ", line.Text))
			}
			if strings.Join(got, "|") != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
