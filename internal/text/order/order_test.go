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

// First keeps the beginning of the sorted list, and never holds more than twice as much.
func TestFirstLaw(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.IntRange(-1, 12).Draw(t, "most")
		byBoth := func(a, b *pair) int { return cmp.Or(byKey(*a, *b), cmp.Compare(a.number, b.number)) }
		first := order.NewFirst(most, byBoth)
		list := []*pair{}
		for i, key := range rapid.SliceOfN(rapid.IntRange(0, 5), 0, 60).Draw(t, "keys") {
			list = append(list, &pair{key, i})
			first.Add(list[i])
		}
		slices.SortFunc(list, byBoth)
		if most >= 0 {
			list = list[:min(most, len(list))]
		}
		if got := first.Sorted(); !slices.Equal(got, list) {
			t.Errorf("the first %d are %v, want %v", most, got, list)
		}
	})
}
