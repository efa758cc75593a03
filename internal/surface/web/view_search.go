package web

import "obsidian-mcp/internal/surface/web/html"

func (p searchPage) view(f frame) html.Node {
	return html.Div(html.Class("split"),
		html.Div(html.Class("finder"),
			p.form(f),
			queryLanguage(),
			help(html.ID("search-status"), html.Role("status"), html.Text(p.Status)),
			html.Div(html.ID("found"), p.rows(f)),
			html.P(html.ID("opened"), html.Class("unseen"), html.Role("status"))),
		p.preview(f))
}

// found is the part that a script inserts while somebody types.
func (p searchPage) found(f frame) html.Node {
	status := help(html.ID("search-status"), html.Role("status"), html.Attr("hx-swap-oob", "innerHTML"), html.Text(p.Status))
	return html.Nodes{p.rows(f), status}
}

func (p searchPage) form(f frame) html.Node {
	return html.El("form", html.ID("search"), html.Role("search"), html.Attr("method", "get"), html.Attr("action", f.Base+"/search"),
		html.Attr("hx-get", f.Base+"/search"), html.Attr("hx-trigger", "input changed delay:120ms from:#q, search from:#q, submit"),
		html.Attr("hx-target", "#found"), html.Attr("hx-sync", "this:queue last"), html.Attr("hx-replace-url", "true"),
		html.Attr("hx-indicator", "#found"),
		html.El("label", html.Attr("for", "q"), html.Text("Search this vault")),
		html.Div(html.Class("line"),
			html.Input(html.ID("q"), html.Name("q"), html.Attr("type", "search"), html.Value(p.Query), html.Attr("autocomplete", "off"),
				html.Attr("autocapitalize", "off"), html.Attr("spellcheck", "false"), html.Attr("maxlength", "1000"), html.Flag("autofocus"),
				html.Attr("aria-describedby", "search-status"), html.Attr("aria-controls", "found"),
				html.Attr("placeholder", `words, "a phrase", tag:#garden`)),
			html.Text(" "), html.Button(html.Class("plain"), html.Text("Search"))))
}

// queryLanguage explains what can be searched for.
func queryLanguage() html.Node {
	row := func(query string, about ...html.Node) html.Node {
		return html.Tr(html.El("th", html.Attr("scope", "row"), code(query)), html.Td(about...))
	}
	return html.Details(html.Class("language"), html.Summary(html.Text("What you can search for")),
		html.El("table", html.El("tbody",
			row("tide table", html.Text("both words, also inside longer ones; case and accents do not matter")),
			row(`"tide table"`, html.Text("exactly this phrase")),
			row("soup OR stew", html.Text("either of them")),
			row("soup -lentil", html.Text("without a word; parentheses group")),
			row(`/\d{4}-\d\d/`, html.Text("a regular expression")),
			row("tag:#work", html.Text("a tag and the tags below it")),
			row("path:Journal file:2026", html.Text("in the path or the name")),
			row("line:(a b) section:(a b)", html.Text("together in a line, a block ("), code("block:"), html.Text(") or a section")),
			row("task-todo:call", html.Text("in an open task; "), code("task-done:"), html.Text(", "), code("task:")),
			row("[status:draft]", html.Text("a property; "), code("[rating:>3]"), html.Text(", "), code("[due:null]")))))
}

// preview is the pane beside the list. A script fills it with the note.
func (p searchPage) preview(f frame) html.Node {
	pane := []html.Node{html.ID("preview"), html.Class("preview"), html.Attr("tabindex", "-1"), html.Label("Preview")}
	if p.Preview != "" {
		address := f.Base + noteURL(p.Preview)
		return html.El("section", append(pane, html.Attr("hx-get", address), html.Attr("hx-trigger", "load"),
			html.P(html.Link(address, html.Text(p.Preview))))...)
	}
	key := func(name string) html.Node { return html.El("kbd", html.Text(name)) }
	return html.El("section", append(pane, html.P(html.Class("empty"), html.Text("Choose a note to read it here."), html.El("br"),
		key("↓"), html.Text(" "), key("↑"), html.Text(" move through the list, "), key("Enter"), html.Text(" opens, "),
		key("→"), html.Text(" goes into the note, "), key("Esc"), html.Text(" back.")))...)
}

func (p searchPage) rows(f frame) html.Node {
	switch {
	case p.Problem != nil:
		return html.Div(html.Class("problem"), html.P(html.Class("query-problem"), html.Text(p.Problem.Message)), paragraph(p.Problem.Hint))
	case len(p.Found) > 0:
		return html.El("ol", html.Class("found"), html.Each(p.Found, func(note foundNote) html.Node { return p.row(f, note) }))
	case p.Query != "":
		return empty("Try fewer words, or part of a word.")
	}
	return nil
}

func (p searchPage) row(f frame, note foundNote) html.Node {
	return html.Li(
		html.Link(f.Base+noteURL(note.Path), html.Class("hit"), html.Attr("data-note", note.Path),
			html.Span(html.Class("title"), html.Each(note.Heading, piece.marked))),
		html.If(note.Partial, html.Text(" "), html.Span(html.Class("tag"), html.Attr("title", "This note does not contain all of the words"),
			html.Text("some words"))),
		html.P(html.Class("by"), html.Text(note.Path), html.If(!note.When.IsZero(), html.Text(" · "), since(p.Now, note.When))),
		html.If(len(note.Text) > 0, html.P(html.Class("snippet"), html.Each(note.Text, piece.marked))),
		html.If(len(note.Tags) > 0, html.P(html.Class("tags"), html.Each(note.Tags, func(tag string) html.Node {
			return html.Nodes{html.Link(f.Base+searchURL("tag:#"+tag), html.Class("tag"), html.Text("#"+tag)), html.Text(" ")}
		}))))
}

// marked shows whether a piece is a match.
func (p piece) marked() html.Node {
	if p.Marked {
		return html.El("mark", html.Text(p.Text))
	}
	return html.Text(p.Text)
}
