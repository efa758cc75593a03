package edit_test

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/md"
	_ "obsidian-mcp/internal/testkit/mode" // fixes the seed of rapid
)

// editBlock returns a note after an edit of its block ^x.
func editBlock(t *testing.T, src string, change func(*md.Note, edit.Block) ([]md.Splice, error)) (string, error) {
	t.Helper()
	note := md.Scan([]byte(src))
	block, err := edit.FindBlock(note, "^x")
	if err != nil {
		t.Fatalf("%q: %v", src, err)
	}
	splices, err := change(note, block)
	return string(md.Apply(note.Source, splices)), err
}

func update(content string) func(*md.Note, edit.Block) ([]md.Splice, error) {
	return func(n *md.Note, b edit.Block) ([]md.Splice, error) { return edit.UpdateBlock(n, b, content) }
}

func appendText(text string) func(*md.Note, edit.Block) ([]md.Splice, error) {
	return func(n *md.Note, b edit.Block) ([]md.Splice, error) { return edit.AppendBlock(n, b, text) }
}

// checkEdits runs a table of edits in LF and CRLF notes.
func checkEdits(t *testing.T, cases []blockCase, change func(text string) func(*md.Note, edit.Block) ([]md.Splice, error)) {
	t.Helper()
	for _, c := range cases {
		for _, eol := range []string{"\n", "\r\n"} {
			src, want := strings.ReplaceAll(c.src, "\n", eol), strings.ReplaceAll(c.want, "\n", eol)
			got, err := editBlock(t, src, change(c.text))
			if err != nil || got != want {
				t.Errorf("%s: %q with %q = %q (%v), want %q", c.name, src, c.text, got, err, want)
			}
		}
	}
}

type blockCase struct{ name, src, text, want string }

func TestBlockText(t *testing.T) {
	for _, test := range []struct{ name, src, want string }{
		{"paragraph", "a\n\none\ntwo ^x\n\nb\n", "one\ntwo"},
		{"last line without a newline", "one ^x", "one"},
		{"spaces after the id", "one  ^x  \n", "one"},
		{"id on the line of its own", "one\n\n^x\n", "one"},
		{"list item with children", "- a\n- b ^x\n  - c\n- d\n", "- b\n  - c"},
		{"nested item loses its indent", "- a\n    - [ ] b\n      more ^x\n\t\t- c\n", "- [ ] b\n  more\n\t- c"},
		{"tabs", "- a\n\t- b ^x\n\t\t- c\n", "- b\n\t- c"},
		{"item in a quote", "> - a\n>   - b ^x\n>     - c\n", "- b\n  - c"},
		{"id of an item on a line of its own", "- a\n\n  ^x\n- b\n", "- a"},
		{"whole list", "- a\n- b\n\n^x\n", "- a\n- b"},
		{"quote", "> a\n> b ^x\n", "> a\n> b"},
		{"quote, id below", "> a\n> b\n\n^x\n", "> a\n> b"},
		{"quote, id on a line of its own inside", "> a <b>\n>\n> ^x\n", "> a <b>"},
		{"callout", "> [!tip] T\n> a\n\n^x\n", "> [!tip] T\n> a"},
		{"table", "| a |\n| - |\n| 1 |\n\n^x\n", "| a |\n| - |\n| 1 |"},
		{"id in a row", "| a |\n| - |\n| 1 | ^x\n| 2 |\n", "| a |\n| - |\n| 1 |\n| 2 |"},
		{"code", "```go\nx ^y\n```\n\n^x\n", "```go\nx ^y\n```"},
		{"heading", "## T ^x\n\ntext\n", "## T"},
		{"the first of two owns the id", "one ^X\n\ntwo ^x\n", "one"},
		{"list in a quote in a list", "- a\n  > b ^x\n", "  > b"},
	} {
		want := strings.ReplaceAll(test.want, " ^x", "")
		note := md.Scan([]byte(test.src))
		block, err := edit.FindBlock(note, "x")
		if got := edit.BlockText(note, block); err != nil || got != want {
			t.Errorf("%s: the block of %q is %q (%v), want %q", test.name, test.src, got, err, want)
		}
	}
}

