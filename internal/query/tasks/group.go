package tasks

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"obsidian-mcp/internal/note/moment"
	"obsidian-mcp/internal/text/collate"
	"obsidian-mcp/internal/text/order"
)

// grouper says in which groups a task is.
type grouper struct {
	by      string
	names   func(c Context, item *Item) []string
	reverse bool
}

// groups are what tasks are grouped by.
var groups = map[string]func(c Context, item *Item) []string{
	"status": only(func(item *Item) string {
		if item.isDone {
			return "Done"
		}
		return "Todo"
	}),
	"status.name": only(func(item *Item) string { return item.Status.Name }),
	"status.type": only(func(item *Item) string { return fmt.Sprintf("%%%%%d%%%%%s", item.kind+1, item.Status.Type) }),
	"due":         dateGroup("due", func(item *Item) day { return item.due }), "scheduled": dateGroup("scheduled", func(item *Item) day { return item.scheduled }), "start": dateGroup("start", func(item *Item) day { return item.start }),
	"created": dateGroup("created", func(item *Item) day { return item.created }), "done": dateGroup("done", func(item *Item) day { return item.done }), "cancelled": dateGroup("cancelled", func(item *Item) day { return item.cancelled }),
	"happens": only(func(item *Item) string {
		if day := item.happens(); day.exists() {
			return dayName(day)
		}
		return "No happens date"
	}),
	"priority": only(func(item *Item) string {
		name := priorities[item.priority]
		if name == "none" {
			name = "normal"
		}
		return fmt.Sprintf("%%%%%d%%%%%s priority", item.priority, strings.ToUpper(name[:1])+name[1:])
	}),
	"urgency": func(c Context, item *Item) []string { return []string{fmt.Sprintf("%.2f", item.urgency.On(c.Today))} },
	"recurring": only(func(item *Item) string {
		if item.recurrence != "" {
			return "Recurring"
		}
		return "Not Recurring"
	}),
	"recurrence": only(func(item *Item) string {
		return cmp.Or(item.recurrence, "None")
	}),
	"path":     only(func(item *Item) string { return escaped(strings.TrimSuffix(item.Path, ".md")) }),
	"folder":   only(func(item *Item) string { return escaped(folderOf(item.Path)) }),
	"root":     only(func(item *Item) string { return escaped(rootOf(item.Path)) }),
	"filename": only(func(item *Item) string { return "[[" + noteName(item) + "]]" }),
	"backlink": only(func(item *Item) string {
		if item.Heading == "" {
			return "[[" + noteName(item) + "]]"
		}
		return "[[" + noteName(item) + "#" + item.Heading + "|" + noteName(item) + " > " + item.Heading + "]]"
	}),
	"heading": only(func(item *Item) string {
		if item.Heading == "" {
			return "(No heading)"
		}
		return item.Heading
	}),
	"id": only(func(item *Item) string { return item.id }),
	"tags": func(_ Context, item *Item) []string {
		if len(item.Tags) == 0 {
			return []string{"(No tags)"}
		}
		return item.Tags
	},
}

func only(name func(*Item) string) func(Context, *Item) []string {
	return func(_ Context, item *Item) []string { return []string{name(item)} }
}

func noteName(item *Item) string { return strings.TrimSuffix(fileName(item.Path), ".md") }

// escaped returns a path whose marks Markdown does not read.
func escaped(path string) string { return strings.ReplaceAll(path, "_", `\_`) }

func dayName(day day) string {
	return moment.English().Format(moment.Time{Date: moment.Date{Year: 1970, Month: 1, Day: 1}.AddDays(int(day))}, "YYYY-MM-DD dddd")
}

func dateGroup(name string, of func(*Item) day) func(Context, *Item) []string {
	return only(func(item *Item) string {
		switch day := of(item); day {
		case noDay:
			return "No " + name + " date"
		case badDay:
			return "%%0%% Invalid " + name + " date"
		default:
			return dayName(day)
		}
	})
}

func grouperOf(name string) (grouper, bool) {
	names := groups[name]
	return grouper{by: name, names: names}, names != nil
}

var groupLine = regexp.MustCompile(`(?i)^group by ([a-z.]+)( reverse)?$`)

func (q *Query) addGrouper(line string) *problem {
	if _, ok := cutFold(line, "group by function"); ok {
		return script()
	}
	found := groupLine.FindStringSubmatch(line)
	if found == nil {
		return unknown()
	}
	by, ok := grouperOf(strings.ToLower(found[1]))
	if !ok {
		return unknown()
	}
	by.reverse = found[2] != ""
	if isNew := !slices.ContainsFunc(q.groupers, func(other grouper) bool { return other.by == by.by }); isNew {
		q.groupers = append(q.groupers, by) // again would only repeat names, and multiply the groups of tags
	}
	return nil
}

// group puts tasks into groups, which are sorted by their names.
func (q *Query) group(rows []*row) []group {
	at := map[string]int{}
	var all []group
	for _, row := range rows {
		for _, names := range q.namesOf(row.Item) {
			key := names[0]
			if len(names) > 1 {
				key = strings.Join(names, "\x00")
			}
			index, exists := at[key]
			if !exists {
				index = len(all)
				at[key] = index
				all = append(all, group{names: names})
			}
			all[index].rows = append(all[index].rows, row)
		}
	}
	order.Stably(all, func(a, b group) int {
		for i, by := range q.groupers {
			order := collate.Natural(a.names[i], b.names[i])
			if by.reverse {
				order = -order
			}
			if order != 0 {
				return order
			}
		}
		return 0
	})
	return all
}

// group is a group whose tasks are not sorted yet.
type group struct {
	names []string
	rows  []*row
}

// namesOf returns the groups of a task, each a name for every grouping.
func (q *Query) namesOf(item *Item) [][]string {
	if len(q.groupers) == 1 {
		names := q.groupers[0].names(q.context, item)
		paths := make([][]string, len(names))
		for i := range names {
			paths[i] = names[i : i+1 : i+1]
		}
		return paths
	}
	paths := [][]string{nil}
	for _, by := range q.groupers {
		var longer [][]string
		for _, path := range paths {
			for _, name := range by.names(q.context, item) {
				longer = append(longer, append(slices.Clone(path), name))
			}
		}
		paths = longer
	}
	return paths
}
