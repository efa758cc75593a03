package task

import (
	"regexp"
	"strconv"
	"strings"

	"obsidian-mcp/internal/note/moment"
)

// Recurring is a task's recurrence that can be read.
type Recurring struct {
	rule     rule
	whenDone bool
}

var ruleText = regexp.MustCompile(`(?i)^([a-zA-Z0-9, !]+?)( when done)?$`)

// ReadRecurrence reads the recurrence of a task.
func ReadRecurrence(text string) (Recurring, bool) {
	found := ruleText.FindStringSubmatch(text)
	if found == nil {
		return Recurring{}, false
	}
	rule, err := readRule(strings.TrimSpace(found[1]))
	return Recurring{rule, found[2] != ""}, err == nil
}

// Text returns the recurrence in the plugin's own words.
func (r Recurring) Text() string {
	text := r.rule.text()
	if r.whenDone {
		text += " when done"
	}
	return text
}

// Dates are the dates that move when a task recurs. Those that it does not have are nil.
type Dates struct{ Start, Scheduled, Due *moment.Date }

// reference is the date that a recurrence counts from.
func (d Dates) reference(dropScheduled bool) *moment.Date {
	order := []*moment.Date{d.Due, d.Scheduled, d.Start}
	if dropScheduled {
		order = []*moment.Date{d.Due, d.Start, d.Scheduled}
	}
	for _, date := range order {
		if date != nil {
			return date
		}
	}
	return nil
}

// Next returns the dates of the next occurrence of a task that is finished today, and whether there is one.
func (r Recurring) Next(dates Dates, today moment.Date, dropScheduled bool) (Dates, bool) {
	reference := dates.reference(dropScheduled)
	base := today
	if reference != nil && !r.whenDone {
		base = *reference
	}
	next, ok := r.nextDay(base)
	if !ok {
		return Dates{}, false
	}
	moved := func(date *moment.Date) *moment.Date {
		if date == nil || reference == nil {
			return nil
		}
		return new(next.AddDays(date.Days() - reference.Days()))
	}
	result := Dates{Start: moved(dates.Start), Scheduled: moved(dates.Scheduled), Due: moved(dates.Due)}
	if dropScheduled && (dates.Start != nil || dates.Due != nil) {
		result.Scheduled = nil
	}
	return result, true
}

var everyMonths, everyYears = regexp.MustCompile(`every( \d+)? months?`), regexp.MustCompile(`every( \d+)? years?`)

// nextDay returns the first day of the rule after another. Rules of months and years step back from months that are too
// short.
func (r Recurring) nextDay(base moment.Date) (moment.Date, bool) {
	next, ok := r.rule.after(base, base)
	text := r.Text()
	if found := everyMonths.FindStringSubmatch(text); found != nil && !strings.Contains(text, " on ") {
		next, ok = r.steppingBack(base, next, ok, func(base, next moment.Date) bool {
			return 12*(next.Year-base.Year)+next.Month-base.Month > atLeastOne(found[1])
		})
	}
	if found := everyYears.FindStringSubmatch(text); found != nil {
		next, ok = r.steppingBack(base, next, ok, func(base, next moment.Date) bool { return next.Year-base.Year > atLeastOne(found[1]) })
	}
	return next, ok
}

// steppingBack moves the base back, a day at a time, while too much is skipped.
func (r Recurring) steppingBack(base, next moment.Date, ok bool, skips func(base, next moment.Date) bool) (moment.Date, bool) {
	const most = 2000 // days; the plugin has no limit
	for range most {
		if !ok || !skips(base, next) {
			break
		}
		base = base.AddDays(-1)
		next, ok = r.rule.after(base, base)
	}
	return next, ok
}

func atLeastOne(text string) int {
	n, _ := strconv.Atoi(strings.TrimSpace(text)) // "" is 0
	return max(n, 1)
}
