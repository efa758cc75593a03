package tasks

import (
	"slices"
	"strings"

	"obsidian-mcp/internal/text/order"
)

// Set is all tasks of a vault, in the order of their notes and lines. It never changes.
type Set struct {
	notes [][]*Item // each of one note, in the order of their places
	rows  []row
	byID  map[string][]*Item
}

// row is a task among the others of its set. It has a copy of the keys, so that a query reads memory in order.
type row struct {
	*Item
	keys
	order             int32 // by place and line
	blocked, blocking bool
}

// NewSet returns the set of the tasks of notes.
func NewSet(notes [][]*Item) *Set {
	notes = slices.DeleteFunc(notes, func(items []*Item) bool { return len(items) == 0 })
	order.By(notes, byPlace)
	count := 0
	for _, items := range notes {
		count += len(items)
	}
	s := &Set{notes: notes, rows: make([]row, 0, count)}
	for _, items := range notes {
		s.add(items)
	}
	return s.linked()
}

// add adds the rows of a note.
func (s *Set) add(items []*Item) {
	for _, item := range items {
		s.rows = append(s.rows, row{Item: item, keys: item.keys})
	}
}

// linked numbers the rows, and finds out which tasks wait for others.
func (s *Set) linked() *Set {
	s.byID = map[string][]*Item{}
	byID := map[string][]*row{}
	var waiting []*row
	for i := range s.rows {
		row := &s.rows[i]
		row.order, row.blocked, row.blocking = int32(i), false, false
		if !row.isLinked {
			continue
		}
		if row.id != "" {
			byID[row.id] = append(byID[row.id], row)
			s.byID[row.id] = append(s.byID[row.id], row.Item)
		}
		if row.needs != "" && !row.isDone {
			waiting = append(waiting, row)
		}
	}
	for _, row := range waiting {
		for id := range strings.SplitSeq(row.needs, ",") {
			for _, other := range byID[id] {
				if !other.isDone {
					row.blocked, other.blocking = true, true
				}
			}
		}
	}
	return s
}

// Len is the number of tasks.
func (s *Set) Len() int { return len(s.rows) }

// With returns the set with other tasks of some notes, by their paths.
func (s *Set) With(changed map[string][]*Item) *Set {
	var added [][]*Item
	for _, items := range changed {
		if len(items) > 0 {
			added = append(added, items)
		}
	}
	order.By(added, byPlace)
	next := &Set{notes: make([][]*Item, 0, len(s.notes)+len(added)), rows: make([]row, 0, len(s.rows)+len(added))}
	at := 0
	for _, items := range s.notes {
		for len(added) > 0 && byPlace(added[0], items) <= 0 {
			next.notes = append(next.notes, added[0])
			next.add(added[0])
			added = added[1:]
		}
		if _, isChanged := changed[items[0].Path]; !isChanged {
			next.notes = append(next.notes, items)
			next.rows = append(next.rows, s.rows[at:at+len(items)]...)
		}
		at += len(items)
	}
	for _, items := range added {
		next.notes = append(next.notes, items)
		next.add(items)
	}
	return next.linked()
}

func byPlace(a, b []*Item) int { return a[0].Place.compare(b[0].Place) }

// Only returns the set of the tasks in some of its notes.
func (s *Set) Only(isOpen func(path string) bool) *Set {
	open, at := &Set{}, 0
	for _, items := range s.notes {
		if isOpen(items[0].Path) {
			open.notes = append(open.notes, items)
			open.rows = append(open.rows, s.rows[at:at+len(items)]...)
		}
		at += len(items)
	}
	return open.linked()
}

// Location says where a task is: the path of its note, and its line, from 0.
type Location struct {
	Path string
	Line int
}

// Pick returns the tasks at some places, in the order of the places. Lines that are not tasks are left out.
func (s *Set) Pick(places []Location) []*Item {
	at := make(map[Location]*Item, len(s.rows))
	for i := range s.rows {
		item := s.rows[i].Item
		at[Location{item.Path, item.Line}] = item
	}
	var items []*Item
	for _, place := range places {
		if item := at[place]; item != nil {
			items = append(items, item)
		}
	}
	return items
}

// BlockedBy returns the unfinished tasks that an unfinished task waits for.
func (s *Set) BlockedBy(item *Item) []*Item {
	var others []*Item
	if item.needs != "" && !item.isDone {
		for id := range strings.SplitSeq(item.needs, ",") {
			for _, other := range s.byID[id] {
				if !other.isDone {
					others = append(others, other)
				}
			}
		}
	}
	return others
}
