package edit_test

import (
	"strings"
	"testing"

	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/md/front"
	"obsidian-mcp/internal/note/vpath"
)

// pieceOf finds the section of a heading.
func pieceOf(t *testing.T, note *md.Note, heading string, to vpath.Path, onto *md.Note) edit.Piece {
	t.Helper()
	at := note.FindHeading([]string{heading})
	if at < 0 {
		t.Fatalf("no heading %q", heading)
	}
	return edit.Piece{Span: note.SectionOf(at).Span, To: to, Onto: onto}
}

func TestTransplantKeepsLinks(t *testing.T) {
	set := vpath.NewSet([]vpath.Path{"a/Plan.md", "a/Other.md", "b/Other.md", "b/Index.md"})
	src := "see [[#Part]] and [[#Sub]] and [[#Rest]] and [[#^one]]\n\n# Part\n\n[x](Other.md) [[#Rest]] [[#Sub]] [[Plan#Part#Sub]] ^one\n\n## Sub\n\ntext\n\n# Rest\n\n[[Plan#Part]] [y](Plan.md#Part)\n"
	note := md.Scan([]byte(src))
	moved := edit.NewTransplant(set, "a/Plan.md", note, []edit.Piece{pieceOf(t, note, "Part", "b/Part.md", nil)}, edit.Shortest)
	if got, want := string(moved.Text(0)), "# Part\n\n[x](a/Other.md) [[Plan#Rest]] [[#Sub]] [[Part#Part#Sub]] ^one\n\n## Sub\n\ntext\n\n"; got != want {
		t.Errorf("the piece is  %q\nwant %q", got, want)
	}
	want := "see [[Part#Part]] and [[Part#Sub]] and [[#Rest]] and [[Part#^one]]\n\n[[Part]]\n\n# Rest\n\n[[Part#Part]] [y](Part.md#Part)\n"
	if got := string(moved.Rest([]string{"[[Part]]"})); got != want {
		t.Errorf("the rest is  %q\nwant %q", got, want)
	}
	other := "[[Plan#part|p]] ![[a/Plan#Part#Sub]] [[Plan#Rest]] [[Plan#Gone]] [z](../a/Plan.md#^one) [[Plan]]"
	links := moved.Links().Note("b/Index.md", md.Scan([]byte(other)))
	if got, want := string(md.Apply([]byte(other), links)), "[[Part#part|p]] ![[Part#Part#Sub]] [[Plan#Rest]] [[Plan#Gone]] [z](Part.md#^one) [[Plan]]"; got != want {
		t.Errorf("links are  %q\nwant %q", got, want)
	}
	canvas := `{"nodes":[{"type":"file","file":"a/Plan.md","subpath":"#Sub"},{"type":"file","subpath":"#Rest","file":"a/Plan.md"},{"type":"text","text":"[[Plan#Sub]]"}]}`
	splices, err := moved.Links().Canvas("x.canvas", []byte(canvas))
	if got, want := string(md.Apply([]byte(canvas), splices)), `{"nodes":[{"type":"file","file":"b/Part.md","subpath":"#Sub"},{"type":"file","subpath":"#Rest","file":"a/Plan.md"},{"type":"text","text":"[[Part#Sub]]"}]}`; err != nil || got != want {
		t.Errorf("%v: the canvas is  %s\nwant %s", err, got, want)
	}
}

func TestTransplantCarriesDefinitions(t *testing.T) {
	src := "# One\n\na[^1] b[^2] [text][ref]\n\n# Two\n\nc[^1] [Ref] ![[#^id]]\n\ntext ^id\n\n[^1]: both [^3]\n[^2]: first\n    more\n[^3]: deep\n\n[ref]: ../x.md\n[other]: https://example.com\n"
	onto := md.Scan([]byte("old[^1] ^id\n\n[^1]: theirs\n"))
	set := vpath.NewSet([]vpath.Path{"n/Note.md", "Onto.md", "x.md"})
	note := md.Scan([]byte(src))
	for name, test := range map[string]struct{ heading, text, rest string }{
		"to the text that uses it": {
			"One", "# One\n\na[^1-2] b[^2] [text][ref]\n\n[^1-2]: both [^3]\n[^2]: first\n    more\n[^3]: deep\n[ref]: x.md\n",
			"left\n\n# Two\n\nc[^1] [Ref] ![[#^id]]\n\ntext ^id\n\n[^1]: both [^3]\n[^3]: deep\n\n[ref]: ../x.md\n[other]: https://example.com\n",
		},
		"away from it": {
			"Two", "# Two\n\nc[^1-2] [Ref] ![[#^id-2]]\n\ntext ^id-2\n\n[^1-2]: both [^3]\n[^3]: deep\n\n[ref]: x.md\n[other]: https://example.com\n",
			"# One\n\na[^1] b[^2] [text][ref]\n\nleft\n\n[^1]: both [^3]\n[^2]: first\n    more\n[^3]: deep\n[ref]: ../x.md\n",
		},
	} {
		moved := edit.NewTransplant(set, "n/Note.md", note, []edit.Piece{pieceOf(t, note, test.heading, "Onto.md", onto)}, edit.Shortest)
		if got := string(moved.Text(0)); got != test.text {
			t.Errorf("%s: the piece is  %q\nwant %q", name, got, test.text)
		}
		if got := string(moved.Rest([]string{"left"})); got != test.rest {
			t.Errorf("%s: the rest is  %q\nwant %q", name, got, test.rest)
		}
	}
}

