package dataview

import (
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
