package web

import (
	"net/url"

	"obsidian-mcp/internal/surface/web/html"
	"obsidian-mcp/internal/text/amount"
)

func (p notePage) view(f frame) html.Node { return html.Div(html.Class("note-page"), p.body(f)) }

// part is the note in the pane beside a search.
func (p notePage) part(f frame) html.Node {
	return html.Nodes{
		html.Div(html.Class("bar"), html.H2(html.Class("note-title"), html.Link(f.Base+noteURL(p.Path), html.Text(p.Name)))),
		p.body(f),
	}
}

func (p notePage) body(f frame) html.Node {
	return html.Nodes{
		html.Div(html.Class("bar note-bar"),
			html.Span(html.Class("where"), html.Text(p.Path),
				html.If(!p.Modified.IsZero(), html.Text(" · changed "), since(p.Now, p.Modified))),
			html.If(p.Graph, html.Text(" "), html.Link(f.Base+graphURL(p.Path), html.Class("button"), html.Text("Graph"))),
			html.If(p.Obsidian != "", html.Text(" "), html.Link(p.Obsidian, html.Class("button"), html.Text("Open in Obsidian")))),
		html.If(p.Cut, html.P(html.Class("cut"), html.Role("status"), html.Text("This is a long file; only its beginning is shown."))),
		html.If(len(p.Properties) > 0, html.El("table", html.Class("properties"),
			html.El("caption", html.Class("unseen"), html.Text("Properties")),
			html.El("tbody", html.Each(p.Properties, property.view)))),
		html.If(p.Problem != "", html.Div(html.Class("cut"), html.P(html.Text("The properties cannot be read: "+p.Problem)),
			html.Pre(html.Text(p.Raw)))),
		html.If(p.Failed != "", html.P(html.Class("cut"), html.Text(p.Failed))),
		p.text(),
		p.linkedFrom(f),
	}
}

// text is the rendered note, with its source if it is not Markdown.
func (p notePage) text() html.Node {
	plain := html.Pre(html.Class("plain-text"), html.Text(p.Plain))
	if p.HTML == "" && p.Plain != "" {
		return plain
	}
	return html.Nodes{
		p.Drawing.view(),
		html.El("article", html.Class("md"), html.Attr("dir", "auto"), p.HTML),
		html.If(p.Plain != "", html.Details(html.Summary(html.Text("Source")), plain)),
	}
}

func (p property) view() html.Node {
	var values html.Nodes
	for i, value := range p.Values {
		values = append(values, html.If(i > 0, html.Text(", ")), html.Each(value, piece.linked))
	}
	return html.Tr(html.El("th", html.Attr("scope", "row"), html.Text(p.Name)), html.Td(values))
}

// linked shows where a piece leads.
func (p piece) linked() html.Node {
	text := html.Text(p.Text)
	switch {
	case p.To.Outside:
		return html.Link(p.To.Href, html.Attr("rel", "noopener noreferrer nofollow"), html.Attr("target", "_blank"), text)
	case p.To.Href != "":
		return html.Link(p.To.Href, text)
	case p.To.Missing:
		return html.Span(html.Class("missing"), html.Attr("title", "There is no such note"), text)
	}
	return text
}

// linkedFrom lists the notes that link here.
func (p notePage) linkedFrom(f frame) html.Node {
	links := p.Backlinks
	if links == nil {
		return nil
	}
	number := amount.Number(links.Notes)
	if links.Cut {
		number = "at least " + number
	}
	return html.Section("backlinks-head", html.Class("backlinks"),
		html.H2(html.ID("backlinks-head"), html.Text("Linked from"),
			html.If(links.Notes > 0, html.Text(" "), html.Span(html.Class("now"), html.Text(number)))),
		p.sources(f))
}

func (p notePage) sources(f frame) html.Node {
	links := p.Backlinks
	graph := func(text string) html.Node {
		address := f.Base + graphURL(p.Path) + "&direction=in"
		return html.If(p.Graph, html.Text(" "), html.Link(address, html.Text(text)))
	}
	switch {
	case len(links.Backlinks) > 0:
		more := "And more."
		if !links.Cut {
			more = "And " + amount.Of(links.Hidden, "more note") + "."
		}
		return html.Nodes{
			html.Ul(html.Each(links.Backlinks, func(link backlink) html.Node { return link.view(f) })),
			html.If(links.Hidden > 0 || links.Cut, help(html.Text(more), graph("All of them in the graph"))),
		}
	case links.Late:
		return html.P(html.Class("empty"), html.Text("The notes that link here could not be read in time."), graph("The graph has them"))
	}
	return empty("No note links here.")
}

func (b backlink) view(f frame) html.Node {
	return html.Li(html.Link(f.Base+noteURL(b.Path), html.Text(b.Source)),
		html.If(b.Text != "", html.P(html.Class("snippet"), html.Text(b.Text))),
		html.If(b.More > 0, help(html.Text("and in "+amount.Of(b.More, "more line")))))
}

// graphURL returns the address of the graph around a note.
func graphURL(file string) string { return "/graph?" + url.Values{"note": {file}}.Encode() }
