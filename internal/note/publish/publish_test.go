package publish_test

import (
	"strings"
	"testing"

	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/publish"
	"obsidian-mcp/internal/note/vpath"
)

// vault is what the notes of the tests link to; the folder adr is published.
var vault = map[vpath.Path]string{
	"adr/This.md":                "",
	"adr/ADR-002 Use a queue.md": "# Use a queue\n\n## Why & how?\n\n## Twice\n\n## Twice\n\n## See [[Plan|the plan]] ^id\n\n## `go_fmt` **and** <b>bold</b> [docs](https://example.com)\n\n## Über uns\n\ntext ^block\n",
	"adr/old/ADR-001.md":         "# Old\n",
	"private/Secret plan.md":     "# Secret\n",
	"Plan.md":                    "",
	"files/diagram.png":          "",
	"files/spec.pdf":             "",
}

func convert(t testing.TB, from vpath.Path, text string) publish.Result {
	t.Helper()
	var paths []vpath.Path
	for path := range vault {
		paths = append(paths, path)
	}
	set := vpath.NewSet(paths)
	resolver := set.From(from)
	result, err := publish.Convert(publish.Source{
		Path:    from,
		Resolve: resolver.Resolve,
		File: func(path vpath.Path) (string, bool) {
			below, ok := path.Below("adr")
			if !ok || !path.IsNote() {
				return "", false
			}
			file, err := publish.FileName(below)
			return file, err == nil
		},
		Read: func(path vpath.Path) (*md.Note, bool) {
			text, ok := vault[path]
			return md.Scan([]byte(text)), ok
		},
	}, []byte(text))
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return result
}

