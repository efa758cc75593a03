// Package order sorts lists with code that all types share. The functions of package slices are faster, but are compiled
// again for every struct: with them everywhere, the program is two percent larger. Use them where a call spends its time.
package order

import "sort"

// By sorts a list, like slices.SortFunc.
func By[T any](list []T, compare func(a, b T) int) {
	sort.Slice(list, func(i, j int) bool { return compare(list[i], list[j]) < 0 })
}

// Stably sorts a list and keeps the order of equal items, like slices.SortStableFunc.
func Stably[T any](list []T, compare func(a, b T) int) {
	sort.SliceStable(list, func(i, j int) bool { return compare(list[i], list[j]) < 0 })
}
