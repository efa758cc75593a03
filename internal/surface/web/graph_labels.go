package web

import (
	"cmp"
	"slices"

	"obsidian-mcp/internal/text/order"
)

// graphLabel is the name of a node beside it.
type graphLabel struct {
	Text  string
	Shown bool // always; otherwise only when somebody points at the node or zooms in
	X, Y  float64
	Side  string // below, above, right or left
}

const (
	letterWidth = 6.9 // of most letters, at label size
	lineTall    = 16
	longest     = 26 // letters in a label
)

// box is an occupied rectangle.
type box struct{ left, top, right, bottom float64 }

func (b box) overlaps(other box) bool {
	return b.left < other.right && other.left < b.right && b.top < other.bottom && other.top < b.bottom
}

// placeLabels labels as many nodes as there is room for, in order of importance: the
// centre, folders, near notes, notes with many links.
func placeLabels(nodes []*graphNode) {
	taken := make([]box, 0, 2*len(nodes))
	for _, node := range nodes {
		taken = append(taken, box{node.X - node.R, node.Y - node.R, node.X + node.R, node.Y + node.R})
	}
	sorted := slices.Clone(nodes)
	order.Stably(sorted, func(a, b *graphNode) int { return cmp.Or(rank(a)-rank(b), b.Links-a.Links) })
	for _, node := range sorted {
		node.Label = graphLabel{Text: shortened(node.Name)}
		node.Label.at(node, "below")
		for _, side := range []string{"below", "right", "left", "above"} {
			tried := node.Label
			tried.at(node, side)
			if space := tried.box(); space.inside() && !slices.ContainsFunc(taken, space.overlaps) {
				tried.Shown = true
				node.Label, taken = tried, append(taken, space)
				break
			}
		}
	}
	nodes[0].Label.Shown = true
}

func rank(node *graphNode) int {
	if node.Kind == folderKind {
		return 0
	}
	return node.Depth
}

// at puts a label on one side of its node.
func (l *graphLabel) at(node *graphNode, side string) {
	l.Side, l.X, l.Y = side, node.X, node.Y
	switch side {
	case "below":
		l.Y = tenth(node.Y + node.R + 1)
	case "above":
		l.Y = tenth(node.Y - node.R - 1)
	case "right":
		l.X = tenth(node.X + node.R + 2)
	case "left":
		l.X = tenth(node.X - node.R - 2)
	}
}

// box estimates the space of a label.
func (l graphLabel) box() box {
	wide := textWidth(l.Text)
	switch l.Side {
	case "below":
		return box{l.X - wide/2, l.Y, l.X + wide/2, l.Y + lineTall}
	case "above":
		return box{l.X - wide/2, l.Y - lineTall, l.X + wide/2, l.Y}
	case "right":
		return box{l.X, l.Y - lineTall/2, l.X + wide, l.Y + lineTall/2}
	}
	return box{l.X - wide, l.Y - lineTall/2, l.X, l.Y + lineTall/2}
}

func (b box) inside() bool {
	return b.left >= 0 && b.top >= 0 && b.right <= pictureWidth && b.bottom <= pictureTall
}

// textWidth estimates the width of a text: East Asian letters and emoji are twice as
// wide.
func textWidth(text string) float64 {
	wide := 6.0
	for _, r := range text {
		wide += letterWidth
		if r >= 0x1100 {
			wide += letterWidth
		}
	}
	return wide
}

func shortened(name string) string {
	runes := []rune(name)
	if len(runes) <= longest {
		return name
	}
	return string(runes[:longest-1]) + "…"
}
