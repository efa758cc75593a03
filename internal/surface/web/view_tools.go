package web

import (
	"net/url"

	"obsidian-mcp/internal/surface/web/html"
	"obsidian-mcp/internal/tool"
)

// toolsets is the page that lists the tools.
type toolsets []toolset

func (p toolsets) view(f frame) html.Node {
	with := ""
	if f.Login != "" {
		with = ", with your login"
	}
	return html.Nodes{
		help(html.Text("What AI clients can do with this vault" + with + ". Choose one to try it here.")),
		html.Each(p, func(set toolset) html.Node {
			return html.Section("set-"+set.Name, html.H2(html.ID("set-"+set.Name), html.Text(set.Name)),
				html.Ul(html.Class("tools"), html.Each(set.Tools, f.toolEntry)))
		}),
	}
}

func (f frame) toolEntry(listed tool.Tool) html.Node {
	return html.Li(html.Link(f.toolURL(listed), html.Strong(html.Text(listed.Title)), html.Text(" "), code(listed.Name)),
		html.P(html.Text(listed.About)))
}

func (f frame) toolURL(t tool.Tool) string { return f.Base + "/tools/" + url.PathEscape(t.Name) }

func (p toolPage) view(f frame) html.Node {
	effect, class, run := tag("reads only"), "main", "Run"
	if p.Writes {
		effect, run = tag("adds to notes"), "Run, and change the vault"
	}
	if p.Destroys {
		effect, class = html.Span(html.Class("tag danger"), html.Text("changes or removes notes")), "danger"
	}
	address := f.toolURL(p.Tool)
	return html.Nodes{
		help(code(p.Tool.Name), html.Text(" "), effect),
		html.P(html.Text(p.Tool.About)),
		html.Post(address, html.ID("tool-form"), html.Class("card"), html.Attr("hx-post", address), html.Attr("hx-target", "#result"),
			html.Attr("hx-swap", "innerHTML show:#result:top"), html.Attr("hx-sync", "this:drop"),
			html.Attr("hx-disabled-elt", "find button, #result button"),
			f.renewable(),
			html.Each(p.Fields, field.view),
			html.Button(html.Class(class), html.Text(run))),
		html.El("section", html.ID("result"), html.Attr("aria-live", "polite"), html.Label("Result"), p.result(f)),
		html.P(html.Link(f.Base+"/tools", html.Text("All tools"))),
	}
}

func (i field) view() html.Node {
	about := i.About
	switch i.Kind {
	case "list":
		about += " (one per line)"
	case "object":
		about += " (JSON)"
	}
	return html.Div(html.Class("field"), i.input(), help(html.ID("help-"+i.Name), html.Text(about)))
}

// input is the field itself with its label.
func (i field) input() html.Node {
	named := html.Nodes{html.ID("field-" + i.Name), html.Name(i.Name), html.Attr("aria-describedby", "help-"+i.Name)}
	unchecked := html.Attr("spellcheck", "false")
	var input html.Node
	switch i.Kind {
	case "truth":
		return html.El("label", html.Class("truth"), html.Input(html.Attr("type", "checkbox"), html.Name(i.Name), html.Value("true"),
			html.If(i.Truth, html.Flag("checked")), html.Attr("aria-describedby", "help-"+i.Name)), html.Text(" "+i.Name))
	case "line":
		input = html.Input(named, html.Value(i.Value), html.Attr("autocomplete", "off"), unchecked,
			html.If(i.Required, html.Flag("required")))
	case "choice":
		input = html.El("select", named, html.El("option", html.Value(""), html.Text("not given")),
			html.Each([]string{"true", "false"}, func(choice string) html.Node {
				return html.El("option", html.If(i.Value == choice, html.Flag("selected")), html.Text(choice))
			}))
	case "number":
		input = html.Input(named, html.Attr("type", "number"), html.Attr("step", "1"), html.Value(i.Value))
	case "text":
		input = html.El("textarea", named, html.Number("rows", 4), unchecked, html.Text(i.Value))
	default:
		input = html.El("textarea", named, html.Number("rows", 2), unchecked, html.Text(i.Value))
	}
	return html.Nodes{
		html.El("label", html.Attr("for", "field-"+i.Name), html.Text(i.Name),
			html.If(i.Required, html.Text(" "), html.Span(html.Class("required"), html.Text("required")))),
		html.Text(" "), input,
	}
}

// result is the outcome of a call, if there was one.
func (p toolPage) result(frame) html.Node {
	if p.Result == nil {
		return nil
	}
	r := p.Result
	return html.Div(html.Class("result"),
		html.Div(html.Class("bar"), html.H2(html.Text("Result")),
			html.If(r.Took != "", html.Span(html.Class("now"), html.Text(r.Took))),
			html.If(r.Answer != "", html.Text(" "), copyButton("answer", "Copy result")),
			html.If(r.Request != "", html.Text(" "), copyButton("request", "Copy request"))),
		r.Problem.beside(),
		html.If(r.Confirm != "", html.Div(html.Class("cut"), html.Role("alert"), html.P(html.Text(r.Consent+" Nothing has changed yet.")),
			html.P(html.Button(html.Attr("form", "tool-form"), html.Name("confirm"), html.Value(r.Confirm), html.Text("Yes, go on"))))),
		html.If(r.Answer != "", html.Pre(html.ID("answer"), html.Label("What the tool answered"), html.Text(r.Text))),
		html.If(r.Meta != "", html.Details(html.Summary(html.Text("Extra facts (_meta)")), html.Pre(html.Text(r.Meta)))),
		html.If(r.Request != "", html.Details(html.Summary(html.Text("The request, as a client would send it")),
			html.Pre(html.ID("request"), html.Text(r.Request)))))
}
