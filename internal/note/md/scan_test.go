package md_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"obsidian-mcp/internal/note/md"
)

// found joins the source texts of the results of one kind.
func found[T any](src string, results []T, span func(T) md.Span) string {
	var texts []string
	for _, result := range results {
		texts = append(texts, string(span(result).Of([]byte(src))))
	}
	return strings.Join(texts, " · ")
}

func TestCallouts(t *testing.T) {
	for src, want := range map[string]string{
		"> [!note] Title [[a]]\n> text":         "note||Title [[a]]",
		"> [!TIP]- Folded":                      "TIP|-|Folded",
		"> [!tip|meta]+":                        "tip|+|",
		">[!bug]\n>> [!info] inner":             "bug||, info||inner",
		"> text\n> [!note] not the first":       "",
		"> [note] x":                            "",
		"- > [!quote] in a list":                "quote||in a list",
		" > [!a]+ b\n >> [!c]\n >>> [!d]- e f ": "a|+|b, c||, d|-|e f",
	} {
		note := md.Scan([]byte(src))
		var got []string
		for _, callout := range note.Callouts {
			fold := ""
			if callout.Fold != 0 {
				fold = string(callout.Fold)
			}
			got = append(got, fmt.Sprintf("%s|%s|%s", callout.Type.Of(note.Source), fold, callout.Title.Of(note.Source)))
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%q: %q, want %q", src, got, want)
		}
	}
}

func TestFootnotes(t *testing.T) {
	src := "a[^1] b^[inline [[x]]] c[^long-label] d[^no t]\n\n[^1]: text\n    more [[y]]\n\n[^long-label]: [[z]]\n"
	note := md.Scan([]byte(src))
	got := found(src, note.Footnotes, func(f md.Footnote) md.Span { return f.Label })
	if want := "1 · inline [[x]] · long-label · 1 · long-label"; got != want {
		t.Errorf("labels %q, want %q", got, want)
	}
	var kinds []md.FootnoteKind
	for _, footnote := range note.Footnotes {
		kinds = append(kinds, footnote.Kind)
	}
	wantKinds := []md.FootnoteKind{
		md.FootnoteReference, md.FootnoteInline, md.FootnoteReference, md.FootnoteDefinition, md.FootnoteDefinition,
	}
	if !slices.Equal(kinds, wantKinds) {
		t.Errorf("kinds %v, want %v", kinds, wantKinds)
	}
	if got := found(src, note.Links, func(l md.Link) md.Span { return l.Dest }); got != "x · y · z" {
		t.Errorf("links %q", got)
	}
}

