package tasks

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/moment"
	"obsidian-mcp/internal/note/task"
	"obsidian-mcp/internal/text/collate"
)

// Item is a task of a vault, which never changes. It holds what queries ask about; Task has the rest.
type Item struct {
	*Place
	keys
	Source      string // its line
	Status      *task.Status
	Description string
	Tags        []string

	Line    int    // in its note, from 0
	Heading string // the nearest one above
	Nested  bool   // the task is below another item

	id, needs  string // its id, and those of the tasks that it depends on
	recurrence string // in the plugin's words; "" if the task does not recur
}

// ID returns the id of a task, or "".
func (i *Item) ID() string { return i.id }

// Urgency says how pressing a task is on a day.
func (i *Item) Urgency(today moment.Date) float64 { return i.urgency.On(today) }

// keys are what most queries ask about a task.
type keys struct {
	due, done, scheduled, start, created, cancelled day

	urgency  task.Urgency
	priority int8 // the higher the priority, the lower
	kind     int8 // the place of its status type in the order of types
	isDone   bool
	isLinked bool // it has an id or depends on others
	isTagged bool
}

// Place is the note that tasks are in.
type Place struct {
	Path     string
	key      string // paths are sorted by it
	settings *task.Settings
}

// Task reads the task again, with all its fields.
func (i *Item) Task() task.Task {
	read, _ := i.settings.Parse(i.Source)
	return i.settings.Infer(read, i.Path)
}

// compare puts two places in the order in which people sort paths.
func (p *Place) compare(other *Place) int {
	if order := strings.Compare(p.key, other.key); order != 0 || p == other {
		return order
	}
	return collate.Natural(p.Path, other.Path)
}

// day is the number of a day, or one of the following.
type day int32

const (
	noDay  day = math.MinInt32     // the task does not have the date
	badDay day = math.MinInt32 + 1 // there is no such day
)

func (d day) exists() bool { return d > badDay }

func dayOf(date moment.Date) day { return day(date.Days()) }

// Reader reads tasks as some settings define them.
type Reader struct {
	settings *task.Settings
	rules    map[string]string       // recurrences that were read, in the plugin's words
	statuses map[string]*task.Status // by symbol
}

// NewReader returns a reader.
func NewReader(settings task.Settings) *Reader {
	return &Reader{&settings, map[string]string{}, map[string]*task.Status{}}
}

// read reads a line that may be a task. It returns nil if it is not.
func (r *Reader) read(place *Place, line string, number int, heading string) *Item {
	read, ok := r.settings.Parse(line)
	if !ok {
		return nil
	}
	read = r.settings.Infer(read, place.Path)
	status := r.statuses[read.Status.Symbol]
	if status == nil {
		status = new(read.Status)
		r.statuses[read.Status.Symbol] = status
	}
	return &Item{
		Place: place, keys: keysOf(read), Source: line, Status: status, Description: read.Description, Tags: read.Tags,
		Line: number, Heading: heading, Nested: isNested(line),
		id: read.Get(task.ID), needs: read.Get(task.DependsOn), recurrence: r.recurrence(read.Get(task.Recurrence)),
	}
}

// recurrence returns a rule in the plugin's words, or "" if it cannot be read.
func (r *Reader) recurrence(text string) string {
	known, ok := r.rules[text]
	if !ok && text != "" {
		if rule, readable := task.ReadRecurrence(text); readable {
			known = rule.Text()
		}
		r.rules[text] = known
	}
	return known
}

func keysOf(t task.Task) keys {
	day := func(kind task.Kind) day {
		if t.Get(kind) == "" {
			return noDay
		}
		if found, exists := t.Date(kind); exists {
			return dayOf(found)
		}
		return badDay
	}
	return keys{
		due: day(task.Due), done: day(task.DoneDate), scheduled: day(task.Scheduled), start: day(task.Start), created: day(task.Created),
		cancelled: day(task.CancelledDate), urgency: t.Urgency(), priority: int8(slices.Index(priorities, cmp.Or(t.Get(task.Priority), "none"))),
		kind: int8(slices.Index(typeOrder, t.Status.Type)), isDone: t.Status.Type.IsDone(),
		isLinked: t.Get(task.ID) != "" || t.Get(task.DependsOn) != "", isTagged: len(t.Tags) > 0,
	}
}

// Line is where a note has an item with a box.
type Line struct {
	At      int // where the line starts
	Number  int // from 0
	Heading int // the index of the nearest heading above, or -1
}

// Lines lists the items of a note that have a box.
func Lines(note *md.Note) []Line {
	var lines []Line
	heading := 0
	for i := range note.Items {
		item := &note.Items[i]
		if !item.IsTask() {
			continue
		}
		start := max(note.Body, md.LineStart(note.Source, item.Task.Start)) // a byte-order mark is not part of the line
		for heading < len(note.Headings) && note.Headings[heading].Start < start {
			heading++
		}
		lines = append(lines, Line{start, item.Line - 1, heading - 1})
	}
	return lines
}

// Of returns the text of a line, without its end, and false if the note is too short.
func (l Line) Of(text []byte) (string, bool) {
	if l.At >= len(text) {
		return "", false
	}
	return strings.TrimRight(string(text[l.At:md.NextLine(text, l.At)]), "\r\n"), true
}

// Note reads the tasks of a note. heading returns the text of the heading with an index.
func (r *Reader) Note(path string, text []byte, lines []Line, heading func(i int) string) []*Item {
	items := make([]*Item, 0, len(lines))
	place := &Place{path, collate.NaturalKey(path), r.settings}
	for _, listed := range lines {
		line, ok := listed.Of(text)
		if !ok {
			break
		}
		above := ""
		if listed.Heading >= 0 {
			above = strings.TrimSpace(heading(listed.Heading))
		}
		if item := r.read(place, strings.ToValidUTF8(line, "\ufffd"), listed.Number, above); item != nil {
			items = append(items, item)
		}
	}
	return items
}

// isNested reports whether a line is indented. The marks of quotes do not count.
func isNested(line string) bool {
	indent := line[:len(line)-len(strings.TrimLeft(line, " \t>"))]
	if at := strings.LastIndexByte(indent, '>'); at >= 0 {
		return len(indent)-at-1 > 1
	}
	return indent != ""
}
