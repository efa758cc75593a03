package graph

import (
	"cmp"

	"obsidian-mcp/internal/text/order"
)

// Clusters puts nodes together that have more links among each other than chance would give them (Louvain's method). Nodes
// without links are in none. The largest clusters come first; their nodes are in ascending order.
func (g *Graph) Clusters() [][]int32 {
	l := g.level()
	cluster := make([]int32, len(g.Out))
	for node := range cluster {
		cluster[node] = int32(node)
	}
	for {
		joined, count := l.join()
		if count == len(l.links) {
			return collect(cluster, len(l.links))
		}
		for node, at := range cluster {
			cluster[node] = joined[at]
		}
		l = l.merged(joined, count)
	}
}

// level is a graph whose nodes are nodes of the graph below it, or clusters of them.
type level struct {
	links [][]weighted // to other nodes, in both directions
	loops []float64    // links inside of a node, counted at both ends
}

type weighted struct {
	to     int32
	weight float64
}

// level is the lowest level: links count once, whatever their direction.
func (g *Graph) level() *level {
	l := &level{links: make([][]weighted, len(g.Out)), loops: make([]float64, len(g.Out))}
	for node := range g.Out {
		g.around(int32(node), func(next int32) { l.links[node] = append(l.links[node], weighted{next, 1}) })
	}
	return l
}

const (
	mostMoves = 20
	tiny      = 1e-9 // a gain that does not count
)

// join moves every node to the neighbouring community where it gains most, until none gains. It returns the community of
// each node, numbered from 0, and how many there are.
func (l *level) join() (community []int32, count int) {
	community = make([]int32, len(l.links))
	degree, sum, total := make([]float64, len(l.links)), make([]float64, len(l.links)), 0.0
	for node, links := range l.links {
		community[node] = int32(node)
		degree[node] = l.loops[node]
		for _, link := range links {
			degree[node] += link.weight
		}
		sum[node] = degree[node]
		total += degree[node]
	}
	to := make([]float64, len(l.links)) // weight of a node's links to a community
	var near []int32                    // the communities that it has links to
	for range mostMoves {
		hasMoved := false
		for node, links := range l.links {
			own := community[node]
			near = append(near[:0], own)
			for _, link := range links {
				at := community[link.to]
				if to[at] == 0 && at != own {
					near = append(near, at)
				}
				to[at] += link.weight
			}
			sum[own] -= degree[node]
			best, most := own, to[own]-degree[node]*sum[own]/total
			for _, candidate := range near[1:] {
				if gain := to[candidate] - degree[node]*sum[candidate]/total; gain > most+tiny {
					best, most = candidate, gain
				}
			}
			for _, at := range near {
				to[at] = 0
			}
			sum[best] += degree[node]
			hasMoved = hasMoved || best != own
			community[node] = best
		}
		if !hasMoved {
			break
		}
	}
	number := make([]int32, len(l.links)) // plus one
	for node, at := range community {
		if number[at] == 0 {
			count++
			number[at] = int32(count)
		}
		community[node] = number[at] - 1
	}
	return community, count
}

// merged is the level whose nodes are the communities of this one.
func (l *level) merged(community []int32, count int) *level {
	members := make([][]int32, count)
	for node, at := range community {
		members[at] = append(members[at], int32(node))
	}
	next := &level{links: make([][]weighted, count), loops: make([]float64, count)}
	place := make([]int, count) // plus one, of the link to a community
	for at, nodes := range members {
		for _, node := range nodes {
			next.loops[at] += l.loops[node]
			for _, link := range l.links[node] {
				to := community[link.to]
				switch {
				case int(to) == at:
					next.loops[at] += link.weight
				case place[to] == 0:
					next.links[at] = append(next.links[at], weighted{to, link.weight})
					place[to] = len(next.links[at])
				default:
					next.links[at][place[to]-1].weight += link.weight
				}
			}
		}
		for _, link := range next.links[at] {
			place[link.to] = 0
		}
	}
	return next
}

// collect lists the clusters that have more than one node.
func collect(cluster []int32, count int) [][]int32 {
	members := make([][]int32, count)
	for node, at := range cluster {
		members[at] = append(members[at], int32(node))
	}
	var clusters [][]int32
	for _, nodes := range members {
		if len(nodes) > 1 {
			clusters = append(clusters, nodes)
		}
	}
	order.By(clusters, func(a, b []int32) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a[0], b[0])) })
	return clusters
}
