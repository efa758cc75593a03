package web

import (
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"obsidian-mcp/internal/note/canvas"
	"obsidian-mcp/internal/surface/web/html"
)

// drawingOf returns the SVG on a page, which must be well-formed.
func drawingOf(t *testing.T, got pageResponse) string {
	t.Helper()
	got.expect(t, http.StatusOK, `<figure class="board">`)
	_, rest, _ := strings.Cut(got.body, `aria-label="Picture of the canvas.`)
	_, rest, _ = strings.Cut(rest, "<svg")
	svg, _, found := strings.Cut("<svg"+rest, "</svg></div></figure>")
	if !found {
		t.Fatalf("there is no drawing in\n%s", got.main())
	}
	svg += "</svg>"
	for decoder := xml.NewDecoder(strings.NewReader(svg)); ; {
		if _, err := decoder.Token(); err == io.EOF {
			return svg
		} else if err != nil {
			t.Fatalf("%v in\n%s", err, svg)
		}
	}
}

// A canvas is drawn with its cards where they are, its groups behind them and its arrows between them.
func TestCanvasDrawing(t *testing.T) {
	s := openVault(t, map[string]string{"Garden.md": "# Beds", "pot.png": png, "Board.canvas": `{"nodes":[
		{"id":"t","type":"text","text":"# Plan\nsow the seeds early","x":-100,"y":50,"width":130,"height":120,"color":"4"},
		{"id":"f","type":"file","file":"Garden.md","subpath":"#Beds","x":300,"y":50,"width":200,"height":60,"color":"#aBc123"},
		{"id":"p","type":"file","file":"pot.png","x":300,"y":150,"width":200,"height":60},
		{"id":"u","type":"link","url":"https://example.com/a","x":300,"y":250,"width":300,"height":60},
		{"id":"g","type":"group","label":"Spring","x":280,"y":30,"width":340,"height":300,"color":"1"}],
		"edges":[{"fromNode":"t","fromSide":"right","toNode":"f","toSide":"left","label":"then","color":"6"},{"fromNode":"f","toNode":"p","fromEnd":"arrow","toEnd":"none"},{"fromNode":"f","toNode":"gone"}]}`})
	got := s.get("/note?path=Board.canvas")
	svg := drawingOf(t, got)
	for _, want := range []string{
		`viewBox="0 0 800 380"`, `<title id="board-title">Canvas</title>`, `<desc id="board-about">4 cards, 1 group and 3 arrows,`,
		`<g class="board-card group color1"><rect class="shape" rx="8" x="420" y="40" width="340" height="300"></rect><text x="422" y="32">Spring</text></g>`,
		`<g class="board-card text-card color4"><rect class="shape" rx="8" x="40" y="60"`, `class="head">Plan</tspan>`, `>sow the</tspan>`, `>seeds early</tspan>`,
		`<g class="board-card file-card" color="#aBc123">`, `<a href="/note?path=Garden.md#h-beds" aria-label="Garden › Beds"><svg x="440" y="60" width="200" height="60">`, `>Garden › Beds</tspan>`,
		`<a href="/file?path=pot.png" aria-label="pot.png">`, `<a href="https://example.com/a" rel="noopener noreferrer nofollow" target="_blank" aria-label="https://example.com/a">`,
		`<g class="board-arrow color6"><path d="M170 120 C`, ` 440 90" class="line"></path><path d="M440 90 L426 83 426 97 Z" class="tip">`, `<path d="M540 120 L`, `dy=".35em">then</text>`,
	} {
		if !strings.Contains(svg, want) {
			t.Errorf("%s is missing in\n%s", want, svg)
		}
	}
	if count := strings.Count(svg, "<path d=\"M"); count != 4 { // two arrows, each with one tip
		t.Errorf("%d paths", count)
	}
	checkOrder(t, got.body, "Spring</text>", "<path d=\"M170", "Plan</tspan>", "then</text>", "</figure>", `<article class="md"`, "<h2", "Arrows")
	got.lacks(t, " style=")
}

