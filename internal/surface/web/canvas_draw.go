package web

import (
	"cmp"
	"math"
	"path"
	"regexp"
	"strings"
	"unicode/utf8"

	"obsidian-mcp/internal/note/canvas"
	"obsidian-mcp/internal/text/amount"
)

// What a drawing of a canvas holds at most. The list below it has the rest.
const (
	mostCards       = 2000
	mostCurves      = 2000
	mostCardLetters = 200_000 // on all cards together
	mostCardLines   = 60
	mostLineLetters = 160
	widestDrawing   = 16_000 // pixels
)

// The text of a card, in the units of the canvas, which Obsidian shows as pixels.
const (
	cardPadding    = 14
	cardLineTall   = 21
	cardLetterWide = 8.2 // a little more than most letters, so that few lines are clipped
	boardMargin    = 40  // around everything, with room for the labels of groups
	leastCardSide  = 24  // for cards whose size is missing
)

// canvasDrawing is a canvas as a picture whose upper left corner is 0, 0.
type canvasDrawing struct {
	Width, Tall   float64
	Groups, Cards []drawnCard
	Curves        []drawnCurve
	About         string // what the canvas has
	Left          string // what is not drawn; "" if everything is
}

// drawnCard is a card or a group.
type drawnCard struct {
	canvas.Rect
	Color boardColor
	Kind  string   // a CSS class
	Lines []string // its text, or the label of a group
	To    target   // where its text leads; nowhere if it has no address
}

// drawnCurve is an arrow: a curve from one card to another.
type drawnCurve struct {
	From, FromPull, ToPull, To point
	FromArrow, ToArrow         bool
	Color                      boardColor
	Label                      string
}

type point struct{ X, Y float64 }

// boardColor is a CSS class for one of Obsidian's colours, or a colour of its own.
type boardColor struct{ Class, Own string }

var ownColor = regexp.MustCompile(`^#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$`)

func colorOf(written string) boardColor {
	switch {
	case len(written) == 1 && "1" <= written && written <= "6":
		return boardColor{Class: "color" + written}
	case ownColor.MatchString(written):
		return boardColor{Own: written}
	}
	return boardColor{}
}

// drawCanvas lays out the picture of a canvas; nil if it is empty.
func drawCanvas(board canvas.Board, m markdown) *canvasDrawing {
	if len(board.Nodes) == 0 {
		return nil
	}
	d := &canvasDrawing{}
	drawn, letters := board.Nodes[:0:0], 0
	for _, node := range board.Nodes[:min(len(board.Nodes), mostCards)] {
		node.Width, node.Height = max(node.Width, leastCardSide), max(node.Height, leastCardSide)
		card := newCard(node, m)
		for _, line := range card.Lines {
			letters += len(line)
		}
		if letters > mostCardLetters {
			break
		}
		drawn = append(drawn, node)
		if node.IsGroup() {
			d.Groups = append(d.Groups, card)
		} else {
			d.Cards = append(d.Cards, card)
		}
	}
	d.connect(drawn, board.Edges)
	d.frame()
	d.describe(board, len(drawn))
	return d
}

// newCard decides what a card shows and where it leads.
func newCard(node canvas.Node, m markdown) drawnCard {
	card := drawnCard{Rect: node.Rect, Color: colorOf(node.Color), Kind: "text-card"}
	switch node.Type {
	case canvas.Group:
		card.Kind = "group"
		if label := firstLine(node.Label); label != "" {
			card.Lines = []string{label}
		}
		return card
	case canvas.TextCard:
		card.Lines = wrapped(node.Text, node.Rect)
		return card
	case canvas.FileCard:
		card.Kind = "file-card"
		card.To = m.inside(escapeHash(node.File) + node.Subpath)
		name := strings.TrimSuffix(path.Base("/"+node.File), ".md") + strings.ReplaceAll(node.Subpath, "#", " › ")
		card.Lines = wrapped(name, node.Rect)
	case canvas.LinkCard:
		card.Kind = "link-card"
		card.To, _ = outside(node.URL)
		card.Lines = wrapped(node.URL, node.Rect)
	default:
		card.Lines = wrapped(cmp.Or(node.Text, node.Label, node.Type), node.Rect)
	}
	return card
}

// wrapped breaks the beginning of a text into the lines that fit on a card, at least one.
func wrapped(text string, on canvas.Rect) []string {
	most := int(max(1, min((on.Height-cardPadding)/cardLineTall, mostCardLines)))
	wide := int(max(2, min((on.Width-2*cardPadding)/cardLetterWide, mostLineLetters)))
	var lines []string
	for line := range strings.Lines(newlines.Replace(strings.TrimSpace(text))) {
		line = strings.TrimSpace(strings.ReplaceAll(line, "\t", " "))
		for {
			if len(lines) == most {
				lines[most-1] += "…"
				return lines
			}
			head, rest := broken(line, wide)
			lines = append(lines, head)
			if rest == "" {
				break
			}
			line = rest
		}
	}
	return lines
}

// broken splits a line after as many letters as fit, at a space if there is one in the second half.
func broken(line string, wide int) (head, rest string) {
	width, space := 0, 0
	for i, r := range line {
		if r == ' ' && width > wide/2 {
			space = i
		}
		width += letterCells(r)
		if width <= wide || i == 0 {
			continue
		}
		if space > 0 {
			i = space
		}
		return line[:i], strings.TrimLeft(line[i:], " ")
	}
	return line, ""
}

