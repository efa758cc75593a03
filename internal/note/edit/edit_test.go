package edit_test

import (
	"errors"
	"strings"
	"testing"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/md/front"
	"obsidian-mcp/internal/note/vpath"
)

// apply returns a note after an edit.
func apply(src string, change func(*md.Note) []md.Splice) string {
	return string(md.Apply([]byte(src), change(md.Scan([]byte(src)))))
}

func TestAppend(t *testing.T) {
	for _, test := range []struct{ name, src, text, want string }{
		{"a blank line between", "Line1", "Line2", "Line1\n\nLine2"},
		{"a final newline stays", "Line1\n", "Line2", "Line1\n\nLine2\n"},
		{"an existing blank line is enough", "Line1\n\n", "Line2", "Line1\n\nLine2\n"},
		{"blank lines with spaces count", "Line1\n  \n", "Line2", "Line1\n  \nLine2\n"},
		{"CRLF", "a\r\nb\r\n", "c\nd", "a\r\nb\r\n\r\nc\r\nd\r\n"},
		{"CRLF in the text stays as it is", "a\r\nb", "c\r\nd", "a\r\nb\r\n\r\nc\r\nd"},
		{"empty note", "", "x", "x"},
		{"only frontmatter", "---\na: 1\n---\n", "x", "---\na: 1\n---\nx"},
		{"only frontmatter, no line end", "---\na: 1\n---", "x", "---\na: 1\n---\nx"},
		{"CRLF in the text follows the note", "a\nb", "c\r\nd", "a\nb\n\nc\nd"},
		{"only a byte-order mark", "\ufeff", "x", "\ufeffx"},
		{"trailing spaces stay", "a  ", "b", "a  \n\nb"},
		{"the last line is a carriage return", "a\n\r", "b", "a\n\r\n\nb"},
		{"carriage returns among spaces", "a\n\n \r\t\r", "b", "a\n\n \r\t\r\nb"},
	} {
		got := apply(test.src, func(n *md.Note) []md.Splice { return edit.Append(n, test.text) })
		if got != test.want {
			t.Errorf("%s: %q + %q = %q, want %q", test.name, test.src, test.text, got, test.want)
		}
	}
}

func TestReplaceBody(t *testing.T) {
	for _, test := range []struct{ src, content, want string }{
		{"---\n# c\na:   1\n---\nold\n", "new", "---\n# c\na:   1\n---\nnew"},
		{"old", "new\n", "new\n"},
		{"\ufeff---\r\na: 1\r\n---\r\nold\r\n", "x\ny\n", "\ufeff---\r\na: 1\r\n---\r\nx\r\ny\r\n"},
		{"---\na: 1\n---", "x", "---\na: 1\n---\nx"},
		{"---\na: 1\n---\nold", "", "---\na: 1\n---\n"},
	} {
		if got := apply(test.src, func(n *md.Note) []md.Splice { return edit.ReplaceBody(n, test.content) }); got != test.want {
			t.Errorf("body of %q = %q: %q, want %q", test.src, test.content, got, test.want)
		}
	}
	if splices := edit.ReplaceBody(md.Scan([]byte("same")), "same"); splices != nil {
		t.Errorf("the same body is a change: %v", splices)
	}
}

func TestReplaceText(t *testing.T) {
	for _, test := range []struct {
		src, old, replacement string
		all                   bool
		want                  string
		found                 int
	}{
		{"a b a", "a", "x", false, "x b a", 2},
		{"a b a", "a", "x", true, "x b x", 2},
		{"---\na: 1\n---\na", "a", "x", true, "---\na: 1\n---\nx", 1},
		{"aaa", "aa", "b", true, "ba", 1},
		{"a\r\nb\r\n", "a\nb", "c\nd", false, "c\r\nd\r\n", 1},
		{"a\r\nb\r\nc\r\n", "\nb", "\nX", false, "a\r\nX\r\nc\r\n", 1},
		{"---\na: 1\n---\nx\r\ny\r\n", "x\ny", "z", false, "---\na: 1\n---\nz\r\n", 1},
		{"a", "", "x", true, "a", 0},
		{"a", "z", "x", true, "a", 0},
		{"cost $1", "$1", "$2 \\0", false, "cost $2 \\0", 1},
	} {
		var found int
		got := apply(test.src, func(n *md.Note) (splices []md.Splice) {
			splices, found = edit.ReplaceText(n, test.old, test.replacement, test.all)
			return splices
		})
		if got != test.want || found != test.found {
			t.Errorf("%q: %q for %q = %q (%d), want %q (%d)", test.src, test.replacement, test.old, got, found, test.want, test.found)
		}
	}
}

