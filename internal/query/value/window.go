package value

import "math"

// Window is which rows of a result are wanted. The others are counted, not kept.
type Window struct {
	Offset int
	Limit  int // negative: all that follow
}

// All are all rows.
var All = Window{Limit: -1}

// End is how many rows there are up to the last one that is wanted, or -1 if all are.
func (w Window) End() int {
	if w.Limit < 0 || w.Offset > math.MaxInt-w.Limit {
		return -1
	}
	return w.Offset + w.Limit
}

// Of returns the part of a list that is wanted.
func Of[T any](w Window, list []T) []T {
	list = list[min(w.Offset, len(list)):]
	if w.Limit >= 0 {
		list = list[:min(w.Limit, len(list))]
	}
	return list
}
