package web

import (
	"strconv"
	"strings"

	"obsidian-mcp/internal/surface/web/html"
)

// view is the picture of a canvas. The article below it has the same cards and arrows as text.
func (d *canvasDrawing) view() html.Node {
	if d == nil {
		return nil
	}
	return html.El("figure", html.Class("board"),
		html.El("figcaption", html.Class("bar"),
			html.Span(html.Class("where"), html.Text(d.About)),
			html.El("label", html.Class("board-size"), html.Input(html.ID("board-size"), html.Attr("type", "checkbox")), html.Text(" Actual size"))),
		html.If(d.Left != "", html.P(html.Class("cut"), html.Role("status"), html.Text(d.Left))),
		html.Div(html.Class("board-frame"), html.TabStop(), html.Role("group"), html.Label("Picture of the canvas. The text below says the same."),
			html.El("svg", viewBox(int(d.Width), int(d.Tall)), html.Number("width", min(d.Width, widestDrawing)),
				html.Attr("xmlns", "http://www.w3.org/2000/svg"), html.Role("group"),
				html.LabelledBy("board-title"), html.Attr("aria-describedby", "board-about"),
				html.El("title", html.ID("board-title"), html.Text("Canvas")),
				html.El("desc", html.ID("board-about"), html.Text(d.About+", with links to the files on the cards.")),
				boardArrowHead(),
				html.Each(d.Groups, drawnCard.view), html.Each(d.Curves, drawnCurve.view),
				html.Each(d.Cards, drawnCard.view), html.Each(d.Curves, drawnCurve.label))))
}

// boardArrow refers to the head that boardArrowHead defines.
const boardArrow = "url(#board-arrow)"

func boardArrowHead() html.Node {
	return html.El("defs", html.El("marker", html.ID("board-arrow"), viewBox(10, 10), html.Number("refX", 9), html.Number("refY", 5),
		html.Number("markerWidth", 16), html.Number("markerHeight", 16), html.Attr("markerUnits", "userSpaceOnUse"),
		html.Attr("orient", "auto-start-reverse"),
		html.El("path", html.Attr("d", "M0 0 L10 5 L0 10 Z"), html.Attr("fill", "context-stroke"), html.Attr("stroke", "none"))))
}

// in colours what it is given to. A presentation attribute is not a style, which the page's policy would refuse.
func (c boardColor) in(class string) html.Node {
	return html.Nodes{
		html.Class(strings.TrimSpace(class + " " + c.Class)),
		html.If(c.Own != "", html.Attr("color", c.Own)),
	}
}

func (c drawnCard) view() html.Node {
	return html.El("g", c.Color.in("board-card "+c.Kind),
		rectangle(c.X, c.Y, c.Width, c.Height, html.Class("shape"), html.Number("rx", 8)),
		html.If(len(c.Lines) > 0, c.text()))
}

// text writes the lines of a card, linked to where it leads, and clips them: a nested drawing shows nothing outside of
// itself. The label of a group is above it.
func (c drawnCard) text() html.Node {
	if c.Kind == "group" {
		return html.El("text", html.Number("x", c.X+2), html.Number("y", tenth(c.Y-8)), html.Text(c.Lines[0]))
	}
	text := html.El("text", html.Each(numbered(c.Lines), func(line cardLine) html.Node {
		return html.El("tspan", html.Number("x", cardPadding), html.Number("y", float64(cardLineTall*(line.number+1))+cardPadding/4),
			html.If(line.heading, html.Class("head")), html.Text(line.text))
	}))
	clipped := html.El("svg", html.Number("x", c.X), html.Number("y", c.Y), html.Number("width", c.Width), html.Number("height", c.Height), text)
	switch {
	case c.To.Outside:
		return html.Link(c.To.Href, html.Attr("rel", "noopener noreferrer nofollow"), html.Attr("target", "_blank"), clipped)
	case c.To.Href != "":
		return html.Link(c.To.Href, clipped)
	case c.To.Missing:
		return html.El("g", html.Class("missing"), html.El("title", html.Text("There is no such note")), clipped)
	}
	return clipped
}

// cardLine is a line of a card's text.
type cardLine struct {
	number  int
	text    string
	heading bool
}

// numbered counts lines and turns the marks of headings into a property of theirs.
func numbered(lines []string) []cardLine {
	made := make([]cardLine, 0, len(lines))
	for i, line := range lines {
		text := strings.TrimLeft(line, "#")
		level := len(line) - len(text)
		heading := level > 0 && level <= 6 && strings.HasPrefix(text, " ")
		if heading {
			line = strings.TrimSpace(text)
		}
		made = append(made, cardLine{i, line, heading})
	}
	return made
}

func (c drawnCurve) view() html.Node {
	return html.El("g", c.Color.in("board-arrow"), html.El("path",
		html.Attr("d", "M"+c.From.path()+" C"+c.FromPull.path()+" "+c.ToPull.path()+" "+c.To.path()),
		html.If(c.FromArrow, html.Attr("marker-start", boardArrow)), html.If(c.ToArrow, html.Attr("marker-end", boardArrow))))
}

// label is drawn over the cards, in the middle of the curve.
func (c drawnCurve) label() html.Node {
	if c.Label == "" {
		return nil
	}
	middle := c.middle()
	return html.El("text", html.Class("board-label"), html.Number("x", middle.X), html.Number("y", middle.Y), html.Attr("dy", ".35em"), html.Text(c.Label))
}

func (p point) path() string {
	return strconv.FormatFloat(p.X, 'f', -1, 64) + " " + strconv.FormatFloat(p.Y, 'f', -1, 64)
}
