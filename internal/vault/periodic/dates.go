package periodic

import (
	"regexp"
	"strconv"
	"strings"

	"obsidian-mcp/internal/note/moment"
)

// Span is a number of days, from the first to the last.
type Span struct{ First, Last moment.Date }

// Span reads the date of a period as people write it: a day, week, month, quarter or year, words such as yesterday and
// last friday, a number of periods from now such as -2, or two dates with .. between them.
func (s Settings) Span(text string, p Period, today moment.Date) (Span, bool) {
	text = strings.ToLower(strings.Join(strings.Fields(text), " "))
	from, to, isRange := strings.Cut(text, "..")
	if !isRange {
		return s.span(text, p, today)
	}
	first, ok := s.span(strings.TrimSpace(from), p, today)
	last, ok2 := s.span(strings.TrimSpace(to), p, today)
	return Span{first.First, last.Last}, ok && ok2 && first.First.Days() <= last.Last.Days()
}

func (s Settings) span(text string, p Period, today moment.Date) (Span, bool) {
	if shift := signedNumber.FindString(text); shift != "" {
		n, _ := strconv.Atoi(shift) // few enough digits
		return s.whole(p, moment.Time{Date: p.Start(today, s.Locale.Weeks)}.Add(n, p.unit()).Date), true
	}
	switch text {
	case "today", "now":
		return s.whole(Daily, today), true
	case "yesterday":
		return s.whole(Daily, today.AddDays(-1)), true
	case "tomorrow":
		return s.whole(Daily, today.AddDays(1)), true
	}
	if found := relative.FindStringSubmatch(text); found != nil {
		return s.relative(found[1], found[2], today), true
	}
	if found := ago.FindStringSubmatch(text); found != nil {
		n, _ := strconv.Atoi(found[1] + found[3]) // few enough digits, and only one of them
		unit := found[2] + found[4]
		if found[1] != "" {
			n = -n
		}
		return s.whole(Daily, moment.Time{Date: today}.Add(n, units[unit]).Date), true
	}
	return s.written(text)
}

var (
	signedNumber = regexp.MustCompile(`^[+-]\d{1,5}$`)
	relative     = regexp.MustCompile(`^(last|this|next) (week|month|quarter|year|sunday|monday|tuesday|wednesday|thursday|friday|saturday)$`)
	ago          = regexp.MustCompile(`^(?:(\d{1,5}) (day|week|month|year)s? ago|in (\d{1,5}) (day|week|month|year)s?)$`)

	units = map[string]moment.Unit{"day": moment.Day, "week": moment.Week, "month": moment.Month, "year": moment.Year}
)

// whole returns all days of the period that a day is in.
func (s Settings) whole(p Period, day moment.Date) Span {
	first := p.Start(day, s.Locale.Weeks)
	return Span{first, moment.Time{Date: first}.Add(1, p.unit()).Date.AddDays(-1)}
}

// relative returns the last, this or the next period, or weekday: the last one is before today, the next one after it, and
// this one in today's week.
func (s Settings) relative(which, what string, today moment.Date) Span {
	n := map[string]int{"last": -1, "this": 0, "next": 1}[which]
	for _, period := range Periods()[1:] {
		if period.property() == what {
			return s.whole(period, moment.Time{Date: period.Start(today, s.Locale.Weeks)}.Add(n, period.unit()).Date)
		}
	}
	day := today.AddDays(n)
	if n == 0 {
		day, n = s.Locale.Weeks.Start(today), 1
	}
	for !strings.EqualFold(day.WeekdayName(), what) {
		day = day.AddDays(n)
	}
	return s.whole(Daily, day)
}

// written reads a date in digits. Its form says how long it is.
func (s Settings) written(text string) (Span, bool) {
	for _, period := range Periods() {
		if at, ok := s.Locale.Parse(strings.ToUpper(text), period.defaultFormat(), moment.Time{}); ok {
			return s.whole(period, at.Date), true
		}
	}
	return Span{}, false
}

// Each returns the first days of the periods that have days of a span, in order, but no more than a number of them.
func (s Settings) Each(p Period, span Span, most int) []moment.Date {
	var starts []moment.Date
	for day := p.Start(span.First, s.Locale.Weeks); day.Days() <= span.Last.Days() && len(starts) < most; {
		starts = append(starts, day)
		day = moment.Time{Date: day}.Add(1, p.unit()).Date
	}
	return starts
}
