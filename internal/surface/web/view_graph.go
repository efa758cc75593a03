package web

import (
	"strconv"

	"obsidian-mcp/internal/surface/web/html"
	"obsidian-mcp/internal/text/amount"
)

func (p graphPage) view(f frame) html.Node {
	view := html.Nodes{
		p.form(f),
		p.Problem.beside(),
		html.If(p.Empty, empty("There are no notes here yet.")),
	}
	if p.Picture != nil {
		view = append(view, p.Picture.view(), p.Picture.list())
	}
	return append(view, html.If(len(p.Newest) > 0, html.Section("newest-head",
		html.H2(html.ID("newest-head"), html.Text("Or start from a recent note")),
		html.Ul(html.Class("chips"), html.Each(p.Newest, func(note foundNote) html.Node {
			return html.Li(html.Link(f.Base+graphURL(note.Path), html.Class("button"), html.Text(note.Title)))
		})))))
}

func (p graphPage) form(f frame) html.Node {
	typed := p.Note
	if p.Guessed {
		typed = ""
	}
	return html.El("form", html.ID("graph-form"), html.Class("graph-form"),
		html.Attr("method", "get"), html.Attr("action", f.Base+"/graph"),
		html.Div(html.Class("grow"), html.El("label", html.Attr("for", "graph-note"), html.Text("Note")), html.Text(" "),
			html.Input(html.ID("graph-note"), html.Name("note"), html.Attr("list", "graph-names"), html.Value(typed),
				html.Attr("autocomplete", "off"), html.Attr("spellcheck", "false"), html.Attr("placeholder", "name or path"),
				html.Attr("hx-get", f.Base+"/graph?names=1"), html.Attr("hx-trigger", "input changed delay:120ms"),
				html.Attr("hx-target", "#graph-names"), html.Attr("hx-sync", "this:queue last")),
			html.El("datalist", html.ID("graph-names"))),
		graphChoice("depth", "Steps", strconv.Itoa(p.Depth), [][2]string{{"1", "1"}, {"2", "2"}, {"3", "3"}}),
		graphChoice("direction", "Links", p.Direction, [][2]string{{"both", "both ways"}, {"out", "from it"}, {"in", "to it"}}),
		html.Button(html.Class("main"), html.Text("Show")))
}

// graphChoice is a list of values with their names, one of them chosen.
func graphChoice(name, label, chosen string, options [][2]string) html.Node {
	return html.Div(html.El("label", html.Attr("for", "graph-"+name), html.Text(label)), html.Text(" "),
		html.El("select", html.ID("graph-"+name), html.Name(name), html.Each(options, func(option [2]string) html.Node {
			return html.El("option", html.Value(option[0]), html.If(option[0] == chosen, html.Flag("selected")), html.Text(option[1]))
		})))
}

// suggestions are the names that the form offers.
type suggestions []string

func (s suggestions) part(frame) html.Node {
	return html.Each(s, func(name string) html.Node { return html.El("option", html.Value(name)) })
}

func (p *picture) view() html.Node {
	name := p.Centre.Name
	return html.El("figure", html.Class("graph"), html.ID("graph"),
		p.caption(),
		html.Div(html.Class("canvas"), html.ID("graph-canvas"), html.TabStop(), html.Role("group"),
			html.Label("Picture of the links around "+name+". The list below says the same."),
			html.El("svg", html.ID("graph-svg"), viewBox(p.Width, p.Tall), html.Attr("xmlns", "http://www.w3.org/2000/svg"),
				html.Label("Links around "+name), html.Role("group"),
				arrowHead(), p.lines(), html.El("g", html.Class("nodes"), html.Number("font-size", 12.5), html.Each(p.Nodes, (*graphNode).view)))),
		html.Ul(html.Class("legend"), html.Label("Legend"), html.Each(p.Kinds, legend),
			html.Li(html.Class("help"), html.Text("larger: more links"))))
}

func (p *picture) caption() html.Node {
	about := "no links here"
	if p.Around != "" {
		about = p.Around + " around it"
		if p.Truncated {
			about = "more than " + about
		}
		if p.Gathered > 0 {
			about += ", the best connected " + amount.Number(p.Drawn) + " drawn"
		}
	}
	zoom := func(how, text string, parts ...html.Node) html.Node {
		return html.Button(append(parts, html.Attr("type", "button"), html.Attr("data-zoom", how), html.Text(text))...)
	}
	return html.El("figcaption", html.Class("bar"),
		html.Span(html.Class("where"), html.Strong(html.Text(p.Centre.Name)), html.Text(": "+about+". "),
			html.Link(p.Centre.Open, html.Text("Open the note"))),
		html.Text(" "),
		html.Span(html.Class("zoom"), html.Flag("hidden"),
			zoom("in", "+", html.Label("Zoom in")), zoom("out", "−", html.Label("Zoom out")), zoom("fit", "Fit")))
}