// Nothing that a canvas contains becomes markup or an address that runs.
func TestHostileCanvasDrawing(t *testing.T) {
	const hostile = `</text></svg><script>alert(1)</script>\"' onload=x <b>`
	s := openVault(t, map[string]string{"Board.canvas": `{"nodes":[
		{"id":"a","type":"text","text":"` + hostile + `","width":900,"height":90,"color":"red\" onload=\"x"},
		{"id":"b","type":"file","file":"` + hostile + `.md","width":900,"height":90,"color":"#12345"},
		{"id":"c","type":"link","url":"javascript:alert(1)","width":900,"height":90,"color":"7"},
		{"id":"d","type":"group","label":"` + hostile + `","width":-5,"height":1e40,"color":"#123456;"},
		{"id":"e","type":"` + hostile + `","x":1e15,"y":-1e15,"width":1e15,"height":0.5}],
		"edges":[{"fromNode":"a","toNode":"e","label":"` + hostile + `","fromSide":"` + hostile + `"}]}`})
	svg := drawingOf(t, s.get("/note?path=Board.canvas"))
	for _, bad := range []string{"<script", "<b>", ` onload="`, "href=\"javascript", "color=\"", "NaN", "Inf", "e+"} {
		if strings.Contains(svg, bad) {
			t.Errorf("%s is in\n%s", bad, svg)
		}
	}
	if !strings.Contains(svg, ">javascript:alert(1)</tspan>") || strings.Count(svg, "&lt;script&gt;") < 3 {
		t.Errorf("texts are missing in\n%s", svg)
	}
}

// A card of a closed note looks like the card of a note that does not exist.
func TestClosedCardsLookMissing(t *testing.T) {
	key, guest := withoutPrivate(t)
	cards := `{"nodes":[{"id":"a","type":"file","file":"Private/Closed.md","width":200,"height":60}]}`
	var drawings []string
	for _, files := range []map[string]string{
		{"Board.canvas": cards, "Private/Closed.md": "canary"},
		{"Board.canvas": cards},
	} {
		s := openVault(t, files, guest)
		s.logIn(key, "/").expect(t, http.StatusSeeOther)
		drawings = append(drawings, drawingOf(t, s.get("/note?path=Board.canvas")))
	}
	if drawings[0] != drawings[1] || !strings.Contains(drawings[0], "There is no such note") || strings.Contains(drawings[0], "href") {
		t.Errorf("closed:\n%s\nmissing:\n%s", drawings[0], drawings[1])
	}
}

// However much a canvas has, its drawing stays small and says what it leaves out.
func TestCanvasDrawingIsBounded(t *testing.T) {
	long := strings.Repeat("word ", 20_000)
	for name, c := range map[string]struct {
		nodes, edges int
		text, want   string
	}{
		"cards":  {mostCards + 1, 1, "x", "only the first 2,000 of its 2,001 cards are drawn"},
		"arrows": {2, mostCurves + 5, "x", "only the first 2,000 of its 2,005 arrows are drawn"},
		"text":   {mostCards, 1, long, "of its 2,000 cards are drawn"},
	} {
		board := canvas.Board{}
		for i := range c.nodes {
			rect := canvas.Rect{X: float64(i) * 1e6, Width: 1e12, Height: 1e12}
			board.Nodes = append(board.Nodes, canvas.Node{ID: fmt.Sprint(i), Type: canvas.TextCard, Text: c.text, Rect: rect})
		}
		for range c.edges {
			board.Edges = append(board.Edges, canvas.Edge{From: "0", To: "1"})
		}
		got := string(html.Render(drawCanvas(board, markdown{}).view()))
		if !strings.Contains(got, c.want) || len(got) > 1<<20 {
			t.Errorf("%s: %d bytes, want %q in %.600s", name, len(got), c.want, got)
		}
	}
}

// Lines are broken at spaces, long words wherever they must be, and what does not fit is cut.
func TestWrappedCards(t *testing.T) {
	for text, want := range map[string]string{
		"":                     "",
		"one two three":        "one two|three",
		"abcdefghijklmnop":     "abcdefghij|klmnop",
		"日本語日本語日本語":            "日本語日本|語日本語",
		"a\r\n\r\nb\nc\nd":     "a||b…",
		"one\ttwo":             "one two",
		"a b c d e f g h i j ": "a b c d e|f g h i j",
	} {
		rect := canvas.Rect{Width: 10*cardLetterWide + 2*cardPadding, Height: 3*cardLineTall + cardPadding}
		if got := strings.Join(wrapped(text, rect), "|"); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
