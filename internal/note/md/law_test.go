package md_test

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"obsidian-mcp/internal/note/md"
	_ "obsidian-mcp/internal/testkit/mode" // fixes the seed of rapid
)

// reporter is implemented by *testing.T and *rapid.T.
type reporter interface {
	Helper()
	Fatalf(format string, args ...any)
}

// checkScan checks everything that must hold for a scan of any bytes.
func checkScan(t reporter, src []byte) *md.Note {
	t.Helper()
	before := bytes.Clone(src)
	note := md.Scan(src)
	if !bytes.Equal(before, src) {
		t.Fatalf("scanning changed its input %q", before)
	}
	checkTiles(t, note)
	inside := func(what string, outer, inner md.Span) {
		t.Helper()
		if inner.Start < outer.Start || inner.End < inner.Start || inner.End > outer.End {
			t.Fatalf("%s: %v is not inside %v in %q", what, inner, outer, src)
		}
	}
	body := md.Span{Start: note.Body, End: len(src)}
	last := 0
	for _, heading := range note.Headings {
		inside("heading", body, heading.Span)
		inside("heading text", heading.Span, heading.Text)
		if heading.Level < 1 || heading.Level > 6 || heading.Start < last || heading.Line != note.LineOf(heading.Start) {
			t.Fatalf("heading %+v, which follows offset %d, has a wrong level, order or line in %q", heading, last, src)
		}
		last = heading.End
	}
	last = 0
	for _, link := range note.Links {
		inside("link", body, link.Span)
		inside("link destination", link.Span, link.Dest)
		inside("link text", link.Span, link.Text)
		inside("link path", link.Dest, link.PathSpan(src))
		if link.Start < last {
			t.Fatalf("links out of order in %q", src)
		}
		last = link.Start
		_, _ = link.Target(src), link.Display(src)
	}
	for _, tag := range note.Tags {
		inside("tag", body, tag)
		if !md.ValidTag(string(tag.Of(src))[1:]) {
			t.Fatalf("%q is not a valid tag in %q", tag.Of(src), src)
		}
	}
	for i, item := range note.Items {
		inside("item", body, item.Span)
		inside("task mark", item.Span, md.Span{
			Start: max(item.Task.Start, item.Start), End: max(item.Task.End, item.Start),
		})
		if item.Parent >= i || item.First > i || item.Line != note.LineOf(item.Start) {
			t.Fatalf("item %d has a wrong parent, list or line: %+v in %q", i, item, src)
		}
		if item.Parent >= 0 {
			inside("item in its parent", note.Items[item.Parent].Span, item.Span)
		}
	}
	for _, id := range note.IDs {
		inside("id", body, id.Name)
		inside("block of an id", body, id.Block)
		if id.Line != note.LineOf(id.Block.Start) {
			t.Fatalf("id %+v has a wrong line in %q", id, src)
		}
	}
	last = 0
	for _, region := range note.Regions {
		inside("region", body, region.Span)
		if region.End < last {
			t.Fatalf("regions out of order in %q", src)
		}
		last = region.End
	}
	for _, callout := range note.Callouts {
		inside("callout", body, callout.Type)
		inside("callout title", body, callout.Title)
	}
	for _, footnote := range note.Footnotes {
		inside("footnote", body, footnote.Span)
		inside("footnote label", footnote.Span, footnote.Label)
	}
	return note
}

// checkTiles checks that the top-level blocks cover the source without gaps, in whole lines.
func checkTiles(t reporter, note *md.Note) {
	t.Helper()
	at := 0
	for _, block := range note.Blocks {
		if block.Start != at || block.End <= block.Start {
			t.Fatalf("block %+v does not start at %d in %q", block, at, note.Source)
		}
		if block.Kind != md.ByteOrderMark && block.Line != note.LineOf(block.Start) {
			t.Fatalf("block %+v should start on line %d in %q", block, note.LineOf(block.Start), note.Source)
		}
		at = block.End
		if block.Kind != md.ByteOrderMark && at < len(note.Source) && note.Source[at-1] != '\n' {
			t.Fatalf("block %+v ends inside a line in %q", block, note.Source)
		}
	}
	if at != len(note.Source) {
		t.Fatalf("the blocks end at %d, the source at %d: %q", at, len(note.Source), note.Source)
	}
}