func TestUpdateBlock(t *testing.T) {
	checkEdits(t, []blockCase{
		{"paragraph", "a\n\nold ^x\n\nb\n", "new", "a\n\nnew ^x\n\nb\n"},
		{"paragraph of several lines", "# H\none\ntwo ^x\n\nthree", "new\nlines", "# H\nnew\nlines ^x\n\nthree"},
		{"no newline at the end", "old ^x", "new", "new ^x"},
		{"the id may be sent along", "old ^x\n", "new ^X\n", "new ^x\n"},
		{"spaces around the id stay", "old   ^x \n", "new", "new   ^x \n"},
		{"id below", "old\n\n^x\n\nb", "new\nlines", "new\nlines\n\n^x\n\nb"},
		{"a paragraph becomes a list", "old ^x\n\nb\n", "- a\n- b", "- a\n- b\n\n^x\n\nb\n"},
		{"a paragraph becomes a table", "old ^x\n", "| a |\n| - |", "| a |\n| - | ^x\n"},
		{"item", "- a\n- old ^x\n- c\n", "new", "- a\n- new ^x\n- c\n"},
		{"item with its marker", "* a\n* old ^x\n", "- new", "* a\n* new ^x\n"},
		{"checkbox stays", "- [/] old ^x\n", "new", "- [/] new ^x\n"},
		{"checkbox without a marker wins", "- [ ] old ^x\n", "[x] new", "- [x] new ^x\n"},
		{"brackets in an item that is no task", "- old ^x\n", "[x] new", "- [x] new ^x\n"},
		{"checkbox that is sent wins", "- [ ] old ^x\n", "- [x] new ^x", "- [x] new ^x\n"},
		{"number stays", "1. a\n12) b\n13) old ^x\n", "new\nmore", "1. a\n12) b\n13) new\n    more ^x\n"},
		{"indent", "- a\n    - old ^x\n- c", "new\nmore", "- a\n    - new\n      more ^x\n- c"},
		{"tab", "- a\n\t- old ^x\n\t- c", "new\nmore", "- a\n\t- new\n\t  more ^x\n\t- c"},
		{"children stay", "- old ^x\n  - kid\n\n    more\n- b\n", "new", "- new ^x\n  - kid\n\n    more\n- b\n"},
		{"children stay with their ids", "- old ^x\n\t- kid ^k\n- b\n", "new", "- new ^x\n\t- kid ^k\n- b\n"},
		{"children are replaced", "- old ^x\n  - kid\n- b\n", "new\n- one\n- two", "- new ^x\n  - one\n  - two\n- b\n"},
		{"children as they are read", "- a\n\t- old ^x\n\t\t- kid\n", "- new\n\t- other", "- a\n\t- new ^x\n\t\t- other\n"},
		{"the id in the first line", "- old ^x\n  - kid\n", "- new ^x\n  - other ^o", "- new ^x\n  - other ^o\n"},
		{"id of an item on its own line", "- old\n\n  ^x\n- b\n", "new", "- new\n\n  ^x\n- b\n"},
		{"id behind the children", "- old\n  - kid\n\n  ^x\n- b\n", "new", "- new\n  - kid\n\n  ^x\n- b\n"},
		{"item in a quote", "> - a\n> - old ^x\n> - c\n", "new\nmore", "> - a\n> - new\n>   more ^x\n> - c\n"},
		{"list", "- a\n- b\n\n^x\n", "1. c\n2. d ^d", "1. c\n2. d ^d\n\n^x\n"},
		{"quote", "> old\n> text ^x\n", "new\n\nlines", "> new\n>\n> lines ^x\n"},
		{"quote with its marks", "> old\n\n^x\n", "> new\n>> deep", "> new\n>> deep\n\n^x\n"},
		{"callout keeps its title", "> [!tip]- T\n> old\n\n^x\n", "new\nlines", "> [!tip]- T\n> new\n> lines\n\n^x\n"},
		{"callout with a new title", "> [!tip] T\n> old\n\n^x\n", "> [!note] N\n> new", "> [!note] N\n> new\n\n^x\n"},
		{"table", "| a |\n| - |\n| 1 |\n\n^x\n", "| b |\n| - |", "| b |\n| - |\n\n^x\n"},
		{"id in a row", "| a |\n| - |\n| 0 | ^x\n| 1 |\n", "| b |\n| - |\n| 2 |", "| b |\n| - |\n| 2 | ^x\n"},
		{"code keeps its fences", "````go\nold\n````\n\n^x\n", "new ^2\n```", "````go\nnew ^2\n```\n````\n\n^x\n"},
		{"code with fences", "```go\nold\n```\n^x\n", "~~~js\nnew\n~~~", "~~~js\nnew\n~~~\n^x\n"},
		{"indented code", "a\n\n\told\n\n^x\n", "new\nlines", "a\n\n\tnew\n\tlines\n\n^x\n"},
		{"math", "$$\nold\n$$\n\n^x\n", "new", "$$\nnew\n$$\n\n^x\n"},
		{"math without lines for its dollars", "$$a\nb$$\n\n^x\n", "new\nline", "$$new\nline$$\n\n^x\n"},
		{"footnote", "a[^1]\n\n[^1]: old ^x\n", "new", "a[^1]\n\n[^1]: new ^x\n"},
		{"the same text changes nothing", "- [ ] a ^x\n  - b\n", "a", "- [ ] a ^x\n  - b\n"},
		{"only the first of two", "one ^x\n\ntwo ^X\n", "new", "new ^x\n\ntwo ^X\n"},
	}, update)
}

