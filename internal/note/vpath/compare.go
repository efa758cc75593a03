package vpath

import (
	"cmp"
	"strings"
)

// Compare orders paths by Obsidian's preference among several matches: the shortest first, then in byte order.
func Compare(a, b Path) int { return cmp.Or(cmp.Compare(a.Length(), b.Length()), cmp.Compare(a, b)) }

// Length returns a path's length in UTF-16 units, as Obsidian measures it.
func (p Path) Length() int {
	units := 0
	for _, r := range p {
		if units++; r > 0xffff {
			units++
		}
	}
	return units
}

// Base returns the key of the base name.
func (k Key) Base() Key { return k[strings.LastIndexByte(string(k), '/')+1:] }

// Tail returns the key of the last folder and the base name.
func (k Key) Tail() Key {
	base := k.Base()
	return k[strings.LastIndexByte(string(k[:max(len(k)-len(base)-1, 0)]), '/')+1:]
}
