// Package tasks is the query language of the plugin Tasks: filters, sorting, grouping and limits, without the parts that are
// JavaScript.
package tasks

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"obsidian-mcp/internal/note/moment"
	"obsidian-mcp/internal/note/task"
)

// File is the note that contains a query.
type File struct {
	Path     string
	Property func(name string) (string, bool)
}

// Context is what a query depends on besides the tasks.
type Context struct {
	Settings    task.Settings
	GlobalQuery string
	Presets     map[string]string
	Today       moment.Date
	File        *File // nil: none
}

// Kind says what is wrong with a query.
type Kind string

// What can be wrong with a query.
const (
	UnknownInstruction Kind = "unknown_instruction"
	BadDate            Kind = "bad_date"
	BadRegex           Kind = "bad_regex"
	BadBoolean         Kind = "bad_boolean"
	BadStatusType      Kind = "bad_status_type"
	BadLayout          Kind = "bad_layout"
	BadView            Kind = "bad_view"
	BadPlaceholder     Kind = "bad_placeholder"
	UnknownPreset      Kind = "unknown_preset"
	JavaScript         Kind = "javascript_refused"
)

// Error says which line of a query cannot be understood.
type Error struct {
	Kind   Kind
	Line   string
	Number int    // of the line, from 0
	In     string // where the line is, unless in the query itself
	Reason string
}

func (e *Error) Error() string {
	where := ""
	if e.In != "" {
		where = " of the " + e.In
	}
	return fmt.Sprintf("line %d%s, '%s': %s", e.Number+1, where, e.Line, e.Reason)
}

// filter decides about a task.
type filter func(*row) bool

// Query is a query that can be run.
type Query struct {
	context    Context
	filters    []filter
	sorters    []comparison
	groupers   []grouper
	limit      int // -1: none
	groupLimit int
	ignores    bool // the global query
	lines      int  // read so far
}

// Parse reads a query.
func Parse(source string, context Context) (*Query, error) {
	parts := []struct{ text, in string }{{source, ""}}
	if context.File != nil {
		parts = append([]struct{ text, in string }{{context.fileDefaults(), "note's properties"}}, parts...)
	}
	q := &Query{context: context, limit: -1, groupLimit: -1}
	q.ignores = slices.ContainsFunc(parts, func(part struct{ text, in string }) bool { return ignoresGlobal(part.text) })
	if context.GlobalQuery != "" && !q.ignores {
		parts = append([]struct{ text, in string }{{context.GlobalQuery, "global query"}}, parts...)
	}
	for _, part := range parts {
		if err := q.read(part.text, part.in, 0); err != nil {
			return nil, err
		}
	}
	return q, nil
}

func ignoresGlobal(text string) bool {
	return slices.ContainsFunc(strings.Split(text, "\n"), func(line string) bool {
		return strings.EqualFold(strings.TrimSpace(line), "ignore global query")
	})
}

// maxPresets bounds presets that name presets, maxLines the lines of a query with all its presets.
const (
	maxPresets = 10
	maxLines   = 10_000
)

// read adds the lines of a text to the query.
func (q *Query) read(text, in string, depth int) error {
	for _, line := range statements(text) {
		fail := func(kind Kind, reason string) error { return &Error{kind, line.text, line.number, in, reason} }
		text, problem := q.context.expand(line.text)
		if problem != nil {
			return fail(problem.Kind, problem.Reason)
		}
		parts := []statement{line}
		if text != line.text { // what a placeholder stands for may have several lines
			parts = statements(text)
		}
		for _, each := range parts {
			part := strings.TrimSpace(each.text)
			if q.lines++; q.lines > maxLines {
				return fail(UnknownInstruction, "the query is too long")
			}
			if part == "" || strings.HasPrefix(part, "#") {
				continue
			}
			if name, ok := cutFold(part, "preset "); ok {
				preset, known := q.context.Presets[strings.TrimSpace(name)]
				if !known || depth == maxPresets {
					return fail(UnknownPreset, "there is no such preset")
				}
				if err := q.read(preset, "preset", depth+1); err != nil {
					return err
				}
				continue
			}
			if problem := q.instruction(part); problem != nil {
				return fail(problem.Kind, problem.Reason)
			}
		}
	}
	return nil
}

// problem is why a line cannot be understood.
type problem struct {
	Kind   Kind
	Reason string
}

func script() *problem { return &problem{JavaScript, "it is JavaScript, which is never run"} }

func unknown() *problem {
	return &problem{UnknownInstruction, "it is not an instruction of the plugin Tasks"}
}

// cutFold removes a prefix, whatever its letter case.
func cutFold(text, prefix string) (string, bool) {
	if len(text) < len(prefix) || !strings.EqualFold(text[:len(prefix)], prefix) {
		return text, false
	}
	return text[len(prefix):], true
}