func TestAppendBlock(t *testing.T) {
	checkEdits(t, []blockCase{
		{"paragraph", "old ^x\n\nb", "new", "old\nnew ^x\n\nb"},
		{"no newline at the end", "a\n\nold ^x", "new\nlines", "a\n\nold\nnew\nlines ^x"},
		{"id below", "old\n\n^x\n", "new", "old\nnew\n\n^x\n"},
		{"item", "- old ^x\n- b\n", "new\nlines", "- old\n  new\n  lines ^x\n- b\n"},
		{"item indented as the children are", "- a ^x\n\t- kid\n", "\t- more", "- a ^x\n\t- kid\n\t- more\n"},
		{"item with children", "- [ ] old ^x\n  - kid\n- b\n", "new", "- [ ] old\n  new ^x\n  - kid\n- b\n"},
		{"a child", "- old ^x\n- b\n", "- new", "- old ^x\n  - new\n- b\n"},
		{"a child behind the others", "- old ^x\n\t- kid\n\t\t- deep\n- b", "- new ^n", "- old ^x\n\t- kid\n\t\t- deep\n\t- new ^n\n- b"},
		{"indent", "1. a\n   1. old ^x", "new", "1. a\n   1. old\n      new ^x"},
		{"id of an item on its own line", "- old\n\n  ^x\n- b\n", "new", "- old\n  new\n\n  ^x\n- b\n"},
		{"item in a quote", "> - old ^x\n", "new", "> - old\n>   new ^x\n"},
		{"paragraphs of an item", "- old ^x\n", "one\n\ntwo", "- old\n  one\n\n  two ^x\n"},
		{"list", "- a\n- b\n\n^x\n", "- c", "- a\n- b\n- c\n\n^x\n"},
		{"quote", "> old ^x\n", "new", "> old\n> new ^x\n"},
		{"quote with the id inside", "> old\n>\n> ^x\n", "> new", "> old\n> new\n>\n> ^x\n"},
		{"callout", "> [!tip] T\n\n^x", "new\n\nlines", "> [!tip] T\n> new\n>\n> lines\n\n^x"},
		{"table", "| a |\n| - |\n\n^x\n", "| 1 |", "| a |\n| - |\n| 1 |\n\n^x\n"},
		{"id in the last row", "| a |\n| - |\n| 1 | ^x\n", "| 2 |", "| a |\n| - |\n| 1 |\n| 2 | ^x\n"},
		{"code", "```go\nold\n```\n\n^x\n", "new", "```go\nold\nnew\n```\n\n^x\n"},
		{"math", "$$\nold\n$$\n\n^x\n", "new", "$$\nold\nnew\n$$\n\n^x\n"},
	}, appendText)
}

func TestDeleteBlock(t *testing.T) {
	checkEdits(t, []blockCase{
		{"between two", "a\n\nold ^x\n\nb\n", "", "a\n\nb\n"},
		{"the larger gap stays", "a\n\nold ^x\n\n\n\nb\n", "", "a\n\n\n\nb\n"},
		{"at the start", "old ^x\n\nb\n", "", "b\n"},
		{"at the start of the body", "---\na: 1\n---\n\nold ^x\n\nb\n", "", "---\na: 1\n---\n\nb\n"},
		{"at the end", "a\n\none\ntwo ^x\n", "", "a\n"},
		{"at the end without a newline", "a\n\nold ^x", "", "a"},
		{"the only block", "old ^x\n", "", ""},
		{"id below", "a\n\n> old\n\n^x\n\nb\n", "", "a\n\nb\n"},
		{"code", "a\n```\nold\n\n\ntext\n```\n^x\n\nb\n", "", "a\n\nb\n"},
		{"item", "- a\n- old ^x\n- b\n", "", "- a\n- b\n"},
		{"item with children", "- a\n- old ^x\n\t- kid\n\n\t  more\n- b\n", "", "- a\n- b\n"},
		{"loose list", "- a\n\n- old ^x\n\n- b\n", "", "- a\n\n- b\n"},
		{"last child", "- a\n  - old ^x\n\nb\n", "", "- a\n\nb\n"},
		{"item in a quote", "> - a\n> - old ^x\n> - b\n", "", "> - a\n> - b\n"},
		{"under a heading", "# A\nold ^x\n\n# B\n", "", "# A\n\n# B\n"},
		{"the rest must not become a heading", "a\n- old ^x\n---\n", "", "a\n\n---\n"},
		{"between two lists", "- a\n\nold ^x\n\n- b\n", "", "- a\n\n- b\n"},
	}, func(string) func(*md.Note, edit.Block) ([]md.Splice, error) { return edit.DeleteBlock })
}

