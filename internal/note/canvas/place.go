package canvas

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"obsidian-mcp/internal/text/order"
)

// The distances and sizes of cards that are placed automatically.
const (
	gap       = 40  // between neighbours
	outerGap  = 80  // between what was there and what is new
	layerGap  = 120 // between the columns of cards that are connected
	padding   = 20  // between a group's border and its cards
	cellWidth = 260 // of the grid in a group; also the width of a text card
	perRow    = 4   // cards without a hint in one row
	maxCells  = 20  // columns of a group that are searched for room
)

// place gives coordinates to the new cards that have none, in this order: cards of groups that have a place, cards
// without a hint, cards beside others.
func (e *editor) place() *Refusal {
	var nodes, unplaced []*node
	for _, item := range alive(e.nodes) {
		n := item.node
		nodes = append(nodes, n)
		if n.op == 0 {
			continue
		}
		if n.item.set["x"] != "" != (n.item.set["y"] != "") {
			return refuse(MissingField, "%s needs both x and y, or neither", n.describe())
		}
		if n.in != nil && n.in.item.removed {
			n.in = nil
		}
		if n.near != nil && n.near.item.removed && !n.near.placed {
			n.near = nil
		}
		n.setDefaultSize()
		if !n.placed {
			unplaced = append(unplaced, n)
		}
	}
	p := &placer{nodes: nodes, edges: e.newEdges(), unplaced: unplaced}
	if refusal := p.placeAll(); refusal != nil {
		return refusal
	}
	for _, n := range nodes {
		n.writeRect()
	}
	return nil
}

// newEdges returns the pairs of nodes that this edit connects.
func (e *editor) newEdges() (pairs [][2]*node) {
	for _, edge := range e.edges {
		if !edge.isNew() {
			continue
		}
		from, _ := e.findNode(edge.edge.From)
		to, _ := e.findNode(edge.edge.To)
		if from != nil && to != nil {
			pairs = append(pairs, [2]*node{from, to})
		}
	}
	return pairs
}

// setDefaultSize gives a new card the size that its kind has unless the operation says otherwise.
func (n *node) setDefaultSize() {
	width, height := 400.0, 400.0
	switch n.Type {
	case TextCard:
		width = cmp.Or(n.Width, cellWidth)
		height = textHeight(n.Text, width)
	case LinkCard:
		height = 200
	}
	n.Width, n.Height = cmp.Or(n.Width, width), cmp.Or(n.Height, height)
}

// textHeight estimates how high a card must be to show its text: a multiple of 20 from 60 to 500.
func textHeight(text string, width float64) float64 {
	const letterWidth, lineHeight, border = 8, 24, 32
	perLine := max(1, int((width-border)/letterWidth))
	lines := 0
	for line := range strings.Lines(text) {
		columns := 0
		for _, r := range line {
			if columns++; r >= 0x1100 { // wide scripts
				columns++
			}
		}
		lines += 1 + max(0, columns-1)/perLine
	}
	height := math.Ceil(float64(border+lineHeight*lines)/20) * 20
	return min(max(height, 60), 500)
}

// writeRect notes the coordinates of a node that the edit has placed or made larger.
func (n *node) writeRect() {
	was := Rect{}
	if n.op == 0 {
		was = n.original
	}
	for _, side := range []struct {
		key      string
		was, now float64
	}{{"x", was.X, n.X}, {"y", was.Y, n.Y}, {"width", was.Width, n.Width}, {"height", was.Height, n.Height}} {
		if n.op > 0 || side.was != side.now {
			if n.item.set == nil {
				n.item.set = map[string]string{}
			}
			n.item.set[side.key] = strconv.FormatInt(int64(side.now), 10)
		}
	}
}

// placer places the nodes that have no place yet.
type placer struct {
	nodes    []*node // all that exist
	unplaced []*node // in the order of their operations
	beside   []*node // those that go beside others, and have no place yet
	edges    [][2]*node
}

func (p *placer) placeAll() *Refusal {
	var holders []*node
	inside := map[*node][]*node{} // by the group with a place that is to hold them
	var free, beside []*node
	for _, n := range p.unplaced {
		switch {
		case n.in != nil && !n.in.placed: // placed with its group
		case n.in != nil:
			if len(inside[n.in]) == 0 {
				holders = append(holders, n.in)
			}
			inside[n.in] = append(inside[n.in], n)
		case n.near != nil:
			beside = append(beside, n)
		default:
			free = append(free, n)
		}
	}
	for _, group := range holders {
		for _, u := range p.units(inside[group]) {
			if refusal := p.putInside(group, u); refusal != nil {
				return refusal
			}
		}
	}
	p.beside = beside
	p.putBeside()
	p.putFree(p.units(free))
	return nil
}

