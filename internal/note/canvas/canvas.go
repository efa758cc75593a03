// Package canvas reads, outlines and edits Obsidian's canvases (JSON Canvas 1.0).
//
// A canvas belongs to its user, so an edit never rewrites the file: it replaces the bytes of what it was asked to
// change and leaves every other byte alone, unknown keys and odd layouts included. New cards and edges are laid out as
// the file lays out its own. Cards that are added without coordinates are placed so that they overlap no other card.
//
// The package is pure: whoever calls it reads and writes the file, knows which files of the vault exist, and hands in
// the source of new ids.
package canvas

import (
	"strconv"
	"strings"
)

// Board is what a canvas shows.
type Board struct {
	Nodes []Node // cards and groups, the last on top
	Edges []Edge
}

// Node is a card or a group. Which fields have a value depends on its type.
type Node struct {
	ID, Type, Color string
	Rect
	Text                               string // text
	File, Subpath                      string // file
	URL                                string // link
	Label, Background, BackgroundStyle string // group
}

// The types of nodes that JSON Canvas defines. Plugins add others.
const (
	TextCard = "text"
	FileCard = "file"
	LinkCard = "link"
	Group    = "group"
)

// IsGroup reports whether a node is a group: the cards inside its rectangle belong to it.
func (n Node) IsGroup() bool { return n.Type == Group }

// Edge connects two nodes.
type Edge struct {
	ID, Color, Label   string
	From, FromSide     string // the id of a node; top, right, bottom, left or nothing
	To, ToSide         string
	FromArrow, ToArrow bool
}

// Rect is where a node is. Y grows downwards.
type Rect struct{ X, Y, Width, Height float64 }

// Right is the coordinate of the right border.
func (r Rect) Right() float64 { return r.X + r.Width }

// Bottom is the coordinate of the lower border.
func (r Rect) Bottom() float64 { return r.Y + r.Height }

func (r Rect) area() float64 { return r.Width * r.Height }

// holds reports whether another rectangle lies wholly inside, borders included.
func (r Rect) holds(other Rect) bool {
	return r.X <= other.X && r.Y <= other.Y && r.Right() >= other.Right() && r.Bottom() >= other.Bottom()
}

// overlaps reports whether two rectangles share more than a border.
func (r Rect) overlaps(other Rect) bool {
	return r.X < other.Right() && other.X < r.Right() && r.Y < other.Bottom() && other.Y < r.Bottom()
}

// with returns the smallest rectangle that holds both.
func (r Rect) with(other Rect) Rect {
	x, y := min(r.X, other.X), min(r.Y, other.Y)
	return Rect{x, y, max(r.Right(), other.Right()) - x, max(r.Bottom(), other.Bottom()) - y}
}

// inflate moves every border outwards.
func (r Rect) inflate(by float64) Rect {
	return Rect{r.X - by, r.Y - by, r.Width + 2*by, r.Height + 2*by}
}

// Parse reads a canvas. An empty file is an empty board; nodes and edges that are not objects are left out.
func Parse(data []byte) (Board, error) {
	f, err := parseFile(data)
	if err != nil {
		return Board{}, err
	}
	var board Board
	for _, object := range f.objects(f.nodes) {
		board.Nodes = append(board.Nodes, f.node(object))
	}
	for _, object := range f.objects(f.edges) {
		board.Edges = append(board.Edges, f.edge(object))
	}
	return board, nil
}

// node reads a node's object. What has the wrong type counts as missing.
func (f *file) node(object *value) Node {
	return Node{
		ID: f.text(object, "id"), Type: f.text(object, "type"), Color: f.text(object, "color"),
		Rect: Rect{f.number(object, "x"), f.number(object, "y"), f.number(object, "width"), f.number(object, "height")},
		Text: f.text(object, "text"), File: f.text(object, "file"), Subpath: f.text(object, "subpath"),
		URL: f.text(object, "url"), Label: f.text(object, "label"),
		Background: f.text(object, "background"), BackgroundStyle: f.text(object, "backgroundStyle"),
	}
}

// edge reads an edge's object.
func (f *file) edge(object *value) Edge {
	return Edge{
		ID: f.text(object, "id"), Color: f.text(object, "color"), Label: f.text(object, "label"),
		From: f.text(object, "fromNode"), FromSide: f.text(object, "fromSide"), FromArrow: f.text(object, "fromEnd") == "arrow",
		To: f.text(object, "toNode"), ToSide: f.text(object, "toSide"), ToArrow: f.text(object, "toEnd") != "none",
	}
}

func (f *file) text(object *value, key string) string {
	if found := object.get(key); found != nil {
		text, _ := found.text(f.src)
		return text
	}
	return ""
}

func (f *file) number(object *value, key string) float64 {
	if found := object.get(key); found != nil && found.kind == '0' {
		return parseNumber(string(found.of(f.src)))
	}
	return 0
}

// parseNumber reads a number; one that is too large for any screen counts as 0.
func parseNumber(text string) float64 {
	number, err := strconv.ParseFloat(text, 64)
	if err != nil || number < -limit || number > limit {
		return 0
	}
	return number
}

// limit bounds coordinates, so that sums of them are exact.
const limit = 1 << 50

// singleLine replaces line breaks by spaces, so that a text fits on one line.
func singleLine(text string) string {
	return strings.TrimSpace(strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ").Replace(text))
}
