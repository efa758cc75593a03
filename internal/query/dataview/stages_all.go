package dataview

import (
	"obsidian-mcp/internal/query/value"
	"obsidian-mcp/internal/text/order"
)

// sortStage is SORT. Where a limit or the end of the query follows, it holds only the rows that can come before that.
type sortStage struct {
	base
	keys  []sortKey
	first *order.First[*sortedRow]
	show  *showStage // the next stage, if it shows the rows: it is asked before they are sorted, to count those that it can show
}

// sortedRow is a row with what it is sorted by.
type sortedRow struct {
	shownRow
	keys  []value.Value
	place int // before sorting
}

func (x *execution) sorter(step step, next stage) stage {
	s := &sortStage{base: x.base("SORT", next), keys: step.sort}
	most := -1
	switch next := next.(type) {
	case *limitStage:
		most = next.most
	case *showStage:
		most, s.show = next.wanted.End(), next
	}
	s.first = order.NewFirst(most, s.compare)
	return s
}

func (s *sortStage) take(row pageRow) error {
	sorted := &sortedRow{shownRow: shownRow{pageRow: row}, keys: make([]value.Value, len(s.keys)), place: s.rows}
	at := s.at(row)
	for i, key := range s.keys {
		var err error
		if sorted.keys[i], err = key.by.evaluate(at); err != nil {
			return s.fail(err)
		}
	}
	if s.show != nil {
		shown, isShown, err := s.show.of(row)
		if err != nil || !isShown {
			return err
		}
		sorted.shownRow = shown
	}
	s.first.Add(sorted)
	return nil
}

func (s *sortStage) compare(a, b *sortedRow) int {
	for i, key := range s.keys {
		if order := s.environment.compare(a.keys[i], b.keys[i]); order != 0 {
			if key.descending {
				return -order
			}
			return order
		}
	}
	return a.place - b.place
}

func (s *sortStage) end() error {
	if err := s.tell(); err != nil {
		return err
	}
	for _, row := range s.first.Sorted() {
		if s.show != nil {
			s.show.keep(row.shownRow)
		} else if err := s.next.take(row.pageRow); err != nil {
			return err
		}
	}
	if err := s.spend(s.rows); err != nil {
		return err
	}
	return s.next.end()
}

// groupStage is GROUP BY. A group holds its rows, because expressions may ask for them.
type groupStage struct {
	base
	field Named
	found byKey
}

func (g *groupStage) take(row pageRow) error {
	v, err := g.field.Expression.evaluate(g.at(row))
	if err != nil {
		return g.fail(err)
	}
	g.found.add(v, row.fields)
	return nil
}

func (g *groupStage) end() error {
	if err := g.tell(); err != nil {
		return err
	}
	if err := g.spend(g.rows); err != nil {
		return err
	}
	places := make([]int, len(g.found.keys))
	for i := range places {
		places[i] = i
	}
	compare := func(a, b int) int { return g.compare(g.found.keys[a], g.found.keys[b]) }
	order.Stably(places, compare)
	for i := 0; i < len(places); {
		key, members := g.found.keys[places[i]], g.found.members[places[i]]
		for i++; i < len(places) && compare(places[i-1], places[i]) == 0; i++ { // NaN is not like itself
			members = append(members, g.found.members[places[i]]...)
		}
		group := value.NewObject()
		group.Set("key", key)
		group.Set("rows", inOrderOfRows(members))
		group.Set(g.field.Name, key)
		if err := g.next.take(pageRow{key, group}); err != nil {
			return err
		}
	}
	return g.next.end()
}

// byKey are rows with equal keys together. Keys that are only alike, such as equal lists, still have groups of their own.
type byKey struct {
	keys    []value.Value
	members [][]member
	places  map[value.Value]int // of the keys that are texts, numbers or truth values
	count   int
}

// member is a row of a group, and its place among all rows.
type member struct {
	place  int
	fields value.Fields
}

func (g *byKey) add(key value.Value, fields value.Fields) {
	g.count++
	row := member{g.count, fields}
	isSimple := false
	switch key.(type) {
	case nil, string, float64, bool:
		isSimple = true
		if at, exists := g.places[key]; exists {
			g.members[at] = append(g.members[at], row)
			return
		}
	}
	if isSimple {
		if g.places == nil {
			g.places = map[value.Value]int{}
		}
		g.places[key] = len(g.keys)
	}
	g.keys, g.members = append(g.keys, key), append(g.members, []member{row})
}

func inOrderOfRows(members []member) value.List {
	order.By(members, func(a, b member) int { return a.place - b.place })
	rows := make(value.List, len(members))
	for i, member := range members {
		rows[i] = member.fields
	}
	return rows
}