// putBeside places the cards that go beside a node that has a place by now, and returns them.
func (p *placer) putBeside() (put []*node) {
	for i := 0; i < len(p.beside); {
		n := p.beside[i]
		if !n.near.placed {
			i++
			continue
		}
		u := p.unit(n)
		u.moveTo(p.sweep(n.near.beside(n.side, u.size()), n.side, p.groupsAround(n.near.Rect)))
		put = append(put, n)
		p.beside = slices.Delete(p.beside, i, i+1)
		i = 0 // others may go beside this one
	}
	return put
}

// beside returns the place at a side of a node.
func (n *node) beside(side string, size Rect) Rect {
	size.X, size.Y = math.Floor(n.X), math.Floor(n.Y)
	switch side {
	case "left":
		size.X = math.Floor(n.X - gap - size.Width)
	case "top":
		size.Y = math.Floor(n.Y - gap - size.Height)
	case "bottom":
		size.Y = math.Ceil(n.Bottom() + gap)
	default:
		size.X = math.Ceil(n.Right() + gap)
	}
	return size
}

// putFree places units to the right of everything, in rows.
func (p *placer) putFree(units []unit) {
	if len(units) == 0 {
		return
	}
	var x, y float64
	if all, ok := p.bounds(); ok {
		x, y = math.Ceil(all.Right()+outerGap), math.Floor(all.Y)
	}
	left, bottom := x, y
	for i, u := range units {
		if i > 0 && i%perRow == 0 {
			x, y = left, bottom+gap
		}
		u.moveTo(Rect{X: x, Y: y})
		x += u.width + outerGap
		bottom = max(bottom, y+u.height)
		for _, n := range p.putBeside() { // the next unit goes behind them
			x, bottom = max(x, math.Ceil(n.Right()+outerGap)), max(bottom, n.Bottom())
		}
	}
}

// bounds is the smallest rectangle around all nodes that have a place.
func (p *placer) bounds() (all Rect, ok bool) {
	for _, n := range p.nodes {
		switch {
		case !n.placed:
		case !ok:
			all, ok = n.Rect, true
		default:
			all = all.with(n.Rect)
		}
	}
	return all, ok
}

// groupsAround returns the groups that hold a rectangle.
func (p *placer) groupsAround(inner Rect) map[*node]bool {
	around := map[*node]bool{}
	for _, n := range p.nodes {
		if n.placed && n.IsGroup() && n.holds(inner) {
			around[n] = true
		}
	}
	return around
}

// sweep moves a rectangle towards a side until it is free: it overlaps no card, and no group except those around it in
// which it lies wholly.
func (p *placer) sweep(rect Rect, side string, around map[*node]bool) Rect {
	along := axisOf(side)
	for moved := true; moved; {
		moved = false
		rect = p.pass(rect, side, around)
		for _, group := range p.nodes {
			if around[group] && group.overlaps(rect) && !group.holds(rect) {
				rect = along.at(rect, along.interval(group.Rect).to+gap)
				moved = true
			}
		}
	}
	return rect
}

// pass moves a rectangle towards a side until it overlaps nothing but groups around it.
func (p *placer) pass(rect Rect, side string, around map[*node]bool) Rect {
	along := axisOf(side)
	var others []interval
	for _, n := range p.nodes {
		if n.placed && !around[n] && along.shares(rect, n.Rect) {
			others = append(others, along.interval(n.Rect))
		}
	}
	order.By(others, func(a, b interval) int { return cmp.Compare(a.from, b.from) })
	at := along.interval(rect)
	for _, other := range others {
		if other.from < at.to && at.from < other.to {
			at = interval{other.to + gap, other.to + gap + at.to - at.from}
		}
	}
	return along.at(rect, at.from)
}

// axis is a direction in which a rectangle is moved. Positions on it grow in that direction.
type axis struct {
	vertical bool
	sign     float64
}

func axisOf(side string) axis {
	switch side {
	case "left":
		return axis{false, -1}
	case "top":
		return axis{true, -1}
	case "bottom":
		return axis{true, 1}
	}
	return axis{false, 1}
}

// interval is what a rectangle covers of an axis.
type interval struct{ from, to float64 }

func (a axis) interval(r Rect) interval {
	from, to := r.X, r.Right()
	if a.vertical {
		from, to = r.Y, r.Bottom()
	}
	if a.sign < 0 {
		return interval{-to, -from}
	}
	return interval{from, to}
}

// shares reports whether two rectangles would meet if one is moved far enough.
func (a axis) shares(r, other Rect) bool {
	across := axis{!a.vertical, 1}
	mine, its := across.interval(r), across.interval(other)
	return mine.from < its.to && its.from < mine.to
}

// at returns a rectangle that is moved to a position, in whole pixels.
func (a axis) at(r Rect, from float64) Rect {
	from = math.Ceil(from)
	switch {
	case a.vertical && a.sign > 0:
		r.Y = from
	case a.vertical:
		r.Y = -from - r.Height
	case a.sign > 0:
		r.X = from
	default:
		r.X = -from - r.Width
	}
	return r
}
