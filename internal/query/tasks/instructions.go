package tasks

import (
	"maps"
	"slices"
)

// Instructions lists the instructions that are whole lines, for suggestions.
func Instructions() []string {
	all := slices.Collect(maps.Keys(flags))
	for _, field := range dateFields {
		all = append(all, "has "+field.name+" date", "no "+field.name+" date")
	}
	for name := range sorters {
		all = append(all, "sort by "+name)
	}
	for name := range texts {
		all = append(all, "sort by "+name)
	}
	for name := range groups {
		all = append(all, "group by "+name)
	}
	slices.Sort(all)
	return all
}
