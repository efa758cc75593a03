package dataview

import (
	"slices"
	"strings"

	"obsidian-mcp/internal/query/value"
)

// Markdown writes a result as the plugin exports it.
func (r *Result) Markdown() string {
	switch r.Kind {
	case Table:
		return markdownTable(r.Headers, r.Rows)
	case ListKind:
		return markdownList(value.List(r.List), 0)
	case Task:
		return markdownTasks(r.Tasks, 0)
	}
	var out strings.Builder
	for _, day := range r.Days {
		out.WriteString("- " + Text(day.Date) + ": " + Text(day.Link) + "\n")
	}
	return out.String()
}

func markdownTable(headers []string, rows [][]value.Value) string {
	lines := make([][]string, 0, len(rows)+2)
	head := make([]string, len(headers))
	widths := make([]int, len(headers))
	for i, header := range headers {
		head[i] = escapedBars(header)
		widths[i] = value.UTF16Len(head[i])
	}
	lines = append(lines, head, nil)
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = markdownCell(cell)
			widths[i] = max(widths[i], value.UTF16Len(cells[i]))
		}
		lines = append(lines, cells)
	}
	lines[1] = make([]string, len(headers))
	for i, width := range widths {
		lines[1][i] = strings.Repeat("-", width)
	}
	var out strings.Builder
	for _, cells := range lines {
		for i, cell := range cells {
			cells[i] = cell + strings.Repeat(" ", widths[i]-value.UTF16Len(cell))
		}
		out.WriteString("| " + strings.Join(cells, " | ") + " |\n")
	}
	return out.String()
}

// markdownCell writes a value in a table; lists and objects in HTML.
func markdownCell(v value.Value) string {
	switch v := v.(type) {
	case value.List:
		var out strings.Builder
		for _, element := range v {
			out.WriteString("<li>" + markdownCell(element) + "</li>")
		}
		return escapedBars("<ul>" + out.String() + "</ul>")
	case value.Fields:
		var out strings.Builder
		for _, key := range v.Keys() {
			out.WriteString("<li><b>" + escapedBars(key) + "</b>: " + markdownCell(fieldOf(v, key)) + "</li>")
		}
		return escapedBars("<ul>" + out.String() + "</ul>")
	}
	return escapedBars(strings.ReplaceAll(Text(v), "\n", "<br>")) // a line break would end the table
}

// escapedBars escapes the bars of a text, which would end a cell.
func escapedBars(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

func markdownList(v value.Value, depth int) string {
	start := "\n"
	if depth == 0 {
		start = ""
	}
	indent := strings.Repeat("    ", depth)
	var out strings.Builder
	switch v := v.(type) {
	case value.List:
		out.WriteString(start)
		for _, element := range v {
			out.WriteString(indent + "- " + markdownList(element, depth) + "\n")
		}
		return out.String()
	case Pair:
		return Text(v.ID) + ": " + markdownList(v.Value, depth+1)
	case value.Fields:
		out.WriteString(start)
		for _, key := range v.Keys() {
			out.WriteString(indent + "- " + key + ": " + markdownList(fieldOf(v, key), depth) + "\n")
		}
		return out.String()
	}
	return Text(v)
}

func markdownTasks(groups []TaskGroup, depth int) string {
	var out strings.Builder
	for _, group := range groups {
		if group.Total > 0 && !group.isShown() {
			continue
		}
		isGroup := len(groups) > 1 || group.Key != nil || group.Groups != nil
		inner := depth
		if isGroup {
			out.WriteString(strings.Repeat("#", depth+1) + " " + Text(group.Key) + "\n\n")
			inner++
		}
		out.WriteString(markdownTasks(group.Groups, inner))
		out.WriteString(markdownItems(group.Tasks, inner))
	}
	return out.String()
}

// isShown reports whether any of the group's tasks is wanted.
func (g *TaskGroup) isShown() bool {
	return len(g.Tasks) > 0 || slices.ContainsFunc(g.Groups, func(inner TaskGroup) bool { return inner.isShown() })
}

// markdownItems writes tasks with all items nested in them. A task below one that is written already is not repeated.
func markdownItems(tasks []TaskRow, depth int) string {
	type place struct {
		page *Page
		line int
	}
	written := map[place]bool{}
	var mark func(page *Page, item *Item)
	mark = func(page *Page, item *Item) {
		written[place{page, item.Line}] = true
		for _, child := range page.childrenOf(item) {
			mark(page, child)
		}
	}
	for _, task := range tasks {
		mark(task.page, task.Item)
	}
	var out strings.Builder
	for _, task := range tasks {
		if task.Parent < 0 || !written[place{task.page, task.Parent}] {
			writeItem(&out, task.page, task.Item, depth)
		}
	}
	return out.String()
}

func writeItem(out *strings.Builder, page *Page, item *Item, depth int) {
	out.WriteString(strings.Repeat("    ", depth) + "- ")
	if item.IsTask {
		out.WriteString("[" + item.Status + "] ")
	}
	out.WriteString(strings.ReplaceAll(item.Text, "\n", " ") + "\n")
	for _, child := range page.childrenOf(item) {
		writeItem(out, page, child, depth+1)
	}
}
