package regex

import (
	"encoding/binary"
	"sync"
	"unicode/utf8"
)

// shape is a small automaton over bytes that reads a character of a class. It begins at its first node. Nodes with
// the same future are shared, so that \w takes only some hundred nodes.
type shape struct {
	nodes [][]edge
}

// edge leads from a node on with the bytes from lo to hi.
type edge struct {
	lo, hi byte
	to     int32 // a node, or out
}

// out means that the character is complete.
const out = int32(-1)

// shapeBuilder builds shapes, from the last byte backwards.
type shapeBuilder struct {
	nodes   [][]edge
	numbers map[string]int32 // of nodes, by their edges
	key     []byte
}

// byteShape reads a byte of a set.
func byteShape(s set) *shape {
	node := make([]edge, 0, len(s))
	for _, sp := range s {
		node = append(node, edge{byte(sp.lo), byte(sp.hi), out})
	}
	return &shape{nodes: [][]edge{node}}
}

// runeShape reads a character of a set, in UTF-8.
func runeShape(s set) *shape {
	if len(s) == 0 || s[len(s)-1].hi < utf8.RuneSelf {
		return byteShape(s)
	}
	var sequences [][]span
	for _, sp := range s {
		sequences = appendSequences(sequences, sp.lo, sp.hi)
	}
	b := &shapeBuilder{nodes: make([][]edge, 1), numbers: map[string]int32{}}
	b.nodes[0] = b.edges(sequences, 0)
	return &shape{nodes: b.nodes}
}

// cachedShapes keeps the shapes of large classes, which take a millisecond to build; most patterns use the same
// few.
var cachedShapes shapeCache

type shapeCache struct {
	mu     sync.Mutex // guards shapes
	shapes map[string]*shape
}

const (
	minCachedSpans  = 16 // of a class that is worth caching
	maxCachedShapes = 32
)

// of returns the shape that reads a character of a set.
func (c *shapeCache) of(s set) *shape {
	if len(s) < minCachedSpans {
		return runeShape(s)
	}
	key := make([]byte, 0, 8*len(s))
	for _, sp := range s {
		key = binary.LittleEndian.AppendUint32(key, uint32(sp.lo))
		key = binary.LittleEndian.AppendUint32(key, uint32(sp.hi))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	cached, ok := c.shapes[string(key)]
	if !ok {
		cached = runeShape(s)
		if len(c.shapes) >= maxCachedShapes || c.shapes == nil {
			c.shapes = map[string]*shape{}
		}
		c.shapes[string(key)] = cached
	}
	return cached
}

// edges returns the edges of a node that reads the byte at a depth of sequences. Two sequences are either equal or
// disjoint there, because a sequence that allows several bytes allows all bytes that may follow.
func (b *shapeBuilder) edges(sequences [][]span, depth int) []edge {
	var edges []edge
	for len(sequences) > 0 {
		first := sequences[0][depth]
		n := 1
		for n < len(sequences) && sequences[n][depth] == first {
			n++
		}
		to := out
		if len(sequences[0]) > depth+1 {
			to = b.node(b.edges(sequences[:n], depth+1))
		}
		edges = append(edges, edge{byte(first.lo), byte(first.hi), to})
		sequences = sequences[n:]
	}
	return edges
}

// node returns the number of the node with these edges.
func (b *shapeBuilder) node(edges []edge) int32 {
	b.key = b.key[:0]
	for _, e := range edges {
		b.key = append(b.key, e.lo, e.hi)
		b.key = binary.LittleEndian.AppendUint32(b.key, uint32(e.to))
	}
	if n, ok := b.numbers[string(b.key)]; ok {
		return n
	}
	n := int32(len(b.nodes))
	b.nodes = append(b.nodes, edges)
	b.numbers[string(b.key)] = n
	return n
}

// appendSequences appends the sequences of byte ranges that encode exactly the characters from lo to hi.
func appendSequences(sequences [][]span, lo, hi rune) [][]span {
	for _, last := range []rune{0x7f, 0x7ff, 0xffff} {
		if lo <= last && last < hi {
			return appendSequences(appendSequences(sequences, lo, last), last+1, hi)
		}
	}
	if hi < utf8.RuneSelf {
		return append(sequences, []span{{lo, hi}})
	}
	for bits := 6; bits < 6*utf8.RuneLen(hi); bits += 6 {
		mask := rune(1)<<bits - 1
		if lo&^mask == hi&^mask {
			continue
		}
		if lo&mask != 0 {
			return appendSequences(appendSequences(sequences, lo, lo|mask), (lo|mask)+1, hi)
		}
		if hi&mask != mask {
			return appendSequences(appendSequences(sequences, lo, hi&^mask-1), hi&^mask, hi)
		}
	}
	var from, to [utf8.UTFMax]byte
	n := utf8.EncodeRune(from[:], lo)
	utf8.EncodeRune(to[:], hi)
	sequence := make([]span, n)
	for i := range n {
		sequence[i] = span{rune(from[i]), rune(to[i])}
	}
	return append(sequences, sequence)
}
