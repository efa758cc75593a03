package md_test

import (
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"obsidian-mcp/internal/note/md"
)

// The file commonmark.json contains random Markdown without Obsidian's extensions, and the structure that CommonMark's
// reference implementation finds in it. The scanner must find the same structure.

func reference(t *testing.T) (reference struct {
	Blocks []struct {
		Src    string
		Blocks []string
		Items  int
	}
	Inline []struct {
		Src        string
		Links      []string
		Code, HTML int
	}
}) {
	t.Helper()
	text, err := os.ReadFile("testdata/commonmark.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &reference); err != nil {
		t.Fatal(err)
	}
	return reference
}

func TestBlocksAgreeWithCommonMark(t *testing.T) {
	texts := reference(t).Blocks
	for _, want := range texts {
		blocks, items := blockStructure(md.Scan([]byte(want.Src)))
		if d := cmp.Diff(want.Blocks, blocks); d != "" || items != want.Items {
			t.Errorf("%q: %d items, want %d (-reference +ours)\n%s", want.Src, items, want.Items, d)
		}
	}
	t.Logf("compared %d texts", len(texts))
}

func blockStructure(note *md.Note) (blocks []string, items int) {
	names := map[md.BlockKind]string{
		md.Paragraph: "paragraph", md.List: "list", md.Quote: "block_quote", md.Code: "code_block",
		md.HTML: "html_block", md.Rule: "thematic_break",
	}
	headings := note.Headings
	for _, block := range note.Blocks {
		switch block.Kind {
		case md.Blank:
		case md.HeadingBlock:
			blocks = append(blocks, "heading"+strconv.Itoa(headings[0].Level))
			headings = headings[1:]
		default:
			blocks = append(blocks, names[block.Kind])
		}
	}
	return blocks, len(note.Items)
}

func TestInlineContentAgreesWithCommonMark(t *testing.T) {
	texts := reference(t).Inline
	for _, want := range texts {
		note := md.Scan([]byte(want.Src))
		links := []string{}
		for _, link := range note.Links {
			kind := "link "
			if link.Embed {
				kind = "image "
			}
			links = append(links, kind+link.Target(note.Source))
		}
		code, html := 0, 0
		for _, region := range note.Regions {
			switch {
			case region.Kind == md.CodeSpan:
				code++
			case region.Kind == md.HTMLTag && strings.HasPrefix(string(region.Of(note.Source)), "<https:"):
			case region.Kind == md.HTMLTag, region.Kind == md.HTMLComment:
				html++
			}
		}
		for i, link := range want.Links {
			want.Links[i] = md.PercentDecode(link)
		}
		if d := cmp.Diff(want.Links, links); d != "" || code != want.Code || html != want.HTML {
			t.Errorf("%q: %d code spans and %d HTML tags, want %d and %d (-reference +ours)\n%s",
				want.Src, code, html, want.Code, want.HTML, d)
		}
	}
	t.Logf("compared %d texts", len(texts))
}
