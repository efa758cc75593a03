package tasks

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"obsidian-mcp/internal/note/moment"
	"obsidian-mcp/internal/note/task"
)

// grouper says in which groups a task is.
type grouper struct {
	names   func(c Context, item *Item) []string
	reverse bool
}

// groups are what tasks are grouped by.
var groups = map[string]func(c Context, item *Item) []string{
	"status": only(func(item *Item) string {
		if item.Status.Type.IsDone() {
			return "Done"
		}
		return "Todo"
	}),
	"status.name": only(func(item *Item) string { return item.Status.Name }),
	"status.type": only(func(item *Item) string { return fmt.Sprintf("%%%%%d%%%%%s", typeOrder(item)+1, item.Status.Type) }),
	"due":         dateGroup("due", task.Due), "scheduled": dateGroup("scheduled", task.Scheduled), "start": dateGroup("start", task.Start),
	"created": dateGroup("created", task.Created), "done": dateGroup("done", task.DoneDate), "cancelled": dateGroup("cancelled", task.CancelledDate),
	"happens": only(func(item *Item) string {
		if day, ok := happens(item); ok {
			return dayName(day)
		}
		return "No happens date"
	}),
	"priority": only(func(item *Item) string {
		name := priorities[rank(item)]
		if name == "none" {
			name = "normal"
		}
		return fmt.Sprintf("%%%%%d%%%%%s priority", rank(item), strings.ToUpper(name[:1])+name[1:])
	}),
	"urgency": func(c Context, item *Item) []string { return []string{fmt.Sprintf("%.2f", item.Urgency(c.Today))} },
	"recurring": only(func(item *Item) string {
		if isRecurring(item) {
			return "Recurring"
		}
		return "Not Recurring"
	}),
	"recurrence": only(func(item *Item) string {
		if text := recurrence(item); text != "" {
			return text
		}
		return "None"
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
	"id": only(func(item *Item) string { return item.Get(task.ID) }),
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

func dayName(day moment.Date) string {
	return moment.English().Format(moment.Time{Date: day}, "YYYY-MM-DD dddd")
}

func dateGroup(name string, kind task.Kind) func(Context, *Item) []string {
	return only(func(item *Item) string {
		if item.Get(kind) == "" {
			return "No " + name + " date"
		}
		day, ok := item.Date(kind)
		if !ok {
			return "%%0%% Invalid " + name + " date"
		}
		return dayName(day)
	})
}

func grouperOf(name string) (grouper, bool) {
	names := groups[name]
	return grouper{names: names}, names != nil
}

var groupLine = regexp.MustCompile(`(?i)^group by ([a-z.]+)( reverse)?$`)

func (q *Query) addGrouper(line string) *problem {
	if _, ok := cutFold(line, "group by function"); ok {
		return &problem{JavaScript, "it is JavaScript, which is never run"}
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
	q.groupers = append(q.groupers, by)
	return nil
}

// group puts tasks into groups, which are sorted by their names.
func (q *Query) group(items []*Item) []Group {
	type key string
	at := map[key]int{}
	var all []Group
	for _, item := range items {
		for _, names := range q.namesOf(item) {
			k := key(strings.Join(names, "\x00"))
			index, exists := at[k]
			if !exists {
				index = len(all)
				at[k] = index
				all = append(all, Group{Names: names})
			}
			all[index].Items = append(all[index].Items, item)
		}
	}
	slices.SortStableFunc(all, func(a, b Group) int {
		for i, by := range q.groupers {
			order := collate(a.Names[i], b.Names[i])
			if by.reverse {
				order = -order
			}
			if order != 0 {
				return order
			}
		}
		return 0
	})
	if q.groupLimit >= 0 {
		for i := range all {
			all[i].Items = all[i].Items[:min(q.groupLimit, len(all[i].Items))]
		}
	}
	return all
}

// namesOf returns the groups of a task, each a name for every grouping.
func (q *Query) namesOf(item *Item) [][]string {
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
