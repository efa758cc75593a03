package bases

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"obsidian-mcp/internal/query/value"
)

// Asking is how a base is asked.
type Asking struct {
	View   string // the name of a view; "" is the first
	This   *File  // the file that the base is shown in; nil: none
	Now    time.Time
	Random func() float64
}

// Result is the rows of a view.
type Result struct {
	View      string
	Columns   []string // as the view writes them
	Headers   []string
	Rows      []Row
	Groups    []Group // nil unless the view groups its rows
	Summaries []Summary
	Total     int // rows before the limit
	Failed    int // files that were left out because a filter failed
	Reasons   []string
}

// Row is a file with the values of its columns. A value that could not be computed is an error.
type Row struct {
	Path  string
	Cells []value.Value
}

// Group is rows with the same value.
type Group struct {
	Key       value.Value
	Rows      []Row
	Summaries []Summary
}

// Summary is a value over a column.
type Summary struct {
	Column string
	Value  value.Value
}

// tableRow is a row while a view is evaluated.
type tableRow struct {
	Row
	scope *rowScope
	keys  []value.Value
	name  string // what it is sorted by last
}

// Run evaluates a view of a base.
func (b *Base) Run(ctx context.Context, vault *Vault, asking Asking) (*Result, error) {
	chosen, err := b.view(asking.View)
	if err != nil {
		return nil, err
	}
	env := &environment{
		base: b, vault: vault, this: asking.This, now: asking.Now, random: asking.Random, budget: value.NewBudget(ctx.Done()),
	}
	result := &Result{View: chosen.name, Columns: []string{}}
	for _, column := range chosen.columns {
		result.Columns, result.Headers = append(result.Columns, column.id), append(result.Headers, b.header(column))
	}
	rows, err := env.rows(chosen, result)
	if err != nil {
		return nil, err
	}
	result.Total = len(rows)
	if result.Summaries, err = env.summaries(chosen, rows); err != nil {
		return nil, err
	}
	shown := rows
	if chosen.limit >= 0 && chosen.limit < len(rows) {
		shown = rows[:chosen.limit]
	}
	for _, row := range shown {
		if err := row.fill(chosen); err != nil {
			return nil, err
		}
		result.Rows = append(result.Rows, row.Row)
	}
	if chosen.group != nil {
		result.Groups, err = env.groups(chosen, shown)
	}
	return result, err
}

// view returns the view with a name. A base without views shows its files.
func (b *Base) view(name string) (view, error) {
	if name == "" {
		if len(b.views) == 0 {
			return view{kind: "table", limit: -1, columns: []property{propertyOf("file.name")}}, nil
		}
		return b.views[0], nil
	}
	for _, known := range b.views {
		if known.name == name {
			return known, nil
		}
	}
	return view{}, &Error{Reason: fmt.Sprintf("there is no view %q", name) + nearest(name, b.Views())}
}

// rows returns the files that pass the filters, sorted.
func (e *environment) rows(chosen view, result *Result) ([]*tableRow, error) {
	var rows []*tableRow
	failures := 0
	for _, file := range e.vault.Files {
		if e.vault.Excluded(file.Path) {
			continue
		}
		row := &tableRow{Row: Row{Path: file.Path}, scope: newScope(e, file)}
		passes, err := row.scope.passes(e.base.filter)
		if err == nil && passes {
			passes, err = row.scope.passes(chosen.filter)
		}
		if isFinal(err) {
			return nil, err
		}
		if err != nil {
			failures++
			if reason := reasonOf(err); len(result.Reasons) < mostReasons && !slices.Contains(result.Reasons, reason) {
				result.Reasons = append(result.Reasons, reason)
			}
		} else if passes {
			rows = append(rows, row)
		}
	}
	if result.Failed = failures; failures > 0 && len(rows) == 0 {
		return nil, fmt.Errorf("the filters cannot be decided for %d files, and no other file passes: %s", failures, strings.Join(result.Reasons, "; "))
	}
	return rows, e.sort(chosen, rows)
}

// mostReasons is how many different failures are told.
const mostReasons = 3

// passes reports whether a file passes a filter; nil is none.
func (r *rowScope) passes(f *filter) (bool, error) {
	if f == nil {
		return true, nil
	}
	if f.kind == single {
		v, err := f.expr.evaluate(r)
		return isTruthy(v), err
	}
	for _, part := range f.parts {
		passes, err := r.passes(part)
		switch {
		case err != nil:
			return false, err
		case f.kind == allOf && !passes:
			return false, nil
		case f.kind == anyOf && passes:
			return true, nil
		case f.kind == noneOf && passes:
			return false, nil
		}
	}
	return f.kind != anyOf || len(f.parts) == 0, nil
}

