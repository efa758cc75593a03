package tasks

import "strings"

// dateField is a date that filters ask about.
type dateField struct {
	word string // in comparisons
	name string // in "has … date"
	days func(*row) [3]day
}

// dateFields are the dates that filters ask about.
var dateFields = []dateField{
	{"due", "due", func(item *row) [3]day { return [3]day{item.due, noDay, noDay} }},
	{"done", "done", func(item *row) [3]day { return [3]day{item.done, noDay, noDay} }},
	{"scheduled", "scheduled", func(item *row) [3]day { return [3]day{item.scheduled, noDay, noDay} }},
	{"starts", "start", func(item *row) [3]day { return [3]day{item.start, noDay, noDay} }},
	{"created", "created", func(item *row) [3]day { return [3]day{item.created, noDay, noDay} }},
	{"cancelled", "cancelled", func(item *row) [3]day { return [3]day{item.cancelled, noDay, noDay} }},
	{happensWord, happensWord, func(item *row) [3]day { return [3]day{item.start, item.scheduled, item.due} }},
}

const happensWord = "happens"

// has reports whether a task has the date, even if the day does not exist.
func (f dateField) has(item *row) bool { return f.days(item) != [3]day{noDay, noDay, noDay} }

// comparisons are the words before a date, the longest first.
var comparisons = []string{"on or before", "on or after", "in or before", "in or after", "before", "after", "on", "in"}

func (c Context) dateFilter(line string) (filter, *problem) {
	lower := strings.ToLower(line)
	for _, field := range dateFields {
		switch {
		case lower == "has "+field.name+" date":
			return field.has, nil
		case lower == "no "+field.name+" date":
			return func(item *row) bool { return !field.has(item) }, nil
		case lower == field.name+" date is invalid" && field.name != happensWord:
			return func(item *row) bool { return field.days(item)[0] == badDay }, nil
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
	first, last := dayOf(span.first), dayOf(span.last)
	matches := func(at day) bool {
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
	return func(item *row) bool {
		days := field.days(item)
		for _, day := range days {
			if day.exists() && matches(day) {
				return true
			}
		}
		return field.word == "starts" && days[0] == noDay
	}, nil
}
