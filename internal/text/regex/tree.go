package regex

import "slices"

// node is a part of a pattern: the tree that a parser makes.
type node struct {
	kind nodeKind
	at   int // where it begins in the pattern

	set      set  // nodeClass: characters; nodeBytes: bytes
	look     look // nodeLook
	subs     []*node
	min, max int // nodeRepeat; max is unlimited for no end

	// depth is how deeply constructs are nested in it, as Rust counts.
	depth int
}

type nodeKind uint8

const (
	nodeEmpty     nodeKind = iota // matches the empty string
	nodeClass                     // one character of the set, in UTF-8
	nodeBytes                     // one byte of the set
	nodeLook                      // a condition on the place
	nodeRepeat                    // the one below, min to max times
	nodeCapture                   // the one below
	nodeConcat                    // all below, one after the other
	nodeAlternate                 // one of those below
	nodeFlags                     // a change of flags: matches as nodeEmpty
)

const unlimited = -1

// manyTimes stands for all numbers of repetitions from it on, which no program
// may be large enough for.
const manyTimes = 1 << 24

// concat puts nodes one after the other. Changes of flags count for the depth
// and are then gone.
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

// alternate is a choice. One between single characters is a class, as in
// Rust, where that decides what happens to a line feed among them.
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

// repeat is sub over and over. What matches only the empty string need not be
// repeated, however often the pattern asks for it.
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

// matchesOnlyEmpty reports whether no byte can be part of a match.
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
