package task

import (
	"regexp"
	"strings"

	"obsidian-mcp/internal/note/moment"
	"obsidian-mcp/internal/text/order"
)

// Changed are the lines that take the place of a task's line.
type Changed struct {
	Lines []string
	Copy  int  // the index of the line that is the next occurrence, or -1
	Never bool // the recurrence has no next occurrence
	Bad   bool // the recurrence cannot be read

	// Finished is the line with its new status, even if it is to be deleted.
	Finished string
}

// Toggle moves a task to its next status.
func (s Settings) Toggle(t Task, today moment.Date) Changed {
	return s.SetStatus(t, t.Status.Next, today)
}

// CoreToggle ticks a line that is not a task of the plugin, as Obsidian itself does. A line without a box gets one.
func CoreToggle(line string) string {
	t, ok := parseBox(line)
	if !ok {
		found := item.FindStringSubmatch(line)
		if found[2] == "" {
			found[2] = "- "
		}
		return found[1] + found[2] + "[ ] " + found[3]
	}
	if symbolSize(line[t.symbolAt:]) == 1 && line[t.symbolAt] == ' ' {
		return SetBox(line, "x")
	}
	return SetBox(line, " ")
}

// SetBox puts another character into the box of a line, and changes nothing else.
func SetBox(line, symbol string) string {
	t, ok := parseBox(line)
	if !ok {
		return line
	}
	return line[:t.symbolAt] + symbol + line[t.symbolAt+symbolSize(line[t.symbolAt:]):]
}

var item = regexp.MustCompile(`^([\s>]*)((?:[-*+]|[0-9]+[.)]) +)?(.*)`)

// SetStatus gives a task another status, with the dates and the next occurrence that come of it.
func (s Settings) SetStatus(t Task, symbol string, today moment.Date) Changed {
	if symbol == t.Status.Symbol {
		return Changed{Lines: []string{t.Line}, Copy: -1, Finished: t.Line}
	}
	status := s.Status(symbol)
	line := edit{line: t.Line}
	line.replace(t.symbolAt, t.symbolAt+symbolSize(t.Line[t.symbolAt:]), symbol)
	s.datedBy(&line, t, status, today)
	finished := line.text()
	changed := Changed{Lines: []string{finished}, Copy: -1, Finished: finished}
	if status.Type != Done || t.Status.Type == Done {
		return changed
	}
	if t.Get(OnCompletion) == "delete" {
		changed.Lines = nil
	}
	next, ok := s.nextOf(t, today, &changed)
	if !ok {
		return changed
	}
	occurrence := s.occurrence(t, status, next, today)
	if s.CopyBelow {
		changed.Lines = append(changed.Lines, occurrence)
		changed.Copy = len(changed.Lines) - 1
	} else {
		changed.Lines = append([]string{occurrence}, changed.Lines...)
		changed.Copy = 0
	}
	return changed
}

// datedBy sets and removes the dates of a new status.
func (s Settings) datedBy(line *edit, t Task, status Status, today moment.Date) {
	for _, date := range []struct {
		kind Kind
		of   Type
		set  bool
	}{{DoneDate, Done, s.SetDone}, {CancelledDate, Cancelled, s.SetCancelled}} {
		switch {
		case status.Type == date.of && t.Status.Type == date.of: // it stays
		case status.Type == date.of && date.set:
			line.set(t, date.kind, showDate(today))
		default:
			line.remove(t, date.kind)
		}
	}
}

// nextOf returns the dates of the next occurrence.
func (s Settings) nextOf(t Task, today moment.Date, changed *Changed) (Dates, bool) {
	text := t.Get(Recurrence)
	if text == "" {
		return Dates{}, false
	}
	rule, ok := ReadRecurrence(text)
	var dates Dates
	for kind, into := range map[Kind]**moment.Date{Start: &dates.Start, Scheduled: &dates.Scheduled, Due: &dates.Due} {
		field := t.field(kind)
		if field == nil {
			continue
		}
		if day, exists := parseDate(field.Value); exists {
			*into = &day
		}
	}
	if reference := s.referenceField(t); ok && reference != nil {
		_, ok = parseDate(reference.Value)
	}
	if changed.Bad = !ok; !ok {
		return Dates{}, false
	}
	next, ok := rule.Next(dates, today, s.DropScheduled)
	changed.Never = !ok
	return next, ok
}

// referenceField is the date that a recurrence counts from.
func (s Settings) referenceField(t Task) *Field {
	order := []Kind{Due, Scheduled, Start}
	if s.DropScheduled {
		order = []Kind{Due, Start, Scheduled}
	}
	for _, kind := range order {
		if field := t.field(kind); field != nil {
			return field
		}
	}
	return nil
}