// tokens are the pieces of random notes.
var tokens = []string{
	"[", "]", "[[", "]]", "![[", "(", ")", "](", "|", "\\|", "\\", "`", "``", "```", "~~~", "#", "# ", "#tag", "$", "$$",
	"%", "%%", "^", " ^id", "^[", "[^1]", "[^1]: ", "<", ">", "> ", "<!--", "-->", "<a b='c'>", "<div>", "</div>",
	"- ", "- [ ] ", "1. ", "* ", "---", "===", "|-|-|", ":-:", "a", "B c", "é", "日本", "\U0001f600", "\xff", "\x00",
	" ", "\t", "    ", "\n", "\n\n", "\r\n", "\r", "\ufeff", "[a]: b", "\"t\"", "[!note]", "+", "https://x.y", ".md",
	"!", "---\n", "a: b\n",
}

func TestScanOfRandomNotesIsConsistent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := strings.Join(rapid.SliceOfN(rapid.SampledFrom(tokens), 0, 60).Draw(t, "tokens"), "")
		checkScan(t, []byte(src))
	})
}

// TestReusedScannerAgreesWithANewOne checks that a scanner keeps nothing from earlier notes.
func TestReusedScannerAgreesWithANewOne(t *testing.T) {
	var scanner md.Scanner
	rapid.Check(t, func(t *rapid.T) {
		src := []byte(strings.Join(rapid.SliceOfN(rapid.SampledFrom(tokens), 0, 40).Draw(t, "tokens"), ""))
		got, want := scanner.Scan(src), md.Scan(src)
		if len(got.Links) != len(want.Links) || len(got.Tags) != len(want.Tags) || len(got.Blocks) != len(want.Blocks) ||
			len(got.Items) != len(want.Items) || len(got.IDs) != len(want.IDs) || len(got.Regions) != len(want.Regions) {
			t.Fatalf("%q: reused scanner %+v, new scanner %+v", src, got, want)
		}
		for i := range got.Blocks {
			if got.Blocks[i] != want.Blocks[i] {
				t.Fatalf("%q: reused scanner %+v, new scanner %+v", src, got.Blocks[i], want.Blocks[i])
			}
		}
	})
}

func FuzzScan(f *testing.F) {
	for _, token := range tokens {
		f.Add([]byte("x " + token + " y\n" + token + "\n" + token + token))
	}
	f.Fuzz(func(t *testing.T, src []byte) { checkScan(t, src) })
}

func FuzzCanvas(f *testing.F) {
	f.Add([]byte(`{"nodes":[{"type":"text","text":"a [[b]] \u00e9\ud83d\ude00\n"},{"type":"file","file":"x.md"}]}`))
	f.Fuzz(func(t *testing.T, src []byte) {
		texts, err := md.ScanCanvas(src)
		if err != nil {
			return
		}
		for _, text := range texts {
			checkCanvasText(t, src, text)
		}
	})
}

// checkCanvasText checks that a change of a decoded text changes that part of the canvas and nothing else.
func checkCanvasText(t reporter, src []byte, text md.CanvasText) {
	t.Helper()
	for _, link := range md.ScanText([]byte(text.Value)).Links {
		change := md.Splice{Span: link.Dest, Text: []byte("new \"name\"")}
		want := string(md.Apply([]byte(text.Value), []md.Splice{change}))
		changed := md.Apply(src, text.Splices(src, []md.Splice{change}))
		after, err := md.ScanCanvas(changed)
		if err != nil {
			t.Fatalf("%q became %q, which is not a canvas: %v", src, changed, err)
		}
		for _, found := range after {
			if found.Start == text.Start && found.Value != want {
				t.Fatalf("%q became %q, want it to contain the text %q", src, changed, want)
			}
		}
	}
}
