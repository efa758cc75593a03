package web

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// vaultOf returns a renderer that resolves links among a few files by their exact names.
func vaultOf(paths ...string) markdown {
	return markdown{base: "/at", resolve: func(link string) (string, bool) {
		for _, spelt := range []string{link, link + ".md"} {
			if slices.Contains(paths, spelt) {
				return spelt, true
			}
		}
		return "", false
	}}
}

func TestMarkdown(t *testing.T) {
	m := vaultOf("Plan.md", "a b.md", "pic.png", "scan.pdf", "Board.canvas")
	outer := ` rel="noopener noreferrer nofollow" target="_blank"`
	for name, c := range map[string]struct{ note, want string }{
		"emphasis":             {"*a* **b** ~~c~~ ==d==", "<p><em>a</em> <strong>b</strong> <del>c</del> <mark>d</mark></p>"},
		"line ends":            {"a\nb", "<p>a<br>\nb</p>"},
		"headings":             {"# A & b\n# A & b", "<h2 id=\"h-a-b\">A &amp; b</h2>\n<h2 id=\"h-a-b-2\">A &amp; b</h2>"},
		"wikilink":             {"[[Plan]] [[Plan|the *plan*]]", `<p><a href="/at/note?path=Plan.md">Plan</a> <a href="/at/note?path=Plan.md">the *plan*</a></p>`},
		"heading link":         {"[[Plan#The start]] [[#Here]]", `<p><a href="/at/note?path=Plan.md#h-the-start">Plan › The start</a> <a href="#h-here">› Here</a></p>`},
		"block link":           {"[[Plan#^abc]]", `<p><a href="/at/note?path=Plan.md">Plan › ^abc</a></p>`},
		"missing":              {"[[Nobody]]", `<p><span class="missing" title="There is no such note">Nobody</span></p>`},
		"embedded note":        {"![[Plan]]", `<p><a href="/at/note?path=Plan.md" class="embed">Plan</a></p>`},
		"embedded picture":     {"![[pic.png|300]]", `<p><img loading="lazy" src="/at/file?path=pic.png" alt="pic.png" width="300"></p>`},
		"picture":              {"![a & b](pic.png)", `<p><img loading="lazy" src="/at/file?path=pic.png" alt="a &amp; b"></p>`},
		"attachment":           {"[[scan.pdf]]", `<p><a href="/at/file?path=scan.pdf">scan.pdf</a></p>`},
		"canvas":               {"[[Board.canvas]]", `<p><a href="/at/note?path=Board.canvas">Board.canvas</a></p>`},
		"Markdown link":        {"[x](a%20b.md#C)", `<p><a href="/at/note?path=a+b.md#h-c">x</a></p>`},
		"outer link":           {"[x](https://example.com/?a=1&b=2)", `<p><a href="https://example.com/?a=1&amp;b=2"` + outer + `>x</a></p>`},
		"bare address":         {"see https://example.com/x now", `<p>see <a href="https://example.com/x"` + outer + `>https://example.com/x</a> now</p>`},
		"obsidian":             {"[x](obsidian://open?vault=v)", `<p><a href="obsidian://open?vault=v"` + outer + `>x</a></p>`},
		"remote picture":       {"![cat](https://example.com/c.png)", `<p><a href="https://example.com/c.png" class="picture"` + outer + `>image: cat (example.com)</a></p>`},
		"tag":                  {"#work/now, not a#b or #1", `<p><a href="/at/search?q=tag%3A%23work%2Fnow" class="tag">#work/now</a>, not a#b or #1</p>`},
		"comment":              {"a %%hidden%% b", "<p>a  b</p>"},
		"comment of lines":     {"a\n\n%%\nhidden\n\nstill\n%%\n\nb", "<p>a</p>\n<p>b</p>"},
		"comment in code":      {"`%%shown%%`", "<p><code>%%shown%%</code></p>"},
		"block id":             {"a line ^id-1", "<p>a line</p>"},
		"math":                 {"$x_1*y*z$ costs $5 and $6", `<p><code class="math">x_1*y*z</code> costs $5 and $6</p>`},
		"math of lines":        {"$$\na*b*c\n$$", "<pre tabindex=\"0\"><code>a*b*c\n</code></pre>"},
		"after math":           {"$$\nE = mc^2\n$$ where *c* is\nfast.\n\nNext.", "<pre tabindex=\"0\"><code>E = mc^2\n</code></pre>\n<p>where <em>c</em> is<br>\nfast.</p>\n<p>Next.</p>"},
		"after math, in items": {"- $$\n  a\n  $$ b\n  c\n- d", "<ul><li><pre tabindex=\"0\"><code>a\n</code></pre>\nb<br>\nc\n</li>\n<li>d\n</li>\n</ul>"},
		"no mark after math":   {"$$\na\n$$ + b", "<pre tabindex=\"0\"><code>a\n</code></pre>\n<p>+ b</p>"},
		"math after math":      {"$$\na\n$$ and $$\nb\n$$\n\n*c*", "<pre tabindex=\"0\"><code>a\n</code></pre>\n<p>and <code class=\"math\">\nb\n</code></p>\n<p><em>c</em></p>"},
		"id of math":           {"$$\na\n$$ ^eq-1\n\nb", "<pre tabindex=\"0\"><code>a\n</code></pre>\n<p>b</p>"},
		"math in a paragraph":  {"We know $$\na*b*\n$$\nand.\n\n## Next", "<p>We know <code class=\"math\">\na*b*\n</code><br>\nand.</p>\n<h3 id=\"h-next\">Next</h3>"},
		"math in an item":      {"- so $$\n  a\n  $$\n- b", "<ul><li>so <code class=\"math\">\na\n</code>\n</li>\n<li>b\n</li>\n</ul>"},
		"math in a quote":      {"> so $$\n> a\n> $$ b", "<blockquote><p>so <code class=\"math\">\na\n</code> b</p>\n</blockquote>"},
		"math below text":      {"`$$` or \\$$ or $a$$b$\n$$\na\n$$", "<p><code>$$</code> or $$ or <code class=\"math\">a</code><code class=\"math\">b</code></p>\n<pre tabindex=\"0\"><code>a\n</code></pre>"},
		"math without end":     {"a $$ b\n\n*c* $$\n\nd $$$$ e\n$$", "<p>a $$ b</p>\n<p><em>c</em> $$</p>\n<p>d $$$$ e</p>\n<pre tabindex=\"0\"><code></code></pre>"},
		"after a comment":      {"<!-- a --> The *b* [[Plan]].\n\nc", "<p>The <em>b</em> <a href=\"/at/note?path=Plan.md\">Plan</a>.</p>\n<p>c</p>"},
		"after its lines":      {"a\n<!-- b\nc --> d\ne", "<p>a</p>\n\n<p>d</p>\n<p>e</p>"},
		"after two comments":   {"<!-- a --> <!-- b --> c <!-- d -->", "<p>c </p>"},
		"comments alone":       {"a\n\n<!-- b --> <!-- c -->\n<!-- d\n\ne -->\n\nf", "<p>a</p>\n\n\n<p>f</p>"},
		"comment in an item":   {"- a\n  <!-- b --> c\n- > <!-- d --> e", "<ul><li>a\n\nc\n</li>\n<li><blockquote>\n<p>e</p>\n</blockquote>\n</li>\n</ul>"},
		"code":                 {"```html\n<b>[[Plan]] #x\n```", "<pre tabindex=\"0\"><code>&lt;b&gt;[[Plan]] #x\n</code></pre>"},
		"callout":              {"> [!warning] Mind *this*\n> text", "<div class=\"callout warn\"><p class=\"callout-title\">Mind <em>this</em></p><p>text</p>\n</div>"},
		"folded callout":       {"> [!odd\" x]- \n> text", "<details class=\"callout note\"><summary class=\"callout-title\">Odd&#34; x</summary><p>text</p>\n</details>"},
		"callout without text": {"> [!tip]", "<div class=\"callout good\"><p class=\"callout-title\">Tip</p></div>"},
		"quote":                {"> a", "<blockquote><p>a</p>\n</blockquote>"},
		"other tasks":          {"- [/] a\n- [] b\n- [ab] c\n\n[-] d", "<ul><li><input type=\"checkbox\" disabled checked aria-label=\"marked\"> <span class=\"now\">/</span> a\n</li>\n<li>[] b\n</li>\n<li>[ab] c\n</li>\n</ul>\n<p>[-] d</p>"},
		"a long rule":          {"a\n\n" + strings.Repeat("- ", 40) + "\n\n**b**", "<p>a</p>\n<hr>\n<p><strong>b</strong></p>"},
		"leading dots":         {"1. " + strings.Repeat(". ", 40) + "*12*", "<ol start=\"1\"><li>" + strings.Repeat(". ", 40) + "<em>12</em>\n</li>\n</ol>"},
		"many quotes in code":  {"```\n" + strings.Repeat(">", 40) + "\n```\n**b**", "<pre tabindex=\"0\"><code>" + strings.Repeat("&gt;", 40) + "\n</code></pre>\n<p><strong>b</strong></p>"},
		"tasks":                {"- [x] a\n- [ ] b", "<ul><li><input type=\"checkbox\" disabled checked aria-label=\"done\"> a\n</li>\n<li><input type=\"checkbox\" disabled aria-label=\"to do\"> b\n</li>\n</ul>"},
		"table":                {"|a|b|\n|-|-:|\n|[[Plan\\|p]]|2|", "<div class=\"scroll\" tabindex=\"0\"><table><thead><tr><th>a</th>\n<th class=\"right\">b</th>\n</tr></thead><tbody>\n<tr><td><a href=\"/at/note?path=Plan.md\">p</a></td>\n<td class=\"right\">2</td>\n</tr>\n</tbody></table></div>"},
		"footnote":             {"a[^1]\n\n[^1]: b", "<p>a<sup><a href=\"#fn-1\" id=\"fnref-1-0\" aria-label=\"Footnote 1\">1</a></sup></p>\n<hr><ol class=\"footnotes\"><li id=\"fn-1\"><p>b <a href=\"#fnref-1-0\" aria-label=\"Back to the text\">↩</a></p>\n</li>\n</ol>"},
		"styling is dropped":   {"a <u>b</u><br>c <!-- d -->", "<p>a b<br>c </p>"},
		"other tags are text":  {"a <script>b</script>", "<p>a &lt;script&gt;b&lt;/script&gt;</p>"},
		"HTML is text":         {"<div onclick=x>\n*a*\n</div>", "<pre class=\"html\" tabindex=\"0\">&lt;div onclick=x&gt;\n*a*\n&lt;/div&gt;</pre>"},
		"entities":             {"&lt;b&gt; \\<i> &copy;", "<p>&lt;b&gt; &lt;i&gt; ©</p>"},
	} {
		if got := strings.TrimSpace(string(m.render([]byte(c.note)))); got != c.want {
			t.Errorf("%s: %q\ngot\n%s\nwant\n%s", name, c.note, got, c.want)
		}
	}
}