func TestBlockEditsRefused(t *testing.T) {
	for _, test := range []struct {
		name, src string
		change    func(*md.Note, edit.Block) ([]md.Splice, error)
		want      string
	}{
		{"another id", "old ^x\n", update("new ^other"), "ends in ^other"},
		{"another id for an item", "- old ^x\n", update("- new ^other\n  - kid"), "ends in ^other"},
		{"another id to append", "old ^x\n", appendText("new ^other"), "ends in ^other"},
		{"empty", "old ^x\n", update(" \n"), "is empty"},
		{"empty item", "- old ^x\n", update(""), "is empty"},
		{"nothing to append", "old ^x\n", appendText("\n"), "is empty"},
		{"two paragraphs", "old ^x\n", update("one\n\ntwo"), "no longer name one block"},
		{"a heading", "a\n\nold ^x\n\nb\n", update("# H\ntext"), "no longer name one block"},
		{"code that does not end", "old ^x\n\nb\n", update("```\ncode"), "no longer name one block"},
		{"a fence inside code", "```\nold\n```\n\n^x\n", update("a\n```\nb"), "no longer name one block"},
		{"two items for one", "- old ^x\n", update("- a\n- b"), "several list items"},
		{"a paragraph cannot continue with a list", "old ^x\n", appendText("- a"), "no longer name one block"},
		{"heading", "# H ^x\ntext\n", update("new"), "names a heading"},
		{"quote in a list", "- a\n  > old ^x\n", update("new"), "are not its own"},
		{"item on its parent's line", "- - old ^x\n", edit.DeleteBlock, "are not its own"},
	} {
		after, err := editBlock(t, test.src, test.change)
		if !errors.Is(err, fault.InvalidArgument) || !strings.Contains(err.Error(), test.want) || after != test.src {
			t.Errorf("%s: %q becomes %q: %v, want an error with %q", test.name, test.src, after, err, test.want)
		}
	}
	if _, err := edit.FindBlock(md.Scan([]byte("a ^b\n\n```\n^x\n```\n")), "^x"); !errors.Is(err, fault.NotFound) {
		t.Errorf("an id in code is found: %v", err)
	}
}

// kindsOfBlock are blocks with the id ^x, and a text of the same kind to put there.
var kindsOfBlock = []struct{ block, text string }{
	{"old ^x", "new"}, {"one\ntwo ^x", "new\nlines"}, {"- old ^x", "- new"}, {"- [ ] old ^x", "- [x] new"},
	{"- a\n\t- old ^x\n\t- b", "- new\n\t- kid"}, {"1. a\n2. old ^x\n   - kid", "2. new\n   - other"},
	{"> old ^x", "> new"}, {"> [!tip] T\n> old\n\n^x", "> [!tip] U\n> new"}, {"| a |\n| - |\n\n^x", "| b |\n| - |\n| 1 |"},
	{"```\nold\n```\n\n^x", "```js\nnew\n```"}, {"$$\nold\n$$\n\n^x", "$$\nnew\n$$"}, {"- a\n- b\n\n^x", "- c\n- d"},
}

