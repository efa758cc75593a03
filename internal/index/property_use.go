package index

import (
	"cmp"

	"obsidian-mcp/internal/note/md/front"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/text/order"
)

// PropertyUse is a property with all its values.
type PropertyUse struct {
	Name   string // as the first note, by path, spells it
	Values []PropertyValue
	from   vpath.Path // the note whose spelling that is
}

// PropertyValue is the value that a property has in a note.
type PropertyValue struct {
	Path  vpath.Path
	Value front.Value
}

// PropertyUses collects the properties of the notes in a folder, the most used first; "" is the root. With names, only
// the properties of these names, whatever their letter case.
func (s *Snapshot) PropertyUses(folder vpath.Path, names ...string) []PropertyUse {
	uses := map[vpath.Key]*PropertyUse{}
	wanted := map[vpath.Key]bool{}
	for _, name := range names {
		wanted[vpath.FoldKey(name)] = true
	}
	s.Entries(func(entry *Entry) bool {
		if !entry.Path.IsNote() || !entry.Path.In(folder) {
			return true
		}
		for _, field := range entry.fields() {
			key := vpath.FoldKey(field.Key)
			if len(wanted) > 0 && !wanted[key] {
				continue
			}
			use := uses[key]
			if use == nil {
				use = &PropertyUse{Name: field.Key, from: entry.Path}
				uses[key] = use
			}
			if entry.Path < use.from {
				use.Name, use.from = field.Key, entry.Path
			}
			use.Values = append(use.Values, PropertyValue{entry.Path, field.Value})
		}
		return true
	})
	all := make([]PropertyUse, 0, len(uses))
	for _, use := range uses {
		order.By(use.Values, byNote)
		use.Name = valid(use.Name)
		all = append(all, *use)
	}
	order.By(all, func(a, b PropertyUse) int {
		return cmp.Or(cmp.Compare(len(b.Values), len(a.Values)), cmp.Compare(a.Name, b.Name))
	})
	return all
}

func byNote(a, b PropertyValue) int { return cmp.Compare(a.Path, b.Path) }

// ValueCount is a value with the number of notes that have it.
type ValueCount struct {
	Value string
	Notes int
}

// Types counts the types that the values look like. A property without a value is counted as "empty".
func (u PropertyUse) Types() map[string]int {
	types := map[string]int{}
	for _, use := range u.Values {
		types[cmp.Or(string(front.TypeOf(use.Value)), "empty")]++
	}
	return types
}

// Type returns the type that most values look like; "" if none has a value.
func (u PropertyUse) Type() front.Type {
	types := map[front.Type]int{}
	for _, use := range u.Values {
		if kind := front.TypeOf(use.Value); kind != "" {
			types[kind]++
		}
	}
	return cmp.Or(most(types, 1)...)
}

// Frequent returns the most frequent short values, those of lists one by one.
func (u PropertyUse) Frequent(limit int) []ValueCount {
	notes := map[string]int{}
	for _, use := range u.Values {
		inNote := map[string]bool{}
		for _, value := range append([]front.Value{use.Value}, use.Value.Items...) {
			if isShortValue(value) && !inNote[value.Text] {
				inNote[value.Text] = true
				notes[value.Text]++
			}
		}
	}
	var counts []ValueCount
	for _, value := range most(notes, limit) {
		counts = append(counts, ValueCount{value, notes[value]})
	}
	return counts
}