// cell evaluates a property for a file. A failure is the cell's value, unless the query cannot go on.
func (r *rowScope) cell(expr expression) (value.Value, error) {
	v, err := expr.evaluate(r)
	if err == nil {
		return v, nil
	}
	if value.IsFinal(err) {
		return nil, err
	}
	return err, nil
}

func (t *tableRow) fill(chosen view) error {
	for _, column := range chosen.columns {
		v, err := t.scope.cell(column.expr)
		if err != nil {
			return err
		}
		t.Cells = append(t.Cells, v)
	}
	return nil
}

func (e *environment) sort(chosen view, rows []*tableRow) error {
	for _, row := range rows {
		row.name = rowName(row.scope.file)
		for _, key := range chosen.sort {
			v, err := row.scope.cell(key.expr)
			if err != nil {
				return err
			}
			row.keys = append(row.keys, v)
		}
	}
	slices.SortFunc(rows, func(a, b *tableRow) int {
		for i, key := range chosen.sort {
			if order := compareInColumn(a.keys[i], b.keys[i], key.descending); order != 0 {
				return order
			}
		}
		return cmp.Or(strings.Compare(a.name, b.name), strings.Compare(a.Path, b.Path))
	})
	return nil
}

// compareInColumn compares values in the direction of a column; empty values and errors come last in both.
func compareInColumn(a, b value.Value, descending bool) int {
	_, aFailed := a.(error)
	_, bFailed := b.(error)
	aEmpty, bEmpty := a == nil || aFailed, b == nil || bFailed
	switch {
	case aEmpty && bEmpty:
		return 0
	case aEmpty:
		return 1
	case bEmpty:
		return -1
	case descending:
		return compareValues(b, a)
	}
	return compareValues(a, b)
}

// kinds are the order of values of different types.
var kinds = []string{"boolean", "number", "duration", "date", "string", "link", "file", "list", "object"}

// compareValues puts values in order.
func compareValues(a, b value.Value) int {
	switch x := a.(type) {
	case bool:
		if y, ok := b.(bool); ok {
			return cmp.Compare(boolNumber(x), boolNumber(y))
		}
	case float64:
		if y, ok := b.(float64); ok {
			return cmp.Compare(x, y)
		}
	case value.Date:
		if y, ok := b.(value.Date); ok {
			return x.Time.Compare(y.Time)
		}
	case value.Duration:
		if y, ok := b.(value.Duration); ok {
			return cmp.Compare(x.Millis(), y.Millis())
		}
	case value.List:
		if y, ok := b.(value.List); ok {
			return slices.CompareFunc(x, y, compareValues)
		}
	}
	if typeName(a) == typeName(b) {
		return compareTexts(shownText(a), shownText(b))
	}
	return cmp.Compare(slices.Index(kinds, typeName(a)), slices.Index(kinds, typeName(b)))
}

func boolNumber(on bool) int {
	if on {
		return 1
	}
	return 0
}

// shownText is the text of a value as a view shows it: of a link only its name.
func shownText(v value.Value) string {
	if link, ok := v.(value.Link); ok {
		return cmp.Or(link.Display, link.Path[strings.LastIndexByte(link.Path, '/')+1:])
	}
	return Text(v)
}

// groups puts rows with the same value together.
func (e *environment) groups(chosen view, rows []*tableRow) ([]Group, error) {
	var order []value.Value
	var members [][]*tableRow
	for _, row := range rows {
		key, err := row.scope.cell(chosen.group.expr)
		if err != nil {
			return nil, err
		}
		if _, failed := key.(error); failed || isEmptyValue(key) {
			key = nil
		}
		at := slices.IndexFunc(order, func(known value.Value) bool { return row.scope.equal(known, key) })
		if at < 0 {
			at = len(order)
			order, members = append(order, key), append(members, nil)
		}
		members[at] = append(members[at], row)
	}
	places := make([]int, len(order))
	for i := range places {
		places[i] = i
	}
	slices.SortStableFunc(places, func(a, b int) int { return compareInColumn(order[a], order[b], chosen.group.descending) })
	groups := make([]Group, len(places))
	for i, place := range places {
		summaries, err := e.summaries(chosen, members[place])
		if err != nil {
			return nil, err
		}
		groups[i] = Group{Key: order[place], Summaries: summaries}
		for _, row := range members[place] {
			groups[i].Rows = append(groups[i].Rows, row.Row)
		}
	}
	return groups, nil
}
