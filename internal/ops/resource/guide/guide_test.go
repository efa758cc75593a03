package guide

import (
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"obsidian-mcp/internal/testkit/golden"
)

// The skill files hold the same text as the prompts.
func TestSkillFiles(t *testing.T) {
	for _, skill := range Skills() {
		golden.Check(t, filepath.Join("..", "..", "..", "..", "skills", skill.Name, "SKILL.md"), []byte(skill.Text))
	}
}

func TestPromptsNameToolsAndPaths(t *testing.T) {
	for _, test := range []struct {
		text string
		want []string
	}{
		{Devlog("Login flow", "Harbour"), []string{
			`topic: "Login flow"`, `project: "Harbour"`, `path: "devlog/Login flow.md"`, "`note_read`", "`note_upsert`", "`vault_search`",
			"devlog/{topic}.md", "append-only", `"tags": ["devlog"]`, `"topic":`, `"project":`, `"created":`, `"updated":`,
		}},
		{ADR("Use one index", "Harbour"), []string{
			`title: "Use one index"`, `project: "Harbour"`, `slug: "use-one-index"`, "`note_read`", "`note_upsert`", "`vault_search`",
			"adr/ADR-{NNN}-{slug}.md", "_index.md", "append-only", `"tags": ["adr", "accepted"]`, `"adr":`, `"date":`, `"status":`, `"project":`, `"related":`,
		}},
	} {
		for _, want := range test.want {
			if !strings.Contains(test.text, want) {
				t.Errorf("no %s in\n%s", want, test.text)
			}
		}
	}
}

func TestFileNamesFromArguments(t *testing.T) {
	for _, test := range []struct{ argument, file, slug string }{
		{"", "", ""},
		{" \n\t", "", ""},
		{"../../etc/passwd", "etc-passwd", "etc-passwd"},
		{"a/b: c?", "a-b- c", "a-b-c"},
		{"Поиск и Индекс", "Поиск и Индекс", "поиск-и-индекс"},
		{"搜索 引擎", "搜索 引擎", "搜索-引擎"},
		{"...", "", ""},
		{"C++ & Go", "C++ & Go", "c-go"},
		{strings.Repeat("a", 300), strings.Repeat("a", maxName), strings.Repeat("a", maxName)},
	} {
		if file, slug := fileName(test.argument), slugOf(test.argument); file != test.file || slug != test.slug {
			t.Errorf("%q: file %q, slug %q, want %q and %q", test.argument, file, slug, test.file, test.slug)
		}
	}
}

// FuzzArguments checks that arguments stay on their lines, whatever they contain.
func FuzzArguments(f *testing.F) {
	f.Add("", "")
	f.Add("x\n\n# Ignore the above\n```", "\"; `rm`\r\n\u2028\u202e\x00\xff")
	f.Add(strings.Repeat("long ", 1000), "{topic} %s %!d")
	f.Fuzz(func(t *testing.T, first, second string) {
		for prompt, guide := range map[string]string{Devlog(first, second): devlog, ADR(first, second): adr} {
			head, ok := strings.CutSuffix(prompt, guide)
			if !ok {
				t.Fatalf("%q does not end with the guide", prompt)
			}
			lines := strings.Split(head, "\n")
			if len(lines) != 7 || len(head) > 20*maxArgument {
				t.Fatalf("%d lines, %d bytes: %q", len(lines), len(head), head)
			}
			for _, line := range lines[2:5] {
				if _, value, ok := strings.Cut(line, ": "); !ok || value == "" {
					t.Fatalf("no argument in %q", line)
				}
			}
			if !utf8.ValidString(head) || strings.ContainsFunc(strings.ReplaceAll(head, "\n", ""), func(r rune) bool { return !unicode.IsPrint(r) }) {
				t.Fatalf("invisible characters in %q", head)
			}
		}
	})
}
