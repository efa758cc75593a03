package tasks

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"obsidian-mcp/internal/note/task"
)

// comparison compares two tasks.
type comparison func(c Context, a, b *Item) int

// sorters are what tasks are sorted by.
var sorters = map[string]comparison{
	"status": func(_ Context, a, b *Item) int {
		return cmp.Compare(boolOrder(a.Status.Type.IsDone()), boolOrder(b.Status.Type.IsDone()))
	},
	"status.name": byText(func(item *Item) string { return item.Status.Name }),
	"status.type": func(_ Context, a, b *Item) int { return cmp.Compare(typeOrder(a), typeOrder(b)) },
	"due":         byDate(task.Due), "scheduled": byDate(task.Scheduled), "start": byDate(task.Start), "created": byDate(task.Created),
	"done": byDate(task.DoneDate), "cancelled": byDate(task.CancelledDate),
	"happens": func(_ Context, a, b *Item) int {
		first, ok := happens(a)
		second, ok2 := happens(b)
		if !ok || !ok2 {
			return cmp.Compare(boolOrder(!ok), boolOrder(!ok2))
		}
		return cmp.Compare(first.Days(), second.Days())
	},
	"description": func(c Context, a, b *Item) int { return collate(c.bare(a.Description), c.bare(b.Description)) },
	"priority":    func(_ Context, a, b *Item) int { return cmp.Compare(rank(a), rank(b)) },
	"urgency":     func(c Context, a, b *Item) int { return cmp.Compare(b.Urgency(c.Today), a.Urgency(c.Today)) },
	"recurring": func(_ Context, a, b *Item) int {
		return cmp.Compare(boolOrder(!isRecurring(a)), boolOrder(!isRecurring(b)))
	},
	"path":     byText(func(item *Item) string { return item.Path }),
	"filename": byText(func(item *Item) string { return fileName(item.Path) }),
	"heading":  byText(func(item *Item) string { return item.Heading }),
	"id":       byText(func(item *Item) string { return item.Get(task.ID) }),
	"random":   func(c Context, a, b *Item) int { return cmp.Compare(shuffled(c, a), shuffled(c, b)) },
}

func boolOrder(value bool) int {
	if value {
		return 1
	}
	return 0
}

// typeOrder is the place of a task's status type.
func typeOrder(item *Item) int {
	return slices.Index([]task.Type{task.InProgress, task.Todo, task.OnHold, task.Done, task.Cancelled, task.NonTask}, item.Status.Type)
}

func byText(text func(*Item) string) comparison {
	return func(_ Context, a, b *Item) int { return collate(text(a), text(b)) }
}

// byDate sorts by a date: days that do not exist first, tasks without a date last.
func byDate(kind task.Kind) comparison {
	place := func(item *Item) (int, int) {
		if item.Get(kind) == "" {
			return 2, 0
		}
		day, ok := item.Date(kind)
		if !ok {
			return 0, 0
		}
		return 1, day.Days()
	}
	return func(_ Context, a, b *Item) int {
		first, day := place(a)
		second, other := place(b)
		return cmp.Or(cmp.Compare(first, second), cmp.Compare(day, other))
	}
}

// shuffled is a number that depends on the day and the description.
func shuffled(c Context, item *Item) uint32 {
	hash := uint32(2166136261)
	for _, b := range []byte(strconv.Itoa(c.Today.Days()) + " " + item.Description) {
		hash = (hash ^ uint32(b)) * 16777619
	}
	return hash
}

var (
	leadingLink = regexp.MustCompile(`^\[\[?([^\]]*)\]\]?`)
	emphases    = []*regexp.Regexp{
		regexp.MustCompile(`^\*\*([^*]+)\*\*`), regexp.MustCompile(`^\*([^*]+)\*`), regexp.MustCompile(`^==([^=]+)==`),
		regexp.MustCompile(`^__([^_]+)__`), regexp.MustCompile(`^_([^_]+)_`),
	}
)

// bare returns a description without the marks around its beginning.
func (c Context) bare(text string) string {
	if c.Settings.GlobalFilter != "" {
		text = strings.TrimSpace(strings.Replace(text, c.Settings.GlobalFilter, "", 1))
	}
	if found := leadingLink.FindStringSubmatch(text); found != nil {
		text = found[1][strings.IndexByte(found[1], '|')+1:] + text[len(found[0]):]
	}
	for _, emphasis := range emphases {
		if found := emphasis.FindStringSubmatch(text); found != nil {
			text = found[1] + text[len(found[0]):]
		}
	}
	return text
}

var sortLine = regexp.MustCompile(`(?i)^sort by ([a-z.]+)( \d+)?( reverse)?`)

func (q *Query) addSorter(line string) *problem {
	if _, ok := cutFold(line, "sort by function"); ok {
		return &problem{JavaScript, "it is JavaScript, which is never run"}
	}
	found := sortLine.FindStringSubmatch(line)
	if found == nil {
		return unknown()
	}
	name := strings.ToLower(found[1])
	compare := sorters[name]
	if name == "tag" {
		compare = byTag(max(1, number(strings.TrimSpace(found[2]))) - 1)
	}
	if compare == nil {
		return unknown()
	}
	if found[3] != "" {
		forward := compare
		compare = func(c Context, a, b *Item) int { return -forward(c, a, b) }
	}
	q.sorters = append(q.sorters, compare)
	return nil
}

// byTag sorts by the tag with an index. Tasks with fewer tags come later, those without any last.
func byTag(index int) comparison {
	place := func(item *Item) int {
		switch {
		case len(item.Tags) > index:
			return 0
		case len(item.Tags) > 0:
			return 1
		}
		return 2
	}
	return func(_ Context, a, b *Item) int {
		if place(a) == 0 && place(b) == 0 {
			return collate(a.Tags[index], b.Tags[index])
		}
		return cmp.Compare(place(a), place(b))
	}
}

// usual is how tasks are sorted that are equal otherwise.
var usual = []comparison{sorters["status.type"], sorters["urgency"], sorters["due"], sorters["priority"], sorters["path"]}

func (q *Query) sort(items []*Item) {
	all := slices.Concat(q.sorters, usual)
	slices.SortStableFunc(items, func(a, b *Item) int {
		for _, compare := range all {
			if order := compare(q.context, a, b); order != 0 {
				return order
			}
		}
		return cmp.Compare(a.order, b.order)
	})
}