// arrow refers to the head that arrowHead defines.
const arrow = "url(#graph-arrow)"

func arrowHead() html.Node {
	return html.El("defs", html.El("marker", html.ID("graph-arrow"), viewBox(8, 8), html.Number("refX", 7), html.Number("refY", 4),
		html.Number("markerWidth", 6), html.Number("markerHeight", 6), html.Attr("markerUnits", "userSpaceOnUse"),
		html.Attr("orient", "auto-start-reverse"),
		html.El("path", html.Attr("d", "M1 1 L7 4 L1 7"), html.Attr("fill", "none"), html.Attr("stroke", "context-stroke"))))
}

func (p *picture) lines() html.Node {
	class := "lines"
	if p.Crowded() {
		class += " crowded"
	}
	return html.El("g", html.Class(class), html.Each(p.Lines, func(line graphLine) html.Node {
		return html.El("line",
			html.Number("x1", line.X1), html.Number("y1", line.Y1), html.Number("x2", line.X2), html.Number("y2", line.Y2),
			html.IfElse(line.Many, html.Class("many"), html.Attr("marker-end", arrow)),
			html.If(line.Both && !line.Many, html.Attr("marker-start", arrow)))
	}))
}

func (n *graphNode) view() html.Node {
	class := "node " + n.Kind
	if n.Label.Shown {
		class += " labelled"
	}
	shape := circle(n.X, n.Y, n.R)
	if n.Kind == folderKind {
		shape = square(n.Left(), n.Top(), n.Side())
	}
	return html.El("a", html.Class(class), html.If(n.Href != "", html.Href(n.Href)),
		html.Number("data-x", n.X), html.Number("data-y", n.Y), html.Number("data-r", n.R), html.El("title", html.Text(n.Tip)), shape, n.Label.view())
}

func (l graphLabel) view() html.Node {
	shift := ".35em"
	switch l.Side {
	case "below":
		shift = ".95em"
	case "above":
		shift = "-.3em"
	}
	return html.El("text", html.Class(l.Side), html.Number("x", l.X), html.Number("y", l.Y), html.Attr("dy", shift),
		html.Attr("aria-hidden", "true"), html.Text(l.Text))
}

// legend explains a kind of node.
func legend(kind string) html.Node {
	var shape html.Node
	about := ""
	switch kind {
	case "centre":
		shape, about = circle(12, 12, 9), "the note"
	case "step1":
		shape, about = circle(12, 12, 7), "one step"
	case "step2":
		shape, about = circle(12, 12, 6), "two steps"
	case "step3":
		shape, about = circle(12, 12, 6), "three steps"
	default:
		shape, about = square(4, 4, 16), "more notes of a folder"
	}
	return html.Li(html.El("svg", html.Class("key"), viewBox(24, 24), html.Number("width", 20), html.Number("height", 20),
		html.Attr("aria-hidden", "true"), html.El("g", html.Class("node "+kind), shape)), html.Text(" "+about))
}

// list says the same as the picture.
func (p *picture) list() html.Node {
	if len(p.Steps) == 0 {
		return nil
	}
	return html.Details(html.Class("neighbours"), html.ID("graph-list"), html.Summary(html.Text("The same as a list")),
		html.Each(p.Steps, graphStep.view))
}

func (s graphStep) view() html.Node {
	away := [...]string{1: "One step away", 2: "Two steps away", 3: "Three steps away"}
	return html.Nodes{
		html.H3(html.Text(away[min(s.Depth, 3)])),
		html.Ul(html.Each(s.Nodes, func(node *graphNode) html.Node {
			return html.Li(html.Link(node.Open, html.Text(node.Name)), html.Text(" "),
				html.Link(node.Href, html.Class("help"), html.Label("Graph around "+node.Name), html.Text("graph")))
		})),
		html.If(s.More > 0, help(html.Text("And "+amount.Number(s.More)+" more."))),
	}
}

func circle(x, y, radius float64) html.Node {
	return html.El("circle", html.Class("shape"), html.Number("cx", x), html.Number("cy", y), html.Number("r", radius))
}

func square(x, y, side float64) html.Node {
	return rectangle(x, y, side, side, html.Class("shape"), html.Number("rx", 4))
}

func rectangle(x, y, width, height float64, parts ...html.Node) html.Node {
	return html.El("rect", append(parts, html.Number("x", x), html.Number("y", y),
		html.Number("width", width), html.Number("height", height))...)
}

// viewBox returns the size of a drawing in its own units.
func viewBox(width, height int) html.Node {
	return html.Attr("viewBox", "0 0 "+strconv.Itoa(width)+" "+strconv.Itoa(height))
}
