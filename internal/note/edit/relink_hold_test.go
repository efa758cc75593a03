package edit_test

import (
	"slices"
	"strings"
	"testing"

	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
)

// TestRewrittenLinksSurviveTheTextAroundThem: a link that is correct on its own must also be a link in its context.
func TestRewrittenLinksSurviveTheTextAroundThem(t *testing.T) {
	for _, test := range []struct {
		name      string
		to        vpath.Path
		src, want string
	}{
		{"no stray mark", "d/c`.md", "[[Old]] and [t](Old.md)", "[[d/c`]] and [t](d/c`.md)"},
		{"stray backtick", "d/c`.md", "a ` b [[Old]]", "a ` b [c&grave;](d/c%60.md)"},
		{"stray backtick far off", "d/c`.md", "a ` b\nc [[Old|x]]\n\n[[Old|x]]", "a ` b\nc [x](d/c%60.md)\n\n[[d/c`|x]]"},
		{"link to another note", "d/c`.md", "a ` b [[s]] [[Old]]", "a ` b [[s]] [c&grave;](d/c%60.md)"},
		{"price", "US$.md", "costs $5, see [[Old#Rates|rates]]", "costs $5, see [rates](US%24.md#Rates)"},
		{"Markdown link", "US$.md", "costs $5, see [t](Old.md#a%20b \"x\")", "costs $5, see [t](US%24.md#a%20b \"x\")"},
		{"in angles", "US$ x.md", "costs $5, see [t](<Old.md>)", "costs $5, see [t](<US%24%20x.md>)"},
		{"embed", "d/c`.md", "a ` ![[Old#^b]] ![[Old|100]]", "a ` ![c&grave; &gt; &Hat;b](d/c%60.md#^b) ![100](d/c%60.md)"},
		{"table", "d/c`.md", "| ` [[Old\\|a\\|b]] |\n| - |\n", "| ` [a&verbar;b](d/c%60.md) |\n| - |\n"},
		{"a text with marks", "d/c`.md", "` [[Old|a [b] #c <d> \\]]", "` [a &lbrack;b&rbrack; &num;c &lt;d&gt; &bsol;](d/c%60.md)"},
		{"destination at the start of a line", "~~~x.md", "[r]:\nOld.md\n\n[[s]]", "[r]:\n%7E%7E%7Ex.md\n\n[[s]]"},
		{"math closed by a destination", "$$x.md", "[t](\nOld.md)\n\n[[s]]", "[t](\n%24%24x.md)\n\n[[s]]"},
		{"property", "d/c`.md", "---\nup: \"` [[Old]]\" # c\n---\n[[Old]]", "---\nup: \"` [c&grave;](d/c%60.md)\" # c\n---\n[[d/c`]]"},
		{"plain property", "d/c`.md", "---\nup: a ` [[Old|b]]\n---\n", "---\nup: \"a ` [b](d/c%60.md)\"\n---\n"},
		{"undecodable subpath", "d/N 2.md", "[t](Old.md#%FF)", "[t](d/N%202.md#%25FF)"},
		{"usual form where it works", "US $2.md", "costs $5, see [[Old]]", "costs $5, see [[US $2]]"},
	} {
		paths := []vpath.Path{"Old.md", "s.md", "x/N.md"}
		if got := rename(t, edit.Absolute, paths, "Old.md", test.to, "s.md", test.src); got != test.want {
			t.Errorf("%s: %q became\n%q, want\n%q", test.name, test.src, got, test.want)
		}
	}
}

// TestRewrittenLinksSurviveWithoutTheirSpace: a space in the old path kept the link from merging with the text before it;
// the new path has no space.
func TestRewrittenLinksSurviveWithoutTheirSpace(t *testing.T) {
	paths := []vpath.Path{"Old Note.md", "s.md"}
	for src, want := range map[string]string{
		"[x]([[Old Note]])":        "[x]([New]( New.md))",
		"[x]([t](<Old Note.md>))":  "[x]([t]( <New.md>))",
		"<http://[[Old Note]]>":    "<http://[New]( New.md)>",
		"<a b=[[Old Note]]> [[s]]": "<a b=[New]( New.md)> [[s]]",
	} {
		if got := rename(t, edit.Shortest, paths, "Old Note.md", "New.md", "s.md", src); got != want {
			t.Errorf("%q became %q, want %q", src, got, want)
		}
	}
}

