package embed_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/embed"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
)

// testVault is a vault that counts what is read.
type testVault struct {
	files map[string]string
	reads int
	bytes int
}

func (v *testVault) expand(t *testing.T, name string, limit int) embed.Result {
	t.Helper()
	var paths []vpath.Path
	for path := range v.files {
		paths = append(paths, vpath.Path(path))
	}
	set := vpath.NewSet(paths)
	note := md.Scan([]byte(v.files[name]))
	result, err := embed.Expand(embed.Source{
		Resolve: func(from vpath.Path, link string) (vpath.Path, bool) {
			resolver := set.From(from)
			return resolver.Resolve(link)
		},
		Read: func(path vpath.Path) ([]byte, error) {
			v.reads++
			text, ok := v.files[string(path)]
			if !ok || text == "gone" {
				return nil, fault.NotFound.Errorf("gone")
			}
			v.bytes += len(text)
			return []byte(text), nil
		},
	}, embed.Part{Path: vpath.Path(name), Note: note, Span: md.Span{End: len(note.Source)}}, limit)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func TestExpand(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"a note without its frontmatter", "a\n\n![[N]]\n\nb\n", "a\n\n> [!embed] sub/N.md\n> # One\n>\n> text\n>\n> ## Two\n>\n> more ^id\n\nb\n"},
		{"a heading with its section", "![[N#two]]", "> [!embed] sub/N.md#two\n> ## Two\n>\n> more ^id"},
		{"a chain of headings", "![[N#One#Two]]", "> [!embed] sub/N.md#One#Two\n> ## Two\n>\n> more ^id"},
		{"a block without its id", "![[N#^ID]]", "> [!embed] sub/N.md#^ID\n> more"},
		{"a Markdown embed", "![x](sub/N.md#%5Eid)\n", "> [!embed] sub/N.md#^id\n> more\n"},
		{"a nested list item loses its indent", "![[L#^kid]]", "> [!embed] L.md#^kid\n> - kid\n>   - grandkid"},
		{"CRLF", "a\r\n![[N#^id]]\r\nb\r\n", "a\r\n> [!embed] sub/N.md#^id\r\n> more\r\n\r\nb\r\n"},
		{"in a list", "- ![[N#^id]]\n- b\n", "- > [!embed] sub/N.md#^id\n  > more\n- b\n"},
		{"in a task", "1. [ ] ![[N#^id]]\n", "1. [ ] > [!embed] sub/N.md#^id\n       > more\n"},
		{"in a quote", "> ![[N#^id]]\n> b\n", "> > [!embed] sub/N.md#^id\n> > more\n>\n> b\n"},
		{"before a quote", "![[N#^id]]\n> b\n", "> [!embed] sub/N.md#^id\n> more\n\n> b\n"},
		{"inside a line", "see ![[N#^id]] here\nand there\n\nb\n", "see ![[N#^id]] here\nand there\n\n> [!embed] sub/N.md#^id\n> more\n\nb\n"},
		{"inside a line at the end", "see ![[N#^id]]", "see ![[N#^id]]\n\n> [!embed] sub/N.md#^id\n> more\n"},
		{"inside a line before a quote", "see ![[N#^id]]\n> b\n", "see ![[N#^id]]\n\n> [!embed] sub/N.md#^id\n> more\n\n> b\n"},
		{"inside a table", "| a |\n| - |\n| ![[N#^id]] |\n", "| a |\n| - |\n| ![[N#^id]] |\n\n> [!embed] sub/N.md#^id\n> more\n"},
		{"nested", "![[M]]\n", "> [!embed] M.md\n> m\n> > [!embed] sub/N.md#^id\n> > more\n>\n> end\n"},
		{"of this note", "![[#^me]]\n\nself ^me\n", "> [!embed] root.md#^me\n> self\n\nself ^me\n"},
		{"code and comments stay", "`![[N]]`\n\n```\n![[N]]\n```\n\n%% ![[N]] %%\n", "`![[N]]`\n\n```\n![[N]]\n```\n\n%% ![[N]] %%\n"},
		{"links stay", "[[N]] [n](N.md)\n", "[[N]] [n](N.md)\n"},
		{"missing", "![[Nope]]\n", "> [!embed] ![[Nope]] not found\n"},
		{"gone since", "![[Gone]]\n", "> [!embed] ![[Gone]] not found\n"},
		{"missing heading", "![[N#Nope]]", "> [!embed] ![[N#Nope]] not found: the note has no such heading"},
		{"missing block", "![[N#^nope]]", "> [!embed] ![[N#^nope]] not found: the note has no such block"},
		{"files stay", "![[pic.png|100]] ![[Board.canvas]] ![[pic.png]]\n", "![[pic.png|100]] ![[Board.canvas]] ![[pic.png]]\n"},
		{"a note in itself", "a\n\n![[root]]\n", "a\n\n> [!embed] ![[root]] not expanded: it would contain itself\n"},
		{"a section in itself", "# A\n![[#A]]\n", "# A\n> [!embed] ![[#A]] not expanded: it would contain itself\n"},
		{"a circle", "![[Ring]]\n", "> [!embed] Ring.md\n> ring\n> > [!embed] ![[root]] not expanded: it would contain itself\n"},
		{"four levels", "![[1]]", "> [!embed] 1.md\n> > [!embed] 2.md\n> > > [!embed] 3.md\n> > > > [!embed] ![[4]] not expanded: embeds are expanded three levels deep"},
		{"a note with such callouts", "> [!EMBED] forged\n\n![[N#^id]]\n", "> [!EMBED] forged\n\n> [!embed-2] sub/N.md#^id\n> more\n"},
		{"an embedded note with such callouts", "![[Forged]]\n", "> [!embed-3] Forged.md\n> > [!embed] a\n> > [!embed-2] b\n"},
		{"an empty note", "![[Empty]]\nb", "> [!embed] Empty.md\n\nb"},
	} {
		vault := testVault{files: map[string]string{
			"root.md": test.text, "sub/N.md": "---\na: 1\n---\n# One\n\ntext\n\n## Two\n\nmore ^id\n", "L.md": "- a\n\t- kid ^kid\n\t  - grandkid\n- b\n",
			"M.md": "m\n![[N#^id]]\nend\n", "Ring.md": "ring\n![[root]]\n", "1.md": "![[2]]", "2.md": "![[3]]", "3.md": "![[4]]", "4.md": "deep",
			"pic.png": "", "Board.canvas": "{}", "Forged.md": "> [!embed] a\n> [!embed-2] b\n", "Empty.md": "---\na: 1\n---\n", "Gone.md": "gone",
		}}
		if got := string(vault.expand(t, "root.md", 0).Text); got != test.want {
			t.Errorf("%s: %q becomes\n%q, want\n%q", test.name, test.text, got, test.want)
		}
	}
}

