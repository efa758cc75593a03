package web

import (
	"time"

	"obsidian-mcp/internal/surface/web/html"
)

// frame is what surrounds every page.
type frame struct {
	Title string
	Base  string
	Form  string // the token that forms carry
	Login string // who is logged in; "" if no login is needed
	Menu  []menuItem
}

// menuItem is an entry of the navigation.
type menuItem struct {
	Path, Name string
	Here       bool
}

// content makes a page's own content, or a part of it.
type content func(frame) html.Node

// htmxConfig keeps htmx from running code, styling elements, storing pages and asking other servers.
const htmxConfig = `{"includeIndicatorStyles":false,"allowEval":false,"allowScriptTags":false,"selfRequestsOnly":true,` +
	`"historyCacheSize":0,"refreshOnHistoryMiss":true,"responseHandling":[{"code":"204","swap":false},{"code":"...","swap":true}]}`

// page returns the whole page around its content.
func (f frame) page(main content) html.Node {
	return html.Page("en",
		html.El("head",
			html.El("meta", html.Attr("charset", "utf-8")),
			meta("viewport", "width=device-width, initial-scale=1"),
			meta("color-scheme", "light dark"),
			meta("htmx-config", htmxConfig),
			html.El("title", html.Text(f.Title+" · obsidian-mcp")),
			html.El("link", html.Attr("rel", "icon"), html.Href(f.asset("icon.svg")), html.Attr("type", "image/svg+xml")),
			html.El("link", html.Attr("rel", "stylesheet"), html.Href(f.asset("page.css"))),
			html.El("link", html.Attr("rel", "stylesheet"), html.Href(f.asset("notes.css"))),
			html.Script(f.asset("htmx.min.js")),
			html.Script(f.asset("page.js")),
			html.Script(f.asset("notes.js")),
		),
		html.El("body",
			html.Link("#main", html.Class("skip"), html.Text("Skip to content")),
			f.header(),
			html.El("main", html.ID("main"), html.Attr("tabindex", "-1"),
				html.El("h1", html.Text(f.Title)),
				main(f)),
			html.Div(html.ID("said"), html.Class("said"), html.Role("status"), html.Attr("aria-live", "polite")),
		),
	)
}

func meta(name, content string) html.Node {
	return html.El("meta", html.Name(name), html.Attr("content", content))
}

func (f frame) header() html.Node {
	return html.El("header", html.Class("top"),
		html.Link(f.Base+"/", html.Class("brand"),
			html.El("img", html.Attr("src", f.asset("icon.svg")), html.Attr("alt", ""), html.Number("width", 24), html.Number("height", 24)),
			html.Text("obsidian-mcp")),
		html.Text(" "),
		html.If(len(f.Menu) > 0, html.El("nav", html.Label("Pages"), html.Ul(html.Each(f.Menu, f.menuEntry)))),
		html.If(f.Login != "", html.Post(f.Base+"/logout", html.Class("logout"), f.token(),
			html.Span(html.Class("who"), html.Text(f.Login)), html.Text(" "),
			html.Button(html.Class("quiet"), html.Text("Log out")))),
	)
}

func (f frame) menuEntry(item menuItem) html.Node {
	return html.Li(html.Link(f.Base+item.Path, html.If(item.Here, html.Attr("aria-current", "page")), html.Text(item.Name)))
}

func (f frame) asset(name string) string {
	return f.Base + "/assets/" + name + "?v=" + assets()[name].version
}

// token returns the field that shows that a form comes from this page.
func (f frame) token() html.Node { return html.Hidden("form", f.Form) }

// renewable returns the same field for a form that stays on the screen: an answer may replace the token.
func (f frame) renewable() html.Node { return html.Hidden("form", f.Form, html.ID("form-token")) }

// help returns a paragraph that explains something.
func help(parts ...html.Node) html.Node { return html.P(append(parts, html.Class("help"))...) }

// empty returns a paragraph that says why there is nothing to see.
func empty(text string) html.Node { return html.P(html.Class("empty"), html.Text(text)) }

// paragraph returns a paragraph, or nothing if there is no text.
func paragraph(text string) html.Node { return html.If(text != "", html.P(html.Text(text))) }

func code(text string) html.Node { return html.Code(html.Text(text)) }

// tag returns a short word beside something.
func tag(text string) html.Node { return html.Span(html.Class("tag"), html.Text(text)) }

// since says how long ago something was.
func since(now, then time.Time) html.Node { return moment(then, ago(now, then)) }

// moment returns a time and the words for it.
func moment(when time.Time, words string) html.Node {
	return html.El("time", html.Attr("datetime", stamp(when)), html.Text(words))
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// mark returns the outcome of a check, which is also a CSS class: ok, look or busy, and everything else has failed.
func mark(outcome string) html.Node {
	text := "failed"
	if outcome == "ok" || outcome == "look" || outcome == "busy" {
		text = outcome
	}
	return html.Span(html.Class("mark "+outcome), html.Text(text))
}

// copyButton copies the text of another element.
func copyButton(id, text string, parts ...html.Node) html.Node {
	return html.Button(append(parts, html.Attr("type", "button"), html.Class("copy"), html.Attr("data-copy", "#"+id), html.Text(text))...)
}
