package web

import "obsidian-mcp/internal/surface/web/html"

func (p healthPage) view(f frame) html.Node {
	return html.Each(p.Parts, func(part healthPart) html.Node { return part.view(f) })
}

func (p healthPart) view(f frame) html.Node {
	return html.Section(p.ID,
		html.H2(html.ID(p.ID), html.Text(p.Title)),
		help(html.Text(p.About)),
		html.If(p.Problem == nil, html.P(html.Text(p.Total))),
		p.Problem.question(""),
		html.If(len(p.Rows) > 0, html.Ul(html.Each(p.Rows, func(row healthRow) html.Node { return row.view(f) }))))
}

func (r healthRow) view(f frame) html.Node {
	var links html.Nodes
	for _, path := range r.Paths {
		if path == "" {
			continue
		}
		if len(links) > 0 {
			links = append(links, html.Text(r.Between))
		}
		links = append(links, html.Link(f.Base+noteURL(path), html.Attr("dir", "auto"), html.Text(path)))
	}
	return html.Li(links, html.If(r.Text != "", html.Text(" "), html.Span(html.Class("by"), html.Attr("dir", "auto"), html.Text(r.Text))))
}
