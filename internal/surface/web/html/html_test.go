package html

import (
	"strings"
	"testing"
)

// Each kind of node has one notation, and nothing that a value contains leaves its place.
func TestRender(t *testing.T) {
	const hostile = `"><script>alert('1')</script>&amp;` + "\x00"
	const escaped = `&#34;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;amp;` + "\ufffd"
	for name, c := range map[string]struct {
		node Node
		want string
	}{
		"text":             {Text(hostile), escaped},
		"attribute":        {P(Class(hostile)), `<p class="` + escaped + `"></p>`},
		"address":          {Link("/note?x="+hostile, Text("x")), `<a href="/note?x=` + escaped + `">x</a>`},
		"field":            {Hidden(hostile, hostile), `<input type="hidden" name="` + escaped + `" value="` + escaped + `">`},
		"script":           {Script(`/x.js"><b>`), `<script src="/x.js&#34;&gt;&lt;b&gt;" defer></script>`},
		"raw":              {Div(Raw("<hr>")), "<div><hr></div>"},
		"order":            {P(Text("a"), Flag("hidden"), Text("b"), ID("c")), `<p hidden id="c">ab</p>`},
		"nested nodes":     {P(Nodes{Class("a"), Nodes{Text("b"), nil, ID("c")}}), `<p class="a" id="c">b</p>`},
		"nothing":          {P(nil, If(false, Text("x")), Nodes{}), "<p></p>"},
		"void":             {El("br"), "<br>"},
		"numbers":          {El("rect", Number("x", 12), Number("y", 0.1), Number("r", -3.5)), `<rect x="12" y="0.1" r="-3.5"></rect>`},
		"first line break": {Pre(Text("\nx")), "<pre tabindex=\"0\">\n\nx</pre>"},
		"textarea":         {El("textarea", Text(hostile)), "<textarea>\n" + escaped + "</textarea>"},
		"either":           {P(IfElse(true, Text("a"), Text("b")), IfElse(false, Text("a"), Text("b"))), "<p>ab</p>"},
		"page":             {Page("en", El("body")), "<!doctype html>\n<html lang=\"en\"><body></body></html>"},
		"form":             {Post("/x", Button(Text("Go"))), `<form method="post" action="/x"><button>Go</button></form>`},
	} {
		if got := string(Render(c.node)); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// An address leads to a web page, a mailbox, Obsidian or this server; everything else becomes "#", however it is written
// and in whatever attribute it is.
func TestAddress(t *testing.T) {
	for _, safe := range []string{
		"", "#", "#main", "/note?path=javascript:alert(1)", "note?x=a:b", "./a:b", "?a:b", "http://example.com", "HTTPS://example.com",
		"mailto:a@b.c", "obsidian://open?vault=x", "/a\\b",
	} {
		if got := Address(safe); got != safe {
			t.Errorf("%q became %q", safe, got)
		}
	}
	for _, unsafe := range []string{
		"javascript:alert(1)", "JaVaScRiPt:alert(1)", " javascript:alert(1)", "java\tscript:alert(1)", "java\nscript:alert(1)",
		"\x01javascript:alert(1)", "java\x00script:alert(1)", "javascript\x7f:x", "data:text/html,<script>", "vbscript:x", "file:///etc/passwd", "blob:x",
		"about:blank", "ftp://x", "//evil.example", "/\\evil.example", "\\\\evil.example", "\\evil", "\t//evil.example", "/\t/evil.example", ":x",
	} {
		for _, name := range addresses {
			if got := string(Render(El("a", Attr(name, unsafe)))); got != "<a "+string(name)+`="#"></a>` {
				t.Errorf("%s=%q became %s", name, unsafe, got)
			}
		}
		if got := string(Render(Link(unsafe), Post(unsafe), Script(unsafe))); strings.Count(got, `="#"`) != 3 {
			t.Errorf("%q became %s", unsafe, got)
		}
	}
}

// What holds code, styles or other pages cannot be made at all.
func TestRefusesCode(t *testing.T) {
	for name, make := range map[string]func(){
		"script":            func() { El("script", Text("x")) },
		"style":             func() { El("style", Text("x")) },
		"frame":             func() { El("iframe") },
		"object":            func() { El("object") },
		"base":              func() { El("base") },
		"foreign object":    func() { El("foreignObject") },
		"handler":           func() { Attr("onclick", "x") },
		"handler flag":      func() { Flag("onclick") },
		"handler of htmx":   func() { Attr("hx-on:click", "x") },
		"values of htmx":    func() { Attr("hx-vals", "js:{x: alert(1)}") },
		"style attribute":   func() { Attr("style", "x") },
		"page in attribute": func() { Attr("srcdoc", "x") },
		"several addresses": func() { Attr("srcset", "x") },
		"refresh":           func() { Attr("http-equiv", "refresh") },
		"content of void":   func() { El("br", Text("x")) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("was made")
				}
			}()
			make()
		})
	}
}
