package regex

import "slices"

// core is a pattern that is in a text whenever this one is, and the other way
// round: of what may be repeated at either end, only as much as must be. A
// match of .*x+ ends in one of x, and one of x is one of .*x+ already. Where a
// match begins and ends is another matter.
func (n *node) core() *node { return n.trimmed(first).trimmed(last) }

// side is an end of a pattern.
type side uint8

const (
	first side = iota
	last
)

// trimmed is the core at one end: the same node, if there is nothing to leave
// out.
func (n *node) trimmed(at side) *node {
	switch n.kind {
	case nodeRepeat:
		if n.min == n.max {
			return n
		}
		return repeat(n.at, n.subs[0], n.min, n.min).trimmed(at)
	case nodeCapture:
		return n.with(0, n.subs[0].trimmed(at))
	case nodeAlternate:
		for i := range n.subs {
			n = n.with(i, n.subs[i].trimmed(at))
		}
	case nodeConcat:
		return n.trimmedConcat(at)
	}
	return n
}

// trimmedConcat trims the part at the end and, where nothing is left of that,
// the one beside it.
func (n *node) trimmedConcat(at side) *node {
	for len(n.subs) > 0 {
		i := 0
		if at == last {
			i = len(n.subs) - 1
		}
		part := n.subs[i].trimmed(at)
		if part.kind != nodeEmpty {
			return n.with(i, part)
		}
		shorter := *n
		shorter.subs = slices.Delete(slices.Clone(n.subs), i, i+1)
		n = &shorter
	}
	return &node{kind: nodeEmpty, at: n.at, depth: n.depth}
}

// with is the node with another one below it.
func (n *node) with(i int, sub *node) *node {
	if n.subs[i] == sub {
		return n
	}
	other := *n
	other.subs = slices.Clone(n.subs)
	other.subs[i] = sub
	return &other
}
