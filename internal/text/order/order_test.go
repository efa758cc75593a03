package order_test

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "obsidian-mcp/internal/testkit/mode" // fixes rapid's seed
	"obsidian-mcp/internal/text/order"
)

type pair struct{ key, number int }

func byKey(a, b pair) int { return cmp.Compare(a.key, b.key) }

// Both functions sort as those of package slices.
func TestOrderLaw(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		list := []pair{}
		for i, key := range rapid.SliceOfN(rapid.IntRange(0, 5), 0, 40).Draw(t, "keys") {
			list = append(list, pair{key, i})
		}
		want := slices.Clone(list)
		slices.SortStableFunc(want, byKey)
		stably := slices.Clone(list)
		if order.Stably(stably, byKey); !slices.Equal(stably, want) {
			t.Errorf("Stably makes %v of %v", stably, list)
		}
		by := slices.Clone(list)
		if order.By(by, byKey); !slices.IsSortedFunc(by, byKey) {
			t.Errorf("By makes %v of %v", by, list)
		}
	})
}
