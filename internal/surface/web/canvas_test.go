package web

import (
	"net/http"
	"strings"
	"testing"

	"obsidian-mcp/internal/note/canvas"
)

const board = `{
	"nodes":[
		{"id":"g","type":"group","label":"To *do*","x":0,"y":100,"width":400,"height":300},
		{"id":"in","type":"text","text":"# Plan\n- [ ] sow\n` + "```" + `\nnever ended","x":10,"y":120,"width":100,"height":50},
		{"id":"f","type":"file","file":"Garden.md","x":10,"y":200,"width":100,"height":50},
		{"id":"closed","type":"file","file":"Private/Closed.md","x":10,"y":300,"width":100,"height":50},
		{"id":"odd","type":"file","file":"a]]<b>.md","x":0,"y":900,"width":1,"height":1},
		{"id":"u","type":"link","url":"https://example.com/a","x":0,"y":800,"width":1,"height":1},
		{"id":"js","type":"link","url":"javascript:alert(1)","x":0,"y":810,"width":1,"height":1},
		{"id":"e","type":"text","text":"","x":0,"y":1,"width":1,"height":1},
		{"id":"t","type":"text","text":"At the top, <i>first</i>","x":0,"y":0,"width":10,"height":10}],
	"edges":[
		{"fromNode":"t","toNode":"f","label":"leads [to](javascript:x)"},
		{"fromNode":"t","toNode":"in","fromEnd":"arrow"},
		{"fromNode":"in","toNode":"t","toEnd":"none"},
		{"fromNode":"in","toNode":"g","fromEnd":"arrow","toEnd":"none"}]
}`

// A canvas is shown from top to bottom, group by group, and its cards are rendered as safely as notes.
func TestCanvas(t *testing.T) {
	key, guest := withoutPrivate(t)
	s := openVault(t, map[string]string{"Board.canvas": board, "Empty.canvas": "{}", "Broken.canvas": `{"nodes":[`, "Garden.md": "Tomatoes.", "Private/Closed.md": "canary"}, guest)
	s.logIn(key, "/").expect(t, http.StatusSeeOther)
	shown := s.get("/note?path=Board.canvas")
	shown.expect(t, http.StatusOK,
		"<p>At the top, first</p>", `<h2 id="h-to-do">To *do*</h2>`, `<input type="checkbox" disabled aria-label="to do"> sow`, "<code>never ended", `<a href="/note?path=Garden.md" class="embed">Garden</a>`,
		`<a href="https://example.com/a"`, "<p>javascript:alert(1)</p>", "<p>a]]&lt;b&gt;.md</p>",
		`“At the top, &lt;i&gt;first&lt;/i&gt;” → <a href="/note?path=Garden.md">Garden</a>: leads [to](javascript:x)`, "↔ “Plan”", "“Plan” – “At the top", "“Plan” ← To *do*", "<summary>Source</summary>")
	shown.lacks(t, "<i>first", "canary", `href="javascript`, `path=Private`)
	checkOrder(t, shown.body, "At the top", "https://example.com/a", "To *do*", "sow", "Garden.md", "Arrows")
	s.get("/note?path=Empty.canvas").expect(t, http.StatusOK, "This canvas is empty.")
	broken := s.get("/note?path=Broken.canvas")
	broken.expect(t, http.StatusOK, "<pre class=\"plain-text\" tabindex=\"0\">\n{&#34;nodes&#34;:[</pre>")
}

// checkOrder fails unless the texts follow one another.
func checkOrder(t *testing.T, in string, texts ...string) {
	t.Helper()
	at := 0
	for _, text := range texts {
		found := strings.Index(in[at:], text)
		if found < 0 {
			t.Fatalf("%q is missing or out of order in\n%s", text, in)
		}
		at += found
	}
}

