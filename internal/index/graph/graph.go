// Package graph answers questions about a graph of links: what everything leads to, what is close together, and how two
// nodes are connected. Nodes are numbers; the same graph always gives the same answers.
package graph

import (
	"math"
	"slices"
)

// Graph is a directed graph. Neighbours are in ascending order, each once.
type Graph struct {
	Out [][]int32
	In  [][]int32
}

// New makes a graph of the nodes that each node links to. Links of a node to itself do not count.
func New(out [][]int32) *Graph {
	g := &Graph{Out: out, In: make([][]int32, len(out))}
	for from := range out {
		slices.Sort(out[from])
		out[from] = slices.DeleteFunc(slices.Compact(out[from]), func(to int32) bool { return int(to) == from })
	}
	for from, targets := range out {
		for _, to := range targets {
			g.In[to] = append(g.In[to], int32(from))
		}
	}
	return g
}

const (
	damping = 0.85
	rounds  = 50
	settled = 1e-9 // a change that no longer matters
)

// PageRank is how likely somebody who follows links at random is at each node.
func (g *Graph) PageRank() []float64 {
	count := float64(len(g.Out))
	rank, next := make([]float64, len(g.Out)), make([]float64, len(g.Out))
	for i := range rank {
		rank[i] = 1 / count
	}
	for range rounds {
		stuck := 0.0 // at nodes without links
		for node, targets := range g.Out {
			if len(targets) == 0 {
				stuck += rank[node]
			}
		}
		change := 0.0
		for node, sources := range g.In {
			sum := 0.0
			for _, from := range sources {
				sum += rank[from] / float64(len(g.Out[from]))
			}
			next[node] = (1-damping)/count + damping*(sum+stuck/count)
			change += math.Abs(next[node] - rank[node])
		}
		rank, next = next, rank
		if change < settled {
			break
		}
	}
	return rank
}

// Paths returns the shortest paths between two nodes along links in either direction, up to a limit.
func (g *Graph) Paths(from, to int32, limit int) [][]int32 {
	distance := map[int32]int{to: 0}
	for queue := []int32{to}; len(queue) > 0; queue = queue[1:] {
		node := queue[0]
		if node == from {
			break
		}
		g.around(node, func(next int32) {
			if _, known := distance[next]; !known {
				distance[next] = distance[node] + 1
				queue = append(queue, next)
			}
		})
	}
	if _, reached := distance[from]; !reached {
		return nil
	}
	var paths [][]int32
	var follow func(path []int32)
	follow = func(path []int32) {
		last := path[len(path)-1]
		if last == to {
			paths = append(paths, slices.Clone(path))
			return
		}
		g.around(last, func(next int32) {
			if far, known := distance[next]; known && far == distance[last]-1 && len(paths) < limit {
				follow(append(path, next))
			}
		})
	}
	follow([]int32{from})
	return paths
}

// around visits the neighbours of a node in both directions, in ascending order, each once.
func (g *Graph) around(node int32, visit func(int32)) {
	out, in := g.Out[node], g.In[node]
	for len(out) > 0 || len(in) > 0 {
		switch {
		case len(in) == 0 || len(out) > 0 && out[0] < in[0]:
			visit(out[0])
			out = out[1:]
		case len(out) == 0 || in[0] < out[0]:
			visit(in[0])
			in = in[1:]
		default:
			visit(out[0])
			out, in = out[1:], in[1:]
		}
	}
}
