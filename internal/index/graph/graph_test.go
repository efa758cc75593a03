package graph_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"obsidian-mcp/internal/index/graph"
)

func TestPaths(t *testing.T) {
	//   0 → 1 → 3 → 4, 0 → 2 → 3, 5 alone, 6 → 4
	g := graph.New([][]int32{{1, 2, 1, 0}, {3}, {3}, {4}, nil, nil, {4}})
	for _, test := range []struct {
		from, to int32
		most     int
		want     [][]int32
	}{
		{0, 3, 3, [][]int32{{0, 1, 3}, {0, 2, 3}}},
		{0, 3, 1, [][]int32{{0, 1, 3}}},
		{4, 0, 3, [][]int32{{4, 3, 1, 0}, {4, 3, 2, 0}}},
		{6, 3, 3, [][]int32{{6, 4, 3}}},
		{0, 5, 3, nil},
		{2, 2, 3, [][]int32{{2}}},
	} {
		if diff := cmp.Diff(test.want, g.Paths(test.from, test.to, test.most)); diff != "" {
			t.Errorf("%d to %d: %s", test.from, test.to, diff)
		}
	}
}

func TestPageRank(t *testing.T) {
	g := graph.New([][]int32{{1}, {0}, {0}, {0}, nil})
	rank := g.PageRank()
	sum := 0.0
	for _, r := range rank {
		sum += r
	}
	if math.Abs(sum-1) > 1e-6 || rank[0] <= rank[1] || rank[1] <= rank[2] || math.Abs(rank[2]-rank[4]) > 1e-9 {
		t.Errorf("%v, together %v", rank, sum)
	}
	if got := graph.New(nil).PageRank(); len(got) != 0 {
		t.Errorf("an empty graph has ranks %v", got)
	}
}

// Groups that are tied together by a single link are found, whatever their nodes are called.
func TestClusters(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		names := random.Perm(31)
		out := make([][]int32, 31)
		for group := range 3 {
			for i := range 10 {
				for j := range 10 {
					if i != j && (i+j)%3 != 0 {
						from, to := names[group*10+i], int32(names[group*10+j])
						out[from] = append(out[from], to)
					}
				}
			}
		}
		out[names[0]] = append(out[names[0]], int32(names[10]))
		out[names[10]] = append(out[names[10]], int32(names[20]))
		clusters := graph.New(out).Clusters()
		if len(clusters) != 3 {
			t.Fatalf("%d clusters: %v", len(clusters), clusters)
		}
		for _, members := range clusters {
			var groups []int
			for _, node := range members {
				groups = append(groups, slices.Index(names, int(node))/10)
			}
			if len(groups) != 10 || slices.Min(groups) != slices.Max(groups) {
				t.Errorf("a cluster has members of groups %v", groups)
			}
		}
	}
}
