package edit_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/testkit/mode"
)

// awkwardLines are the lines of random notes.
var awkwardLines = []string{
	"# A", "## B", "A", "===", "", "text word", "[^1]: one", "    more", "[^2]: two [^1] [ref]", "[ref]: x.md", "[1]: http://a.b", "see [^1] and [^2]",
	"[t][ref] [ref] [1][] `[1]`", "[[#A]] [[#^id]] [[Other#B]]", "- item ^id", "  - [x] child", "> quote [^3]", "> [^3]: quoted", "```", "---", "%%", "$$",
	"| [^1] | [[#B\\|b]] |", "|---|---|", "<div>", "[ref]:", "  split.md", "\\[1] [a\\]", "![[N#A]] [x](N.md#A)",
}

// TestTransplantKeepsEveryLine moves random lines of random notes: nothing panics, and no line is lost but for links and
// labels.
func TestTransplantKeepsEveryLine(t *testing.T) {
	set := vpath.NewSet([]vpath.Path{"N.md", "d/M.md", "Other.md", "x.md"})
	rounds := mode.Pick(20_000, 100_000, 1_000_000)
	if testing.Short() {
		rounds = 2000
	}
	random := mode.Rand(22)
	for range rounds {
		src, other := randomText(random), md.Scan([]byte(randomText(random)))
		note := md.Scan([]byte(src))
		start := md.LineStart(note.Source, note.Body+random.IntN(len(src)-note.Body+1))
		end := md.NextLine(note.Source, start+random.IntN(len(src)-start+1))
		piece := edit.Piece{Span: md.Span{Start: max(start, note.Body), End: max(end, note.Body)}, To: "d/M.md"}
		if random.IntN(2) == 0 {
			piece.Onto = other
		}
		moved := edit.NewTransplant(set, "N.md", note, []edit.Piece{piece}, edit.Shortest)
		if random.IntN(4) == 0 {
			moved = edit.NewMerge(set, "N.md", note, "d/M.md", other, edit.Shortest)
		}
		both := string(moved.Text(0))
		if _, stays := moved.Links().After().Find("N.md"); stays {
			both += "\n" + string(moved.Rest([]string{""}))
		}
		for _, word := range []string{"text word", "one", "more", "two", "child", "quoted", "http://a.b"} {
			if strings.Contains(src[note.Body:], word) && !strings.Contains(both, word) {
				t.Fatalf("%q is lost: %q, lines %q: %q", word, src, src[piece.Start:piece.End], both)
			}
		}
	}
}

func randomText(random *rand.Rand) string {
	var text strings.Builder
	for range 1 + random.IntN(14) {
		text.WriteString(awkwardLines[random.IntN(len(awkwardLines))] + "\n")
	}
	return text.String()
}
