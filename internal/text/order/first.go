package order

import "slices"

// First takes items one after the other and keeps the first of them in the end: most of them, or all if most is negative. It
// never holds more than twice as many. No two items may be equal.
type First[T any] struct {
	most    int
	compare func(a, b T) int
	items   []T
	isCut   bool // the item at most-1 is the last of those that were kept before
}

// NewFirst returns a First that has no items.
func NewFirst[T any](most int, compare func(a, b T) int) *First[T] {
	return &First[T]{most: most, compare: compare}
}

// Add takes an item.
func (f *First[T]) Add(item T) {
	if f.most == 0 || f.isCut && f.compare(item, f.items[f.most-1]) > 0 {
		return
	}
	f.items = append(f.items, item)
	if f.most > 0 && len(f.items) >= 2*f.most {
		f.cut()
	}
}

// Sorted returns the first of the items that were taken, in order.
func (f *First[T]) Sorted() []T {
	f.cut()
	return f.items
}

func (f *First[T]) cut() {
	slices.SortFunc(f.items, f.compare)
	if f.most >= 0 && len(f.items) >= f.most {
		clear(f.items[f.most:])
		f.items, f.isCut = f.items[:f.most], true
	}
}
