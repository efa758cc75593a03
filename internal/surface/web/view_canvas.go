package web

import (
	"math"
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
				html.Each(d.Groups, drawnCard.view), html.Each(d.Curves, drawnCurve.view),
				html.Each(d.Cards, drawnCard.view), html.Each(d.Curves, drawnCurve.label))))
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
	name := html.Label(strings.Join(c.Lines, " ")) // not every screen reader finds the text inside
	switch {
	case c.To.Outside:
		return html.Link(c.To.Href, html.Attr("rel", "noopener noreferrer nofollow"), html.Attr("target", "_blank"), name, clipped)
	case c.To.Href != "":
		return html.Link(c.To.Href, name, clipped)
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
		html.Class("line")), html.If(c.FromArrow, arrowTip(c.From, c.FromPull)), html.If(c.ToArrow, arrowTip(c.To, c.ToPull)))
}

// arrowTip is the head of an arrow that ends at a point and comes from another. A marker would not take its colour from
// the line in every browser.
func arrowTip(at, from point) html.Node {
	const long, wide = 14, 7
	far := math.Max(math.Hypot(from.X-at.X, from.Y-at.Y), 1)
	dx, dy := (from.X-at.X)/far, (from.Y-at.Y)/far
	left := point{tenth(at.X + dx*long - dy*wide), tenth(at.Y + dy*long + dx*wide)}
	right := point{tenth(at.X + dx*long + dy*wide), tenth(at.Y + dy*long - dx*wide)}
	return html.El("path", html.Attr("d", "M"+at.path()+" L"+left.path()+" "+right.path()+" Z"), html.Class("tip"))
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
