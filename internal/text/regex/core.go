package regex

import "slices"

// core returns a pattern that matches in exactly the same texts, without repetitions at either end that are not
// needed: a match of .*x+ contains a match of x, and a match of x is already a match of .*x+. It does not find
// where the match of this pattern begins and ends.
func (n *node) core() *node { return n.trimmed(first).trimmed(last) }

// side is an end of a pattern.
type side uint8

const (
	first side = iota
	last
)

// trimmed returns the core at one end; the node itself if there is nothing to drop.
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

// trimmedConcat trims the part at the end and, if nothing is left of it, the part next to it.
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

// with returns a copy of the node with another child.
func (n *node) with(i int, sub *node) *node {
	if n.subs[i] == sub {
		return n
	}
	other := *n
	other.subs = slices.Clone(n.subs)
	other.subs[i] = sub
	return &other
}
