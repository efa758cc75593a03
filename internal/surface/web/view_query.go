package web

import "obsidian-mcp/internal/surface/web/html"

func (p queryPage) view(f frame) html.Node {
	return html.Nodes{
		html.El("form", html.Role("search"), html.Attr("method", "get"), html.Attr("action", f.Base+"/query"),
			html.El("label", html.Attr("for", "q"), html.Text("A query")),
			html.El("textarea", html.ID("q"), html.Name("q"), html.Class("query"), html.Number("rows", 5), html.Attr("autocapitalize", "off"),
				html.Attr("spellcheck", "false"), html.Attr("maxlength", "4000"), html.Attr("aria-describedby", "query-help query-status"), html.Text(p.Query)),
			html.P(html.Button(html.Class("plain"), html.Text("Run")))),
		help(html.ID("query-help"), html.Text("In the language of Dataview, for example "), code("TABLE file.mtime FROM #project SORT file.mtime DESC"),
			html.Text("; or a base: its file, such as "), code("Projects.base"), html.Text(", a query block of a note, such as "), code("Dashboard#1"),
			html.Text(", or its text.")),
		help(html.ID("query-status"), html.Role("status"), html.Text(p.Status)),
		html.Each(p.Warnings, func(warning string) html.Node { return html.P(html.Class("cut"), html.Text(warning)) }),
		p.Problem.question(""),
		html.If(p.HTML != "", html.El("article", html.Class("md"), html.Attr("dir", "auto"), p.HTML)),
	}
}
