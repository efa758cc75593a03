package edit_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/md/front"
	"obsidian-mcp/internal/note/vpath"
	_ "obsidian-mcp/internal/testkit/mode" // fixes the seed of rapid
)

// rename renames a file and returns the new text of a note or canvas that links to it.
func rename(t *testing.T, format edit.LinkFormat, paths []vpath.Path, from, to, source vpath.Path, src string) string {
	t.Helper()
	set := vpath.NewSet(paths)
	relink := edit.NewRelinker(set, edit.Moves(set, from, to), format)
	if source.IsCanvas() {
		splices, err := relink.Canvas(source, []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		return string(md.Apply([]byte(src), splices))
	}
	return apply(src, func(n *md.Note) []md.Splice { return relink.Note(source, n) })
}

func TestRelinkForms(t *testing.T) {
	paths := []vpath.Path{"Old Note.md", "s.md", "sub/t.md", "img/p.png", "c.canvas"}
	for _, test := range []struct {
		name, src, want string
	}{
		{"title", `[t](Old%20Note.md "a title")`, `[t](sub/New%20(x).md "a title")`},
		{"angle and title", `[t](<Old Note.md#h> 'x')`, `[t](<sub/New (x).md#h> 'x')`},
		{"reference definition", "[t][r]\n\n[r]: Old%20Note.md \"x\"\n", "[t][r]\n\n[r]: sub/New%20(x).md \"x\"\n"},
		{"reference in angles", "[r]: <Old Note.md>\n", "[r]: <sub/New (x).md>\n"},
		{"from the root", "[[/Old Note]]", "[[sub/New (x)]]"},
		{"image of a note", "![[Old Note#^b|100]]", "![[sub/New (x)#^b|100]]"},
		{"linked image", "[![alt](img/p.png)](Old%20Note.md)", "[![alt](img/p.png)](sub/New%20(x).md)"},
		{"heading in code", "# [[Old Note]] `[[Old Note]]`", "# [[sub/New (x)]] `[[Old Note]]`"},
		{"subpath as written", "[t](Old%20Note.md#A%20b)", "[t](sub/New%20(x).md#A%20b)"},
		{"plain value", "---\nup: see [[Old Note]] now\n---\n", "---\nup: see [[sub/New (x)]] now\n---\n"},
		{"single quotes", "---\nup: '[[Old Note]]' # c\n---\n", "---\nup: '[[sub/New (x)]]' # c\n---\n"},
		{"Markdown link in a property", "---\nup: \"[Old Note](Old%20Note.md)\"\n---\n", "---\nup: \"[New (x)](sub/New%20(x).md)\"\n---\n"},
		{"literal value", "---\nup: |\n  [[Old Note]]\n---\n", "---\nup: |\n  [[sub/New (x)]]\n---\n"},
		{"escaped subpath", "---\nup: \"[[Old Note\\u0023h]]\"\n---\n", "---\nup: \"[[sub/New (x)#h]]\"\n---\n"},
		{"escaped pipe", "---\nup: \"[[Old Note\\x7cB]]\"\n---\n", "---\nup: \"[[sub/New (x)|B]]\"\n---\n"},
		{"folded value", "---\nup: \"see [[Old\n  Note]]\" # c\n---\n", "---\nup: \"see [[sub/New (x)]]\" # c\n---\n"},
		{"folded block", "---\nup: >-\n  [[Old\n  Note]]\nz: 1\n---\n", "---\nup: \"[[sub/New (x)]]\"\nz: 1\n---\n"},
		{"question in a flow list", "---\naliases: [Why?]\nup: \"[[Old Note]]\"\n---\n", "---\naliases: [Why?]\nup: \"[[sub/New (x)]]\"\n---\n"},
		{"behind display math", "Let $$\nx\n$$\n\n[[Old Note]]", "Let $$\nx\n$$\n\n[[sub/New (x)]]"},
		{"invalid frontmatter is left alone", "---\na: b: \"[[Old Note]]\"\n---\n[[Old Note]]", "---\na: b: \"[[Old Note]]\"\n---\n[[sub/New (x)]]"},
	} {
		if got := rename(t, edit.Absolute, paths, "Old Note.md", "sub/New (x).md", "s.md", test.src); got != test.want {
			t.Errorf("%s: %q became %q, want %q", test.name, test.src, got, test.want)
		}
	}
}

func TestRelinkCanvasTouchesOnlyItsStrings(t *testing.T) {
	src := `{ "nodes":[ {"type":"file","file":"a\/Old \u00e9.md","x":1.50},` + "\n\t" +
		`{"text":"\u00e9\ud83d\ude00 [[Old é]]\n\/ [[Old é|Old é]]","type":"text"}, ` +
		`{"type":"group","background":"a/Old é.md"},{"type":"link","url":"a/Old é.md"} ] }`
	want := `{ "nodes":[ {"type":"file","file":"b/New \"n\".md","x":1.50},` + "\n\t" +
		`{"text":"\u00e9\ud83d\ude00 [[New \"n\"]]\n\/ [[New \"n\"|New \"n\"]]","type":"text"}, ` +
		`{"type":"group","background":"b/New \"n\".md"},{"type":"link","url":"a/Old é.md"} ] }`
	got := rename(t, edit.Shortest, []vpath.Path{"a/Old é.md", "c.canvas"}, "a/Old é.md", `b/New "n".md`, "c.canvas", src)
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	card := "{\"nodes\":[{\"type\":\"text\",\"text\":\"---\\n[[Old]]\\n---\"},null]}"
	got = rename(t, edit.Shortest, []vpath.Path{"Old.md", "c.canvas"}, "Old.md", "New.md", "c.canvas", "\ufeff"+card)
	if want := "\ufeff" + strings.ReplaceAll(card, "Old", "New"); got != want {
		t.Errorf("a card that looks like frontmatter became %s, want %s", got, want)
	}
}

func TestMovesFindsAFolderInAnySpelling(t *testing.T) {
	twins := vpath.NewSet([]vpath.Path{"x/B.md", "X/q.md"})
	if moves := edit.Moves(twins, "x", "y"); len(moves) != 1 || moves["x/B.md"] != "y/B.md" {
		t.Errorf("Moves of the twin x = %v, want only x/B.md", moves)
	}
	set := vpath.NewSet([]vpath.Path{"Proj/A.md", "Proj/x/B.md", "Projects/C.md"})
	moves := edit.Moves(set, "proj", "New/Home")
	if len(moves) != 2 || moves["Proj/A.md"] != "New/Home/A.md" || moves["Proj/x/B.md"] != "New/Home/x/B.md" {
		t.Errorf("Moves = %v, want the two notes in Proj", moves)
	}
}

// TestRelinkToUnusualNames checks that a link still resolves after a rename to a name that Markdown or YAML could misread.
func TestRelinkToUnusualNames(t *testing.T) {
	for _, name := range []string{
		"a)b", "(a", "50%20 off", "100%", "a<b>", "x:y", "http:z", "é à", "a'b\"c", "pic.png", "v1.2", "_x_ *y*", "a\\b",
	} {
		to := vpath.Path("d/" + name + ".md")
		for _, src := range []string{
			"[[Old]]", "[t](Old.md)", "[t](<Old.md>)",
			"---\nup: \"[[Old]]\"\n---\n", "---\nup: '[[Old]]'\n---\n", "---\nup: see [[Old]]\n---\n",
		} {
			set := vpath.NewSet([]vpath.Path{"Old.md", "s.md", "pic.png"})
			relink := edit.NewRelinker(set, edit.Moves(set, "Old.md", to), edit.Shortest)
			changed := apply(src, func(n *md.Note) []md.Splice { return relink.Note("s.md", n) })
			if strings.Contains(name, "\\") { // in a link a backslash separates folders, so no link can reach such a name
				continue
			}
			targets := resolveAll(relink.After(), "s.md", changed)
			if len(targets) != 1 || targets[0] != to {
				t.Errorf("%q became %q, which resolves to %q, want %q", src, changed, targets, to)
			}
		}
	}
}

// resolveAll returns the files that the links of a note resolve to, "" for those that do not resolve.
func resolveAll(set *vpath.Set, source vpath.Path, src string) []vpath.Path {
	note := md.Scan([]byte(src))
	resolver := set.From(source)
	var targets []vpath.Path
	add := func(target string) {
		path, _ := md.SplitTarget(target)
		found, _ := resolver.Resolve(path)
		targets = append(targets, found)
	}
	if block, err := front.Parse(note); err == nil {
		for _, link := range block.Links() {
			add(link.Target)
		}
	}
	for _, link := range note.Links {
		add(link.Target(note.Source))
	}
	return targets
}

// checkRename checks that after a rename each link resolves to the same file as before, and that the text outside the
// links is unchanged.
func checkRename(
	t reporter, paths []vpath.Path, notes map[vpath.Path]string, from, to vpath.Path, format edit.LinkFormat,
) {
	t.Helper()
	set := vpath.NewSet(paths)
	moves := edit.Moves(set, from, to)
	for _, target := range moves {
		if _, taken := set.Find(target); taken {
			return // the caller rejects a rename onto an existing file
		}
	}
	relink := edit.NewRelinker(set, moves, format)
	moved := func(path vpath.Path) vpath.Path {
		if now, ok := moves[path]; ok {
			return now
		}
		return path
	}
	for source, src := range notes {
		note := md.Scan([]byte(src))
		changed := string(md.Apply(note.Source, relink.Note(source, note)))
		before, after := resolveAll(set, source, src), resolveAll(relink.After(), moved(source), changed)
		if len(before) != len(after) {
			t.Fatalf("%s to %s: %q has %d links, %q has %d", from, to, src, len(before), changed, len(after))
		}
		for i := range before {
			if before[i] != "" && moved(before[i]) != after[i] {
				t.Fatalf("%s to %s in %s of %q: %q became %q, whose link %d resolves to %s instead of %s",
					from, to, source, paths, src, changed, i, after[i], moved(before[i]))
			}
		}
		if got, want := withoutLinks(changed), withoutLinks(src); got != want {
			t.Fatalf("%s to %s: outside the links %q became %q", from, to, want, got)
		}
	}
}

type reporter interface {
	Helper()
	Fatalf(format string, args ...any)
}

// withoutLinks returns the body of a note without its links.
func withoutLinks(src string) string {
	note := md.Scan([]byte(src))
	var removals []md.Splice
	end := 0
	for _, link := range note.Links {
		if link.Start >= end {
			removals = append(removals, md.Splice{Span: link.Span})
			end = link.End
		}
	}
	return string(md.Apply(note.Source, removals))[note.Body:]
}

func TestRenameLaws(t *testing.T) {
	folders := rapid.SampledFrom([]string{"", "a/", "b/", "a/b/", "long folder/", "é/"})
	names := rapid.SampledFrom([]string{"Note", "note", "Other", "N 2", "pic.png", "v1.2", "Ü", "U\u0308"})
	file := rapid.Custom(func(t *rapid.T) vpath.Path {
		return vpath.Path(folders.Draw(t, "folder") + vpath.WithNoteExt(names.Draw(t, "name")))
	})
	rapid.Check(t, func(t *rapid.T) {
		paths := rapid.SliceOfNDistinct(file, 2, 8, vpath.Path.Key).Draw(t, "paths")
		notes := map[vpath.Path]string{}
		for i, source := range paths {
			if source.IsNote() {
				notes[source] = drawLinks(t, fmt.Sprint(i), paths, source)
			}
		}
		from := rapid.SampledFrom(paths).Draw(t, "from")
		to := file.Draw(t, "to")
		if from.IsNote() != to.IsNote() {
			return
		}
		formats := []edit.LinkFormat{edit.Shortest, edit.Relative, edit.Absolute}
		checkRename(t, paths, notes, from, to, rapid.SampledFrom(formats).Draw(t, "format"))
	})
}

// drawLinks returns a note with links of every form to the files of the vault.
func drawLinks(t *rapid.T, label string, paths []vpath.Path, source vpath.Path) string {
	var body strings.Builder
	head := ""
	for i := range rapid.IntRange(0, 5).Draw(t, label+" links") {
		target := rapid.SampledFrom(paths).Draw(t, fmt.Sprintf("%s link %d", label, i))
		text := rapid.SampledFrom([]string{
			string(target), target.WithoutExt(), target.Name(), target.Base(), "/" + string(target), "../" + target.Name(),
			"./" + target.Base(),
		}).Draw(t, "text")
		switch rapid.IntRange(0, 6).Draw(t, "form") {
		case 0:
			fmt.Fprintf(&body, "x [[%s]] y\n", text)
		case 1:
			fmt.Fprintf(&body, "![[%s#h|%s]]\n", text, target.Name())
		case 2:
			fmt.Fprintf(&body, "[%s](%s#h)\n", target.Name(), strings.ReplaceAll(text, " ", "%20"))
		case 3:
			fmt.Fprintf(&body, "![t](<%s> 'title')\n", text)
		case 4:
			fmt.Fprintf(&body, "| a |\n| - |\n| [[%s\\|x]] |\n\n", text)
		case 5:
			fmt.Fprintf(&body, "\n[ref%d]: <%s>\n\n", i, text)
		default:
			head += fmt.Sprintf("k%d: \"[[%s]] and\"\n", i, text)
		}
	}
	if head != "" {
		return "---\n" + head + "---\n" + body.String()
	}
	return body.String()
}

func FuzzRename(f *testing.F) {
	f.Add("[[Note]] [t](a/Note.md) ![[x#h|y]]", "a/Note.md", "b/New.md", uint8(0))
	f.Add("---\nup: \"[[Note]]\"\n---\n[r]: <Note.md>\n", "Note.md", "b/c (d)/N.md", uint8(1))
	f.Add("[[./Note]] [[../s]]", "s.md", "z/s.md", uint8(2))
	f.Add("a ` b [[Note|x]] $5 [t](Note.md#h) <!-- ![[Note]]", "Note.md", "c`/$d -->.md", uint8(0))
	f.Add("[x]([[N 1]]) <http://[[N 1]]> | ~~~\n[r]:\n<N 1.md>", "N 1.md", "~~~.md", uint8(2))
	f.Add("---\nup: \"` [[Note]]\"\nb: $ [[Note|x]]\n---\n", "Note.md", "b/`$.md", uint8(1))
	f.Fuzz(func(t *testing.T, src, from, to string, format uint8) {
		if _, err := edit.Open([]byte(src)); err != nil {
			return // a note that cannot be opened is never written
		}
		old, err := vpath.Parse(from)
		if err != nil || !old.IsNote() {
			return
		}
		now, err := vpath.Parse(to)
		if err != nil || !now.IsNote() || now.Portable() != nil {
			return
		}
		paths := []vpath.Path{old, "s.md", "Note.md", "a/Note.md", "b/New.md", "x.png", "é.md"}
		notes := map[vpath.Path]string{"s.md": src, old: src, "a/Note.md": src}
		checkRename(t, paths, notes, old, now, edit.LinkFormat(format%3))
	})
}

func FuzzEdits(f *testing.F) {
	f.Add("# A\na\n## B\nb\n", "A/B", "text\n- x")
	f.Add("---\r\ntags: [a]\r\n---\r\n# A[1]\r\n", "A[1]", "a")
	f.Fuzz(func(t *testing.T, src, name, text string) {
		note, err := edit.Open([]byte(src))
		if err != nil {
			return
		}
		if appended := md.Apply(note.Source, edit.Append(note, text)); !strings.HasPrefix(string(appended), src) {
			t.Fatalf("Append changed %q to %q", src, appended)
		}
		replaced := md.Scan(md.Apply(note.Source, edit.ReplaceBody(note, "body")))
		if note.Front.Present && string(note.Front.YAML.Of(note.Source)) != string(replaced.Front.YAML.Of(replaced.Source)) {
			t.Fatalf("ReplaceBody changed the frontmatter of %q: %q", src, replaced.Source)
		}
		section, err := edit.FindSection(note, name)
		if err != nil {
			return
		}
		appended, _ := edit.AppendSection(note, section, text)
		updated, _ := edit.UpdateSection(note, section, text)
		deleted, _ := edit.DeleteSection(note, section)
		for _, splices := range [][]md.Splice{appended, updated, deleted} {
			changed := string(md.Apply(note.Source, splices))
			if !strings.HasPrefix(changed, src[:section.Start]) || !strings.HasSuffix(changed, src[section.End:]) {
				t.Fatalf("an edit of section %q of %q changed other text: %q", name, src, changed)
			}
		}
	})
}

// TestPinnedRelativeLinksKeepTheirTarget moves a note when the set does not contain all files of the vault: its relative
// links must still point to the same paths.
func TestPinnedRelativeLinksKeepTheirTarget(t *testing.T) {
	set := vpath.NewSet([]vpath.Path{"a/N.md", "a/Near.md"})
	relink := edit.NewRelinker(set, map[vpath.Path]vpath.Path{"a/N.md": "d/e/N.md"}, edit.Absolute).Pin()
	for before, after := range map[string]string{
		"[s](../private/S.md)":       "[s](../../private/S.md)",
		"![i](./img/x%20y.png)":      "![i](../../a/img/x%20y.png)",
		"[[../private/S]]":           "[[../../private/S]]",
		"[out](../../etc/passwd)":    "[out](../../etc/passwd)",
		"[plain](S.md)":              "[plain](S.md)",
		"[web](https://example.com)": "[web](https://example.com)",
	} {
		note := md.Scan([]byte(before))
		if got := string(md.Apply(note.Source, relink.Note("a/N.md", note))); got != after {
			t.Errorf("%s became %s, want %s", before, got, after)
		}
	}
	same := edit.NewRelinker(set, map[vpath.Path]vpath.Path{"a/N.md": "a/M.md"}, edit.Absolute).Pin()
	note := md.Scan([]byte("[s](../private/S.md)"))
	if splices := same.Note("a/N.md", note); len(splices) > 0 {
		t.Errorf("a rename within the folder changes links: %v", splices)
	}
}

// TestRedirectDropsMissingParts: a redirected link to a part that the other note lacks leads to the whole note.
func TestRedirectDropsMissingParts(t *testing.T) {
	set := vpath.NewSet([]vpath.Path{"Old.md", "a/New note.md", "s.md"})
	lacks := func(subpath string) bool { return subpath != "#Kept" }
	redirect := edit.NewRedirect(set, "Old.md", "a/New note.md", lacks, edit.Shortest)
	src := "---\nup: \"[[Old#Part]]\"\n---\n[[Old]] [[Old#Part|t]] [[Old#Kept]] ![[Old#^id]] [m](Old.md#Part%20two) [m](<Old.md#Part>) [[s#Part]]\n"
	want := "---\nup: \"[[New note]]\"\n---\n[[New note]] [[New note|t]] [[New note#Kept]] ![[New note]] [m](New%20note.md) [m](<New note.md>) [[s#Part]]\n"
	if got := apply(src, func(note *md.Note) []md.Splice { return redirect.Note("s.md", note) }); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
