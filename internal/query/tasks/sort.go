package tasks

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"

	"obsidian-mcp/internal/note/task"
	"obsidian-mcp/internal/text/collate"
	"obsidian-mcp/internal/text/order"
)

// comparison compares two tasks.
type comparison func(c Context, a, b *row) int

// texts are what tasks are sorted by as texts.
var texts = map[string]func(c Context, item *row) string{
	"status.name": func(_ Context, item *row) string { return item.Status.Name },
	"description": func(c Context, item *row) string { return c.bare(item.Description) },
	"filename":    func(_ Context, item *row) string { return fileName(item.Path) },
	"heading":     func(_ Context, item *row) string { return item.Heading },
	"id":          func(_ Context, item *row) string { return item.id },
}

// sorters are what tasks are sorted by.
var sorters = map[string]comparison{
	"status": func(_ Context, a, b *row) int {
		return cmp.Compare(boolOrder(a.isDone), boolOrder(b.isDone))
	},
	"status.type": func(_ Context, a, b *row) int { return cmp.Compare(a.kind, b.kind) },
	"due":         byDate(func(item *row) day { return item.due }), "scheduled": byDate(func(item *row) day { return item.scheduled }),
	"start": byDate(func(item *row) day { return item.start }), "created": byDate(func(item *row) day { return item.created }),
	"done": byDate(func(item *row) day { return item.done }), "cancelled": byDate(func(item *row) day { return item.cancelled }),
	"happens":  byDate(func(item *row) day { return item.happens() }),
	"priority": func(_ Context, a, b *row) int { return cmp.Compare(a.priority, b.priority) },
	"urgency":  func(c Context, a, b *row) int { return cmp.Compare(b.urgency.On(c.Today), a.urgency.On(c.Today)) },
	"recurring": func(_ Context, a, b *row) int {
		return cmp.Compare(boolOrder(!isRecurring(a)), boolOrder(!isRecurring(b)))
	},
	"path":   func(_ Context, a, b *row) int { return a.Place.compare(b.Place) },
	"random": func(c Context, a, b *row) int { return cmp.Compare(shuffled(c, a), shuffled(c, b)) },
}

func boolOrder(value bool) int {
	if value {
		return 1
	}
	return 0
}

// typeOrder is the order of the types of statuses.
var typeOrder = []task.Type{task.InProgress, task.Todo, task.OnHold, task.Done, task.Cancelled, task.NonTask}

// byText sorts by a text, whose sort key is made once for each task.
func byText(text func(c Context, item *row) string) comparison {
	keys := map[*row]string{}
	key := func(c Context, item *row) string {
		known, ok := keys[item]
		if !ok {
			known = collate.NaturalKey(text(c, item))
			keys[item] = known
		}
		return known
	}
	return func(c Context, a, b *row) int {
		if order := strings.Compare(key(c, a), key(c, b)); order != 0 {
			return order
		}
		return collate.Natural(text(c, a), text(c, b))
	}
}

// byDate sorts by a date: days that do not exist first, tasks without a date last.
func byDate(of func(*row) day) comparison {
	return func(_ Context, a, b *row) int {
		first, second := of(a), of(b)
		if first == noDay || second == noDay {
			return cmp.Compare(boolOrder(first == noDay), boolOrder(second == noDay))
		}
		return cmp.Compare(first, second)
	}
}

// shuffled is a number that depends on the day and the description.
func shuffled(c Context, item *row) uint32 {
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
	if text == "" || strings.IndexByte("[*=_", text[0]) < 0 {
		return text
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
		return script()
	}
	found := sortLine.FindStringSubmatch(line)
	if found == nil {
		return unknown()
	}
	name := strings.ToLower(found[1])
	compare := sorters[name]
	if text := texts[name]; text != nil {
		compare = byText(text)
	}
	if name == "tag" {
		compare = byTag(max(1, number(strings.TrimSpace(found[2]))) - 1)
	}
	if compare == nil {
		return unknown()
	}
	if found[3] != "" {
		forward := compare
		compare = func(c Context, a, b *row) int { return -forward(c, a, b) }
	}
	q.sorters = append(q.sorters, compare)
	return nil
}

// byTag sorts by the tag with an index. Tasks with fewer tags come later, those without any last.
func byTag(index int) comparison {
	place := func(item *row) int {
		switch {
		case len(item.Tags) > index:
			return 0
		case len(item.Tags) > 0:
			return 1
		}
		return 2
	}
	return func(_ Context, a, b *row) int {
		if place(a) == 0 && place(b) == 0 {
			return collate.Natural(a.Tags[index], b.Tags[index])
		}
		return cmp.Compare(place(a), place(b))
	}
}

var byDue = sorters["due"]

// compare puts two tasks in the order that the query asks for. Those that are equal otherwise are sorted by the type of
// their status, urgency, due date, priority, path and line.
func (q *Query) compare(a, b *row) int {
	for _, compare := range q.sorters {
		if order := compare(q.context, a, b); order != 0 {
			return order
		}
	}
	if a.kind != b.kind {
		return cmp.Compare(a.kind, b.kind)
	}
	if first, second := a.urgency.On(q.context.Today), b.urgency.On(q.context.Today); first != second {
		return cmp.Compare(second, first)
	}
	if order := byDue(q.context, a, b); order != 0 {
		return order
	}
	if a.priority != b.priority {
		return cmp.Compare(a.priority, b.priority)
	}
	return cmp.Compare(a.order, b.order)
}

// first returns at most that many of the tasks, in order, or all if most is negative.
func (q *Query) first(rows []*row, most int) []*row {
	first := order.NewFirst(most, q.compare)
	for _, row := range rows {
		first.Add(row)
	}
	return first.Sorted()
}
