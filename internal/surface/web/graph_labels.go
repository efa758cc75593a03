package web

import (
	"cmp"
	"slices"
)

// graphLabel is the name of a node beside it.
type graphLabel struct {
	Text  string
	Shown bool // from the start; else when somebody points at the node, or comes nearer
	X, Y  float64
	Side  string // below, above, right or left
}

const (
	letterWidth = 6.9 // of most letters, at the size of labels
	lineTall    = 16
	longest     = 26 // letters of a label
)

// box is a rectangle that is taken.
type box struct{ left, top, right, bottom float64 }

func (b box) overlaps(other box) bool {
	return b.left < other.right && other.left < b.right && b.top < other.bottom && other.top < b.bottom
}

// placeLabels gives labels to as many nodes as have room for one, those that
// matter most first: the centre, folders, near notes, notes with many links.
func placeLabels(nodes []*graphNode) {
	taken := make([]box, 0, 2*len(nodes))
	for _, node := range nodes {
		taken = append(taken, box{node.X - node.R, node.Y - node.R, node.X + node.R, node.Y + node.R})
	}
	order := slices.Clone(nodes)
	slices.SortStableFunc(order, func(a, b *graphNode) int { return cmp.Or(rank(a)-rank(b), b.Links-a.Links) })
	for _, node := range order {
		node.Label = graphLabel{Text: shortened(node.Name)}
		node.Label.at(node, "below")
		for _, side := range []string{"below", "right", "left", "above"} {
			tried := node.Label
			tried.at(node, side)
			if place := tried.box(); place.inside() && !slices.ContainsFunc(taken, place.overlaps) {
				tried.Shown = true
				node.Label, taken = tried, append(taken, place)
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

// box is about what a label takes.
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

// textWidth is about how wide a text is: letters of East Asia, and pictures,
// take twice as much.
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