func TestInsertLine(t *testing.T) {
	for _, test := range []struct {
		src, text, pattern string
		side               edit.Side
		want               string
	}{
		{"a\nb\nc\n", "x", "b", edit.Before, "a\nx\nb\nc\n"},
		{"a\nb\nc\n", "x", "b", edit.After, "a\nb\nx\nc\n"},
		{"a\nb", "x", "b", edit.After, "a\nb\nx"},
		{"a\r\nb\r\n", "x\ny", "a", edit.After, "a\r\nx\r\ny\r\nb\r\n"},
		{"a", "x", "a", edit.Before, "x\na"},
		{"---\nb: 1\n---\nb\n", "x", "b", edit.Before, "---\nb: 1\n---\nx\nb\n"},
		{"---\nb: 1\n---\nb", "x\n", "b", edit.After, "---\nb: 1\n---\nb\nx"},
	} {
		got := apply(test.src, func(n *md.Note) []md.Splice {
			splices, ok := edit.InsertLine(n, test.text, test.pattern, test.side)
			if !ok {
				t.Errorf("InsertLine does not find %q in %q", test.pattern, test.src)
			}
			return splices
		})
		if got != test.want {
			t.Errorf("%q at %q in %q = %q, want %q", test.text, test.pattern, test.src, got, test.want)
		}
	}
	if _, ok := edit.InsertLine(md.Scan([]byte("---\nz: 1\n---\na")), "x", "z", edit.Before); ok {
		t.Error("InsertLine finds a pattern in the frontmatter")
	}
}

const sections = "intro\n\n# A\none\n\n## Log\nin A\n\n# B\n\n## Log\n\nin B\n### Deep\nd\n\n```\n## Log\ncode\n```\n# C/D\nslash\n"

func TestFindSection(t *testing.T) {
	note := md.Scan([]byte(sections))
	for name, want := range map[string]string{
		"A":           "one\n\n## Log\nin A",
		" A ":         "one\n\n## Log\nin A",
		"A/Log":       "in A",
		"a/log":       "in A",
		"Log[1]":      "in A",
		"B#Log":       "in B\n### Deep\nd\n\n```\n## Log\ncode\n```",
		"Log[2]":      "in B\n### Deep\nd\n\n```\n## Log\ncode\n```",
		"#B#Log#Deep": "d\n\n```\n## Log\ncode\n```",
		"B/Deep":      "d\n\n```\n## Log\ncode\n```",
		"C/D":         "slash",
	} {
		section, err := edit.FindSection(note, name)
		if err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		if got := edit.SectionText(note, section); got != want {
			t.Errorf("the text of section %q is %q, want %q", name, got, want)
		}
	}
	for name, kind := range map[string]fault.Kind{
		"Log": fault.AmbiguousName, "Nope": fault.NotFound, "A/Deep": fault.NotFound, "Log[3]": fault.NotFound,
		"": fault.NotFound, "code": fault.NotFound,
	} {
		if _, err := edit.FindSection(note, name); !errors.Is(err, kind) {
			t.Errorf("section %q: %v, want %s", name, err, kind)
		}
	}
	_, err := edit.FindSection(note, "Log")
	if err == nil || !strings.Contains(err.Error(), "Log[1]") || !strings.Contains(err.Error(), "Log[2]") {
		t.Errorf("the error does not list the choices: %v", err)
	}
}

