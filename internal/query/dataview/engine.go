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
func (s *Set) Run(ctx context.Context, query *Query, origin string, wanted value.Window) (*Result, error) {
	run := execution{environment: s.environment(ctx, origin), query: query, wanted: wanted}
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
	wanted value.Window
	result Result
	groups *grouping // nil: the rows are pages or tasks
}

// answer sends the rows of the source, one after the other, through the commands.
func (x *execution) answer() (*Result, error) {
	first, err := x.stages(x.query.steps)
	if err != nil {
		return nil, err
	}
	belongs, err := x.filter(&x.query.source)
	if err != nil {
		return nil, err
	}
	for _, page := range x.set.pages {
		if !belongs(page) {
			continue
		}
		if err := x.send(page, first); err != nil {
			return nil, err
		}
	}
	if x.query.Kind != Task {
		for _, name := range x.tables(&x.query.source) {
			if err := x.sendTable(name, first); err != nil {
				return nil, err
			}
		}
	}
	return &x.result, first.end()
}

// send sends the rows of a page: itself, or its tasks.
func (x *execution) send(page *Page, first stage) error {
	at := row{page, x.set}
	if x.query.Kind != Task {
		return first.take(pageRow{nil, at})
	}
	for _, item := range page.items {
		if !item.IsTask {
			continue
		}
		if err := first.take(pageRow{nil, taskRow{itemFields{item, at}}}); err != nil {
			return err
		}
	}
	return nil
}
