package tasks

import (
	"strings"

	"obsidian-mcp/internal/note/moment"
	"obsidian-mcp/internal/note/task"
)

// dateField is a date that filters ask about.
type dateField struct {
	word  string // in comparisons
	name  string // in "has … date"
	dates func(*Item) []moment.Date
	kind  task.Kind // "" for happens
}

// dateFields are the dates that filters ask about.
var dateFields = []dateField{
	ofKind("due", "due", task.Due), ofKind("done", "done", task.DoneDate), ofKind("scheduled", "scheduled", task.Scheduled),
	ofKind("starts", "start", task.Start), ofKind("created", "created", task.Created), ofKind("cancelled", "cancelled", task.CancelledDate),
	{"happens", "happens", func(item *Item) []moment.Date {
		var dates []moment.Date
		for _, kind := range []task.Kind{task.Start, task.Scheduled, task.Due} {
			if day, ok := item.Date(kind); ok {
				dates = append(dates, day)
			}
		}
		return dates
	}, ""},
}

func ofKind(word, name string, kind task.Kind) dateField {
	return dateField{word, name, func(item *Item) []moment.Date {
		if day, ok := item.Date(kind); ok {
			return []moment.Date{day}
		}
		return nil
	}, kind}
}

// has reports whether a task has the date, even if the day does not exist.
func (f dateField) has(item *Item) bool {
	if f.kind != "" {
		return item.Get(f.kind) != ""
	}
	return item.Get(task.Start) != "" || item.Get(task.Scheduled) != "" || item.Get(task.Due) != ""
}

// comparisons are the words before a date, the longest first.
var comparisons = []string{"on or before", "on or after", "in or before", "in or after", "before", "after", "on", "in"}

func (c Context) dateFilter(line string) (filter, *problem) {
	lower := strings.ToLower(line)
	for _, field := range dateFields {
		switch {
		case lower == "has "+field.name+" date":
			return field.has, nil
		case lower == "no "+field.name+" date":
			return func(item *Item) bool { return !field.has(item) }, nil
		case lower == field.name+" date is invalid" && field.kind != "":
			return func(item *Item) bool { return field.has(item) && len(field.dates(item)) == 0 }, nil
		}
		if rest, ok := cutFold(line, field.word+" "); ok && strings.TrimSpace(rest) != "" {
			return c.compared(field, strings.TrimSpace(rest))
		}
	}
	return nil, nil
}

// compared reads a comparison with a date or a number of days.
func (c Context) compared(field dateField, text string) (filter, *problem) {
	comparison, rest := "", text
	for _, word := range comparisons {
		if after, ok := cutFold(text, word+" "); ok {
			comparison, rest = word, strings.TrimSpace(after)
			break
		}
	}
	span, ok := c.readRange(rest)
	if !ok {
		span, ok = c.readDay(rest)
	}
	if !ok { // such as "in two weeks", where "in" is part of the date
		comparison = ""
		span, ok = c.readDay(text)
	}
	if !ok {
		return nil, &problem{BadDate, "it has no date"}
	}
	matches := func(day moment.Date) bool {
		first, last, at := span.first.Days(), span.last.Days(), day.Days()
		switch comparison {
		case "before":
			return at < first
		case "after":
			return at > last
		case "on or before", "in or before":
			return at <= last
		case "on or after", "in or after":
			return at >= first
		}
		return first <= at && at <= last
	}
	return func(item *Item) bool {
		if field.kind == task.Start && !field.has(item) {
			return true
		}
		for _, day := range field.dates(item) {
			if matches(day) {
				return true
			}
		}
		return false
	}, nil
}