// TestTransplantOfOverlappingDefinitions: a definition may follow a footnote without a blank line, and lines may cut one.
func TestTransplantOfOverlappingDefinitions(t *testing.T) {
	set := vpath.NewSet([]vpath.Path{"N.md", "M.md"})
	for _, src := range []string{
		"# A\nx[^1]\n\n# B\n\n[^1]: one\n[ref]: y\n", "a[^1]\n\n[^1]: foot\n    cont\n\n    more\n\nend [^1]: x\n",
	} {
		note := md.Scan([]byte(src))
		for start := 0; start < len(src); start = md.NextLine(note.Source, start) {
			for end := md.NextLine(note.Source, start); end < len(src); end = md.NextLine(note.Source, end) {
				moved := edit.NewTransplant(set, "N.md", note, []edit.Piece{{Span: md.Span{Start: start, End: end}, To: "M.md", Onto: md.Scan([]byte("[^1]: other\n"))}}, edit.Shortest)
				both := string(moved.Text(0)) + string(moved.Rest([]string{""}))
				for line := range strings.Lines(src) {
					if label, text, _ := strings.Cut(strings.TrimSpace(line), "]"); !strings.Contains(both, text) {
						t.Errorf("%q is lost from %q, lines of %q: %q", label, src, src[start:end], both)
					}
				}
			}
		}
	}
}

// TestOnlyReferencesGetAnotherLabel: brackets mean many things.
func TestOnlyReferencesGetAnotherLabel(t *testing.T) {
	set := vpath.NewSet([]vpath.Path{"N.md", "M.md", "Paper [1] draft.md"})
	src := "# A [1]\nsee [1], [t][1] and [1][] [[Paper [1] draft]] [t](x[1].md) https://e.x/q[1] \\[1] `[1]`\n- [1] task\n\n[1]: http://a.b\n"
	note := md.Scan([]byte(src))
	moved := edit.NewMerge(set, "N.md", note, "M.md", md.Scan([]byte("[1]\n\n[1]: http://c.d\n")), edit.Shortest)
	want := "# A [1]\nsee [1][1-2], [t][1-2] and [1][1-2] [[Paper [1] draft]] [t](x[1].md) https://e.x/q[1] \\[1] `[1]`\n- [1] task\n\n[1-2]: http://a.b\n"
	if got := string(moved.Text(0)); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestMergeProperties(t *testing.T) {
	fields := func(yaml string) []front.Field {
		block, err := front.Parse(md.Scan([]byte("---\n" + yaml + "\n---\n")))
		if err != nil {
			t.Fatal(err)
		}
		return block.Fields()
	}
	for _, test := range []struct{ src, other, want string }{
		{"---\ntags: [a, B]\nstatus: done\n---\nx\n", "tags: [b, c]\nstatus: open\nup: '[[X]]'", "---\ntags: [a, B, c]\nstatus: done\nup: \"[[X]]\"\naliases:\n  - Old\n---\nx\n"},
		{"x\n", "n: 1", "---\nn: 1\naliases:\n  - Old\n---\nx\n"},
		{"---\naliases: Old\nlist:\n- 1\nempty:\n---\n", "list: [1, 2]\nempty: [x]", "---\naliases: Old\nlist:\n- 1\n- 2\nempty:\n- x\n---\n"},
	} {
		got, err := edit.MergeProperties([]byte(test.src), fields(test.other), []string{"Old"})
		if err != nil || string(got) != test.want {
			t.Errorf("%v: got  %q\nwant %q", err, got, test.want)
		}
	}
	if _, err := edit.MergeProperties([]byte("---\n{\n---\n"), fields("a: 1"), nil); err == nil || !strings.Contains(err.Error(), "line") {
		t.Error(err)
	}
}