// A link within a note leads to the heading that the tools find by it.
func TestHeadingLinks(t *testing.T) {
	for name, c := range map[string]struct{ note, link, want string }{
		"the first":          {"# P1\n## Notes\n# P2\n## Notes", "#Notes", "h-notes"},
		"of a section":       {"# P1\n## Notes\n# P2\n## Notes", "#P2#Notes", "h-notes-2"},
		"deep":               {"# P1\n## A\n### B\n## B\n# P2\n## A\n### B", "#P2#B", "h-b-3"},
		"past a level":       {"# P1\n## A\n# P2\n## B", "#P1#B", "h-b"},
		"not the one above":  {"# A\n## A\n# A", "#A#A", "h-a-2"},
		"numbered by itself": {"# N\n# N\n# N 2", "#N 2", "h-n-2"},
		"beside it":          {"# P\n## N\n# Q\n## N\n# N 2", "#Q#N", "h-n-3"},
		"in a quote":         {"> # A\n\n# A", "#A", "h-a"},
		"of lines":           {"A\nb\n===", "#A b", "h-a-b"},
		"wikilink":           {"## A [[Launch|alias]] link", "#A Launch alias link", "h-a-launch-alias-link"},
		"Markdown link":      {"## A [b](c.md) d", "#A b c md d", "h-a-b-c-md-d"},
		"footnote":           {"## A[^1]\n\n[^1]: b", "#A 1", "h-a-1"},
		"HTML":               {"## A <u>b</u>", "#A u b u", "h-a-u-b-u"},
		"comment":            {"%%x%%\n## A %%b%% c", "#A b c", "h-a-b-c"},
		"block":              {"## A", "#^a", ""},
	} {
		got := string(markdown{}.render([]byte(c.note + "\n\n[[" + c.link + "|x]]")))
		if c.want == "" {
			if strings.Contains(got, "href") {
				t.Errorf("%s: %s leads somewhere in\n%s", name, c.link, got)
			}
			continue
		}
		ids := regexp.MustCompile(` id="(h-[^"]*)"`).FindAllStringSubmatch(got, -1)
		for i, id := range ids {
			if slices.ContainsFunc(ids[:i], func(other []string) bool { return other[1] == id[1] }) {
				t.Errorf("%s: two headings have the id %s in\n%s", name, id[1], got)
			}
		}
		exists := slices.ContainsFunc(ids, func(id []string) bool { return id[1] == c.want })
		if !exists || !strings.Contains(got, `<a href="#`+c.want+`">x</a>`) {
			t.Errorf("%s: %s does not lead to %s in\n%s", name, c.link, c.want, got)
		}
	}
	same := string(markdown{}.render([]byte("# P1\n## Notes\n# P2\n## Notes *here*\n[x](#P2#Notes%20here)\n\n[[Else#P2#Notes]]")))
	for _, want := range []string{`<h3 id="h-notes-here">`, `<a href="#h-notes-here">x</a>`, `<a href="/note?path=Else#h-notes">`} {
		if !strings.Contains(same, want) {
			t.Errorf("%s is not in\n%s", want, same)
		}
	}
}