// TestRelinkPrefersAPlainPath: a path without marks is preferred to another form of link.
func TestRelinkPrefersAPlainPath(t *testing.T) {
	paths := []vpath.Path{"Old.md", "c`/s.md"}
	got := rename(t, edit.Absolute, paths, "Old.md", "c`/N.md", "c`/s.md", "a ` b [[Old|t]] [[Old]]")
	if want := "a ` b [[./N|t]] [[./N]]"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestRewrittenLinksSurviveInACanvasCard(t *testing.T) {
	got := rename(t, edit.Shortest, []vpath.Path{"Old.md", "c.canvas"}, "Old.md", "c`.md", "c.canvas",
		`{"nodes":[{"type":"text","text":"a \u0060 [[Old|\"x\"]]"},{"type":"text","text":"[[Old]]"}]}`)
	want := "{\"nodes\":[{\"type\":\"text\",\"text\":\"a \\u0060 [\\\"x\\\"](c%60.md)\"},{\"type\":\"text\",\"text\":\"[[c`]]\"}]}"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestRenamedHeadingsSurviveTheTextAroundTheirLinks(t *testing.T) {
	set := vpath.NewSet([]vpath.Path{"N.md", "s.md"})
	note := md.Scan([]byte("# Old\n"))
	reanchor, err := edit.RenameHeading(set, "N.md", note, 0, "Don't pay `x`, US$")
	if err != nil {
		t.Fatal(err)
	}
	for src, want := range map[string]string{
		"[[N#Old]]":         "[[N#Don't pay `x`, US$]]",
		"a ` b [[N#Old|t]]": "a ` b [[N#Don't pay  x , US |t]]",
		"$5 [t](N.md#Old)":  "$5 [t](N.md#Don't%20pay%20%20x%20,%20US%20)",
	} {
		if got := apply(src, func(n *md.Note) []md.Splice { return reanchor.Note("s.md", n) }); got != want {
			t.Errorf("%q became %q, want %q", src, got, want)
		}
	}
	renamed := md.Scan(md.Apply(note.Source, reanchor.Note("N.md", note)))
	if found := renamed.FindHeading([]string{"Don't pay  x , US "}); found != 0 {
		t.Errorf("FindHeading of the plain subpath = %d, want 0", found)
	}
}

// TestRelinkFallsBackToTheUsualForm: if every form loses the link, as in this hostile note, it gets the usual form.
func TestRelinkFallsBackToTheUsualForm(t *testing.T) {
	src := strings.Repeat("` [[[Old]]] x ]]\n\n", 200)
	got := rename(t, edit.Absolute, []vpath.Path{"Old.md", "s.md"}, "Old.md", "c`.md", "s.md", src)
	if want := strings.ReplaceAll(src, "Old", "c`"); got != want {
		t.Errorf("%.40q became %.40q, want %.40q", src, got, want)
	}
}

// FuzzLinksStay checks that Deletion.Mark and RenameHeading lose no link and redirect none to another file, and that
// Deletion.Unlink removes the links to the deleted file only.
func FuzzLinksStay(f *testing.F) {
	f.Add("[[Note]] ` [[Note#h|y]] [[a/Note.md]] [t](Note.md#h) $", "h `$")
	f.Add("---\nup: \"` [[Note#h]]\"\nb: see [[Note]]\n---\n[x]([[Note #h]])", "-->")
	f.Fuzz(func(t *testing.T, src, heading string) {
		note, err := edit.Open([]byte(src))
		if err != nil {
			return
		}
		set := vpath.NewSet([]vpath.Path{"s.md", "Note.md", "a/Note.md"})
		before := resolveAll(set, "s.md", src)
		check := func(what string, splices []md.Splice, mayMiss vpath.Path) {
			changed := string(md.Apply(note.Source, splices))
			after := resolveAll(set, "s.md", changed)
			if len(before) != len(after) {
				t.Fatalf("%s: %q has %d links, %q has %d", what, src, len(before), changed, len(after))
			}
			for i := range before {
				if before[i] != after[i] && before[i] != mayMiss {
					t.Fatalf("%s: %q became %q, whose link %d resolves to %s instead of %s",
						what, src, changed, i, after[i], before[i])
				}
			}
		}
		check("deleted", edit.Deletion{Set: set, From: "s.md", Deleted: "Note.md"}.Mark(note), "Note.md")
		unlinked := string(md.Apply(note.Source, edit.Deletion{Set: set, From: "s.md", Deleted: "Note.md"}.Unlink(note)))
		others := slices.DeleteFunc(slices.Clone(before), func(path vpath.Path) bool { return path == "Note.md" })
		after := slices.DeleteFunc(resolveAll(set, "s.md", unlinked), func(path vpath.Path) bool { return path == "Note.md" })
		if !slices.Equal(others, after) {
			t.Fatalf("unlinked: %q became %q, whose links resolve to %v instead of %v", src, unlinked, after, others)
		}
		if reanchor, err := edit.RenameHeading(set, "Note.md", md.Scan([]byte("# h\n")), 0, heading); err == nil {
			check("heading", reanchor.Note("s.md", note), "")
		}
	})
}