func TestConvert(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"a link to a published note", "see [[ADR-002 Use a queue]].", "see [ADR-002 Use a queue](adr-002-use-a-queue.md)."},
		{"with a text", "[[ADR-002 Use a queue|the **queue**]]", "[the **queue**](adr-002-use-a-queue.md)"},
		{"with a text in brackets", "[[ADR-002 Use a queue|[1]]]", "[\\[1](adr-002-use-a-queue.md)]"},
		{"in a folder below", "[[ADR-001]]", "[ADR-001](old/adr-001.md)"},
		{"by a path", "[[adr/old/ADR-001]]", "[ADR-001](old/adr-001.md)"},
		{"in a table", "| a |\n|---|\n| [[ADR-001\\|one]] |\n", "| a |\n|---|\n| [one](old/adr-001.md) |\n"},
		{"a Markdown link to a published note", "[q](ADR-002%20Use%20a%20queue.md)", "[q](adr-002-use-a-queue.md)"},
		{"in angle brackets", "[q](<ADR-002 Use a queue.md> \"t\")", "[q](<adr-002-use-a-queue.md> \"t\")"},
		{"a definition", "[q][1]\n\n[1]: old/ADR-001.md\n", "[q][1]\n\n[1]: old/adr-001.md\n"},

		{"a heading", "[[ADR-002 Use a queue#Why & how?]]", "[ADR-002 Use a queue > Why & how?](adr-002-use-a-queue.md#why--how)"},
		{"a heading in another case", "[q](ADR-002%20Use%20a%20queue.md#why%20how)", "[q](adr-002-use-a-queue.md#why--how)"},
		{"a chain of headings", "[[ADR-002 Use a queue#Use a queue#Twice|x]]", "[x](adr-002-use-a-queue.md#twice)"},
		{"a heading with a link and an id", "[[ADR-002 Use a queue#See Plan the plan|x]]", "[x](adr-002-use-a-queue.md)"},
		{"a heading in another script", "[[ADR-002 Use a queue#über uns|x]]", "[x](adr-002-use-a-queue.md#über-uns)"},
		{"a missing heading", "[[ADR-001#Nope|x]]", "[x](old/adr-001.md)"},
		{"a block", "[[ADR-002 Use a queue#^block|x]]", "[x](adr-002-use-a-queue.md)"},
		{"a heading of the note itself", "# My `part`\n[[#my part]] [x](#My%20part)", "# My `part`\n[my part](#my-part) [x](#my-part)"},
		{"the second of two headings", "# A\n## B\n# C\n## B\n[[#C#B|x]]", "# A\n## B\n# C\n## B\n[x](#b-1)"},
		{"a block of the note itself", "[[#^id|above]]", "above"},

		{"a link to another note", "see [[Plan]].", "see Plan."},
		{"without its path", "see [[private/Secret plan]].", "see Secret plan."},
		{"with its text", "see [[private/Secret plan#Part|the plan]].", "see the plan."},
		{"with its heading", "see [[private/Secret plan#Part]].", "see Secret plan > Part."},
		{"a Markdown link to another note", "see [the *plan*](../private/Secret%20plan.md#a).", "see the *plan*."},
		{"without a text", "see [](../private/Secret%20plan.md).", "see Secret plan."},
		{"a link to an attachment", "[[spec.pdf]] [spec](../files/spec.pdf)", "spec.pdf spec"},
		{"a missing note", "[[private/Nobody]] [x](private/Nobody.md)", "Nobody x"},
		{"a definition of another note", "[x][1]\n\n[1]: ../private/Secret%20plan.md\n", "[x][1]\n\n[1]: #\n"},
		{"a name that would be formatted", "[[private/a*b_c_[d]]", "a\\*b_c\\_\\[d"},
		{"a name that would start a list", "[[private/1. First]]\n\n[[- x]]\n\n[[x|# y]]", "1\\. First\n\n\\- x\n\n\\# y"},
		{"web links", "[a](https://example.com/x.md) <https://example.com> [b](//example.com) [c](mailto:a@example.com)", "[a](https://example.com/x.md) <https://example.com> [b](//example.com) [c](mailto:a@example.com)"},
		{"brackets around a link", "`[[x]]` [[[[Plan]]]] [[ [[Plan]] ]]", "`[[x]]` \\[\\[Plan]] \\[\\[ Plan ]]"},

		{"an embedded picture", "![[diagram.png|300]]", "(embedded: diagram.png)"},
		{"an embedded note", "![[private/Secret plan#Part]]", "(embedded: Secret plan > Part)"},
		{"a Markdown picture of the vault", "![alt](../files/diagram.png)", "(embedded: diagram.png)"},
		{"a Markdown picture of the web", "![alt](https://example.com/a.png)", "![alt](https://example.com/a.png)"},
		{"a picture in a link", "[![x](../files/diagram.png)](../private/Secret%20plan.md)", "(embedded: diagram.png)"},
		{"a link in the text of a picture", "![a [b](../Plan.md)](../files/diagram.png)", "(embedded: diagram.png)"},

		{"a comment in a line", "a %%secret [[Plan]]%% b", "a  b"},
		{"a comment on its own line", "a\n\n%%secret%%\n\nb\n", "a\n\nb\n"},
		{"a comment of several lines", "a\n\n%%\nsecret ^x\n\n[[Plan]]\n%%\n\nb\n", "a\n\nb\n"},
		{"a comment at the start", "%%secret%%\n\nb\n", "b\n"},
		{"a comment that never ends", "a\n\n%%\nsecret\n", "a\n\n"},
		{"a block id", "text ^id\n\n- item ^id2\n", "text\n\n- item\n"},
		{"a block id of its own", "> quote\n\n^id\n\nb\n", "> quote\n\nb\n"},
		{"CRLF", "text ^id\r\n\r\n%%x%%\r\n\r\n[[Plan]]\r\n", "text\r\n\r\nPlan\r\n"},
		{"a byte-order mark", "\ufeffa", "a"},

		{"code", "`[[Plan]] %%x%%`\n\n```\n[[Plan]] ^id\n%%x%%\n![[a.png]]\n```\n\n    [[Plan]]\n", "`[[Plan]] %%x%%`\n\n```\n[[Plan]] ^id\n%%x%%\n![[a.png]]\n```\n\n    [[Plan]]\n"},

		{"frontmatter", "---\nstatus: accepted # yes\ntags: [adr]\ngithub: https://example.com\n---\n# A\n", "---\nstatus: accepted # yes\ntags: [adr]\n---\n# A\n"},
		{"links in frontmatter", "---\nrelated:\n  - \"[[ADR-001]]\"\n  - '[[private/Secret plan]] and [[Plan|p]]'\nby: \"[[private/Ada]]\"\n---\n", "---\nrelated:\n  - \"[ADR-001](old/adr-001.md)\"\n  - \"Secret plan and p\"\nby: \"Ada\"\n---\n"},
		{"links in frontmatter without quotes", "---\nby: [[private/Ada]]\nsee: [[ADR-001]] # [[private/x/Y|z]]\nurls: [[https://example.com/a]]\n---\n", "---\nby: [[Ada]]\nsee: [[ADR-001]] # [[Y|z]]\nurls: [[https://example.com/a]]\n---\n"},
	} {
		result := convert(t, "adr/This.md", test.text)
		if got := string(result.Text); got != test.want {
			t.Errorf("%s: %q becomes\n%q, want\n%q", test.name, test.text, got, test.want)
		}
	}
}