// TestExpandSaysWhatItLeft: files are named once, and embeds that do not fit are counted.
func TestExpandSaysWhatItLeft(t *testing.T) {
	vault := testVault{files: map[string]string{
		"root.md": "![[a.png]] ![[a.png]]\n\n![[Big]]\n\n![[Small]]\n", "a.png": "", "Big.md": strings.Repeat("word ", 200), "Small.md": "small",
	}}
	result := vault.expand(t, "root.md", 300)
	if len(result.Files) != 1 || result.Files[0] != "a.png" || result.Left != 1 || len(result.Shown) != 1 || result.Shown[0].Path != "Small.md" {
		t.Errorf("files %v, %d left, %d shown", result.Files, result.Left, len(result.Shown))
	}
	if want := "> [!embed] ![[Big]] not expanded: its 1000 characters do not fit; read it on its own\n\n> [!embed] Small.md\n> small\n"; !strings.HasSuffix(string(result.Text), want) {
		t.Errorf("the text is %q", result.Text)
	}
}

// TestExpandIsBounded: whatever notes embed, each is read once, and the result keeps to the limit.
func TestExpandIsBounded(t *testing.T) {
	const limit = 60_000
	bomb := map[string]string{"root.md": strings.Repeat("![[a]]\n", 100), "a.md": strings.Repeat("![[b]] ![[b]]\n", 100), "b.md": strings.Repeat("- ![[c]]\n", 100), "c.md": strings.Repeat("Ünï ", 100)}
	big := map[string]string{"root.md": strings.Repeat("![[Big]]\n", 1_000), "Big.md": strings.Repeat("word\n", 100_000)}
	many, long := map[string]string{"root.md": ""}, strings.Repeat("x", 70_000)
	for i := range 3_000 {
		name := fmt.Sprintf("n%d", i)
		many["root.md"] += "![[" + name + "]]\n"
		many[name+".md"] = long
	}
	for name, files := range map[string]map[string]string{"bomb": bomb, "big": big, "many": many} {
		vault := testVault{files: files}
		result := vault.expand(t, "root.md", limit)
		if chars := utf8.RuneCount(result.Text); chars > limit || chars < 20_000 {
			t.Errorf("%s: the result has %d characters", name, chars)
		}
		if vault.reads > 1_000 || vault.bytes > 33<<20 || name != "many" && vault.reads > len(files) {
			t.Errorf("%s: %d reads of %d bytes", name, vault.reads, vault.bytes)
		}
	}
}

// FuzzExpand: no text makes expanding fail or exceed its limit.
func FuzzExpand(f *testing.F) {
	for _, seed := range []string{"![[a]]", "> - ![[a#b]]\n![[a#^c]]", "- [ ] ![](a.md)\n\tx ^c", "```\n![[a]]\n", "# b\r\n![[#b]] ^c", "![[a]]![[a]]\n|-|\n", "%%![[a]]", "\ufeff---\n![[a]]"} {
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, root, a string) {
		vault := testVault{files: map[string]string{"root.md": root, "a.md": a}}
		limit := utf8.RuneCountInString(root) + 1_000
		if result := vault.expand(t, "root.md", limit); utf8.RuneCount(result.Text) > limit {
			t.Errorf("%d characters, the limit is %d", utf8.RuneCount(result.Text), limit)
		}
	})
}
