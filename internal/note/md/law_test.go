package md_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"obsidian-mcp/internal/note/md"
)

// reporter is what a law needs of a test, a fuzz target or a rapid check.
type reporter interface {
	Helper()
	Fatalf(format string, args ...any)
}

// checkScan holds a scan to the laws that are true of any bytes.
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
			t.Fatalf("%s: %v is not inside of %v in %q", what, inner, outer, src)
		}
	}
	whole := md.Span{Start: note.Body, End: len(src)}
	last := 0
	for _, heading := range note.Headings {
		inside("heading", whole, heading.Span)
		inside("heading text", heading.Span, heading.Text)
		if heading.Level < 1 || heading.Level > 6 || heading.Start < last || heading.Line != note.LineOf(heading.Start) {
			t.Fatalf("heading %+v after %d in %q", heading, last, src)
		}
		last = heading.End
	}
	last = 0
	for _, link := range note.Links {
		inside("link", whole, link.Span)
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
		inside("tag", whole, tag)
		if !md.ValidTag(string(tag.Of(src))[1:]) {
			t.Fatalf("%q is no tag in %q", tag.Of(src), src)
		}
	}
	for i, item := range note.Items {
		inside("item", whole, item.Span)
		inside("task mark", item.Span, md.Span{Start: max(item.Task.Start, item.Start), End: max(item.Task.End, item.Start)})
		if item.Parent >= i || item.First > i || item.Line != note.LineOf(item.Start) {
			t.Fatalf("item %d is %+v in %q", i, item, src)
		}
		if item.Parent >= 0 {
			inside("item in its parent", note.Items[item.Parent].Span, item.Span)
		}
	}
	for _, id := range note.IDs {
		inside("id", whole, id.Name)
		inside("block of an id", whole, id.Block)
		if id.Line != note.LineOf(id.Block.Start) {
			t.Fatalf("id %+v in %q", id, src)
		}
	}
	last = 0
	for _, region := range note.Regions {
		inside("region", whole, region.Span)
		if region.End < last {
			t.Fatalf("regions out of order in %q", src)
		}
		last = region.End
	}
	for _, callout := range note.Callouts {
		inside("callout", whole, callout.Type)
		inside("callout title", whole, callout.Title)
	}
	for _, footnote := range note.Footnotes {
		inside("footnote", whole, footnote.Span)
		inside("footnote label", footnote.Span, footnote.Label)
	}
	return note
}

// checkTiles: the top-level blocks cover the source exactly, in whole lines.
func checkTiles(t reporter, note *md.Note) {
	t.Helper()
	at := 0
	for _, block := range note.Blocks {
		if block.Start != at || block.End <= block.Start {
			t.Fatalf("block %+v does not start at %d in %q", block, at, note.Source)
		}
		if block.Kind != md.ByteOrderMark && block.Line != note.LineOf(block.Start) {
			t.Fatalf("block %+v starts on line %d in %q", block, note.LineOf(block.Start), note.Source)
		}
		at = block.End
		if block.Kind != md.ByteOrderMark && at < len(note.Source) && note.Source[at-1] != '\n' {
			t.Fatalf("block %+v ends inside of a line in %q", block, note.Source)
		}
	}
	if at != len(note.Source) {
		t.Fatalf("blocks end at %d of %d in %q", at, len(note.Source), note.Source)
	}
}

// tokens are the pieces that random notes are made of.
var tokens = []string{
	"[", "]", "[[", "]]", "![[", "(", ")", "](", "|", "\\|", "\\", "`", "``", "```", "~~~", "#", "# ", "#tag", "$", "$$", "%", "%%",
	"^", " ^id", "^[", "[^1]", "[^1]: ", "<", ">", "> ", "<!--", "-->", "<a b='c'>", "<div>", "</div>", "- ", "- [ ] ", "1. ", "* ",
	"---", "===", "|-|-|", ":-:", "a", "B c", "é", "日本", "\U0001f600", "\xff", "\x00", " ", "\t", "    ", "\n", "\n\n", "\r\n", "\r",
	"\ufeff", "[a]: b", "\"t\"", "[!note]", "+", "https://x.y", ".md", "!", "---\n", "a: b\n",
}

func TestLawsOnRandomNotes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := strings.Join(rapid.SliceOfN(rapid.SampledFrom(tokens), 0, 60).Draw(t, "tokens"), "")
		checkScan(t, []byte(src))
	})
}