func TestFindSectionPrefersExactHeadings(t *testing.T) {
	for _, test := range []struct {
		src, name string
		line      int
	}{
		{"# Day\n# Day\n# Day 1\n", "Day[1]", 1},
		{"# Tasks\n## Done\n# Tasks done\n", "Tasks/Done", 2},
		{"# A[1]\n# A\n", "A[1]", 1},
		{"# What: is  this?\n", "what is this", 1},
	} {
		note := md.Scan([]byte(test.src))
		section, err := edit.FindSection(note, test.name)
		if err != nil || note.Headings[section.Heading].Line != test.line {
			t.Errorf("%q in %q: %v on line %d, want line %d", test.name, test.src, err, note.Headings[section.Heading].Line, test.line)
		}
	}
	if _, err := edit.FindSection(md.Scan([]byte("# !!!\n")), "???"); !errors.Is(err, fault.NotFound) {
		t.Errorf("a name of punctuation matches: %v", err)
	}
}

func TestSectionEdits(t *testing.T) {
	onSection := func(name string, change func(*md.Note, md.Section) ([]md.Splice, error)) func(*md.Note) []md.Splice {
		return func(n *md.Note) []md.Splice {
			section, err := edit.FindSection(n, name)
			if err != nil {
				t.Fatal(err)
			}
			splices, err := change(n, section)
			if err != nil {
				t.Error(err)
			}
			return splices
		}
	}
	for _, test := range []struct {
		do, src, section, text, want string
	}{
		{"append", "# A\na\n\n# B\n", "A", "x", "# A\na\n\nx\n\n# B\n"},
		{"append", "# A\n- a\n\n# B\n", "A", "- x", "# A\n- a\n- x\n\n# B\n"},
		{"append", "# A\n| a |\n| - |\n# B\n", "A", "| x |", "# A\n| a |\n| - |\n| x |\n# B\n"},
		{"append", "# A\n# B\n", "A", "x\n", "# A\nx\n# B\n"},
		{"append", "# A", "A", "x", "# A\nx"},
		{"append", "# A\r\na\r\n", "A", "x\ny", "# A\r\na\r\n\r\nx\r\ny\r\n"},
		{"append", "# A\na\n## B\nb", "A", "x", "# A\na\n## B\nb\n\nx"},
		{"append", "A\n===\na\n", "A", "x", "A\n===\na\n\nx\n"},
		{"append", "# A\nNext\n===\nb\n", "A", "new", "# A\nnew\n\nNext\n===\nb\n"},
		{"append", "# A\n```\nx\n```\nNext\n===\n", "A", "new", "# A\n```\nx\n```\n\nnew\n\nNext\n===\n"},
		{"append", "# A\nline  \n\n# B\n", "A", "new", "# A\nline  \n\nnew\n\n# B\n"},
		{"update", "# A\n\nold\n\n# B\n", "A", "new", "# A\n\nnew\n\n# B\n"},
		{"update", "# A\nold\n## sub\ns\n# B\n", "A", "new\nlines\n", "# A\nnew\nlines\n# B\n"},
		{"update", "# A\n\n# B\n", "A", "new", "# A\nnew\n\n# B\n"},
		{"update", "# A\nold", "A", "", "# A\n"},
		{"delete", "x\n\n# A\na\n\n# B\nb\n", "A", "", "x\n\n# B\nb\n"},
		{"delete", "# A\na\n## S\ns\n", "S", "", "# A\na\n"},
		{"delete", "intro\n# A\nB\n===\n", "A", "", "intro\n\nB\n===\n"},
		{"delete", "- li\n# HH\nSet\n===\n", "HH", "", "- li\n\nSet\n===\n"},
		{"append", "# A\n#tag B\n===\n", "A", "new", "# A\nnew\n\n#tag B\n===\n"},
		{"update", "## H2\n#tag\nSet2\n---\n", "H2", "x", "## H2\nx\n\n#tag\nSet2\n---\n"},
	} {
		got := apply(test.src, onSection(test.section, func(n *md.Note, section md.Section) ([]md.Splice, error) {
			switch test.do {
			case "append":
				return edit.AppendSection(n, section, test.text)
			case "update":
				return edit.UpdateSection(n, section, test.text)
			}
			return edit.DeleteSection(n, section)
		}))
		if got != test.want {
			t.Errorf("%s %q with %q in %q = %q, want %q", test.do, test.section, test.text, test.src, got, test.want)
		}
	}
}