// What can be read of a malformed canvas is shown.
func TestMalformedCanvases(t *testing.T) {
	long := strings.Repeat(`{"type":"text","text":"`+strings.Repeat("word ", 200)+`"},`, maxRendered/1000)
	for source, want := range map[string]string{
		"":    "This canvas is empty.\n",
		" \n": "This canvas is empty.\n",
		`{"nodes":[{"id":1,"text":"x","type":"text"},{"type":"text","text":"there"},7]}`:                                     "> x\n\n" + partEnd + "> there\n\n" + partEnd,
		`{"nodes":[{"type":"text","text":"\n    code\n\n"}]}`:                                                                ">     code\n\n" + partEnd,
		`{"edges":[{"fromNode":"a","toNode":"b"},[]]}`:                                                                       "# Arrows\n\n- a missing card → a missing card\n",
		`{"nodes":[{"type":"text","text":"low","y":9},{"type":"text","text":"high","y":1e300}]}`:                             "> high\n\n" + partEnd + "> low\n\n" + partEnd,
		`{"nodes":[{"type":"file","file":"a|b.md"},{"type":"group"},{"type":"link","url":"https://a b"},{"type":"widget"}]}`: "# Group\n\n> a\\|b\\.md\n\n" + partEnd + "> https\\:\\/\\/a b\n\n" + partEnd,
	} {
		board, err := canvas.Parse([]byte(source))
		if text := canvasAsMarkdown(board); err != nil || string(text) != want {
			t.Errorf("%s: %v\ngot\n%s\nwant\n%s", source, err, text, want)
		}
	}
	s := openVault(t, map[string]string{"Long.canvas": `{"nodes":[` + long + `{}]}`})
	s.get("/note?path=Long.canvas").expect(t, http.StatusOK, "<blockquote><p>word word", "its beginning is shown")
}

// Each card has its own footnotes and link definitions.
func TestCardsHaveOwnDefinitions(t *testing.T) {
	s := openVault(t, map[string]string{"Money.canvas": `{"nodes":[
		{"id":"a","type":"text","text":"# Sum\nRent is 900[^1], see [site].\n\n[^1]: per month, in 2024\n\n[site]: https://rent.example","y":0},
		{"id":"b","type":"text","text":"# Sum\nSalary is 3000[^1], see [site].\n\n[^1]: before tax\n\n[site]: https://work.example","y":1}]}`})
	shown := s.get("/note?path=Money.canvas")
	shown.expect(t, http.StatusOK,
		`<h2 id="h-sum">`, `900<sup><a href="#fn-1" id="fnref-1-0"`, `<li id="fn-1"><p>per month, in 2024 <a href="#fnref-1-0"`, `<a href="https://rent.example"`,
		`<h2 id="h-sum-2">`, `3000<sup><a href="#fn-2-1" id="fnref-2-1-0"`, `<li id="fn-2-1"><p>before tax <a href="#fnref-2-1-0"`, `<a href="https://work.example"`)
	checkOrder(t, shown.main(), "900", "per month", "3000", "before tax")
}

// The cost limits apply to all cards of a canvas together.
func TestCardsShareCostLimits(t *testing.T) {
	table := strings.Repeat("|a", 300) + "|\n" + strings.Repeat("|-", 300) + "|\n" + strings.Repeat("b\n", 98)
	for name, c := range map[string]struct{ card, element string }{
		"tables": {table, "<table>"}, "paragraphs": {strings.Repeat("*a\n", 2000), "<p>"},
	} {
		text := strings.Repeat(c.card+partEnd, 50)
		if count := strings.Count(string(vaultOf().render([]byte(text))), c.element); count == 0 || count > 20 {
			t.Errorf("%s: %d of 50 are rendered, want 1 to 20", name, count)
		}
	}
}

// A # in a card's path is part of the path.
func TestHashInCardPath(t *testing.T) {
	s := openVault(t, map[string]string{"C# basics.md": "# Types", "dir #1/in.md": "x", "Board.canvas": `{"nodes":[
		{"id":"a","type":"file","file":"C# basics.md","subpath":"#Types"},
		{"id":"b","type":"file","file":"dir #1/in.md"},
		{"id":"c","type":"file","file":"gone #2.md"}],"edges":[{"fromNode":"a","toNode":"b"}]}`})
	s.get("/note?path=Board.canvas").expect(t, http.StatusOK,
		`<a href="/note?path=C%23+basics.md#h-types" class="embed">C# basics › Types</a>`, `<a href="/note?path=dir+%231%2Fin.md" class="embed">in</a>`,
		`title="There is no such note">gone #2</span>`, `<a href="/note?path=C%23+basics.md">C# basics</a> → <a href="/note?path=dir+%231%2Fin.md">in</a>`)
}

// The list of arrows is bounded, however many a small file has.
func TestArrowsAreBounded(t *testing.T) {
	name := strings.Repeat("*", 3000)
	source := `{"nodes":[{"id":"a","type":"text","text":"x` + name + `"}],"edges":[` + strings.Repeat(`{"fromNode":"a","toNode":"a"},`, 15_000) + `{}]}`
	board, err := canvas.Parse([]byte(source))
	text := canvasAsMarkdown(board)
	if err != nil || len(text) > 1<<20 || !strings.Contains(string(text), "And 14,501 more.") {
		t.Errorf("%v, %d bytes, ends with %q", err, len(text), text[max(0, len(text)-60):])
	}
}
