package tasks

import (
	"slices"
	"strings"

	"obsidian-mcp/internal/note/task"
)

// filter reads a filter. Boolean combinations come last, as in the plugin: a text to search for may look like one.
func (c Context) filter(line string) (filter, *problem) {
	for _, read := range []func(string) (filter, *problem){
		c.statusFilter, c.flagFilter, c.priorityFilter, c.dateFilter, c.textFilter, c.functionFilter,
	} {
		keep, problem := read(line)
		if keep != nil || problem != nil {
			return keep, problem
		}
	}
	if looksBoolean(line) {
		return c.boolean(line)
	}
	return nil, unknown()
}

// functionFilter refuses JavaScript.
func (c Context) functionFilter(line string) (filter, *problem) {
	if _, ok := cutFold(line, "filter by function"); ok {
		return nil, script()
	}
	return nil, nil
}

var types = []task.Type{task.Todo, task.InProgress, task.OnHold, task.Done, task.Cancelled, task.NonTask}

func (c Context) statusFilter(line string) (filter, *problem) {
	rest, ok := cutFold(line, "status.type ")
	if !ok {
		return nil, nil
	}
	want := true
	name, isType := cutFold(rest, "is not ")
	if isType {
		want = false
	} else if name, isType = cutFold(rest, "is "); !isType {
		return nil, unknown()
	}
	kind := task.Type(strings.ToUpper(strings.TrimSpace(name)))
	if !slices.Contains(types, kind) && kind != "EMPTY" {
		return nil, &problem{BadStatusType, "types are: TODO, IN_PROGRESS, ON_HOLD, DONE, CANCELLED, NON_TASK"}
	}
	return func(item *row) bool { return (item.Status.Type == kind) == want }, nil
}

// flags are the filters that are a whole line.
var flags = map[string]filter{
	"done":     func(item *row) bool { return item.isDone },
	"not done": func(item *row) bool { return !item.isDone },

	"is recurring":      isRecurring,
	"is not recurring":  func(item *row) bool { return !isRecurring(item) },
	"exclude sub-items": func(item *row) bool { return !item.Nested },
	"has tags":          func(item *row) bool { return item.isTagged },
	"has tag":           func(item *row) bool { return item.isTagged },
	"no tags":           func(item *row) bool { return !item.isTagged },
	"no tag":            func(item *row) bool { return !item.isTagged },
	"has id":            func(item *row) bool { return item.id != "" },
	"no id":             func(item *row) bool { return item.id == "" },
	"has depends on":    func(item *row) bool { return item.needs != "" },
	"no depends on":     func(item *row) bool { return item.needs == "" },
	"is blocked":        func(item *row) bool { return item.blocked },
	"is not blocked":    func(item *row) bool { return !item.blocked },
	"is blocking":       func(item *row) bool { return item.blocking },
	"is not blocking":   func(item *row) bool { return !item.blocking },
}

func (c Context) flagFilter(line string) (filter, *problem) { return flags[strings.ToLower(line)], nil }

func isRecurring(item *row) bool { return item.recurrence != "" }

// priorities are the names of priorities, the highest first.
var priorities = []string{"highest", "high", "medium", "none", "low", "lowest"}

func (c Context) priorityFilter(line string) (filter, *problem) {
	rest, ok := cutFold(line, "priority ")
	if !ok {
		return nil, nil
	}
	words := strings.Fields(strings.ToLower(rest))
	if len(words) > 0 && words[0] == "is" {
		words = words[1:]
	}
	relation := ""
	if len(words) == 2 {
		relation, words = words[0], words[1:]
	}
	if len(words) != 1 || !slices.Contains(priorities, words[0]) || !slices.Contains([]string{"", "above", "below", "not"}, relation) {
		return nil, unknown()
	}
	want := int8(slices.Index(priorities, words[0]))
	return func(item *row) bool {
		switch relation {
		case "above":
			return item.priority < want
		case "below":
			return item.priority > want
		case "not":
			return item.priority != want
		}
		return item.priority == want
	}, nil
}

// happens returns the earliest day on which a task begins, is scheduled or due.
func (k keys) happens() day {
	first := noDay
	for _, day := range [...]day{k.start, k.scheduled, k.due} {
		if day.exists() && (!first.exists() || day < first) {
			first = day
		}
	}
	return first
}
