package dataview

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"obsidian-mcp/internal/query/value"
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

// keyedRow is a row with the values that it is sorted by.
type keyedRow struct {
	pageRow
	keys []value.Value
}

func (x *execution) sort(step step, rows []pageRow) ([]pageRow, error) {
	keyed := make([]keyedRow, 0, len(rows))
	err := x.each("SORT", rows, func(s *scope, row pageRow) error {
		keys := make([]value.Value, len(step.sort))
		for i, key := range step.sort {
			v, err := key.by.evaluate(s)
			if err != nil {
				return err
			}
			keys[i] = v
		}
		keyed = append(keyed, keyedRow{row, keys})
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(keyed, func(a, b keyedRow) int {
		for i, key := range step.sort {
			if order := x.compare(a.keys[i], b.keys[i]); order != 0 {
				if key.descending {
					return -order
				}
				return order
			}
		}
		return 0
	})
	sorted := make([]pageRow, len(keyed))
	for i, row := range keyed {
		sorted[i] = row.pageRow
	}
	return sorted, x.spend(len(rows))
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
	keyed := make([]keyedRow, 0, len(rows))
	err := x.each("GROUP BY", rows, func(s *scope, row pageRow) error {
		v, err := step.field.Expression.evaluate(s)
		if err == nil {
			keyed = append(keyed, keyedRow{row, []value.Value{v}})
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(keyed, func(a, b keyedRow) int { return x.compare(a.keys[0], b.keys[0]) })
	var groups []pageRow
	var members value.List
	for i, row := range keyed {
		members = append(members, row.fields)
		if i+1 < len(keyed) && x.compare(row.keys[0], keyed[i+1].keys[0]) == 0 {
			continue
		}
		group := value.NewObject()
		group.Set("key", row.keys[0])
		group.Set("rows", members)
		group.Set(step.field.Name, row.keys[0])
		groups = append(groups, pageRow{row.keys[0], group})
		members = nil
	}
	x.groups = &grouping{step.field.Name, x.groups}
	return groups, x.spend(len(rows))
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
