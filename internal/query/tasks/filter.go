package tasks

import (
	"slices"
	"strings"

	"obsidian-mcp/internal/note/moment"
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
		return nil, &problem{JavaScript, "it is JavaScript, which is never run"}
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
	return func(item *Item) bool { return (item.Status.Type == kind) == want }, nil
}

// flags are the filters that are a whole line.
var flags = map[string]filter{
	"done":     func(item *Item) bool { return item.Status.Type.IsDone() },
	"not done": func(item *Item) bool { return !item.Status.Type.IsDone() },

	"is recurring":      isRecurring,
	"is not recurring":  func(item *Item) bool { return !isRecurring(item) },
	"exclude sub-items": func(item *Item) bool { return !item.Nested },
	"has tags":          func(item *Item) bool { return len(item.Tags) > 0 },
	"has tag":           func(item *Item) bool { return len(item.Tags) > 0 },
	"no tags":           func(item *Item) bool { return len(item.Tags) == 0 },
	"no tag":            func(item *Item) bool { return len(item.Tags) == 0 },
	"has id":            func(item *Item) bool { return item.Get(task.ID) != "" },
	"no id":             func(item *Item) bool { return item.Get(task.ID) == "" },
	"has depends on":    func(item *Item) bool { return item.Get(task.DependsOn) != "" },
	"no depends on":     func(item *Item) bool { return item.Get(task.DependsOn) == "" },
	"is blocked":        func(item *Item) bool { return item.blocked },
	"is not blocked":    func(item *Item) bool { return !item.blocked },
	"is blocking":       func(item *Item) bool { return item.blocking },
	"is not blocking":   func(item *Item) bool { return !item.blocking },
}

func (c Context) flagFilter(line string) (filter, *problem) { return flags[strings.ToLower(line)], nil }

// recurrence returns the rule of a task in the plugin's words, or "" if it does not recur.
func recurrence(item *Item) string {
	text := item.Get(task.Recurrence)
	rule, ok := task.ReadRecurrence(text)
	if text == "" || !ok {
		return ""
	}
	return rule.Text()
}

func isRecurring(item *Item) bool { return recurrence(item) != "" }

// priorities are the names of priorities, the highest first.
var priorities = []string{"highest", "high", "medium", "none", "low", "lowest"}

// rank is the number of a task's priority: the higher the priority, the lower.
func rank(item *Item) int {
	if name := item.Get(task.Priority); name != "" {
		return slices.Index(priorities, name)
	}
	return slices.Index(priorities, "none")
}

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
	want := slices.Index(priorities, words[0])
	return func(item *Item) bool {
		switch relation {
		case "above":
			return rank(item) < want
		case "below":
			return rank(item) > want
		case "not":
			return rank(item) != want
		}
		return rank(item) == want
	}, nil
}

// happens returns the earliest date on which a task begins, is scheduled or due.
func happens(item *Item) (moment.Date, bool) {
	var first moment.Date
	found := false
	for _, kind := range []task.Kind{task.Start, task.Scheduled, task.Due} {
		if day, ok := item.Date(kind); ok && (!found || day.Days() < first.Days()) {
			first, found = day, true
		}
	}
	return first, found
}