// Without a resolver, links are taken literally.
func TestLinksWithoutResolver(t *testing.T) {
	got := string(markdown{}.render([]byte("[[Some where]] ![[x.png]]")))
	if want := `<p><a href="/note?path=Some+where">Some where</a> <img loading="lazy" src="/file?path=x.png" alt="x.png"></p>`; strings.TrimSpace(got) != want {
		t.Errorf("got %s", got)
	}
}

// attacks are notes that try to run or load something.
var attacks = []string{
	"<script>alert(1)</script>", "a <img src=x onerror=alert(1)>", "<svg/onload=alert(1)>", "<iframe src=//x>", "<a href='javascript:alert(1)'>x</a>", "<style>*{}</style>", "<base href=//x>", "<form action=//x><input name=body>",
	"[x](javascript:alert(1))", "[x](JaVaScRiPt:alert(1))", "[x](java\tscript:alert(1))", "[x](<java\nscript:alert(1)>)", "[x](&#106;avascript:alert(1))", "[x](javascript&colon;alert(1))", "[x](javascript&#x3a;alert(1))",
	"[x](\\javascript:alert(1))", "[x]( javascript:alert(1))", "[x](<\x01javascript:alert(1)>)", "[x](data:text/html,<script>)", "[x](vbscript:x)", "[x](file:///etc/passwd)", "[x](//evil.example)", "[x](/\\evil.example)", "[x](\\\\evil.example)", "[x](blob:https://x/y)", "[x](view-source:x)", "[x](ｊavascript:alert(1))", "[x](javascript%3Aalert(1))",
	"<javascript:alert(1)>", "<data:text/html,x>", "![x](javascript:alert(1))", "![x](data:image/svg+xml,<svg onload=alert(1)>)", "![x](https://evil.example/p.png)", "![x](http://evil.example/p.png \"t\" )", "[![x](https://evil.example/p.png)](https://y.example)",
	"[x]: javascript:alert(1)\n\n[x]", "[[javascript:alert(1)]]", "![[javascript:alert(1)]]", "[[x\"onmouseover=\"alert(1)]]", "[[x|<img src=x onerror=alert(1)>]]", "![[a.png|\"onload=alert(1)]]", "[[a#\"><script>alert(1)</script>]]",
	"# <img src=x onerror=alert(1)>", "# \" onclick=alert(1) x=\"", "# __proto__\n# said\n# main", "#tag\"onclick=alert(1)", "> [!note\" onclick=x] <script>", "$<script>alert(1)</script>$", "==<script>==", "```\"><script>\nx\n```", "[^x]\n\n[^x]: <script>alert(1)</script>", "|<script>|\n|-|\n|<img src=x onerror=1>|",
	"[x](https://user:pass@evil.example/)", "[x](https://a.example\"onclick=alert(1))", "[x](https://a.example 'onclick=alert(1)')", "[x](mailto:a@b\"onclick=alert(1))", "[x](obsidian://x\"onclick=alert(1))", "www.a.example\"onclick=alert(1)", "\x00<script>", "&lt;script&gt;alert(1)&lt;/script&gt;", "%%<script>%%<script>", "<scr%%x%%ipt>alert(1)</script>",
	"[a [b](https://x.example) [[c]] <https://d.example>](https://e.example)", "[[a|b]](javascript:alert(1))", "<https://x.example/\"onclick=alert(1)>",
}

