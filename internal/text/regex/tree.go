package regex

import "slices"

// node is a part of a pattern, in the tree that a parser builds.
type node struct {
	kind nodeKind
	at   int // offset in the pattern

	set      set  // nodeClass: characters; nodeBytes: bytes
	look     look // nodeLook
	subs     []*node
	min, max int // nodeRepeat; max may be unlimited

	// depth is how deeply constructs are nested in the node, as Rust counts.
	depth int
}

type nodeKind uint8

const (
	nodeEmpty     nodeKind = iota // matches the empty string
	nodeClass                     // a character of the set, in UTF-8
	nodeBytes                     // a byte of the set
	nodeLook                      // a condition on the position
	nodeRepeat                    // the child, min to max times
	nodeCapture                   // the child
	nodeConcat                    // all children, in order
	nodeAlternate                 // any of the children
	nodeFlags                     // a change of flags: matches the empty string
)

const unlimited = -1

// manyTimes stands for every higher number of repetitions, for which no program is large enough.
const manyTimes = 1 << 24

// concat puts nodes in sequence. Changes of flags count for the depth and are then dropped.
func concat(at int, subs []*node) *node {
	depth := deepest(subs)
	if len(subs) > 1 {
		depth++
	}
	subs = slices.DeleteFunc(subs, func(n *node) bool { return n.kind == nodeFlags || n.kind == nodeEmpty })
	switch len(subs) {
	case 0:
		return &node{kind: nodeEmpty, at: at, depth: depth}
	case 1:
		return subs[0].withDepth(depth)
	}
	return &node{kind: nodeConcat, at: at, subs: subs, depth: depth}
}

func (n *node) withDepth(depth int) *node {
	same := *n
	same.depth = depth
	return &same
}

// alternate makes alternatives. Alternatives of single characters become a class, as in Rust, where that decides
// what happens to a line feed among them.
func alternate(at int, subs []*node) *node {
	if len(subs) == 1 {
		return subs[0]
	}
	depth := 1 + deepest(subs)
	kind := subs[0].kind
	for _, sub := range subs {
		if sub.kind != kind || kind != nodeClass && kind != nodeBytes {
			return &node{kind: nodeAlternate, at: at, subs: subs, depth: depth}
		}
	}
	sets := make([]set, len(subs))
	for i, sub := range subs {
		sets[i] = sub.set
	}
	return &node{kind: kind, at: at, set: set{}.union(sets...), depth: depth}
}

// repeat repeats sub. A sub that matches only the empty string is not repeated, however often the pattern asks for
// it.
func repeat(at int, sub *node, low, high int) *node {
	depth := 1 + sub.depth
	if sub.matchesOnlyEmpty() {
		low = min(low, 1)
		if high != unlimited {
			high = min(high, 1)
		}
	}
	switch {
	case high == 0:
		return &node{kind: nodeEmpty, at: at, depth: depth}
	case low == 1 && high == 1:
		return sub.withDepth(depth)
	}
	return &node{kind: nodeRepeat, at: at, subs: []*node{sub}, min: low, max: high, depth: depth}
}

func deepest(subs []*node) int {
	depth := 0
	for _, sub := range subs {
		depth = max(depth, sub.depth)
	}
	return depth
}

// matchesOnlyEmpty reports whether a match cannot contain a byte.
func (n *node) matchesOnlyEmpty() bool {
	switch n.kind {
	case nodeEmpty, nodeLook, nodeFlags:
		return true
	case nodeClass, nodeBytes:
		return false
	}
	for _, sub := range n.subs {
		if !sub.matchesOnlyEmpty() {
			return false
		}
	}
	return true
}