func TestSectionEditsKeepTheOutline(t *testing.T) {
	note := md.Scan([]byte("### H3\n   ## X\n"))
	section, err := edit.FindSection(note, "H3")
	if err != nil {
		t.Fatal(err)
	}
	if splices, err := edit.AppendSection(note, section, "- new"); !errors.Is(err, fault.InvalidArgument) {
		t.Errorf("AppendSection lets an item take in the next heading: %q, %v", md.Apply(note.Source, splices), err)
	}
}

func TestAddAndRemoveTags(t *testing.T) {
	for _, test := range []struct{ do, src, tag, want string }{
		{"add", "x\n", "a", "---\ntags:\n  - a\n---\nx\n"},
		{"add", "---\ntags: [a, b]\n---\n", "c", "---\ntags: [a, b, c]\n---\n"},
		{"add", "---\ntags: [a,b]\n---\n", "c", "---\ntags: [a,b,c]\n---\n"},
		{"add", "---\ntags: []\n---\n", "c", "---\ntags: [c]\n---\n"},
		{"add", "---\ntags:\n- a\n---\n", "c", "---\ntags:\n- a\n- c\n---\n"},
		{"add", "---\ntags:\n    - \"a\"\nz: 1\n---\n", "c", "---\ntags:\n    - \"a\"\n    - \"c\"\nz: 1\n---\n"},
		{"add", "---\ntags:\r\n---\r\n", "c", "---\ntags:\n  - c\r\n---\r\n"},
		{"add", "---\ntags: one\n---\n", "two", "---\ntags:\n  - one\n  - two\n---\n"},
		{"add", "---\ntags: one, two\n---\n", "two", "---\ntags:\n  - one\n  - two\n---\n"},
		{"add", "---\nTags: [A]\n---\n", "a", "---\nTags: [A]\n---\n"},
		{"add", "---\n{\"tags\": [\"a\"], \"b\": 1}\n---\n", "c", "---\n{\"tags\": [\"a\", \"c\"], \"b\": 1}\n---\n"},
		{"remove", "---\ntags: [a, b, c]\n---\n", "B", "---\ntags: [a, c]\n---\n"},
		{"remove", "---\ntags:\n  - a # x\n  - \"#b\"\n  - c\n---\n", "b", "---\ntags:\n  - a # x\n  - c\n---\n"},
		{"remove", "---\ntags:\n  - a\nz: 1\n---\n", "a", "---\ntags: []\nz: 1\n---\n"},
		{"remove", "---\ntags: one\n---\n", "one", "---\ntags: []\n---\n"},
		{"remove", "---\ntags: [ a ] # why\n---\n", "a", "---\ntags: [] # why\n---\n"},
		{"remove", "---\ntags: [a]\n---\n#b\n", "b", "---\ntags: [a]\n---\n#b\n"},
	} {
		got := apply(test.src, func(n *md.Note) []md.Splice {
			change := edit.AddTag
			if test.do == "remove" {
				change = edit.RemoveTag
			}
			splices, err := change(n, test.tag)
			if err != nil {
				t.Errorf("%s %q in %q: %v", test.do, test.tag, test.src, err)
			}
			return splices
		})
		if got != test.want {
			t.Errorf("%s %q in %q = %q, want %q", test.do, test.tag, test.src, got, test.want)
		}
	}
}