func TestAttacksAreHarmless(t *testing.T) {
	for _, m := range []markdown{{}, vaultOf("a.md", "a.png")} {
		for _, note := range attacks {
			if err := harmless(string(m.render([]byte(note)))); err != nil {
				t.Errorf("%q: %v", note, err)
			}
		}
	}
}

// Any note is rendered with allowed elements, attributes and addresses only.
func FuzzMarkdown(f *testing.F) {
	for _, note := range attacks {
		f.Add([]byte(note))
	}
	for _, note := range examples(f) {
		f.Add(note)
	}
	m := vaultOf("a.md", "a.png")
	f.Fuzz(func(t *testing.T, note []byte) {
		if len(note) > 64<<10 {
			return
		}
		for _, m := range []markdown{m, {}} {
			if shown := string(m.render(note)); harmless(shown) != nil {
				t.Errorf("%q: %v\n%s", note, harmless(shown), shown)
			}
		}
	})
}

// examples returns the notes of the example vault.
func examples(t testing.TB) (notes [][]byte) {
	paths, err := filepath.Glob("../../../examples/vault/*.md")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, path := range paths {
		note, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		notes = append(notes, note)
	}
	return notes
}

// allowed lists the elements that a note may become, with their attributes.
var allowed = map[string][]string{
	"p": {"class"}, "br": nil, "em": nil, "strong": nil, "del": nil, "mark": nil, "code": {"class"}, "pre": {"class", "tabindex"}, "hr": nil, "blockquote": nil,
	"ul": nil, "ol": {"start", "class"}, "li": {"id"}, "h2": {"id"}, "h3": {"id"}, "h4": {"id"}, "h5": {"id"}, "h6": {"id"}, "sup": nil,
	"a": {"href", "class", "rel", "target", "id", "aria-label"}, "img": {"loading", "src", "alt", "width"}, "span": {"class", "title"}, "input": {"type", "disabled", "checked", "aria-label"},
	"div": {"class", "tabindex"}, "details": {"class"}, "summary": {"class"}, "table": nil, "thead": nil, "tbody": nil, "tr": nil, "th": {"class"}, "td": {"class"},
}

