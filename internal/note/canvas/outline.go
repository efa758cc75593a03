package canvas

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/text/order"
)

// maxCompared bounds how many pairs of a node and a group an outline compares.
const maxCompared = 200_000_000

// Outline returns a canvas as text: cards in reading order under the headings of their groups, then the edges. With ids,
// every card, group and end of an edge is followed by its id.
func Outline(data []byte, ids bool) (string, error) {
	board, err := Parse(data)
	if err != nil {
		return "", err
	}
	parents, err := board.parents()
	if err != nil {
		return "", err
	}
	o := outliner{board: board, children: map[int][]int{}, ids: ids}
	for i, parent := range parents {
		o.children[parent] = append(o.children[parent], i)
	}
	o.level(outermost, 0)
	o.edges()
	if len(o.blocks) == 0 {
		return "(empty canvas)\n", nil
	}
	return strings.Join(o.blocks, "\n\n") + "\n", nil
}

// outermost is the parent of a node that is in no group.
const outermost = -1

// parents returns, for each node, the index of the smallest group that holds it.
func (b Board) parents() ([]int, error) {
	var groups []int
	for i, node := range b.Nodes {
		if node.IsGroup() {
			groups = append(groups, i)
		}
	}
	if len(groups)*len(b.Nodes) > maxCompared {
		return nil, fault.InvalidArgument.Errorf("the canvas has %d cards and %d groups, too many for an outline", len(b.Nodes), len(groups))
	}
	order.Stably(groups, func(i, j int) int {
		return cmp.Or(cmp.Compare(b.Nodes[i].area(), b.Nodes[j].area()), j-i)
	})
	parents := make([]int, len(b.Nodes))
	for i, node := range b.Nodes {
		parents[i] = outermost
		for _, g := range groups {
			if group := b.Nodes[g]; g != i && group.holds(node.Rect) && (!node.IsGroup() || b.isOuter(g, i)) {
				parents[i] = g
				break
			}
		}
	}
	return parents, nil
}

// isOuter reports whether a group can be the outer one of two.
func (b Board) isOuter(outer, inner int) bool {
	a, c := b.Nodes[outer].area(), b.Nodes[inner].area()
	return a > c || a == c && outer < inner
}

type outliner struct {
	board    Board
	children map[int][]int
	ids      bool
	blocks   []string
}

// level writes the cards of a group, then its inner groups.
func (o *outliner) level(parent, depth int) {
	var cards, groups []int
	for _, i := range o.children[parent] {
		if o.board.Nodes[i].IsGroup() {
			groups = append(groups, i)
		} else {
			cards = append(cards, i)
		}
	}
	var lines []string
	if parent != outermost {
		group := o.board.Nodes[parent]
		lines = append(lines, strings.Repeat("#", min(depth, 6))+" "+group.title()+o.id(group))
	}
	for _, i := range o.readingOrder(cards) {
		card := o.board.Nodes[i]
		first, more := card.lines()
		lines = append(lines, "- "+first+o.id(card))
		for _, line := range more {
			lines = append(lines, "  "+line)
		}
	}
	if len(lines) > 0 {
		o.blocks = append(o.blocks, strings.Join(lines, "\n"))
	}
	for _, i := range o.readingOrder(groups) {
		o.level(i, depth+1)
	}
}

func (o *outliner) id(node Node) string {
	if o.ids {
		return " ^" + singleLine(node.ID)
	}
	return ""
}

// readingOrder sorts nodes into rows from top to bottom, and each row from left to right. A node joins a row if its top
// is above the middle of the row's first node.
func (o *outliner) readingOrder(nodes []int) []int {
	at := func(i int) Rect { return o.board.Nodes[i].Rect }
	left := slices.Clone(nodes)
	order.By(left, func(i, j int) int {
		return cmp.Or(cmp.Compare(at(i).Y, at(j).Y), cmp.Compare(at(i).X, at(j).X), i-j)
	})
	for start := 0; start < len(left); {
		leader, end := at(left[start]), start+1
		for end < len(left) && at(left[end]).Y < leader.Y+leader.Height/2 {
			end++
		}
		order.By(left[start:end], func(i, j int) int {
			return cmp.Or(cmp.Compare(at(i).X, at(j).X), cmp.Compare(at(i).Y, at(j).Y), i-j)
		})
		start = end
	}
	return left
}

// edges writes the last block.
func (o *outliner) edges() {
	if len(o.board.Edges) == 0 {
		return
	}
	names, seen := map[string]string{}, map[string]int{}
	for _, node := range o.board.Nodes {
		seen[node.name()]++
	}
	for _, node := range o.board.Nodes {
		name := node.name()
		if seen[name] > 1 || o.ids {
			name += " ^" + singleLine(node.ID)
		}
		names[node.ID] = name
	}
	lines := []string{"Edges:"}
	for _, edge := range o.board.Edges {
		line := fmt.Sprintf("- %s %s %s", nameOr(names, edge.From), edge.sign(), nameOr(names, edge.To))
		if label := strings.Join(strings.Fields(edge.Label), " "); label != "" {
			line += " (" + label + ")"
		}
		lines = append(lines, line)
	}
	o.blocks = append(o.blocks, strings.Join(lines, "\n"))
}

func nameOr(names map[string]string, id string) string {
	if name, ok := names[id]; ok {
		return name
	}
	return "?" + singleLine(id)
}

// sign returns the arrow of an edge.
func (e Edge) sign() string {
	switch {
	case e.FromArrow && e.ToArrow:
		return "↔"
	case e.FromArrow:
		return "←"
	case e.ToArrow:
		return "→"
	}
	return "—"
}
