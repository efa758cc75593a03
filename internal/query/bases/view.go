package bases

import (
	"context"
	"time"

	"obsidian-mcp/internal/query/value"
)

// Asking is how a base is asked.
type Asking struct {
	View   string // the name of a view; "" is the first
	Wanted value.Window
	This   *File // the file that the base is shown in; nil: none
	Now    time.Time
	Random func() float64
}

// Result is the rows of a view that are wanted.
type Result struct {
	View      string
	Columns   []string // as the view writes them
	Headers   []string
	Rows      []Row
	Groups    []Group // nil unless the view groups its rows; all of them, with the rows that are wanted
	Summaries []Summary
	Total     int // rows before the limit
	Shown     int // rows after it, wanted or not
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
	From      string // the path of its first row
	Rows      []Row  // that are wanted
	Total     int
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
	found := env.gathering(chosen, asking.Wanted)
	if err := found.files(result); err != nil {
		return nil, err
	}
	rows := found.first.Sorted()
	if result.Summaries, err = found.summaries(rows); err != nil {
		return nil, err
	}
	rows = limited(rows, chosen.limit)
	result.Total, result.Shown = found.total, found.total
	if chosen.limit >= 0 {
		result.Shown = min(result.Shown, chosen.limit)
	}
	if chosen.group != nil {
		if result.Groups, rows, err = env.groups(chosen, rows); err != nil {
			return nil, err
		}
	}
	for _, row := range value.Of(asking.Wanted, rows) {
		if err := row.fill(chosen); err != nil {
			return nil, err
		}
		result.Rows = append(result.Rows, row.Row)
	}
	result.shareRows(asking.Wanted.Offset)
	return result, env.spend(0)
}

// shareRows gives each group those of its rows that are wanted. Others come before them.
func (r *Result) shareRows(before int) {
	start := -before // of the group, among the rows that are wanted
	for i := range r.Groups {
		group := &r.Groups[i]
		end := start + group.Total
		group.Rows = r.Rows[min(max(start, 0), len(r.Rows)):min(max(end, 0), len(r.Rows))]
		start = end
	}
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
