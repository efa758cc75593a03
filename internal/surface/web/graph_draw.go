package web

import (
	"fmt"
	"math"
	"net/url"
	"strconv"

	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/text/amount"
)

// The size of a picture, in its own units.
const (
	pictureWidth = 1000
	pictureTall  = 640
)

// picture is a neighbourhood as a drawing and as a list.
type picture struct {
	Width, Tall int
	Centre      *graphNode
	Nodes       []*graphNode // the centre first, then by importance
	Lines       []graphLine
	Steps       []graphStep
	Around      string // how many notes are around the centre; "" if none
	Drawn       int
	Gathered    int
	Truncated   bool // there are more notes than were asked for
	Kinds       []string
}

// graphLine is a link in the picture, from the edge of one note to that of the other.
type graphLine struct {
	X1, Y1, X2, Y2 float64
	Both           bool // there is a link back
	Many           bool // leads to a folder that represents several notes
}

// Crowded reports whether there are so many links that each should be faint.
func (p *picture) Crowded() bool { return len(p.Lines) > 250 }

// graphStep lists the notes of one step.
type graphStep struct {
	Depth int
	Nodes []*graphNode
	More  int
}

// mostListed is how many notes of a step are listed.
const mostListed = 300

// draw makes the picture of a neighbourhood.
func draw(near neighbourhood, asked graphPage, base string) *picture {
	all := near.nodes(asked.Note)
	drawn, rest := choose(all, near.Edges)
	for _, node := range all {
		node.describe(asked, base)
	}
	p := &picture{
		Width: pictureWidth, Tall: pictureTall, Centre: all[0], Around: around(all[1:]),
		Drawn: len(drawn) - 1, Gathered: len(rest), Truncated: near.Truncated, Steps: stepsIn(all[1:]),
	}
	folders := gather(rest, base)
	p.Nodes = append(append(p.Nodes, drawn...), folders...)
	pairs := pairsOf(p.Nodes, near.Edges)
	p.Kinds = kindsIn(p.Nodes)
	arrange(p.Nodes, pairs)
	placeLabels(p.Nodes)
	for _, pair := range pairs {
		p.Lines = append(p.Lines, lineOf(p.Nodes[pair.from], p.Nodes[pair.to], pair))
	}
	return p
}

// around says how many notes and other files there are.
func around(nodes []*graphNode) string {
	notes := 0
	for _, node := range nodes {
		if vpath.Path(node.Path).IsNote() {
			notes++
		}
	}
	switch others := len(nodes) - notes; {
	case len(nodes) == 0:
		return ""
	case others == 0:
		return amount.Of(notes, "note")
	case notes == 0:
		return amount.Of(others, "file")
	default:
		return amount.Of(notes, "note") + " and " + amount.Of(others, "other file")
	}
}

// describe sets a node's text and link: a neighbour leads to its own picture, the
// centre to the note.
func (n *graphNode) describe(asked graphPage, base string) {
	n.Open = base + openURL(n.Path)
	if n.Kind == stepKinds[0] && isReadable(vpath.WithNoteExt(n.Path)) {
		n.Open = base + noteURL(n.Path) // the path may be a name
	}
	query := url.Values{"note": {n.Path}, "depth": {strconv.Itoa(asked.Depth)}, "direction": {asked.Direction}}
	n.Href = base + "/graph?" + query.Encode()
	if n.Kind == stepKinds[0] {
		n.Href = n.Open
	}
	n.Tip = fmt.Sprintf("%s (%s here)", n.Name, amount.Of(n.Links, "link"))
}

func stepsIn(neighbours []*graphNode) []graphStep {
	var steps []graphStep
	for _, node := range neighbours {
		if len(steps) == 0 || steps[len(steps)-1].Depth != node.Depth {
			steps = append(steps, graphStep{Depth: node.Depth})
		}
		step := &steps[len(steps)-1]
		if len(step.Nodes) < mostListed {
			step.Nodes = append(step.Nodes, node)
		} else {
			step.More++
		}
	}
	return steps
}

// kindsIn lists the kinds of node that the legend has to explain.
func kindsIn(nodes []*graphNode) []string {
	used := map[string]bool{}
	for _, node := range nodes {
		used[node.Kind] = true
	}
	var kinds []string
	for _, kind := range append(stepKinds[:4:4], folderKind) {
		if used[kind] {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// pair is two linked nodes.
type pair struct {
	from, to int
	both     bool
	many     bool
}

// pairsOf lists the links between drawn nodes, one for both directions, and those that
// connect folders with the centre.
func pairsOf(nodes []*graphNode, edges []graphEdge) []pair {
	at := map[string]int{}
	for i, node := range nodes {
		if node.Kind != folderKind {
			at[node.Name] = i
		}
	}
	index := map[[2]int]int{}
	var pairs []pair
	for _, edge := range edges {
		from, drawn := at[edge.From]
		to, too := at[edge.To]
		if !drawn || !too || from == to {
			continue
		}
		if back, is := index[[2]int{to, from}]; is {
			pairs[back].both = true
			continue
		}
		index[[2]int{from, to}] = len(pairs)
		pairs = append(pairs, pair{from: from, to: to})
	}
	for i, node := range nodes {
		if node.Kind == folderKind {
			pairs = append(pairs, pair{from: 0, to: i, many: true})
		}
	}
	return pairs
}

// lineOf returns the line between two nodes, with room for the arrow head.
func lineOf(from, to *graphNode, link pair) graphLine {
	dx, dy := to.X-from.X, to.Y-from.Y
	far := math.Max(math.Hypot(dx, dy), 1)
	dx, dy = dx/far, dy/far
	return graphLine{
		X1: tenth(from.X + dx*(from.R+2)), Y1: tenth(from.Y + dy*(from.R+2)),
		X2: tenth(to.X - dx*(to.R+3)), Y2: tenth(to.Y - dy*(to.R+3)), Both: link.both, Many: link.many,
	}
}

// Left returns the left edge of a folder's square.
func (n *graphNode) Left() float64 { return tenth(n.X - n.Side()/2) }

// Top returns the upper edge of a folder's square.
func (n *graphNode) Top() float64 { return tenth(n.Y - n.Side()/2) }

// Side returns the side of a folder's square, which is as large as a circle of the same radius.
func (n *graphNode) Side() float64 { return tenth(n.R * 1.77) }

// tenth rounds to a tenth of a unit; nobody sees smaller differences.
func tenth(x float64) float64 { return math.Round(x*10) / 10 }