func TestRegions(t *testing.T) {
	src := "`a` ``b ` c`` $x$ $$y$$ <b>z</b> <!-- c --> %% d %% <https://e.f>\n\n" +
		"```go\ncode\n```\n\n    indented\n\n$$\nm\n$$\n\n%%\nh\n%%\n\n<div>\ni\n</div>\n"
	note := md.Scan([]byte(src))
	want := []string{
		"1`a`", "1``b ` c``", "3$x$", "3$$y$$", "5<b>", "5</b>", "6<!-- c -->", "8%% d %%", "5<https://e.f>",
		"0```go\ncode\n```\n", "0    indented\n", "2$$\nm\n$$\n", "7%%\nh\n%%\n", "4<div>\ni\n</div>\n",
	}
	var got []string
	for _, region := range note.Regions {
		got = append(got, fmt.Sprintf("%d%s", region.Kind, region.Of(note.Source)))
	}
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestMathIsDistinguishedFromMoney(t *testing.T) {
	for src, want := range map[string]string{
		"$5 [[a]] and 6$ more": "", "$ a [[b]] $": "b", "from $5 to $6 [[c]]": "c", `\$x [[d]] y$`: "d",
		"$a$ [[e]] $b$":                          "e",
		"Let $$\nx [[f]]\n$$ and [[g]]\n\n[[h]]": "g · h", "$$\n[[i]]\n\n[[j]]\n$$\n[[k]]": "k", "$$ [[l]] $$ [[m]]": "m",
		"$x [[n]]\ny$ [[o]]": "n · o",
	} {
		note := md.Scan([]byte(src))
		if got := found(src, note.Links, func(l md.Link) md.Span { return l.Dest }); got != want {
			t.Errorf("%q: links %q, want %q", src, got, want)
		}
	}
}

// TestMarksThatOpenInsideALine: the next $$ or %% closes one that is open inside a line, but marks in code, links and the
// like open nothing.
func TestMarksThatOpenInsideALine(t *testing.T) {
	for src, want := range map[string]string{
		"Text %%hidden\n%%\n\n# H\n": "H", "Use `%%` here\n%%\nhid\n%%\n# H\n": "H", "Use `$$` here\n$$\nx\n$$\n# H\n": "H",
		"[x](a%%20b)\n%%\nhid\n%%\n# H\n": "H", "a %%% b\n%%\nhid\n%%\n# H\n": "H", "cost \\$$ x\n$$\ny\n$$\n# H\n": "H",
		"a [[x%%y]]\n%%\nhid\n%%\n# H\n": "H", "a <b c='$$'>\n$$\n# G\n$$\n# H\n": "H", "a $$\nb\n$$\n# H\n": "H",
	} {
		note := md.Scan([]byte(src))
		if got := found(src, note.Headings, func(h md.Heading) md.Span { return h.Text }); got != want {
			t.Errorf("%q: headings %q, want %q", src, got, want)
		}
	}
}

func TestItemAfterAnEmptyItemStartsAList(t *testing.T) {
	note := md.Scan([]byte("- -\n\n- t\n  - d\n"))
	if first := note.Items[3].First; first != 3 {
		t.Errorf("the nested item is in the list of item %d, want a list of its own", first)
	}
}

func TestTables(t *testing.T) {
	src := "intro\n| [[a]] | `b\\|` |\n|:--|--:|\n| [[c\\|d]] | [[e|f]] | x\n| #tag | [g](h.md) |\nlast row ^id\n\nafter\n"
	note := md.Scan([]byte(src))
	var kinds []md.BlockKind
	for _, block := range note.Blocks {
		kinds = append(kinds, block.Kind)
	}
	if fmt.Sprint(kinds) != fmt.Sprint([]md.BlockKind{md.Paragraph, md.Table, md.Blank, md.Paragraph}) {
		t.Errorf("kinds of blocks: %v", kinds)
	}
	if got := found(src, note.Links, func(l md.Link) md.Span { return l.Dest }); got != "a · c · h.md" {
		t.Errorf("links %q, want a, c and h.md: an unescaped | ends a cell", got)
	}
	if got := found(src, note.Tags, func(s md.Span) md.Span { return s }); got != "#tag" {
		t.Errorf("tags %q", got)
	}
	if len(note.IDs) != 1 || note.IDs[0].Target != md.IDTable || note.IDs[0].Line != 2 {
		t.Errorf("ids %+v", note.IDs)
	}
}

func TestTaskMarksAndItemText(t *testing.T) {
	src := "- [ ] a\n- [x] b\n- [/] c\n- [é] d\n- [] e\n- [xx] f\n- [ ]g\n1. [ ] h\n. not an item\n> - [-] i\n"
	note := md.Scan([]byte(src))
	var got []string
	for _, item := range note.Items {
		text, _, _ := strings.Cut(src[item.Text:], "\n")
		got = append(got, fmt.Sprintf("%d:%s:%s", item.Line, item.Task.Of(note.Source), text))
	}
	if want := "1: :a 2:x:b 3:/:c 4:é:d 5::[] e 6::[xx] f 7::[ ]g 8: :h 10:-:i"; strings.Join(got, " ") != want {
		t.Errorf("items %q, want %q", got, want)
	}
}

func TestLinkReferenceDefinitions(t *testing.T) {
	src := "[a]: one.md\n[b]: <two words.md> \"title\"\n[c]:\n  three.md\n  'title'\n[d]: four.md trailing\n\n" +
		"[e]: https://x.y\n\n# H\n\n[f]: five.md\n---\n"
	note := md.Scan([]byte(src))
	got := found(src, note.Links, func(l md.Link) md.Span { return l.Dest })
	if want := "one.md · two words.md · three.md · five.md"; got != want {
		t.Errorf("destinations %q, want %q", got, want)
	}
	for _, link := range note.Links {
		if link.Kind != md.Definition {
			t.Errorf("%q is of kind %d, want Definition", link.Of(note.Source), link.Kind)
		}
	}
	if len(note.Headings) != 1 {
		t.Errorf("headings %+v, want only H: a definition cannot be underlined", note.Headings)
	}
}

func TestWhereFrontmatterStartsAndEnds(t *testing.T) {
	for src, want := range map[string]string{
		"---\na: 1\n---\nb": "a: 1\n", "---\n---": "", "\ufeff---\r\na: 1\r\n--- \r\n": "a: 1\r\n",
		"--- \t\na: 1\n---": "a: 1\n", "---\na: 1": "none", "----\na: 1\n----\n": "none", " ---\na: 1\n---\n": "none",
		"\n---\na: 1\n---\n": "none", "---\na: 1\n...\n": "none",
		"---\na: |\n  ---\n---\nb": "a: |\n  ---\n", "": "none", "--": "none", "---": "none",
	} {
		note := md.Scan([]byte(src))
		got := "none"
		if note.Front.Present {
			got = string(note.Front.YAML.Of(note.Source))
		}
		if got != want {
			t.Errorf("%q: frontmatter %q, want %q", src, got, want)
		}
	}
}

func ExampleScan() {
	note := md.Scan([]byte("# Plan\n\nSee [[Roadmap#Spring|the plan]] #work\n"))
	for _, link := range note.Links {
		fmt.Println(note.LineOf(link.Start), link.Path(note.Source), link.Display(note.Source))
	}
	// Output: 3 Roadmap the plan
}

func TestReusedScannerAllocatesNothing(t *testing.T) {
	src := []byte("---\na: 1\n---\n# H ^x\n\n- [ ] a [[b|c]] #d\n  - `e`\n\n> [!f] g\n\n| h |\n| - |\n| i |\n\n" +
		"[^1]: j\n\n[k](l.md) $m$ %%n%%\n")
	var scanner md.Scanner
	scanner.Scan(src)
	if got := testing.AllocsPerRun(100, func() { scanner.Scan(src) }); got != 0 {
		t.Errorf("%v allocations per scan, want none", got)
	}
}
