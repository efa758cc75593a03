package canvas

import (
	"cmp"
	"math"

	"obsidian-mcp/internal/text/order"
)

// putInside places a unit in a group that has a place: in the first cell of the group's grid that is free, else beyond
// its cards, and the group grows.
func (p *placer) putInside(group *node, u unit) *Refusal {
	around := p.groupsAround(group.Rect)
	around[group] = true
	start := Rect{math.Floor(group.X) + padding, math.Floor(group.Y) + padding, u.width, u.height}
	var spots []Rect
	if near := u.near(); near != nil {
		spots = append(spots, p.pass(near.beside(u.members[0].node.side, u.size()), u.members[0].node.side, around))
	}
	var cells []Rect
	for column := range maxCells {
		cell := start
		cell.X += float64(column) * (cellWidth + gap)
		if column > 0 && cell.Right()+padding > group.Right() {
			break
		}
		cells = append(cells, p.pass(cell, "bottom", around))
	}
	order.Stably(cells, func(a, b Rect) int { return cmp.Or(cmp.Compare(a.Y, b.Y), cmp.Compare(a.X, b.X)) })
	spots = append(spots, cells...)
	for _, spot := range spots {
		if group.holds(spot.inflate(padding)) {
			u.moveTo(spot)
			return nil
		}
	}
	right, bottom := start, start
	right.X, bottom.Y = math.Ceil(group.Right())-padding-u.width, math.Ceil(group.Bottom())-padding-u.height
	spots = append(cells, p.pass(start, "right", around), p.pass(right, "left", around), p.pass(bottom, "top", around))
	for _, spot := range spots {
		if grown, ok := p.grow(group, spot); ok {
			for larger, rect := range grown {
				larger.Rect = rect
			}
			u.moveTo(spot)
			return nil
		}
	}
	return refuse(NoRoom, "op %d: the group '%s' has no room for a card, and cannot grow without swallowing a card beside it", u.op(), group.name()).
		WithHint("give x and y, or move the cards around the group")
}

// grow returns the groups that must become larger so that one of them holds a rectangle, and their new rectangles. It
// reports false if one of them would then hold or touch a card that has nothing to do with it.
func (p *placer) grow(group *node, inner Rect) (map[*node]Rect, bool) {
	grown := map[*node]Rect{}
	around := []*node{}
	for n := range p.groupsAround(group.Rect) {
		if n != group {
			around = append(around, n)
		}
	}
	order.By(around, func(a, b *node) int { return cmp.Or(cmp.Compare(a.area(), b.area()), b.op-a.op) })
	outer := map[*node]bool{}
	for _, n := range around {
		outer[n] = true
	}
	for _, n := range append([]*node{group}, around...) {
		delete(outer, n)
		wanted := whole(n.with(inner.inflate(padding)), n.Rect)
		if n != group && n.holds(inner) {
			continue
		}
		if !p.mayGrow(n, wanted, outer, grown) {
			return nil, false
		}
		grown[n] = wanted
		inner = wanted
	}
	return grown, true
}

// whole moves the borders of a larger rectangle outwards to whole pixels; borders that did not move stay.
func whole(larger, was Rect) Rect {
	if larger.X != was.X {
		larger.Width += larger.X - math.Floor(larger.X)
		larger.X = math.Floor(larger.X)
	}
	if larger.Y != was.Y {
		larger.Height += larger.Y - math.Floor(larger.Y)
		larger.Y = math.Floor(larger.Y)
	}
	if larger.Width != was.Width {
		larger.Width = math.Ceil(larger.Width)
	}
	if larger.Height != was.Height {
		larger.Height = math.Ceil(larger.Height)
	}
	return larger
}

// mayGrow reports whether a group can become larger: a node outside of it must not come to lie in it, nor begin to
// overlap it. Groups around it grow with it.
func (p *placer) mayGrow(group *node, larger Rect, outer map[*node]bool, grown map[*node]Rect) bool {
	for _, n := range p.nodes {
		if _, grows := grown[n]; n == group || !n.placed || outer[n] || grows || group.holds(n.Rect) {
			continue
		}
		if larger.holds(n.Rect) || larger.overlaps(n.Rect) && !group.overlaps(n.Rect) {
			return false
		}
	}
	return true
}