func TestSetPropertyKeepsTheStyle(t *testing.T) {
	for _, test := range []struct{ src, key, value, want string }{
		{"---\ntitle: \"Hello\"\n---\n", "title", `"Bye"`, "---\ntitle: \"Bye\"\n---\n"},
		{"---\ntitle: 'Hello'\n---\n", "title", `"it's"`, "---\ntitle: 'it''s'\n---\n"},
		{"---\nup: \"[[A]]\"\n---\n", "up", `"done"`, "---\nup: done\n---\n"},
		{"---\na:\n- x\n---\n", "b", `["y"]`, "---\na:\n- x\nb:\n- y\n---\n"},
		{"---\na: # why\n---\n", "a", `1`, "---\na: 1 # why\n---\n"},
		{"---\na: \nb: 2\n---\n", "a", `1`, "---\na: 1\nb: 2\n---\n"},
		{"---\na: x # why\n---\n", "a", `["y"]`, "---\na: # why\n  - y\n---\n"},
		{"---\na: x # why\n---\n", "a", `"l1\nl2"`, "---\na: \"l1\\nl2\" # why\n---\n"},
		{"---\na: 1\n# last words\n---\n", "b", `2`, "---\na: 1\n# last words\nb: 2\n---\n"},
		{"---\n  a: 1\n---\n", "b", `2`, "---\n  a: 1\n  b: 2\n---\n"},
		{"---\n{\n  \"a\": 1\n}\n---\n", "b", `"x"`, "---\n{\n  \"a\": 1,\n  \"b\": \"x\"\n}\n---\n"},
		{"---\n{\"a\": 1}\n---\n", "a", `[true,null]`, "---\n{\"a\": [true,null]}\n---\n"},
		{"---\nStatus: a\n---\n", "status", `"b"`, "---\nStatus: b\n---\n"},
		{"---\nAlpha: 1\nalpha: 2\n---\n", "alpha", `3`, "---\nAlpha: 1\nalpha: 3\n---\n"},
		{"---\nk: [a]\n  # c\nb: 1\n---\n", "k", `"l1\nl2"`, "---\nk: \"l1\\nl2\"\n  # c\nb: 1\n---\n"},
		{"---\nn: .inf\n---\n", "n", `1`, "---\nn: 1\n---\n"},
		{"---\na: [Why?, b] # c\n---\n", "z", `1`, "---\na: [Why?, b] # c\nz: 1\n---\n"},
		{"---\nn: 007\n---\n", "n", `7`, "---\nn: 007\n---\n"},
		{"---\nn: 007\n---\n", "n", `1.50`, "---\nn: 1.50\n---\n"},
		{"---\nm:\n  k: v # c\nz: 1\n---\n", "m", `{"k":"w","l":["x",{"y":1}]}`, "---\nm:\n  k: w\n  l:\n    - x\n    - y: 1\nz: 1\n---\n"},
	} {
		value, err := front.FromJSON([]byte(test.value))
		if err != nil {
			t.Fatal(err)
		}
		got := apply(test.src, func(n *md.Note) []md.Splice {
			splices, err := edit.SetProperty(n, test.key, value)
			if err != nil {
				t.Errorf("set %s to %s in %q: %v", test.key, test.value, test.src, err)
			}
			return splices
		})
		if got != test.want {
			t.Errorf("set %s to %s in %q = %q, want %q", test.key, test.value, test.src, got, test.want)
		}
	}
}

func TestRemoveProperty(t *testing.T) {
	for _, test := range []struct{ src, key, want string }{
		{"---\n# keep\na: 1\n---\nx", "a", "---\n# keep\n---\nx"},
		{"---\na:\n  - x\n\n# about b\nb: 1\n---\n", "a", "---\n\n# about b\nb: 1\n---\n"},
		{"---\na: |\n  # text\n  more\nb: 1\n---\n", "a", "---\nb: 1\n---\n"},
		{"---\n{\"a\": 1, \"b\": 2, \"c\": 3}\n---\n", "a", "---\n{\"b\": 2, \"c\": 3}\n---\n"},
		{"---\n{\"a\": 1, \"b\": 2, \"c\": 3}\n---\n", "c", "---\n{\"a\": 1, \"b\": 2}\n---\n"},
		{"---\n{\"a\": 1}\n---\nx", "a", "x"},
		{"\ufeff---\r\na: 1\r\n---\r\nx", "a", "\ufeffx"},
		{"---\na: 1\n---\n---\nb: 2\n---\n", "a", "---\n---\n---\nb: 2\n---\n"},
	} {
		got := apply(test.src, func(n *md.Note) []md.Splice {
			splices, err := edit.RemoveProperty(n, test.key)
			if err != nil {
				t.Errorf("remove %s from %q: %v", test.key, test.src, err)
			}
			return splices
		})
		if got != test.want {
			t.Errorf("remove %s from %q = %q, want %q", test.key, test.src, got, test.want)
		}
	}
}

