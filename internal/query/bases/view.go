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
	place int // before sorting
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
	shown := limited(rows, chosen.limit)
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
	return view{}, unknown("view", name, b.Views())
}

// rows returns the files that pass the filters, sorted.
func (e *environment) rows(chosen view, result *Result) ([]*tableRow, error) {
	var rows []*tableRow
	var scope *rowScope // of the file that is looked at; a row keeps it, other files use it one after the other
	failures := 0
	for _, file := range e.vault.files {
		if e.vault.Excluded(file.Path) {
			continue
		}
		if scope == nil {
			scope = newScope(e, nil)
		}
		scope.file = file
		passes, err := scope.passes(e.base.filter)
		if err == nil && passes {
			passes, err = scope.passes(chosen.filter)
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
			rows = append(rows, &tableRow{Row: Row{Path: file.Path}, scope: scope, place: len(rows)})
			scope = nil
			continue
		}
		scope.formulas = scope.formulas[:0]
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
	if len(f.parts) == 0 {
		return passesWithoutParts, nil
	}
	return f.kind != anyOf, nil
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

// sort sorts rows by the keys of a view. Rows that no key tells apart stay in the order of the files.
func (e *environment) sort(chosen view, rows []*tableRow) error {
	if len(chosen.sort) == 0 {
		return nil
	}
	for _, row := range rows {
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
			if order := e.compareInColumn(a.keys[i], b.keys[i], key.descending); order != 0 {
				return order
			}
		}
		return cmp.Compare(a.place, b.place)
	})
	return e.spend(0)
}
