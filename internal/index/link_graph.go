package index

import (
	"slices"
	"sync"

	"obsidian-mcp/internal/index/graph"
	"obsidian-mcp/internal/note/vpath"
)

// LinkGraph is the graph of links between notes and canvases. It is immutable.
type LinkGraph struct {
	*graph.Graph
	Paths []vpath.Path // of the nodes, sorted

	nodes map[vpath.Path]int32
	ranks func() []float64
}

// Node returns the number of a note or canvas.
func (g *LinkGraph) Node(path vpath.Path) (int32, bool) {
	node, ok := g.nodes[path]
	return node, ok
}

// Ranks returns the PageRank of every node.
func (g *LinkGraph) Ranks() []float64 { return g.ranks() }

// LinkGraph returns the graph of the snapshot's links.
func (s *Snapshot) LinkGraph() *LinkGraph {
	s.graph.once.Do(func() { s.graph.built = s.linkGraph() })
	return s.graph.built
}

// builtGraph is a graph that is built when it is first needed.
type builtGraph struct {
	once  sync.Once
	built *LinkGraph
}

func (s *Snapshot) linkGraph() *LinkGraph {
	g := &LinkGraph{nodes: map[vpath.Path]int32{}}
	s.Files(func(path vpath.Path) bool {
		if path.IsNote() || path.IsCanvas() {
			g.Paths = append(g.Paths, path)
		}
		return true
	})
	slices.Sort(g.Paths)
	for node, path := range g.Paths {
		g.nodes[path] = int32(node)
	}
	out := make([][]int32, len(g.Paths))
	InParallel(len(g.Paths), func(node int) {
		from := g.Paths[node]
		for _, link := range s.outgoing(from, s.linksOf(from)) {
			if to, isNode := g.nodes[link.To]; isNode {
				out[node] = append(out[node], to)
			}
		}
	})
	g.Graph = graph.New(out)
	g.ranks = sync.OnceValue(g.PageRank)
	return g
}
