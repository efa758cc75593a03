package dataview

import (
	"strings"

	"obsidian-mcp/internal/query/value"
)

// Result is the answer to a query, with the rows that are wanted.
type Result struct {
	Kind    Kind
	Total   int             // rows or tasks, wanted or not
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
	Tasks  []TaskRow // that are wanted
	Total  int       // tasks, also of the groups inside
}

// TaskRow is a task that a query found.
type TaskRow struct {
	*Item
	Path string
	page *Page
}

// shownRow is a row with what the answer shows of it: the cells of a table, the value of a list, the date and the page of a calendar.
type shownRow struct {
	pageRow
	cells []value.Value
}

// showStage is the last stage. It makes what the answer shows, counts it, and keeps what is wanted.
type showStage struct {
	base
	cells  func(s *scope, row pageRow) ([]value.Value, error)
	wanted value.Window // all groups of tasks: the tasks are counted, not the groups
	passed int          // rows so far, wanted or not
	kept   []shownRow
}

func (x *execution) shower() *showStage {
	show := &showStage{base: x.base(strings.ToUpper(string(x.query.Kind)), nil), wanted: x.wanted}
	x.result.Kind, x.result.Grouped = x.query.Kind, x.groups != nil
	switch x.query.Kind {
	case Table:
		show.cells = x.tableCells()
	case ListKind:
		show.cells = x.listValue
	case Calendar:
		show.cells = x.calendarDay
	case Task:
		show.cells = func(*scope, pageRow) ([]value.Value, error) { return nil, nil }
		if x.groups != nil {
			show.wanted = value.All
		}
	}
	return show
}

// of makes what the answer shows of a row. A row for which that fails is left out.
func (w *showStage) of(row pageRow) (shown shownRow, isShown bool, err error) {
	cells, err := w.cells(w.at(row), row)
	if err != nil {
		return shownRow{}, false, w.fail(err)
	}
	w.result.Total++
	return shownRow{row, cells}, true, nil
}

// keep keeps a row if it is wanted.
func (w *showStage) keep(row shownRow) {
	if end := w.wanted.End(); w.passed >= w.wanted.Offset && (end < 0 || w.passed < end) {
		w.kept = append(w.kept, row)
	}
	w.passed++
}

func (w *showStage) take(row pageRow) error {
	shown, isShown, err := w.of(row)
	if isShown {
		w.keep(shown)
	}
	return err
}

func (w *showStage) end() error {
	if err := w.tell(); err != nil {
		return err
	}
	for _, row := range w.kept {
		switch w.query.Kind {
		case Table:
			w.result.Rows = append(w.result.Rows, row.cells)
		case ListKind:
			w.result.List = append(w.result.List, row.cells[0])
		case Calendar:
			w.result.Days = append(w.result.Days, Day{row.cells[0], row.cells[1]})
		}
	}
	if w.query.Kind == Task {
		w.tasks()
	}
	return nil
}

// tableCells names the columns of a table and returns what makes the cells of a row.
func (x *execution) tableCells() func(s *scope, row pageRow) ([]value.Value, error) {
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
	return func(s *scope, row pageRow) ([]value.Value, error) {
		cells := make([]value.Value, 0, len(columns)+1)
		if !x.query.WithoutID {
			cells = append(cells, row.identity())
		}
		for _, column := range columns {
			v, err := last[column.Name].evaluate(s)
			if err != nil {
				return nil, err
			}
			cells = append(cells, v)
		}
		return cells, nil
	}
}

func (x *execution) listValue(s *scope, row pageRow) ([]value.Value, error) {
	if x.query.Format == nil {
		return []value.Value{row.identity()}, nil
	}
	v, err := x.query.Format.evaluate(s)
	if err != nil {
		return nil, err
	}
	if !x.query.WithoutID {
		v = Pair{row.identity(), v}
	}
	return []value.Value{v}, nil
}

func (x *execution) calendarDay(s *scope, row pageRow) ([]value.Value, error) {
	date, err := x.query.Columns[0].Expression.evaluate(s)
	if err != nil {
		return nil, err
	}
	file, err := x.part(fieldOf(row.fields, "file"), "link")
	return []value.Value{date, file}, err
}

func fieldOf(fields value.Fields, name string) value.Value {
	v, _ := fields.Get(name)
	return v
}

// tasks puts the tasks that are wanted into the result.
func (w *showStage) tasks() {
	fields := make(value.List, len(w.kept))
	for i, row := range w.kept {
		fields[i] = row.fields
	}
	if w.groups == nil {
		w.result.Tasks = []TaskGroup{{Tasks: taskRows(fields), Total: w.result.Total}}
		return
	}
	w.result.Tasks, w.result.Total = taskGroups(fields, w.groups), 0
	left := w.execution.wanted
	for i := range w.result.Tasks {
		w.result.Total += w.result.Tasks[i].keep(&left)
	}
}

// keep keeps the tasks of a group that are wanted, counts them all, and takes them from what is wanted of the groups behind it.
func (g *TaskGroup) keep(wanted *value.Window) int {
	for i := range g.Groups {
		g.Total += g.Groups[i].keep(wanted)
	}
	count := len(g.Tasks)
	g.Total += count
	g.Tasks = value.Of(*wanted, g.Tasks)
	wanted.Offset = max(0, wanted.Offset-count)
	if wanted.Limit >= 0 {
		wanted.Limit -= len(g.Tasks)
	}
	return g.Total
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