func TestInvalidFrontmatterNamesTheLine(t *testing.T) {
	_, err := edit.SetProperty(md.Scan([]byte("---\nok: 1\na: b: c\n---\n")), "k", front.TextValue("v"))
	if !errors.Is(err, fault.InvalidArgument) || !strings.Contains(err.Error(), "line 3") {
		t.Errorf("SetProperty: %v (%s), want INVALID_ARGUMENT with line 3", err, fault.KindOf(err))
	}
	if _, err := edit.Open([]byte("a\xffb")); !errors.Is(err, fault.InvalidArgument) {
		t.Errorf("Open of invalid UTF-8: %v", err)
	}
	anchored := md.Scan([]byte("---\na: &x 1\nb: *x\n---\n"))
	if _, err := edit.SetProperty(anchored, "a", front.TextValue("v")); err == nil {
		t.Error("SetProperty overwrote an anchor that is in use")
	}
}

func TestMarkDeleted(t *testing.T) {
	set := vpath.NewSet([]vpath.Path{"B.md", "sub/B.md", "s.md"})
	folded := "---\nup: \"[[B\n  |x]] [[B]]\"\n---\n"
	mark := func(n *md.Note) []md.Splice { return edit.Deletion{Set: set, From: "s.md", Deleted: "B.md"}.Mark(n) }
	want := "---\nup: \"[[B (deleted) |x]] [[B (deleted)]]\"\n---\n"
	if got := apply(folded, mark); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	src := "---\nup: \"[[B|x]]\"\n---\n[[B]] ![[b#h|t]] [[B.md]] [[sub/B]] [B](B.md) `[[B]]` [[#h]]\n"
	want = "---\nup: \"[[B (deleted)|x]]\"\n---\n[[B (deleted)]] ![[b (deleted)#h|t]] [[B (deleted).md]] [[sub/B]] " +
		"[B](B.md) `[[B]]` [[#h]]\n"
	if got := apply(src, mark); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestUnlink(t *testing.T) {
	set := vpath.NewSet([]vpath.Path{"B.md", "sub/B.md", "pic.png", "s.md"})
	for _, test := range []struct {
		name      string
		deleted   vpath.Path
		src, want string
	}{
		{"wikilinks", "B.md", "[[B]] [[B|x]] [[b#H]] [[B.md#^id|y]] [[sub/B]] `[[B]]`", "B x b > H y [[sub/B]] `[[B]]`"},
		{"Markdown links", "B.md", "[t](B.md) [t](B.md#h \"title\") [](B.md) [t](sub/B.md)", "t t B.md [t](sub/B.md)"},
		{"embeds", "pic.png", "![[pic.png|100]] ![alt](pic.png)", "pic.png pic.png"},
		{"properties", "B.md", "---\nup: \"[[B]]\"\nmore: [\"[[B|x]]\", \"[[sub/B]]\"]\n---\n", "---\nup: \"B\"\nmore: [\"x\", \"[[sub/B]]\"]\n---\n"},
		{"folded property", "B.md", "---\nup: \"[[B\n  |x]] y\"\n---\n", "---\nup: \"x y\"\n---\n"},
		{"table", "B.md", "| [[B\\|x]] |\n| - |\n", "| x |\n| - |\n"},
		{"definitions stay", "B.md", "[r]: B.md\n", "[r]: B.md\n"},
	} {
		unlink := func(n *md.Note) []md.Splice {
			return edit.Deletion{Set: set, From: "s.md", Deleted: test.deleted}.Unlink(n)
		}
		if got := apply(test.src, unlink); got != test.want {
			t.Errorf("%s:\ngot  %q\nwant %q", test.name, got, test.want)
		}
	}
}
