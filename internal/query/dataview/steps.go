package dataview

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"obsidian-mcp/internal/query/value"
	"obsidian-mcp/internal/text/order"
)

// run executes one command.
func (x *execution) run(step step, rows []pageRow) ([]pageRow, error) {
	switch step.kind {
	case where:
		return x.where(step, rows)
	case sortBy:
		return x.sort(step, rows)
	case limit:
		return x.limit(step, rows)
	case groupBy:
		return x.group(step, rows)
	case flatten:
		return x.flatten(step, rows)
	}
	return nil, errors.New("a query can have only one FROM")
}

// each evaluates an expression for every row. Rows for which it fails are left out; if it fails for all, the query does.
func (x *execution) each(what string, rows []pageRow, use func(s *scope, row pageRow) error) error {
	var failures []error
	var inner scope
	for _, row := range rows {
		inner = scope{env: x.environment, row: row.fields}
		err := use(&inner, row)
		if value.IsFinal(err) {
			return err
		}
		if err != nil {
			failures = append(failures, err)
		}
	}
	if len(failures) == 0 {
		return nil
	}
	var reasons []string
	for _, failure := range failures[:min(len(failures), mostReasons)] {
		if !slices.Contains(reasons, failure.Error()) {
			reasons = append(reasons, failure.Error())
		}
	}
	if len(failures) == len(rows) {
		return fmt.Errorf("%s fails for every row: %s", what, strings.Join(reasons, "; "))
	}
	x.result.Failed += len(failures)
	for _, reason := range reasons {
		if !slices.Contains(x.result.Reasons, reason) && len(x.result.Reasons) < mostReasons {
			x.result.Reasons = append(x.result.Reasons, reason)
		}
	}
	return nil
}

// mostReasons is how many different failures are told.
const mostReasons = 3

func (x *execution) where(step step, rows []pageRow) ([]pageRow, error) {
	var kept []pageRow
	err := x.each("WHERE", rows, func(s *scope, row pageRow) error {
		v, err := step.field.Expression.evaluate(s)
		if err == nil && isTrue(v) {
			kept = append(kept, row)
		}
		return err
	})
	return kept, err
}

func (x *execution) sort(step step, rows []pageRow) ([]pageRow, error) {
	width := len(step.sort)
	kept := make([]pageRow, 0, len(rows))
	keys := make([]value.Value, 0, len(rows)*width) // those of each row after those of the one before
	err := x.each("SORT", rows, func(s *scope, row pageRow) error {
		for _, key := range step.sort {
			v, err := key.by.evaluate(s)
			if err != nil {
				keys = keys[:len(kept)*width]
				return err
			}
			keys = append(keys, v)
		}
		kept = append(kept, row)
		return nil
	})
	if err != nil {
		return nil, err
	}
	places := inOrder(len(kept), func(a, b int) int {
		for i, key := range step.sort {
			if order := x.compare(keys[a*width+i], keys[b*width+i]); order != 0 {
				if key.descending {
					return -order
				}
				return order
			}
		}
		return 0
	})
	sorted := make([]pageRow, len(kept))
	for i, place := range places {
		sorted[i] = kept[place]
	}
	return sorted, x.spend(len(rows))
}

// inOrder sorts the numbers below another. Those that are alike stay in order.
func inOrder(count int, compare func(a, b int) int) []int {
	numbers := make([]int, count)
	for i := range numbers {
		numbers[i] = i
	}
	slices.SortFunc(numbers, func(a, b int) int { return cmp.Or(compare(a, b), a-b) })
	return numbers
}

func (x *execution) limit(step step, rows []pageRow) ([]pageRow, error) {
	amount, err := step.field.Expression.evaluate(&scope{env: x.environment})
	if err != nil {
		return nil, fmt.Errorf("LIMIT: %w", err)
	}
	number, ok := amount.(float64)
	if !ok {
		return nil, fmt.Errorf("LIMIT needs a number, not %s", typeOf(amount))
	}
	return rows[:place(number, len(rows))], nil
}

func (x *execution) group(step step, rows []pageRow) ([]pageRow, error) {
	var found byKey
	err := x.each("GROUP BY", rows, func(s *scope, row pageRow) error {
		v, err := step.field.Expression.evaluate(s)
		if err == nil {
			found.add(v, row.fields)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	places := inOrder(len(found.keys), func(a, b int) int { return x.compare(found.keys[a], found.keys[b]) })
	var groups []pageRow
	for i := 0; i < len(places); {
		key, members := found.keys[places[i]], found.members[places[i]]
		for i++; i < len(places) && x.compare(key, found.keys[places[i]]) == 0; i++ { // NaN is not like itself
			members = append(members, found.members[places[i]]...)
		}
		group := value.NewObject()
		group.Set("key", key)
		group.Set("rows", inOrderOfRows(members))
		group.Set(step.field.Name, key)
		groups = append(groups, pageRow{key, group})
	}
	x.groups = &grouping{step.field.Name, x.groups}
	return groups, x.spend(len(rows))
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

func (x *execution) flatten(step step, rows []pageRow) ([]pageRow, error) {
	var flat []pageRow
	err := x.each("FLATTEN", rows, func(s *scope, row pageRow) error {
		v, err := step.field.Expression.evaluate(s)
		if err != nil {
			return err
		}
		elements, isList := v.(value.List)
		if !isList {
			elements = value.List{v}
		}
		for _, element := range elements {
			flat = append(flat, pageRow{row.id, overlay{row.fields, step.field.Name, element}})
		}
		return x.spend(len(elements))
	})
	if x.groups != nil && x.groups.name == step.field.Name {
		x.groups = x.groups.inner
	}
	return flat, err
}

// overlay is a row with one field changed.
type overlay struct {
	value.Fields
	name  string
	value value.Value
}

// Get implements value.Fields.
func (o overlay) Get(name string) (value.Value, bool) {
	if name == o.name {
		return o.value, true
	}
	return o.Fields.Get(name)
}

// Keys implements value.Fields.
func (o overlay) Keys() []string {
	keys := o.Fields.Keys()
	if slices.Contains(keys, o.name) {
		return keys
	}
	return append(slices.Clone(keys), o.name)
}
