package dataview

import (
	"context"

	"obsidian-mcp/internal/query/value"
)

// pageRow is a row while a query runs: its fields and, of a group, its key.
type pageRow struct {
	id     value.Value
	fields value.Fields
}

// identity is what a row is: a link to its page, or the key of its group.
func (p pageRow) identity() value.Value {
	if page, ok := PageOf(p.fields); ok {
		return value.FileLink(page)
	}
	return p.id
}

// grouping says what the rows are: pages, or groups of rows by a name.
type grouping struct {
	name  string
	inner *grouping // what the rows of a group are
}

// Run answers a query that is asked from a note; origin is its path, or "".
func (s *Set) Run(ctx context.Context, query *Query, origin string) (*Result, error) {
	run := execution{environment: s.environment(ctx, origin), query: query}
	return run.answer()
}

// Evaluate evaluates an expression in a note.
func (s *Set) Evaluate(ctx context.Context, expression Expression, origin string) (value.Value, error) {
	return expression.evaluate(&scope{env: s.environment(ctx, origin)})
}

func (s *Set) environment(ctx context.Context, origin string) *environment {
	env := &environment{set: s, origin: origin, clock: s.clock, budget: value.NewBudget(ctx.Done()), this: value.NewObject()}
	if page := s.Page(origin); page != nil {
		env.this = page
	}
	return env
}

// execution is a query while it runs.
type execution struct {
	*environment
	query  *Query
	result Result
	groups *grouping // nil: the rows are pages or tasks
}

func (x *execution) answer() (*Result, error) {
	pages, err := x.pages(&x.query.source)
	if err != nil {
		return nil, err
	}
	rows := make([]pageRow, 0, len(pages))
	for _, page := range pages {
		rows = x.appendRows(rows, page)
	}
	if x.query.Kind != Task {
		for _, name := range x.tables(&x.query.source) {
			if rows, err = x.appendTable(rows, name); err != nil {
				return nil, err
			}
		}
	}
	for _, step := range x.query.steps {
		if rows, err = x.run(step, rows); err != nil {
			return nil, err
		}
	}
	x.result.Kind, x.result.Grouped = x.query.Kind, x.groups != nil
	switch x.query.Kind {
	case Task:
		x.result.Tasks = x.tasks(rows)
	case ListKind:
		err = x.list(rows)
	case Calendar:
		err = x.calendar(rows)
	default:
		err = x.table(rows)
	}
	return &x.result, err
}

// appendRows adds the rows of a page: itself, or its tasks.
func (x *execution) appendRows(rows []pageRow, page *Page) []pageRow {
	at := row{page, x.set}
	if x.query.Kind != Task {
		return append(rows, pageRow{nil, at})
	}
	for _, item := range page.items {
		if item.IsTask {
			rows = append(rows, pageRow{nil, taskRow{itemFields{item, at}}})
		}
	}
	return rows
}