// occurrence returns the line of the next occurrence.
func (s Settings) occurrence(t Task, finished Status, next Dates, today moment.Date) string {
	line := edit{line: t.Line}
	line.replace(t.symbolAt, t.symbolAt+symbolSize(t.Line[t.symbolAt:]), s.reopened(finished))
	for _, date := range []struct {
		kind Kind
		day  *moment.Date
	}{{Start, next.Start}, {Scheduled, next.Scheduled}, {Due, next.Due}} {
		field := t.field(date.kind)
		switch {
		case field == nil:
		case date.day != nil:
			line.replace(field.valueAt, field.valueEnd, showDate(*date.day))
		default:
			if _, exists := parseDate(field.Value); exists {
				line.remove(t, date.kind)
			}
		}
	}
	for _, kind := range []Kind{DoneDate, CancelledDate, ID, DependsOn} {
		line.remove(t, kind)
	}
	if s.SetCreated {
		line.set(t, Created, showDate(today))
	} else {
		line.remove(t, Created)
	}
	if t.BlockID != "" {
		line.replace(t.bodyEnd, t.bodyEnd+strings.Index(t.Line[t.bodyEnd:], t.BlockID)+len(t.BlockID), "")
	}
	return line.text()
}

// reopened returns the symbol of the next occurrence: the first thing to do that follows the status of the finished one.
func (s Settings) reopened(finished Status) string {
	for _, wanted := range []Type{Todo, InProgress} {
		status := finished
		for range len(s.Statuses) {
			status = s.Status(status.Next)
			if status.Type == wanted {
				return status.Symbol
			}
		}
	}
	return " "
}

// SetField gives a field of a task another value; "" removes it, and so does the priority none.
func (s Settings) SetField(t Task, kind Kind, value string) string {
	line := edit{line: t.Line}
	if value == "" || kind == Priority && value == "none" {
		line.remove(t, kind)
	} else {
		line.set(t, kind, value)
	}
	return line.text()
}

// SetDescription gives a task another description, tags included. Its fields stay.
func (s Settings) SetDescription(t Task, text string) string {
	line := edit{line: t.Line}
	text = s.withFilter(text)
	if rest := t.Line[t.textEnd:]; rest != "" && !strings.HasPrefix(rest, " ") && !strings.HasPrefix(rest, "\t") {
		text += " " // there was no description
	}
	line.replace(t.bodyAt, t.textEnd, text)
	for _, tag := range t.trailing {
		line.replace(len(strings.TrimRightFunc(t.Line[:tag.start], isSpace)), tag.end, "")
	}
	return line.text()
}

// New returns the line of a new task.
func (s Settings) New(symbol, text string) string { return "- [" + symbol + "] " + s.withFilter(text) }

// withFilter returns a description that makes a line a task.
func (s Settings) withFilter(text string) string {
	if s.GlobalFilter == "" || strings.Contains(text, s.GlobalFilter) {
		return text
	}
	return s.GlobalFilter + " " + text
}

// edit collects the changes of a line.
type edit struct {
	line    string
	changes []replacement
	added   []string // fields at the end of the body, in order
	addedAt int
}

type replacement struct {
	start, end int
	text       string
}

func (e *edit) replace(start, end int, text string) {
	e.changes = append(e.changes, replacement{start, end, text})
}

// remove removes the fields of a kind with the white space before them, except for that after the box.
func (e *edit) remove(t Task, kind Kind) {
	box := t.symbolAt + symbolSize(t.Line[t.symbolAt:]) + len("] ")
	for _, field := range t.fields {
		if field.Kind == kind {
			e.replace(min(field.start, max(box, len(strings.TrimRightFunc(e.line[:field.start], isSpace)))), field.end, "")
		}
	}
}

// set gives a field another value in its place, or adds the field.
func (e *edit) set(t Task, kind Kind, value string) {
	if field := t.field(kind); field != nil {
		if kind == Priority && !field.inline {
			value = signOf(kind, value)
		}
		e.replace(field.valueAt, field.valueEnd, value)
		return
	}
	inline := t.dataview
	if len(t.fields) > 0 {
		inline = t.fields[0].inline
	}
	text := "  [" + keyOf(kind) + ":: " + value + "]"
	if !inline {
		text = " " + strings.TrimRight(signOf(kind, value)+" "+value, " ")
		if kind == Priority {
			text = " " + signOf(kind, value)
		}
	}
	e.added, e.addedAt = append(e.added, text), t.bodyEnd
}

// signOf is the character that a field is written with.
func signOf(kind Kind, value string) string {
	for _, s := range signs {
		if s.kind == kind && (s.value == "" || s.value == value) {
			return s.text
		}
	}
	return ""
}

func keyOf(kind Kind) string {
	for key, of := range keys {
		if of == kind {
			return key
		}
	}
	return ""
}

// text returns the changed line.
func (e *edit) text() string {
	if len(e.added) > 0 {
		e.replace(e.addedAt, e.addedAt, strings.Join(e.added, ""))
	}
	order.Stably(e.changes, func(a, b replacement) int { return a.start - b.start })
	var out strings.Builder
	at := 0
	for _, change := range e.changes {
		out.WriteString(e.line[at:max(at, change.start)])
		out.WriteString(change.text)
		at = max(at, change.end)
	}
	out.WriteString(e.line[at:])
	return out.String()
}
