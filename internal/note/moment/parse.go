package moment

import (
	"regexp"
	"strings"
)

// Parse reads a text that was written in a format, as moment does in its strict mode: every token and every other
// character must be there, and nothing else. What the text does not say is taken from now down to the largest unit that it
// does say, and is the smallest possible below that. The result of a text with an offset is in UTC.
func (l Locale) Parse(text, format string, now Time) (Time, bool) {
	return l.Compile(format).Parse(text, now)
}

// Format is a format that is ready to read many texts.
type Format struct {
	locale Locale
	steps  []step
	byWeek bool
}

// step reads a token, or a literal text.
type step struct {
	reader  reader
	literal string
	isToken bool // counts as a token although it is read as text
}

// Compile prepares a format for reading.
func (l Locale) Compile(format string) Format {
	compiled := Format{locale: l}
	for _, p := range split(l.expand(format)) {
		reader, canRead := readers[p.text]
		switch {
		case p.literal && p.text == "" && unbroken.Replace(p.raw) == "" && !strings.Contains(p.raw, `\`):
			// a line break, which a format loses
		case p.literal || !canRead:
			compiled.steps = append(compiled.steps, step{literal: unescaped(p.raw), isToken: !p.literal})
		default:
			compiled.steps = append(compiled.steps, step{reader: reader})
		}
	}
	return compiled
}

// ByWeek returns the format for texts that name a week, and in which a month or day means nothing: moment would prefer
// these.
func (f Format) ByWeek() Format {
	f.byWeek = true
	return f
}

// Parse is Locale.Parse.
func (f Format) Parse(text string, now Time) (Time, bool) {
	r := reading{locale: f.locale, rest: text}
	for _, step := range f.steps {
		if isRead := r.step(step); !isRead {
			return Time{}, false
		}
	}
	if r.rest != "" || !r.any {
		return Time{}, false
	}
	if f.byWeek && r.weeks.any {
		r.month, r.day = nil, nil
	}
	return r.time(now)
}

// reading is what was read from a text so far. Units that were not read are nil.
type reading struct {
	locale Locale
	rest   string
	any    bool // a token was read

	year, month, day                  *int // the month counts from 0
	hour, minute, second, millisecond *int
	yearDay                           *int
	weeks                             readWeeks
	isPM                              *bool
	isTwelve                          bool // the hour is one of twelve
	isBC                              bool
	offset                            *int   // in minutes
	unix                              *int64 // in milliseconds
}

// readWeeks are the units that depend on weeks.
type readWeeks struct {
	any                bool
	localYear, isoYear *int
	localWeek, isoWeek *int
	weekday            *int // from Sunday
	localDay, isoDay   *int
}

// step reads a token or a literal text from the start of the rest.
func (r *reading) step(s step) bool {
	if s.reader.size == nil {
		rest, found := strings.CutPrefix(r.rest, s.literal)
		r.rest, r.any = rest, r.any || s.isToken
		return found && s.literal != ""
	}
	size := s.reader.size(r.rest)
	if size == 0 {
		return false
	}
	value := r.rest[:size]
	r.rest, r.any = r.rest[size:], true
	return s.reader.keep(r, value)
}

// unescaped returns the text that a part of a format stands for when it is read, which for brackets in brackets is not
// the one that is written.
func unescaped(raw string) string {
	return escapes.ReplaceAllString(strings.Replace(raw, `\`, "", 1), "$1$2$3$4")
}

var escapes = regexp.MustCompile(`\\(\[)|\\(\])|\[([^\]\[]*)\]|\\(.)`)

// time puts together what was read.
func (r *reading) time(now Time) (Time, bool) {
	if r.isTwelve && (r.hour == nil || *r.hour < 1 || *r.hour > 12) {
		return Time{}, false
	}
	if r.isPM != nil {
		r.fixHour()
		if r.year == nil && r.month == nil && r.day == nil && r.hour == nil && r.minute == nil && r.second == nil && r.millisecond == nil {
			return Time{}, false
		}
	}
	if r.unix != nil {
		return fromUnix(*r.unix), -lastDay*perDay <= *r.unix && *r.unix <= lastDay*perDay && r.inRange()
	}
	if r.isBC && r.year != nil {
		r.year = new(1 - *r.year)
	}
	if r.weeks.any && r.day == nil && r.month == nil && !r.fromWeek(now.Date) {
		return Time{}, false
	}
	if r.yearDay != nil && !r.fromYearDay(now.Date) {
		return Time{}, false
	}
	at, isValid := r.filled(now)
	if !isValid || r.weeks.weekday != nil && *r.weeks.weekday != at.Date.Weekday() {
		return Time{}, false
	}
	if at.Hour == 24 {
		at.Date, at.Hour = at.Date.AddDays(1), 0
	}
	if r.offset != nil {
		at.Offset = *r.offset
		at = fromUnix(unix(at)*1000 + int64(at.Millisecond))
	}
	return at, abs(at.Date.Days()) <= lastDay
}

// fixHour makes an hour of twelve one of twenty-four.
func (r *reading) fixHour() {
	switch {
	case r.hour == nil:
	case *r.isPM && *r.hour < 12:
		r.hour = new(*r.hour + 12)
	case !*r.isPM && *r.hour == 12:
		r.hour = new(0)
	}
}

// fromWeek finds the day by its week.
func (r *reading) fromWeek(today Date) bool {
	weeks, year, week, day := r.locale.Weeks, r.year, r.weeks.localWeek, 0
	current, currentWeek := weeks.Of(today)
	if r.weeks.isoYear != nil || r.weeks.isoWeek != nil || r.weeks.isoDay != nil {
		weeks, week = iso, r.weeks.isoWeek
		current, _ = iso.Of(today)
		currentWeek = 1
		if r.weeks.isoYear != nil {
			year = r.weeks.isoYear
		}
		if r.weeks.isoDay != nil {
			day = *r.weeks.isoDay - 1
		}
	} else {
		if r.weeks.localYear != nil {
			year = r.weeks.localYear
		}
		switch {
		case r.weeks.weekday != nil:
			day = mod(*r.weeks.weekday-weeks.First, 7)
			if *r.weeks.weekday > 6 {
				day = *r.weeks.weekday
			}
		case r.weeks.localDay != nil:
			day = *r.weeks.localDay
		}
	}
	if year == nil {
		year = &current
	}
	if abs(*year) > lastYear {
		return false
	}
	if week == nil {
		week = &currentWeek
	}
	first := weeks.firstDay(*year)
	if *week < 1 || first+7**week > weeks.firstDay(*year+1) || day < 0 || day > 6 {
		return false
	}
	date := DateOf(first + 7*(*week-1) + day)
	r.year, r.yearDay = &date.Year, new(date.YearDay())
	return true
}

// fromYearDay finds the day by its number in the year.
func (r *reading) fromYearDay(today Date) bool {
	year := today.Year
	if r.year != nil {
		year = *r.year
	}
	date := Date{year, 1, 1}.AddDays(*r.yearDay - 1)
	r.month, r.day = new(date.Month-1), &date.Day
	return date.Year == year && *r.yearDay > 0
}

// filled fills in the units that were not read.
func (r *reading) filled(now Time) (Time, bool) {
	given := [...]*int{r.year, r.month, r.day, r.hour, r.minute, r.second, r.millisecond}
	current := [...]int{now.Date.Year, now.Date.Month - 1, now.Date.Day}
	smallest := [...]int{2: 1, 6: 0}
	var units [7]int
	missing := true
	for i, unit := range given {
		missing = missing && unit == nil && i < len(current)
		switch {
		case unit != nil:
			units[i] = *unit
		case missing:
			units[i] = current[i]
		default:
			units[i] = smallest[i]
		}
	}
	if abs(units[0]) > lastYear {
		return Time{}, false
	}
	at := Time{Date{units[0], units[1] + 1, units[2]}, units[3], units[4], units[5], units[6], 0}
	isMidnight := at.Hour == 24 && at.Minute == 0 && at.Second == 0 && at.Millisecond == 0
	return at, at.Date.exists() && (at.Hour < 24 || isMidnight) && at.Minute < 60 && at.Second < 60
}

// inRange reports whether the units that were read exist, each by itself.
func (r *reading) inRange() bool {
	for _, unit := range []struct {
		read        *int
		least, most int
	}{{r.month, 0, 11}, {r.day, 1, 99}, {r.hour, 0, 24}, {r.minute, 0, 59}, {r.second, 0, 59}} {
		if unit.read != nil && (*unit.read < unit.least || *unit.read > unit.most) {
			return false
		}
	}
	if r.hour != nil && *r.hour == 24 {
		return (r.minute == nil || *r.minute == 0) && (r.second == nil || *r.second == 0)
	}
	return r.year == nil || r.month == nil || r.day == nil || Date{*r.year, *r.month + 1, *r.day}.exists()
}

const (
	perDay   = int64(86_400_000) // milliseconds
	lastDay  = 100_000_000       // after 1970 that moment can have, and before
	lastYear = 300_000           // is later
)

// exists reports whether the calendar has the day.
func (d Date) exists() bool {
	return d.Month >= 1 && d.Month <= 12 && d.Day >= 1 && DateOf(d.Days()) == d
}

// fromUnix returns the time that many milliseconds after the start of 1970, in UTC.
func fromUnix(milliseconds int64) Time {
	day := floorDiv(milliseconds, perDay)
	ofDay := int(milliseconds - day*perDay)
	seconds := ofDay / 1000
	return Time{DateOf(int(max(-lastDay, min(day, lastDay)))), seconds / 3600, seconds / 60 % 60, seconds % 60, ofDay % 1000, 0}
}
