package dataview

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"obsidian-mcp/internal/query/value"
)

// Result is the answer to a query.
type Result struct {
	Kind    Kind
	Headers []string        // of a table
	Rows    [][]value.Value // of a table
	List    []value.Value   // of a list
	Days    []Day           // of a calendar
	Tasks   []TaskGroup     // of a query for tasks; one group without a key unless they are grouped
	Grouped bool            // the rows are groups, not pages
	Failed  int             // rows that were left out because an expression failed
	Reasons []string        // the first of these failures
}

// Day is a row of a calendar.
type Day struct {
	Date value.Value
	Link value.Value
}

// TaskGroup is tasks with the same key, or groups of them.
type TaskGroup struct {
	Key    value.Value
	Groups []TaskGroup
	Tasks  []TaskRow
}

// TaskRow is a task that a query found.
type TaskRow struct {
	*Item
	Path string
	page *Page
}

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

// --- sources

// pages returns the pages of a source by path.
func (x *execution) pages(from *source) ([]*Page, error) {
	keep, err := x.filter(from)
	if err != nil {
		return nil, err
	}
	var pages []*Page
	for _, page := range x.set.pages {
		if keep(page) {
			pages = append(pages, page)
		}
	}
	return pages, nil
}

// filter returns whether a page belongs to a source.
func (x *execution) filter(from *source) (func(*Page) bool, error) {
	switch from.kind {
	case fromTag:
		return func(page *Page) bool { return hasTag(page, from.text) }, nil
	case fromFolder:
		return x.folder(from.text), nil
	case fromIncoming, fromOutgoing:
		return x.linked(from)
	case fromCSV:
		return nil, errors.New("csv() is not supported: only notes can be queried")
	}
	left, err := x.filter(from.left)
	if err != nil {
		return nil, err
	}
	if from.kind == fromOthers {
		return func(page *Page) bool { return !left(page) }, nil
	}
	right, err := x.filter(from.right)
	if from.kind == fromBoth {
		return func(page *Page) bool { return left(page) && right(page) }, err
	}
	return func(page *Page) bool { return left(page) || right(page) }, err
}

// hasTag reports whether a page has a tag or one below it.
func hasTag(page *Page, tag string) bool {
	return slices.ContainsFunc(page.tags, func(has string) bool {
		return len(has) >= len(tag) && strings.EqualFold(has[:len(tag)], tag) && (len(has) == len(tag) || has[len(tag)] == '/')
	})
}

// folder finds the pages in a folder or, if there is no such folder, the page with that path.
func (x *execution) folder(name string) func(*Page) bool {
	isRoot := name == "" || name == "/"
	inFolder := func(page *Page) bool { return isRoot || strings.HasPrefix(page.Path, name+"/") }
	if slices.ContainsFunc(x.set.pages, inFolder) {
		return inFolder
	}
	return func(page *Page) bool { return page.Path == name || page.Path == name+".md" }
}

// linked finds the pages that link to a note, or that a note links to.
func (x *execution) linked(from *source) (func(*Page) bool, error) {
	target := x.set.Resolve(from.text, x.origin)
	if from.text == "" {
		target = x.origin
	}
	paths := map[string]bool{}
	page := x.set.byPath[target]
	switch {
	case target == "" || from.kind == fromIncoming:
		if target == "" {
			target = from.text
		}
		for _, link := range x.set.linksTo(target) {
			paths[link.(value.Link).Path] = true
		}
	case page != nil:
		for _, link := range page.links {
			paths[x.set.Resolve(link.Path, page.Path)] = true
		}
	}
	return func(page *Page) bool { return paths[page.Path] }, nil
}

// --- steps

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

// --- results

func (x *execution) table(rows []pageRow) error {
	columns := x.query.Columns
	if !x.query.WithoutID {
		header := "File"
		if x.groups != nil {
			header = x.groups.name
		}
		x.result.Headers = append(x.result.Headers, header)
	}
	last := map[string]Expression{} // of several columns with the same name, all show what the last does
	for _, column := range columns {
		x.result.Headers = append(x.result.Headers, column.Name)
		last[column.Name] = column.Expression
	}
	return x.each("TABLE", rows, func(s *scope, row pageRow) error {
		var cells []value.Value
		if !x.query.WithoutID {
			cells = append(cells, row.identity())
		}
		for _, column := range columns {
			v, err := last[column.Name].evaluate(s)
			if err != nil {
				return err
			}
			cells = append(cells, v)
		}
		x.result.Rows = append(x.result.Rows, cells)
		return nil
	})
}

func (x *execution) list(rows []pageRow) error {
	return x.each("LIST", rows, func(s *scope, row pageRow) error {
		if x.query.Format == nil {
			x.result.List = append(x.result.List, row.identity())
			return nil
		}
		v, err := x.query.Format.evaluate(s)
		if err != nil {
			return err
		}
		if !x.query.WithoutID {
			v = Pair{row.identity(), v}
		}
		x.result.List = append(x.result.List, v)
		return nil
	})
}

func (x *execution) calendar(rows []pageRow) error {
	return x.each("CALENDAR", rows, func(s *scope, row pageRow) error {
		date, err := x.query.Columns[0].Expression.evaluate(s)
		if err != nil {
			return err
		}
		file, err := x.part(fieldOf(row.fields, "file"), "link")
		x.result.Days = append(x.result.Days, Day{date, file})
		return err
	})
}

func fieldOf(fields value.Fields, name string) value.Value {
	v, _ := fields.Get(name)
	return v
}

func (x *execution) tasks(rows []pageRow) []TaskGroup {
	fields := make(value.List, len(rows))
	for i, row := range rows {
		fields[i] = row.fields
	}
	if x.groups == nil {
		return []TaskGroup{{Tasks: taskRows(fields)}}
	}
	return taskGroups(fields, x.groups)
}

func taskGroups(rows value.List, by *grouping) []TaskGroup {
	var groups []TaskGroup
	for _, element := range rows {
		group := element.(value.Fields)
		members, _ := fieldOf(group, "rows").(value.List)
		result := TaskGroup{Key: fieldOf(group, by.name)}
		if by.inner != nil {
			result.Groups = taskGroups(members, by.inner)
		} else {
			result.Tasks = taskRows(members)
		}
		groups = append(groups, result)
	}
	return groups
}

func taskRows(rows value.List) []TaskRow {
	var tasks []TaskRow
	for _, element := range rows {
		for {
			changed, ok := element.(overlay)
			if !ok {
				break
			}
			element = changed.Fields
		}
		if task, ok := element.(taskRow); ok {
			tasks = append(tasks, TaskRow{task.Item, task.page.Path, task.page.Page})
		}
	}
	return tasks
}