// letterCells returns 2 for letters that are as wide as two others, as Chinese ones are.
func letterCells(r rune) int {
	if r >= 0x1100 && r != utf8.RuneError {
		return 2
	}
	return 1
}

// connect adds the arrows between cards that are drawn.
func (d *canvasDrawing) connect(nodes []canvas.Node, edges []canvas.Edge) {
	at := map[string]canvas.Rect{}
	for _, node := range nodes {
		at[node.ID] = node.Rect
	}
	for _, edge := range edges {
		from, ok := at[edge.From]
		to, too := at[edge.To]
		if len(d.Curves) == mostCurves {
			return
		}
		if ok && too {
			d.Curves = append(d.Curves, newCurve(edge, from, to))
		}
	}
}

// sides maps the names of a card's sides to the direction in which an arrow leaves them.
var sides = map[string]point{"top": {0, -1}, "right": {1, 0}, "bottom": {0, 1}, "left": {-1, 0}}

func newCurve(edge canvas.Edge, from, to canvas.Rect) drawnCurve {
	out, ok := sides[edge.FromSide]
	if !ok {
		out = facing(from, to)
	}
	in, ok := sides[edge.ToSide]
	if !ok {
		in = facing(to, from)
	}
	c := drawnCurve{
		From: middleOf(from, out), To: middleOf(to, in), FromArrow: edge.FromArrow, ToArrow: edge.ToArrow,
		Color: colorOf(edge.Color), Label: firstLine(edge.Label),
	}
	pull := max(30, min(math.Hypot(c.To.X-c.From.X, c.To.Y-c.From.Y)/2, 200))
	c.FromPull = point{c.From.X + out.X*pull, c.From.Y + out.Y*pull}
	c.ToPull = point{c.To.X + in.X*pull, c.To.Y + in.Y*pull}
	return c
}

// facing returns the side of a rectangle that is turned to another.
func facing(r, other canvas.Rect) point {
	dx, dy := other.X+other.Width/2-r.X-r.Width/2, other.Y+other.Height/2-r.Y-r.Height/2
	switch {
	case math.Abs(dx) >= math.Abs(dy) && dx >= 0:
		return sides["right"]
	case math.Abs(dx) >= math.Abs(dy):
		return sides["left"]
	case dy >= 0:
		return sides["bottom"]
	}
	return sides["top"]
}

// middleOf returns the middle of a side.
func middleOf(r canvas.Rect, side point) point {
	return point{r.X + r.Width*(1+side.X)/2, r.Y + r.Height*(1+side.Y)/2}
}

// middle returns the point halfway along a curve.
func (c drawnCurve) middle() point {
	return point{tenth((c.From.X + 3*c.FromPull.X + 3*c.ToPull.X + c.To.X) / 8), tenth((c.From.Y + 3*c.FromPull.Y + 3*c.ToPull.Y + c.To.Y) / 8)}
}

// frame moves everything so that it begins at 0, 0, and sets the size.
func (d *canvasDrawing) frame() {
	left, top := math.Inf(1), math.Inf(1)
	right, bottom := math.Inf(-1), math.Inf(-1)
	hold := func(x, y float64) {
		left, top, right, bottom = min(left, x), min(top, y), max(right, x), max(bottom, y)
	}
	for _, cards := range [][]drawnCard{d.Groups, d.Cards} {
		for _, card := range cards {
			hold(card.X, card.Y)
			hold(card.Right(), card.Bottom())
		}
	}
	for _, c := range d.Curves { // the middle is as far as a curve swings out
		hold(c.middle().X, c.middle().Y)
	}
	left, top = left-boardMargin, top-boardMargin
	d.Width, d.Tall = math.Ceil(right+boardMargin-left), math.Ceil(bottom+boardMargin-top)
	for _, cards := range [][]drawnCard{d.Groups, d.Cards} {
		for i := range cards {
			cards[i].X, cards[i].Y = tenth(cards[i].X-left), tenth(cards[i].Y-top)
		}
	}
	for i := range d.Curves {
		c := &d.Curves[i]
		for _, p := range []*point{&c.From, &c.FromPull, &c.ToPull, &c.To} {
			p.X, p.Y = tenth(p.X-left), tenth(p.Y-top)
		}
	}
}

// describe says in words what there is and what is not drawn.
func (d *canvasDrawing) describe(board canvas.Board, drawn int) {
	groups := 0
	for _, node := range board.Nodes {
		if node.IsGroup() {
			groups++
		}
	}
	d.About = amount.Of(len(board.Nodes)-groups, "card") + ", " + amount.Of(groups, "group") + " and " + amount.Of(len(board.Edges), "arrow")
	switch {
	case drawn < len(board.Nodes):
		d.Left = "This canvas is large: only the first " + amount.Number(drawn) + " of its " + amount.Of(len(board.Nodes), "card") + " are drawn."
	case len(d.Curves) == mostCurves && len(board.Edges) > mostCurves:
		d.Left = "This canvas is large: only the first " + amount.Number(mostCurves) + " of its " + amount.Of(len(board.Edges), "arrow") + " are drawn."
	}
}