// TestBlockLaws: what is written is read again, the rest of the note stays byte for byte, and a block that is deleted
// leaves everything else.
func TestBlockLaws(t *testing.T) {
	around := rapid.SampledFrom([]string{
		"", "\n", "text\n\n", "# H\n", "- item\n- [ ] task\n\ntext\n\n", "> quote\n\n", "```\n^x\n```\n\n", "---\n\n", "\n\n\n| a |\n| - |\n\n", "id ^y\n\n",
	})
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom(kindsOfBlock).Draw(t, "kind")
		before, after := around.Draw(t, "before"), around.Draw(t, "after")
		if after != "" {
			after = "\n\n" + after
		}
		eol := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "line end")
		crlf := func(text string) string { return strings.ReplaceAll(text, "\n", eol) }
		front := "---\ntags: [a]\n---\n"
		src := crlf(front + before + kind.block + after)
		note := md.Scan([]byte(src))
		block, err := edit.FindBlock(note, "x")
		if err != nil {
			t.Fatalf("%q: %v", src, err)
		}
		splices, err := edit.UpdateBlock(note, block, kind.text)
		changed := md.Scan(md.Apply(note.Source, splices))
		again, missing := edit.FindBlock(changed, "x")
		if err != nil || missing != nil || edit.BlockText(changed, again) != crlf(kind.text) {
			t.Fatalf("%q updated with %q is %q: %v %v", src, kind.text, changed.Source, err, missing)
		}
		if got := string(changed.Source); !strings.HasPrefix(got, crlf(front+before)) || !strings.HasSuffix(got, crlf(after)) {
			t.Fatalf("%q updated with %q is %q: text around the block has changed", src, kind.text, got)
		}
		if same, err := edit.UpdateBlock(changed, again, edit.BlockText(changed, again)); err != nil || same != nil {
			t.Fatalf("%q: writing what is read is a change: %v %v", changed.Source, same, err)
		}
		splices, err = edit.DeleteBlock(note, block)
		deleted := string(md.Apply(note.Source, splices))
		if _, missing := edit.FindBlock(md.Scan([]byte(deleted)), "x"); err != nil || !errors.Is(missing, fault.NotFound) {
			t.Fatalf("%q deleted is %q: %v %v", src, deleted, err, missing)
		}
		if got, want := strings.Fields(deleted), strings.Fields(front+before+after); kind.block == "old ^x" && strings.Join(got, " ") != strings.Join(want, " ") {
			t.Fatalf("%q deleted is %q", src, deleted)
		}
	})
}

func TestNameBlock(t *testing.T) {
	for _, test := range []blockCase{
		{"paragraph", "one\n\nfind me,\nplease.  \n\nb\n", "Find me please", "one\n\nfind me,\nplease. ^new  \n\nb\n"},
		{"no newline at the end", "a\n\nfind", "find", "a\n\nfind ^new"},
		{"item", "- a\n- [ ] find\n- b\n", "find", "- a\n- [ ] find ^new\n- b\n"},
		{"item with children", "- find\n  more\n\t- kid\n", "find", "- find\n  more ^new\n\t- kid\n"},
		{"child", "- a\n\t- find\n", "find", "- a\n\t- find ^new\n"},
		{"item of two paragraphs", "- find\n\n  more\n", "find", "- find ^new\n\n  more\n"},
		{"item in a quote", "> - find\n> - b\n", "find", "> - find ^new\n> - b\n"},
		{"table", "a\n\n| find |\n| - |\n\nb\n", "find", "a\n\n| find |\n| - |\n\n^new\n\nb\n"},
		{"quote", "> find\n", "find", "> find\n\n^new\n"},
		{"callout before a heading", "> [!tip] find\n# H\n", "find", "> [!tip] find\n\n^new\n\n# H\n"},
		{"code", "```\nfind\n```", "find", "```\nfind\n```\n\n^new"},
		{"math", "$$\nfind\n$$\n", "find", "$$\nfind\n$$\n\n^new\n"},
		{"the only block", "---\na: 1\n---\n# H\n\ntext\n", "", "---\na: 1\n---\n# H\n\ntext ^new\n"},
		{"an equal text wins", "find this\n\nfind\n", "find", "find this\n\nfind ^new\n"},
	} {
		for _, eol := range []string{"\n", "\r\n"} {
			src, want := strings.ReplaceAll(test.src, "\n", eol), strings.ReplaceAll(test.want, "\n", eol)
			note := md.Scan([]byte(src))
			block, err := edit.FindBlockByText(note, test.text)
			if err != nil {
				t.Errorf("%s: %v", test.name, err)
				continue
			}
			splices, err := edit.NameBlock(note, block, "new")
			if got := string(md.Apply(note.Source, splices)); err != nil || got != want {
				t.Errorf("%s: %q becomes %q (%v), want %q", test.name, src, got, err, want)
			}
		}
	}
	note := md.Scan([]byte("# Find\n\nfind ^a\n\n- find b\n\n> find c\n\n^d\n"))
	for words, want := range map[string]string{"find c": "d", "Find": "a"} {
		if block, err := edit.FindBlockByText(note, words); err != nil || block.ID != want {
			t.Errorf("the block %q has the id %q: %v", words, block.ID, err)
		}
	}
	for words, want := range map[string]string{"zzz": "no block", "": "3 blocks match, on lines 3, 5, 7", "in": "on lines 3, 5, 7"} {
		if _, err := edit.FindBlockByText(note, words); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the block %q: %v, want %q", words, err, want)
		}
	}
}