// harmless reads HTML as a browser would, and returns an error for anything that is not allowed.
func harmless(shown string) error {
	reader := html.NewTokenizer(strings.NewReader(shown))
	for {
		switch reader.Next() {
		case html.ErrorToken:
			return nil
		case html.CommentToken, html.DoctypeToken:
			return fmt.Errorf("%s", reader.Raw())
		case html.StartTagToken, html.SelfClosingTagToken:
			if err := harmlessTag(reader.Token()); err != nil {
				return err
			}
		}
	}
}

func harmlessTag(tag html.Token) error {
	attributes, is := allowed[tag.Data]
	if !is {
		return fmt.Errorf("element %s", tag)
	}
	for _, attribute := range tag.Attr {
		value := attribute.Val
		bad := !slices.Contains(attributes, attribute.Key)
		switch attribute.Key {
		case "id":
			bad = bad || !strings.HasPrefix(value, "h-") && !strings.HasPrefix(value, "fn-") && !strings.HasPrefix(value, "fnref-")
		case "src":
			bad = bad || !strings.HasPrefix(strings.TrimPrefix(value, "/at"), "/file?path=")
		case "href":
			scheme, _, _ := strings.Cut(value, ":")
			isOurs := slices.ContainsFunc([]string{"#", "/at/", "/note?", "/file?", "/search?"}, func(prefix string) bool {
				return strings.HasPrefix(value, prefix)
			})
			isSafe := slices.Contains([]string{"http", "https", "mailto", "obsidian"}, scheme)
			bad = bad || !isOurs && !isSafe || strings.ContainsAny(value, "\"<>\n\t")
		}
		if bad {
			return fmt.Errorf("attribute %s=%q of %s", attribute.Key, value, tag)
		}
	}
	return nil
}

