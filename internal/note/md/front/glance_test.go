package front

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"obsidian-mcp/internal/note/md"
	_ "obsidian-mcp/internal/testkit/mode" // fixes the seed of rapid
)

// checkGlance compares the fast path with Parse. It returns false if the fast path does not apply.
func checkGlance(t interface {
	Helper()
	Errorf(string, ...any)
}, text string) bool {
	t.Helper()
	note := md.Scan([]byte(text))
	if !note.Front.Present {
		return false
	}
	fast, ok := lookFast(note, new(md.Scanner))
	if !ok {
		return false
	}
	block, err := Parse(note)
	if err != nil {
		t.Errorf("the fast path reads %q, which is invalid: %v", text, err)
		return true
	}
	want := Glance{Tags: block.Tags(), Aliases: block.Aliases()}
	for _, link := range block.Links() {
		want.Links = append(want.Links, GlanceLink{link.Target, link.Value.Start})
	}
	if diff := cmp.Diff(want, fast); diff != "" {
		t.Errorf("%q: Parse (-) and the fast path (+) differ:\n%s", text, diff)
	}
	if diff := cmp.Diff(block.Fields(), Fields(note), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%q: the fields of Parse (-) and the fast path (+) differ:\n%s", text, diff)
	}
	return true
}

func TestGlanceReadsTheCommonForms(t *testing.T) {
	for _, text := range []string{
		"---\ntags: [a, b/c]\naliases:\n  - X\n  - 'Y z'\nup: \"[[A#b|c]]\"\n---\n",
		"---\ncreated: 2026-01-02\ntags:\n- a\n- \"#b\"\n- 12\nstatus: draft # by hand\n---\n",
		"---\r\nTags: one\r\nalias: x\r\nlink: see [[Y]]\r\n---\r\n",
		"---\n# comment\n\ntags:\ntitle: a:b\nnone: ~\nyes: true\n---\n",
		"---\ntags: []\nrelated: [\"[[A]]\", '[[B]]']\n---\n",
	} {
		if !checkGlance(t, text) {
			t.Errorf("the fast path does not read %q", text)
		}
	}
}

var glanceParts = []string{
	"tags:", "tags: ", "Tags: a", "aliases: ", "x: ", "x y: ", "- ", "  - ", "    - ", "-", "a", "b/c", "#t", "12", "0x1f",
	"1.5", "true", "null", "~", "\"", "'", "\"q\"", "'q'", "\"[[A|b]]\"", "[[B]]", "[t](C.md)", "[", "]", "{", "}", ", ", ",",
	": ", ":", " # c", "#", "\n", "\n", "\n", "\r\n", " ", "  ", "\t", "é", "字", "\u00a0", "\u2028", "\\", "|", ">", "&a", "*a",
	"!t", "%", "@", "`", "?", "? ", "---", "...", "key: value\n", "tags:\n  - a\n  - b\n",
}

func TestGlanceAgreesWithParse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.SampledFrom(glanceParts), 0, 14).Draw(t, "parts")
		checkGlance(t, "---\n"+strings.Join(parts, "")+"\n---\nbody\n")
	})
}

func FuzzGlance(f *testing.F) {
	files, _ := filepath.Glob("../../../../testdata/hostile/frontmatter/*.md")
	for _, name := range files {
		if content, err := os.ReadFile(name); err == nil && len(content) < 4096 {
			f.Add(string(content))
		}
	}
	f.Add("---\ntags: [a, \"b\"]\nup: '[[A]]'\n---\n")
	f.Fuzz(func(t *testing.T, text string) { checkGlance(t, text) })
}
