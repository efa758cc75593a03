package ops

import (
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/query/bases"
	"obsidian-mcp/internal/query/dataview"
	"obsidian-mcp/internal/query/value"
	"obsidian-mcp/internal/text/amount"
	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/wire"
)

// queryAnswer is the rows of a result that are wanted, and what is known about all of them.
type queryAnswer struct {
	kind      string
	columns   []string
	headers   []string // as people see the columns
	total     int      // rows or tasks, wanted or not
	rows      [][]value.Value
	tasks     []dataview.TaskRow
	groups    []queryGroup
	summaries []bases.Summary
	warnings  []string
	markdown  func() string
	text      func(value.Value) string
}

// queryGroup is how many rows or tasks, in their order, belong together.
type queryGroup struct {
	Key       any            `json:"key"`
	Total     int            `json:"total"`
	Summaries map[string]any `json:"summaries,omitempty"`
	Groups    []queryGroup   `json:"groups,omitempty"`
}

// in returns the rows in the format that was asked for.
func (a queryAnswer) in(ctx context.Context, asked QueryVault) (VaultQueried, error) {
	result := VaultQueried{Kind: a.kind, Columns: a.columns, Rows: [][]json.RawMessage{}, Total: a.total, Warnings: a.warnings}
	if result.Columns == nil {
		result.Columns = []string{}
	}
	if result.Warnings == nil {
		result.Warnings = []string{}
	}
	tool.ShownHint(ctx, len(a.rows)+len(a.tasks), asked.Offset, a.total)
	var err error
	switch asked.Format {
	case "", "json":
		err = a.fill(&result)
	case "markdown":
		result.Text = a.markdown()
	case "csv":
		result.Text, err = a.csv()
	default:
		err = fault.InvalidArgument.Errorf("format must be json, markdown or csv, not '%s'", asked.Format)
	}
	return result, err
}

// fill puts the typed values into the result.
func (a queryAnswer) fill(result *VaultQueried) error {
	for _, row := range a.rows {
		cells := make([]json.RawMessage, len(row))
		for i, cell := range row {
			encoded, err := wire.Encode(queryValue(cell))
			if err != nil {
				return err
			}
			cells[i] = encoded
		}
		result.Rows = append(result.Rows, cells)
	}
	for _, task := range a.tasks {
		encoded, err := wire.Encode(queryTask(task.Item, task.Path))
		if err != nil {
			return err
		}
		result.Tasks = append(result.Tasks, tool.Object(encoded))
	}
	for _, group := range a.groups {
		encoded, err := wire.Encode(group)
		if err != nil {
			return err
		}
		result.Groups = append(result.Groups, tool.Object(encoded))
	}
	if len(a.summaries) > 0 {
		encoded, err := wire.Encode(querySummaries(a.summaries))
		if err != nil {
			return err
		}
		result.Summaries = tool.Object(encoded)
	}
	return nil
}

// csv writes the rows as comma-separated values.
func (a queryAnswer) csv() (string, error) {
	var out strings.Builder
	writer := csv.NewWriter(&out)
	if len(a.tasks) > 0 {
		_ = writer.Write([]string{"path", "line", "symbol", "text"})
	} else {
		_ = writer.Write(a.headers)
	}
	for _, task := range a.tasks {
		_ = writer.Write([]string{task.Path, fmt.Sprint(task.Line + 1), task.Status, task.Text})
	}
	for _, row := range a.rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			if cell != nil {
				cells[i] = a.text(cell)
			}
		}
		_ = writer.Write(cells)
	}
	writer.Flush()
	return out.String(), writer.Error()
}

// expressionAnswer is the value of an inline expression.
func expressionAnswer(v value.Value, wanted value.Window) queryAnswer {
	return queryAnswer{
		kind: "value", columns: []string{"value"}, headers: []string{"value"}, text: dataview.Text,
		total: 1, rows: value.Of(wanted, [][]value.Value{{v}}), markdown: func() string { return dataview.Text(v) },
	}
}

// dataviewAnswer turns the result of a Dataview query into rows.
func dataviewAnswer(result *dataview.Result) queryAnswer {
	a := queryAnswer{kind: string(result.Kind), total: result.Total, text: dataview.Text, markdown: result.Markdown}
	switch result.Kind {
	case dataview.Table:
		a.columns, a.rows = result.Headers, result.Rows
	case dataview.ListKind:
		a.columns = []string{"File"}
		if result.Grouped {
			a.columns = []string{"Group"}
		}
		for _, v := range result.List {
			if pair, ok := v.(dataview.Pair); ok {
				a.columns = []string{a.columns[0], "Value"}
				a.rows = append(a.rows, []value.Value{pair.ID, pair.Value})
			} else {
				a.rows = append(a.rows, []value.Value{v})
			}
		}
	case dataview.Calendar:
		a.columns = []string{"Date", "File"}
		for _, day := range result.Days {
			a.rows = append(a.rows, []value.Value{day.Date, day.Link})
		}
	case dataview.Task:
		a.tasks, a.groups = flatTasks(result.Tasks, result.Grouped)
	}
	a.headers = a.columns
	if result.Failed > 0 {
		a.warnings = append(a.warnings, fmt.Sprintf("%s left out, because an expression fails there: %s", amount.Of(result.Failed, "row"), strings.Join(result.Reasons, "; ")))
	}
	return a
}