// instruction adds one line to the query.
func (q *Query) instruction(line string) *problem {
	lower := strings.ToLower(line)
	switch {
	case lower == "explain" || lower == "ignore global query":
		return nil
	case lower == "short" || lower == "short mode" || lower == "full" || lower == "full mode":
		return nil
	case strings.HasPrefix(lower, "hide ") || strings.HasPrefix(lower, "show "):
		return checkLayout(lower)
	case strings.HasPrefix(lower, "view"):
		return q.view(line)
	case strings.HasPrefix(lower, "limit"):
		return q.setLimit(lower)
	case strings.HasPrefix(lower, "sort by"):
		return q.addSorter(line)
	case strings.HasPrefix(lower, "group by"):
		return q.addGrouper(line)
	}
	keep, problem := q.context.filter(line)
	if problem == nil {
		q.filters = append(q.filters, keep)
	}
	return problem
}

// layouts are what hide and show take. More may follow: backlinks is taken for backlink.
var layouts = []string{
	"tree", "task count", "backlink", "nested backlink", "priority", "cancelled date", "created date", "start date", "scheduled date", "done date", "due date",
	"recurrence rule", "edit button", "postpone button", "urgency", "tags", "depends on", "id", "on completion", "toolbar",
}

func checkLayout(line string) *problem {
	part := strings.TrimSpace(line[len("hide "):])
	if !slices.ContainsFunc(layouts, func(layout string) bool { return strings.HasPrefix(part, layout) }) {
		return &problem{BadLayout, "there is no such part to hide or show"}
	}
	return nil
}

// view reads a view. Columns are the first group.
func (q *Query) view(line string) *problem {
	words := strings.Fields(strings.ToLower(line))
	switch {
	case len(words) == 2 && words[0] == "view" && words[1] == "list":
		return nil
	case len(words) > 3 && words[1] == "columns" && words[3] == "function":
		return script()
	case len(words) == 4 && words[0] == "view" && words[1] == "columns" && words[2] == "by":
		by, ok := grouperOf(words[3])
		if ok {
			others := slices.DeleteFunc(q.groupers, func(other grouper) bool { return other.by == by.by })
			q.groupers = append([]grouper{by}, others...)
			return nil
		}
	}
	return &problem{BadView, "views are: view list, view columns by …"}
}

// setLimit reads limit [groups] [to] N [tasks].
func (q *Query) setLimit(line string) *problem {
	words := strings.Fields(line)[1:]
	into := &q.limit
	if len(words) > 0 && words[0] == "groups" {
		words, into = words[1:], &q.groupLimit
	}
	if len(words) > 0 && words[0] == "to" {
		words = words[1:]
	}
	if len(words) == 0 {
		return unknown()
	}
	n, err := strconv.Atoi(words[0])
	if err != nil || n < 0 {
		return unknown()
	}
	*into = n
	return nil
}

// Group is a part of a result.
type Group struct {
	Names []string
	Total int // tasks in it
	Start int // how many items of the result come before those that no earlier group has
	Items []*Item
}

// Result is what a query finds.
type Result struct {
	Total  int // before limits
	Shown  int // after limits; a task that is in several groups counts once
	Items  []*Item
	Groups []Group // nil unless the query groups
}

// Run runs the query. It returns at most the first tasks of that number, or all if most is negative. Groups hold what is
// returned of them.
func (q *Query) Run(set *Set, most int) Result {
	var found []*row
	for i := range set.rows {
		if q.keeps(&set.rows[i]) {
			found = append(found, &set.rows[i])
		}
	}
	result := Result{Total: len(found), Shown: len(found)}
	if q.limit >= 0 {
		result.Shown = min(q.limit, result.Shown)
	}
	if len(q.groupers) == 0 {
		if most < 0 || result.Shown < most {
			most = result.Shown
		}
		result.Items = itemsOf(q.first(found, most))
		return result
	}
	if result.Shown < len(found) {
		found = q.first(found, result.Shown)
	}
	seen := map[*row]bool{}
	isFull := false
	for _, group := range q.group(found) {
		if isFull && q.groupLimit < 0 {
			break // all is counted already
		}
		rows := q.first(group.rows, q.groupLimit)
		shown := Group{Names: group.names, Total: len(rows), Start: len(result.Items)}
		for _, row := range rows {
			isNew := !seen[row]
			if seen[row] = true; isNew && most >= 0 && len(result.Items) >= most {
				isFull = true
				continue
			}
			if isNew {
				result.Items = append(result.Items, row.Item)
			}
			shown.Items = append(shown.Items, row.Item)
		}
		if len(shown.Items) > 0 {
			result.Groups = append(result.Groups, shown)
		}
	}
	if q.groupLimit >= 0 {
		result.Shown = len(seen)
	}
	return result
}

// Only leaves out the tasks of other notes.
func (q *Query) Only(isWanted func(path string) bool) {
	q.filters = append(q.filters, func(row *row) bool { return isWanted(row.Path) })
}

// keeps reports whether a task passes all filters.
func (q *Query) keeps(row *row) bool {
	for _, keep := range q.filters {
		if !keep(row) {
			return false
		}
	}
	return true
}

func itemsOf(rows []*row) []*Item {
	items := make([]*Item, len(rows))
	for i, row := range rows {
		items[i] = row.Item
	}
	return items
}
