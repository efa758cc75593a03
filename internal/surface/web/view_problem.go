package web

import "obsidian-mcp/internal/surface/web/html"

// view is a page of its own.
func (p problem) view(f frame) html.Node {
	return html.Nodes{p.part(f), html.P(html.Link(f.Base+"/", html.Text("Back to the overview")))}
}

// part is what a script puts where the answer would be. It renews the token of the form on the screen.
func (p problem) part(f frame) html.Node {
	return html.Nodes{
		html.Div(html.Class("problem"), html.Role("alert"),
			html.P(html.Strong(html.Text(p.Message))),
			paragraph(p.Hint),
			html.If(p.LogIn, html.P(html.Link(f.Base+"/login", html.Attr("target", "_blank"), html.Text("Log in on another page")),
				html.Text(", then press the button here again."))),
			html.P(html.Class("code"), html.Text(p.Code))),
		html.If(p.Form != "", html.Hidden("form", p.Form, html.ID("form-token"), html.Attr("hx-swap-oob", "true"))),
	}
}

// beside is a problem on the page that it is about; nil is none.
func (p *problem) beside() html.Node {
	if p == nil {
		return nil
	}
	return html.Div(html.Class("problem"), html.Role("alert"),
		html.P(html.Strong(html.Text(p.Message))),
		paragraph(p.Hint),
		html.If(p.Code != "", html.P(html.Class("code"), html.Text(p.Code))))
}

// question is a problem that a person may confirm or, without an id to confirm with, cannot; nil is none.
func (p *problem) question(confirm string) html.Node {
	if p == nil {
		return nil
	}
	class := "problem"
	if confirm != "" {
		class = "cut"
	}
	return html.Div(html.Class(class), html.Role("alert"),
		html.P(html.Strong(html.Text(p.Message))),
		paragraph(p.Hint),
		html.If(p.Details != "", html.Details(html.Summary(html.Text("Which")), html.P(html.Text(p.Details)))))
}