// A scanner that is used again finds what a fresh one finds.
func TestScannerForgets(t *testing.T) {
	var scanner md.Scanner
	rapid.Check(t, func(t *rapid.T) {
		src := []byte(strings.Join(rapid.SliceOfN(rapid.SampledFrom(tokens), 0, 40).Draw(t, "tokens"), ""))
		got, want := scanner.Scan(src), md.Scan(src)
		if len(got.Links) != len(want.Links) || len(got.Tags) != len(want.Tags) || len(got.Blocks) != len(want.Blocks) ||
			len(got.Items) != len(want.Items) || len(got.IDs) != len(want.IDs) || len(got.Regions) != len(want.Regions) {
			t.Fatalf("%q: reused %+v, fresh %+v", src, got, want)
		}
		for i := range got.Blocks {
			if got.Blocks[i] != want.Blocks[i] {
				t.Fatalf("%q: reused %+v, fresh %+v", src, got.Blocks[i], want.Blocks[i])
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

// checkCanvasText: changing a part of a text as it reads changes that part of
// the canvas and no more.
func checkCanvasText(t reporter, src []byte, text md.CanvasText) {
	t.Helper()
	for _, link := range md.ScanText([]byte(text.Value)).Links {
		change := md.Splice{Span: link.Dest, Text: []byte("new \"name\"")}
		want := string(md.Apply([]byte(text.Value), []md.Splice{change}))
		changed := md.Apply(src, text.Splices(src, []md.Splice{change}))
		after, err := md.ScanCanvas(changed)
		if err != nil {
			t.Fatalf("%q became %q: %v", src, changed, err)
		}
		for _, found := range after {
			if found.Start == text.Start && found.Value != want {
				t.Fatalf("%q became %q, want the text %q", src, changed, want)
			}
		}
	}
}

// growth is the time that four times the input takes, in times of the input:
// the best of a number of tries.
func growth(input func(size int) []byte, size, tries int) float64 {
	measure := func(size int) time.Duration {
		src := input(size)
		best := time.Duration(1 << 62)
		for range tries {
			start := time.Now()
			md.Scan(src)
			best = min(best, time.Since(start))
		}
		return best
	}
	return float64(measure(4*size)) / float64(measure(size))
}

// Time grows with the size of the input and no faster, whatever is repeated.
func TestTimeIsLinear(t *testing.T) {
	const megabyte, bound = 1 << 20, 8 // linear is 4, quadratic 16
	patterns := append([]string{
		"<a b=\"", "<a b='x' ", "[a](b \"", "[a](<b ", "](a", "![a](b)", "![", "- ", "> - ", "* a\n", " - a\n", "[a]: b\n", "[a]:\n", "a|b\n-|-\n",
		"`a``b```c````d", "$a ", "<!X ", "<?x ", "<![CDATA[ ", "[[a|b ", "[[a]", "\\`", "> > > > a\n\n", "1. a\n\n", "%%a", "a\n===\n", "\t", " ", "^[",
		"[^a", "|", "| a ", "<a ", "<!--->", "([", "])", "a b", "日本", "#a", "# a\n", "- [ ] 1. ",
	}, tokens...)
	inputs := map[string]func(int) []byte{}
	for _, pattern := range patterns {
		inputs[fmt.Sprintf("%q repeated", pattern)] = func(size int) []byte { return bytes.Repeat([]byte(pattern), size/len(pattern)+1) }
	}
	for _, around := range [][2]string{{"", " a\n"}, {"a ", " a "}, {"a ", " a\n"}, {"> a ", " a\n"}, {"- a ", " a\n"}, {"[a ", " a](b) "}, {"\\`", " a\n"}} {
		inputs[fmt.Sprintf("runs of backticks, each longer than the last, in %q", around)] = func(size int) []byte { return longerRuns(around, size) }
	}
	for name, input := range inputs {
		got := growth(input, megabyte, 1)
		for tries := 2; got > bound && tries < 6; tries++ { // a busy machine disturbs some measurements, not all
			got = growth(input, megabyte, tries)
		}
		if got > bound {
			t.Errorf("%s: four times the size takes %.1f times as long", name, got)
		}
	}
}

// longerRuns are backticks of which no two runs are of one length.
func longerRuns(around [2]string, size int) (src []byte) {
	for length := 1; len(src) < size; length++ {
		src = append(src, around[0]...)
		src = append(src, bytes.Repeat([]byte("`"), length)...)
		src = append(src, around[1]...)
	}
	return src
}

// The same for one long line of a paragraph that a $$ follows.
func TestTimeIsLinearBeforeAMark(t *testing.T) {
	const size = 1 << 20
	for _, pattern := range []string{"[[a ", "](a ", "` `` ``` ", "`a``b```c````d`````e", "<a b='", "%%a", "$a ", "\\", "<a "} {
		src := append(bytes.Repeat([]byte(pattern), size/len(pattern)), "\n$$\nx\n"...)
		start := time.Now()
		md.Scan(src)
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("%q repeated takes %v", pattern, took)
		}
	}
}

// Nesting that no person writes: no panic, no stack, no quadratic time.
func TestDeepNesting(t *testing.T) {
	const deep = 100_000
	var steps strings.Builder
	for depth := range 2000 {
		steps.WriteString(strings.Repeat(" ", 2*depth) + "- a\n")
	}
	for name, src := range map[string]string{
		"quotes": strings.Repeat(">", deep) + " a", "items": strings.Repeat("- ", deep) + "a", "brackets": strings.Repeat("[", deep) + strings.Repeat("](b)", deep),
		"images": strings.Repeat("![", deep) + "a" + strings.Repeat("](b)", deep), "steps": steps.String(), "line": strings.Repeat("long ", deep) + "[[a]]",
		"quoted lines": strings.Repeat(strings.Repeat(">", 200)+"\n", 1000),
	} {
		start := time.Now()
		checkTiles(t, md.Scan([]byte(src)))
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("%s: %v", name, took)
		}
	}
}