// hostileNotes would take the parser minutes without the limits of markdown_cost.go.
func hostileNotes() map[string]string {
	many := func(part string) string { return strings.Repeat(part, (96<<10)/len(part)) }
	var definitions, ticks strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&definitions, "[%d]: x\n", i)
	}
	for i := 1; ticks.Len() < 96<<10; i++ {
		ticks.WriteString("a" + strings.Repeat("`", i))
	}
	return map[string]string{
		"brackets": many("["), "pairs": strings.Repeat("[", 48<<10) + strings.Repeat("]", 48<<10), "links": many("[a](b"), "angled": many("[a](<b"), "stars": many("*a_ "), "lines of stars": many("*a_ \n"),
		"heading of stars": "# " + many("*a_ "), "underlined": many("*a_\n") + "===", "cell": "|" + many("*a_ ") + "|\n|-|\n", "wiki": many("[["), "embeds": many("![["), "math": many("$a "), "marks": many("==a "), "tags": many("#a"),
		"quotes": many(strings.Repeat(">", 2000) + "a\n"), "lists": many(strings.Repeat("- ", 200) + "a\n"), "definitions": definitions.String(), "ticks": ticks.String(), "comments": many("%%a"), "tildes": many("~~a ~b "), "callouts": many("> [!a] b\n\n"), "footnotes": many("[^a] "),
		"wide table":   strings.Repeat("|a", 2000) + "|\n" + strings.Repeat("|-", 2000) + "|\n" + strings.Repeat("a\n", 2000),
		"escaped bars": "|a|\n|-|\n" + strings.Repeat("|`\\|\\|\\|\\|`|\n", 19_000),
		"many tables":  strings.Repeat(strings.Repeat("|a", 200)+"|\n"+strings.Repeat("|-", 200)+"|\n"+strings.Repeat("a\n", 100)+"\n", 500),
		"long address": "[a]: http://a/" + strings.Repeat("x", 100_000) + "\n\n" + strings.Repeat("[a]\n\n", 8000), "long way": "[a]: b" + strings.Repeat("x", 100_000) + "\n\n" + strings.Repeat("[a]\n\n", 8000),
		"display math": many("$$ a\n"), "one display": "a " + many("$$\nb "), "odd display": many("$$$ a"), "displays": many("a $$\n\n"), "math and code": many("`a $$ b\n"), "after comments": many("<!-- a --> *b_\n"),
		"one comment": "<!-- -->" + many("<!-- --> "), "headings": many("# a\n"), "heading links": many("# a\n") + many("[[#a#b]]\n\n"), "numbered headings": many("# a\n") + many("# a 2\n"), "tiny texts": many("> a\n\n" + partEnd),
		"middling address": "[a]: http://a/" + strings.Repeat("x", 1900) + "\n\n" + strings.Repeat("[a]\n\n", 40_000),
	}
}

// Notes made to be expensive are rendered within the limits. Without the limits, this test would time out.
func TestHostileNotesAreBounded(t *testing.T) {
	for name, note := range hostileNotes() {
		if testing.Short() {
			note = note[:min(len(note), 8<<10)]
		}
		shown := vaultOf().render([]byte(note))
		if len(shown) == 0 || len(shown) > maxWritten+maxRendered {
			t.Errorf("%s becomes %d bytes", name, len(shown))
		}
	}
}

func BenchmarkHostileNotes(b *testing.B) {
	for name, note := range hostileNotes() {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				vaultOf().render([]byte(note))
			}
		})
	}
}

func TestBeginning(t *testing.T) {
	long := strings.Repeat("ä", maxRendered)
	for name, c := range map[string]struct {
		text string
		want int
		cut  bool
	}{
		"short": {"a\nb", 3, false}, "lines": {"a\n" + long, 2, true}, "one line": {"x" + long, maxRendered - 1, true},
	} {
		part, cut := beginning([]byte(c.text))
		if len(part) != c.want || cut != c.cut {
			t.Errorf("%s: %d bytes, %v", name, len(part), cut)
		}
	}
}