func TestConvertFromAFolderBelow(t *testing.T) {
	result := convert(t, "adr/old/ADR-001.md", "[[This]] [[ADR-002 Use a queue#twice|x]] [[ADR-001]]")
	if got, want := string(result.Text), "[This](../this.md) [x](../adr-002-use-a-queue.md#twice) [ADR-001](adr-001.md)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAnchorsAreThoseOfThePublishedHeadings(t *testing.T) {
	for heading, want := range map[string]string{
		"See [[Plan|the plan]] ^id": "see-the-plan", "`go_fmt` **and** <b>bold</b> [docs](https://example.com)": "go_fmt-and-bold-docs",
		"%%no%% 1. Über-uns!": "1-über-uns", "[[private/Secret plan]]": "secret-plan", "数据 模型": "数据-模型",
	} {
		result := convert(t, "adr/This.md", "# "+heading+"\n\n[x](#"+strings.NewReplacer(" ", "%20", "%", "%25", "[", "%5B", "]", "%5D", "(", "%28", ")", "%29", "<", "%3C", ">", "%3E", "#", "").Replace(heading)+")")
		if got := string(result.Text); !strings.HasSuffix(got, "[x](#"+want+")") {
			t.Errorf("%q has the anchor in %q, want %q", heading, got, want)
		}
	}
}

func TestConvertSaysWhatIsLeftOut(t *testing.T) {
	result := convert(t, "adr/This.md", "---\nby: \"[[Plan]]\"\n---\n[[Plan]] [[ADR-001]] ![[diagram.png]] %%a%% [x](../Plan.md)\n\n%%\nb [[Plan]]\n%%\n")
	if result.Links != 3 || result.Embeds != 1 || result.Comments != 2 {
		t.Errorf("%d links, %d embeds, %d comments", result.Links, result.Embeds, result.Comments)
	}
}

func TestFileName(t *testing.T) {
	for path, want := range map[vpath.Path]string{
		"ADR-007 Use Postgres.md": "adr-007-use-postgres.md", "2024/Größe & Maß.md": "2024/größe-maß.md", "v1.2 (draft)!.md": "v1-2-draft.md",
		"_index.md": "_index.md", "データ ベース.md": "データ-ベース.md", "a  -- b.md": "a-b.md", "Cafe\u0301 ❤\ufe0f x.md": "café-x.md", "..a..md": "a.md",
	} {
		if got, err := publish.FileName(path); err != nil || got != want {
			t.Errorf("FileName(%q) = %q, %v; want %q", path, got, err, want)
		}
	}
	if got, err := publish.FileName("a/!!.md"); err == nil {
		t.Errorf("a name without letters becomes %q", got)
	}
}

func TestSlugsDifferWhereFilesDo(t *testing.T) {
	if a, b := publish.Slug("a/x.md"), publish.Slug("a-x.md"); a == b || strings.ContainsAny(a+b, "/.") {
		t.Errorf("slugs %q and %q", a, b)
	}
}

// FuzzConvert: no text makes the conversion fail, and no wikilink or path of another note is left.
func FuzzConvert(f *testing.F) {
	for _, seed := range []string{"[[Plan]] ![[a.png]] %%x%% ^id", "[[[[Plan]]]]", "# [[Plan]] ^a\n[[#Plan]]", "> %%\n> x\n> %%\n\n^id\n", "---\na: \"[[Plan]]\"\n---\n[a [[Plan]] b](Plan.md)", "%%%a%%%\n^a", "![[a]]]]", "[![[x]]](y)"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		note := md.Scan([]byte(text))
		if note.Front.Present {
			t.Skip("the properties may be invalid, which is an error")
		}
		result := convert(t, "adr/This.md", text)
		for _, link := range md.Scan(result.Text).Links {
			if link.Kind == md.WikiLink {
				t.Errorf("%q becomes %q, which has the link %q", text, result.Text, link.Of(result.Text))
			}
		}
	})
}
