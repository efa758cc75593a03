package canvas

import (
	"math"
	"slices"
)

// unit is what is placed as a whole: a new card, a new group with its cards, or new cards that are connected.
type unit struct {
	width, height float64
	members       []offset
}

// offset is where a node is in its unit.
type offset struct {
	node *node
	x, y float64
}

func (u unit) size() Rect { return Rect{Width: u.width, Height: u.height} }

// op is the operation that added the unit's first node.
func (u unit) op() int { return u.members[0].node.op }

// near is the node beside which a unit goes, if it is one card.
func (u unit) near() *node {
	if near := u.members[0].node.near; near != nil && near.placed {
		return near
	}
	return nil
}

// moveTo places the nodes of a unit.
func (u unit) moveTo(place Rect) {
	for _, m := range u.members {
		m.node.X, m.node.Y, m.node.placed = place.X+m.x, place.Y+m.y, true
	}
}

// add puts another unit into this one.
func (u *unit) add(other unit, x, y float64) {
	for _, m := range other.members {
		u.members = append(u.members, offset{m.node, x + m.x, y + m.y})
	}
	u.width, u.height = max(u.width, x+other.width), max(u.height, y+other.height)
}

// unit returns a new node as a unit: a group around its new cards.
func (p *placer) unit(n *node) unit {
	own := unit{members: []offset{{node: n}}}
	var inner []*node
	for _, other := range p.unplaced {
		if other.in == n {
			inner = append(inner, other)
		}
	}
	if len(inner) == 0 {
		own.width, own.height = n.Width, n.Height
		return own
	}
	content := grid(p.units(inner))
	own.add(content, padding, padding)
	if n.item.set["width"] == "" {
		n.Width = 0
	}
	if n.item.set["height"] == "" {
		n.Height = 0
	}
	n.Width, n.Height = math.Ceil(max(n.Width, own.width+padding)), math.Ceil(max(n.Height, own.height+padding))
	own.width, own.height = n.Width, n.Height
	return own
}

// grid arranges units in cells, row by row.
func grid(units []unit) (arranged unit) {
	columns := min(perRow, int(math.Ceil(math.Sqrt(float64(len(units))))))
	x, y := 0.0, 0.0
	for i, u := range units {
		if i > 0 && i%columns == 0 {
			x, y = 0, arranged.height+gap
		}
		arranged.add(u, x, y)
		x = math.Ceil((x+u.width+gap)/(cellWidth+gap)) * (cellWidth + gap)
	}
	return arranged
}

// units returns nodes of one group, or of none, as units. Nodes that are connected with each other form one unit, in the
// place of the first of them.
func (p *placer) units(nodes []*node) (units []unit) {
	at := map[*node]int{} // of nodes, and of the groups that are placed with them
	for i, n := range nodes {
		at[n] = i
	}
	connected := make([][]int, len(nodes))
	linked := make([]bool, len(nodes))
	for _, edge := range p.edges {
		from, fromOK := outerOf(edge[0], at)
		to, toOK := outerOf(edge[1], at)
		if fromOK && toOK && from != to {
			connected[from] = append(connected[from], to)
			linked[from], linked[to] = true, true
		}
	}
	first := slices.Index(linked, true)
	for i, n := range nodes {
		switch {
		case !linked[i]:
			units = append(units, p.unit(n))
		case i == first:
			units = append(units, p.layered(nodes, linked, connected))
		}
	}
	return units
}

// outerOf returns which of some nodes is a node, or is a group around it that has no place yet.
func outerOf(n *node, at map[*node]int) (int, bool) {
	for ; n != nil; n = n.in {
		if i, ok := at[n]; ok {
			return i, true
		}
	}
	return 0, false
}

// layered arranges connected nodes from left to right: each in a column right of all that lead to it. An edge that closes
// a circle does not count.
func (p *placer) layered(nodes []*node, linked []bool, connected [][]int) (arranged unit) {
	columns := layers(linked, connected)
	units := make([]unit, len(nodes))
	pitch := 0.0
	for i := range nodes {
		if linked[i] {
			units[i] = p.unit(nodes[i])
			pitch = max(pitch, units[i].width+layerGap)
		}
	}
	for c, column := range columns {
		y := 0.0
		for _, i := range column {
			arranged.add(units[i], float64(c)*pitch, y)
			y += units[i].height + gap
		}
	}
	return arranged
}

// layers assigns connected nodes to columns. Within a column, nodes are in the order of those that lead to them.
func layers(linked []bool, connected [][]int) [][]int {
	forward := withoutCircles(linked, connected)
	depth := make([]int, len(linked))
	waiting := make([]int, len(linked))
	for i := range forward {
		for _, next := range forward[i] {
			waiting[next]++
		}
	}
	var ready []int
	for i := range linked {
		if linked[i] && waiting[i] == 0 {
			ready = append(ready, i)
		}
	}
	var columns [][]int
	for len(ready) > 0 {
		i := ready[0]
		ready = ready[1:]
		for len(columns) <= depth[i] {
			columns = append(columns, nil)
		}
		columns[depth[i]] = append(columns[depth[i]], i)
		for _, next := range forward[i] {
			depth[next] = max(depth[next], depth[i]+1)
			if waiting[next]--; waiting[next] == 0 {
				ready = append(ready, next)
			}
		}
	}
	return columns
}

// withoutCircles drops the edges that lead back to a node on the way to them.
func withoutCircles(linked []bool, connected [][]int) [][]int {
	const unseen, open, done = 0, 1, 2
	state := make([]int, len(linked))
	forward := make([][]int, len(linked))
	var visit func(int)
	visit = func(i int) {
		state[i] = open
		for _, next := range connected[i] {
			if state[next] == open {
				continue
			}
			forward[i] = append(forward[i], next)
			if state[next] == unseen {
				visit(next)
			}
		}
		state[i] = done
	}
	for i := range linked {
		if linked[i] && state[i] == unseen {
			visit(i)
		}
	}
	return forward
}
