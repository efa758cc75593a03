package web

import (
	"net/url"
	"strconv"

	"obsidian-mcp/internal/surface/web/html"
	"obsidian-mcp/internal/text/amount"
)

func (p pdfPage) view(f frame) html.Node {
	shown := html.Pre(html.Class("plain-text"), html.Attr("dir", "auto"), html.Text(p.Text))
	if p.Text == "" {
		shown = empty("This page has no text; it may be a picture, as in a scan.")
	}
	return html.Div(html.Class("note-page"),
		html.Div(html.Class("bar note-bar"), html.Span(html.Class("where"), html.Text(p.Path+" · page "+amount.Number(p.Page)+" of "+amount.Number(p.Pages)))),
		p.turn(f),
		html.If(p.Cut, html.P(html.Class("cut"), html.Role("status"), html.Text("This page has a lot of text; only its beginning is shown."))),
		shown)
}

// turn leads to the other pages.
func (p pdfPage) turn(f frame) html.Node {
	if p.Pages < 2 {
		return nil
	}
	to := func(number int, rel, text string) html.Node {
		if number < 1 || number > p.Pages {
			return nil
		}
		return html.Link(f.Base+pdfURL(p.Path, number), html.Class("button"), html.Attr("rel", rel), html.Text(text))
	}
	return html.Div(html.Class("pages"), html.Role("navigation"), html.Label("Pages of the PDF"),
		to(p.Page-1, "prev", "Previous page"), to(p.Page+1, "next", "Next page"),
		html.El("form", html.Attr("method", "get"), html.Attr("action", f.Base+"/file"), html.Hidden("path", p.Path),
			html.El("label", html.Attr("for", "page-number"), html.Text("Page")),
			html.Input(html.ID("page-number"), html.Name("page"), html.Attr("type", "number"), html.Number("min", 1), html.Number("max", p.Pages), html.Value(strconv.Itoa(p.Page))),
			html.Button(html.Text("Go"))))
}

// pdfURL returns the address of a page of a PDF.
func pdfURL(file string, page int) string {
	return "/file?" + url.Values{"path": {file}, "page": {strconv.Itoa(page)}}.Encode()
}
