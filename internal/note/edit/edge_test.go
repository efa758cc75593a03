package edit_test

import (
	"errors"
	"strings"
	"testing"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
)

func TestEmptyEditsChangeNothing(t *testing.T) {
	for name, change := range map[string]func(*md.Note) []md.Splice{
		"Append": func(note *md.Note) []md.Splice { return edit.Append(note, "") },
		"ReplaceText": func(note *md.Note) []md.Splice {
			splices, _ := edit.ReplaceText(note, "", "x", true)
			return splices
		},
	} {
		if got := change(md.Scan([]byte("text\n"))); len(got) > 0 {
			t.Errorf("%s: %v", name, got)
		}
	}
	note := md.Scan([]byte("# A\ntext\n"))
	section, err := edit.FindSection(note, "A")
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*md.Note, md.Section, string) ([]md.Splice, error){
		"AppendSection": edit.AppendSection, "UpdateSection": edit.UpdateSection,
	} {
		text := map[string]string{"AppendSection": "\n\r\n", "UpdateSection": "\ntext  \n"}[name]
		if got, err := change(note, section, text); len(got) > 0 || err != nil {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

func TestAppendAfterSpaces(t *testing.T) {
	for src, want := range map[string]string{
		"a\n  ": "a\n  \n\nnew", "a\n\n\t": "a\n\n\t\nnew", "a": "a\n\nnew", "a\r\n": "a\r\n\r\nnew\r\n",
	} {
		if got := apply(src, func(n *md.Note) []md.Splice { return edit.Append(n, "new") }); got != want {
			t.Errorf("%q became %q, want %q", src, got, want)
		}
	}
}

func TestAppendLine(t *testing.T) {
	for src, want := range map[string]string{"a": "a\nb\nc", "a\n": "a\n\nb\nc", "a\r\n": "a\r\n\r\nb\r\nc", "": "\nb\nc"} {
		if got := apply(src, func(n *md.Note) []md.Splice { return edit.AppendLine(n, "b\nc") }); got != want {
			t.Errorf("%q became %q, want %q", src, got, want)
		}
	}
}

// TestReplaceInMixedLineEnds replaces a text with plain newlines in a note that mostly uses CRLF.
func TestReplaceInMixedLineEnds(t *testing.T) {
	got := apply("a\r\nb\nc\r\n", func(n *md.Note) []md.Splice {
		splices, _ := edit.ReplaceText(n, "b\nc", "x\ny\nz", false)
		return splices
	})
	if want := "a\r\nx\ny\nz\r\n"; got != want {
		t.Errorf("became %q, want %q", got, want)
	}
}

func TestAmbiguousSectionsAreListed(t *testing.T) {
	note := md.Scan([]byte(strings.Repeat("# A\n\ntext\n\n", 30)))
	_, err := edit.FindSection(note, "A")
	if !errors.Is(err, fault.AmbiguousName) || !strings.Contains(err.Error(), "A[20] (line 77)") ||
		strings.Contains(err.Error(), "A[21]") || !strings.HasSuffix(err.Error(), "and 10 more") {
		t.Errorf("the error should list 20 of 30 sections: %v", err)
	}
	for name, found := range map[string]bool{
		"A[30]": true, "A[31]": false, "A[0]": false, "A[-1]": false, "A[x]": false, "A[]": false, "[1]": false,
	} {
		if _, err := edit.FindSection(note, name); (err == nil) != found {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAppendSectionContinuesListsAndTables(t *testing.T) {
	for _, test := range []struct{ last, added, want string }{
		{"- a", "* b", "- a\n* b"},
		{"1. a", "2) b", "1. a\n2) b"},
		{"| a |", "| b |", "| a |\n| b |"},
		{"- a", "| b |", "- a\n\n| b |"},
		{"1.a", "2. b", "1.a\n\n2. b"},
		{"word here", "- b", "word here\n\n- b"},
		{"1x. a", "1. b", "1x. a\n\n1. b"},
	} {
		src := "# A\n" + test.last + "\n"
		got := apply(src, func(note *md.Note) []md.Splice {
			section, err := edit.FindSection(note, "A")
			if err != nil {
				t.Fatal(err)
			}
			splices, err := edit.AppendSection(note, section, test.added)
			if err != nil {
				t.Fatal(err)
			}
			return splices
		})
		if want := "# A\n" + test.want + "\n"; got != want {
			t.Errorf("%q and %q became %q, want %q", test.last, test.added, got, want)
		}
	}
}

// TestSparedLinksStay checks that Note leaves spared links alone and that Breaks agrees.
func TestSparedLinksStay(t *testing.T) {
	set := vpath.NewSet([]vpath.Path{"Old.md", "s.md", "t.md"})
	relink := edit.NewRelinker(set, edit.Moves(set, "Old.md", "New.md"), edit.Shortest)
	relink.Spare(func(file vpath.Path) func(string) bool {
		if file != "s.md" {
			return nil
		}
		return func(linkPath string) bool { return linkPath == "Old" }
	})
	for _, test := range []struct {
		file      vpath.Path
		src, want string
	}{
		{"s.md", "[[Old]] [[Old.md]]", "[[Old]] [[New]]"},
		{"t.md", "[[Old]] [[Old.md]]", "[[New]] [[New]]"},
	} {
		if got := apply(test.src, func(n *md.Note) []md.Splice { return relink.Note(test.file, n) }); got != test.want {
			t.Errorf("in %s %q became %q, want %q", test.file, test.src, got, test.want)
		}
	}
	for link, want := range map[string]bool{
		"s.md Old": false, "s.md Old.md": true, "t.md Old": true, "t.md s": false, "t.md absent": false, "t.md ": false,
	} {
		file, path, _ := strings.Cut(link, " ")
		if got := relink.Breaks(vpath.Path(file), path); got != want {
			t.Errorf("Breaks(%s, %s) = %v, want %v", file, path, got, want)
		}
	}
}

func TestBrokenCanvasIsAnError(t *testing.T) {
	set := vpath.NewSet([]vpath.Path{"A.md", "c.canvas"})
	relink := edit.NewRelinker(set, edit.Moves(set, "A.md", "B.md"), edit.Shortest)
	if splices, err := relink.Canvas("c.canvas", []byte(`{"nodes":[`)); err == nil {
		t.Errorf("Relinker.Canvas = %v, want an error", splices)
	}
	note := md.Scan([]byte("# H\n"))
	anchor, err := edit.RenameHeading(set, "A.md", note, 0, "I")
	if err != nil {
		t.Fatal(err)
	}
	if splices, err := anchor.Canvas("c.canvas", []byte(`{"nodes":[`)); err == nil {
		t.Errorf("Reanchor.Canvas = %v, want an error", splices)
	}
}

func TestOnlyCardsOfTheMovedFileChange(t *testing.T) {
	src := `{"nodes":[{"type":"file","file":"A.md"},{"type":"file","file":"Stay.md"},{"type":"file","file":"absent.md"}]}`
	got := rename(t, edit.Shortest, []vpath.Path{"A.md", "Stay.md", "c.canvas"}, "A.md", "x/B.md", "c.canvas", src)
	if want := strings.Replace(src, "A.md", "x/B.md", 1); got != want {
		t.Errorf("the canvas became %s, want %s", got, want)
	}
}

func TestPlainValuesGetQuotesWhereLinksNeedThem(t *testing.T) {
	for to, want := range map[vpath.Path]string{
		"New.md":      "---\nup: see [[New]]\n---\n",
		"New: a.md":   "---\nup: \"see [[New: a]]\"\n---\n",
		"New #tag.md": "---\nup: see [[Old]]\n---\n", // no link can be written to it
	} {
		got := rename(t, edit.Shortest, []vpath.Path{"Old.md", "s.md"}, "Old.md", to, "s.md", "---\nup: see [[Old]]\n---\n")
		if got != want {
			t.Errorf("%s: became %q, want %q", to, got, want)
		}
	}
}

func TestMarkDeletedMarksOnlyWikilinksToTheNote(t *testing.T) {
	set := vpath.NewSet([]vpath.Path{"B.md", "s.md"})
	for src, want := range map[string]string{
		"[[#h]] [[B]]":                  "[[#h]] [[B (deleted)]]",
		"[t](B.md)":                     "[t](B.md)",
		"---\na: \"[[s]]\"\n---\n[[s]]": "---\na: \"[[s]]\"\n---\n[[s]]",
	} {
		got := apply(src, func(n *md.Note) []md.Splice { return edit.Deletion{Set: set, From: "s.md", Deleted: "B.md"}.Mark(n) })
		if got != want {
			t.Errorf("%q became %q, want %q", src, got, want)
		}
	}
}

// TestAppendSectionKeepsTheHeadings appends texts that could merge with the headings around them.
func TestAppendSectionKeepsTheHeadings(t *testing.T) {
	for _, text := range []string{"```", "<!--", "para", "- item", "> quote", "$$", "%%", "\\", "    code"} {
		src := "# A\n\nold\n# B\n\nx\n\nNext\n====\n\ny\n"
		note := md.Scan([]byte(src))
		for i := range note.Headings {
			section := note.SectionOf(i)
			splices, err := edit.AppendSection(note, section, text)
			if err != nil {
				if !errors.Is(err, fault.InvalidArgument) {
					t.Errorf("%q: %v", text, err)
				}
				continue
			}
			after := md.Scan(md.Apply([]byte(src), splices))
			if len(after.Headings) < len(note.Headings) {
				t.Errorf("appending %q to section %d removed a heading: %v", text, i, after.Headings)
			}
		}
	}
}

// TestUnresolvedRelativeLinksKeepTheirTarget moves a note with relative links to files that the set does not contain.
func TestUnresolvedRelativeLinksKeepTheirTarget(t *testing.T) {
	set := vpath.NewSet([]vpath.Path{"N.md", "x/Near.md"})
	relink := edit.NewRelinker(set, map[vpath.Path]vpath.Path{"N.md": "x/N.md"}, edit.Absolute).Pin()
	for before, after := range map[string]string{
		"[s](./x/absent.md)":  "[s](./absent.md)",
		"[s](./y/absent.md)":  "[s](../y/absent.md)",
		"[[./x/y/absent]]":    "[[./y/absent]]",
		"[s](./xx/absent.md)": "[s](../xx/absent.md)",
	} {
		if got := apply(before, func(n *md.Note) []md.Splice { return relink.Note("N.md", n) }); got != after {
			t.Errorf("%s became %s, want %s", before, got, after)
		}
	}
}
