package edit_test

import (
	"errors"
	"testing"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
)

const anchored = "# Top\n\n[[#Old head]] [[#Top#Old: head|x]]\n\n## Old: head\n\ntext ^Id1\n\n# Else\n\n## Old head\n"

func TestRenameHeadingRewritesItsLinks(t *testing.T) {
	set := vpath.NewSet([]vpath.Path{"a/N.md", "s.md", "c.canvas", "Other.md"})
	note := md.Scan([]byte(anchored))
	reanchor, err := edit.RenameHeading(set, "a/N.md", note, 1, "New: head | #2")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		path      vpath.Path
		src, want string
	}{
		{"a/N.md", anchored, "# Top\n\n[[#New head 2]] [[#Top#New head 2|x]]\n\n## New: head | #2\n\ntext ^Id1\n\n# Else\n\n## Old head\n"},
		{"s.md", "[[N#old head|t]] ![[a/N#Top#Old head]] [[N#Else#Old head]] [[Other#Old head]] [[N]] `[[N#Old head]]`",
			"[[N#New head 2|t]] ![[a/N#Top#New head 2]] [[N#Else#Old head]] [[Other#Old head]] [[N]] `[[N#Old head]]`"},
		{"s.md", "---\nup: \"[[N#Old head]]\"\n---\n[t](a/N.md#Old%20head \"x\") [u](<N.md#Old head>)\n\n[r]: N.md#Old%20head\n",
			"---\nup: \"[[N#New head 2]]\"\n---\n[t](a/N.md#New%20head%202 \"x\") [u](<N.md#New head 2>)\n\n[r]: N.md#New%20head%202\n"},
	} {
		if got := apply(test.src, func(n *md.Note) []md.Splice { return reanchor.Note(test.path, n) }); got != test.want {
			t.Errorf("%s:\ngot  %q\nwant %q", test.path, got, test.want)
		}
	}
	canvas := `{"nodes":[{"type":"file","subpath":"#Old head","file":"a/N.md"},` +
		`{"type":"file","file":"Other.md","subpath":"#Old head"},{"type":"text","text":"\\n[[N#Old head]]"}]}`
	splices, err := reanchor.Canvas("c.canvas", []byte(canvas))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"nodes":[{"type":"file","subpath":"#New head 2","file":"a/N.md"},` +
		`{"type":"file","file":"Other.md","subpath":"#Old head"},{"type":"text","text":"\\n[[N#New head 2]]"}]}`
	if got := string(md.Apply([]byte(canvas), splices)); got != want {
		t.Errorf("the canvas became %s, want %s", got, want)
	}
	if _, err := edit.RenameHeading(set, "a/N.md", note, 1, "two\nlines"); !errors.Is(err, fault.InvalidArgument) {
		t.Errorf("RenameHeading to two lines: %v", err)
	}
}

func TestRenameIDRewritesItsLinks(t *testing.T) {
	set := vpath.NewSet([]vpath.Path{"a/N.md", "s.md"})
	note := md.Scan([]byte(anchored))
	reanchor, err := edit.RenameID(set, "a/N.md", note, 0, "fresh-1")
	if err != nil {
		t.Fatal(err)
	}
	src := "[[N#^id1]] ![x](a/N.md#^Id1) [[N#^id12]] [[N#Id1]]"
	want := "[[N#^fresh-1]] ![x](a/N.md#^fresh-1) [[N#^id12]] [[N#Id1]]"
	if got := apply(src, func(n *md.Note) []md.Splice { return reanchor.Note("s.md", n) }); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	after := md.Scan(md.Apply(note.Source, reanchor.Note("a/N.md", note)))
	if after.FindID("fresh-1") < 0 || after.FindID("id1") >= 0 {
		t.Errorf("the note has the ids %+v", after.IDs)
	}
	for name, kind := range map[string]fault.Kind{"a_b": fault.InvalidArgument, "": fault.InvalidArgument} {
		if _, err := edit.RenameID(set, "a/N.md", note, 0, name); !errors.Is(err, kind) {
			t.Errorf("RenameID to %q: %v, want %v", name, err, kind)
		}
	}
	two := md.Scan([]byte("a ^x\n\nb ^y\n"))
	if _, err := edit.RenameID(set, "a/N.md", two, 0, "Y"); !errors.Is(err, fault.AlreadyExists) {
		t.Errorf("RenameID to an existing id: %v", err)
	}
}