// flatTasks lists the wanted tasks of all groups in their order.
func flatTasks(groups []dataview.TaskGroup, isGrouped bool) (tasks []dataview.TaskRow, described []queryGroup) {
	for _, group := range groups {
		inner, below := flatTasks(group.Groups, isGrouped)
		inner = append(inner, group.Tasks...)
		tasks = append(tasks, inner...)
		if isGrouped {
			described = append(described, queryGroup{Key: queryValue(group.Key), Total: group.Total, Groups: below})
		}
	}
	return tasks, described
}

// baseAnswer turns a view of a base into rows. The first cell of each is its file. Links get the paths of their files.
func baseAnswer(result *bases.Result, resolve func(target, from string) string) queryAnswer {
	a := queryAnswer{
		kind: "base", columns: append([]string{"file"}, result.Columns...), headers: append([]string{"File"}, result.Headers...),
		total: result.Shown, summaries: result.Summaries, text: baseText,
	}
	for _, row := range result.Rows {
		cells := []value.Value{value.FileLink(row.Path)}
		for _, cell := range row.Cells {
			cells = append(cells, resolvedLinks(cell, func(target string) string { return resolve(target, row.Path) }))
		}
		a.rows = append(a.rows, cells)
	}
	for _, group := range result.Groups {
		key := resolvedLinks(group.Key, func(target string) string { return resolve(target, group.From) })
		described := queryGroup{Key: queryValue(key), Total: group.Total}
		if len(group.Summaries) > 0 {
			described.Summaries = querySummaries(group.Summaries)
		}
		a.groups = append(a.groups, described)
	}
	if result.Failed > 0 {
		a.warnings = append(a.warnings, fmt.Sprintf("%s left out, because a filter cannot be decided there: %s", amount.Of(result.Failed, "file"), strings.Join(result.Reasons, "; ")))
	}
	if result.Total > result.Shown {
		a.warnings = append(a.warnings, fmt.Sprintf("the view shows %d of %s, as its limit says", result.Shown, amount.Of(result.Total, "row")))
	}
	a.markdown = func() string { return baseMarkdown(result, a.headers, a.rows) }
	return a
}

// baseMarkdown shows rows of a base as a table for each group, each followed by its summaries.
func baseMarkdown(result *bases.Result, headers []string, rows [][]value.Value) string {
	table := func(rows [][]value.Value, summaries []bases.Summary) string {
		text := dataview.Result{Kind: dataview.Table, Headers: headers}
		for _, row := range rows {
			cells := make([]value.Value, len(row))
			for i, cell := range row {
				if link, ok := cell.(value.Link); ok && i == 0 {
					link.Display = vpath.Path(link.Path).Name()
					cell = link
				}
				cells[i] = baseText(cell)
			}
			text.Rows = append(text.Rows, cells)
		}
		return text.Markdown() + summaryLine(result, summaries)
	}
	if result.Groups == nil {
		return table(rows, result.Summaries)
	}
	var out strings.Builder
	for _, group := range result.Groups {
		if of := rows[:len(group.Rows)]; len(of) > 0 {
			name := cmp.Or(baseText(group.Key), "(none)")
			fmt.Fprintf(&out, "#### %s\n\n%s\n", oneLine(name), table(of, group.Summaries))
		}
		rows = rows[len(group.Rows):]
	}
	if len(result.Summaries) > 0 {
		out.WriteString("All:" + summaryLine(result, result.Summaries))
	}
	return out.String()
}

// summaryLine lists summaries by the names of their columns.
func summaryLine(result *bases.Result, summaries []bases.Summary) string {
	var texts []string
	for _, summary := range summaries {
		name := summary.Column
		if at := slices.Index(result.Columns, name); at >= 0 {
			name = result.Headers[at]
		}
		texts = append(texts, name+": "+cmp.Or(baseText(summary.Value), "-"))
	}
	if len(texts) == 0 {
		return ""
	}
	return "\n" + strings.Join(texts, ", ") + "\n"
}

// resolvedLinks gives the links of a value the paths of the files that they lead to.
func resolvedLinks(v value.Value, resolve func(target string) string) value.Value {
	switch v := v.(type) {
	case value.Link:
		v.Path = cmp.Or(resolve(v.Path), v.Path)
		return v
	case value.List:
		list := make(value.List, len(v))
		for i, element := range v {
			if _, isList := element.(value.List); isList {
				list[i] = element
			} else {
				list[i] = resolvedLinks(element, resolve)
			}
		}
		return list
	}
	return v
}

// baseText shows a value of a base as text.
func baseText(v value.Value) string {
	if failed, ok := v.(error); ok {
		return "Error: " + failed.Error()
	}
	return bases.Text(v)
}

func querySummaries(all []bases.Summary) map[string]any {
	summaries := map[string]any{}
	for _, summary := range all {
		summaries[summary.Column] = queryValue(summary.Value)
	}
	return summaries
}
