package dataview

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"obsidian-mcp/internal/query/value"
)

// Clock is the time at which a query is asked, in the zone of the vault.
type Clock struct {
	Now  time.Time
	Zone func(name string) (*time.Location, error) // finds a zone such as Europe/Berlin; nil: none is known
}

// date makes a date in the vault's zone. Days and hours that are too many count on.
func (c Clock) date(year, month, day, hour, minute, second, milli int) value.Date {
	return value.Date{Time: time.Date(year, time.Month(month), day, hour, minute, second, milli*int(time.Millisecond), c.Now.Location())}
}

func (c Clock) today() value.Date { return value.Date{Time: c.Now}.Day() }

// shorthands are the names of dates, longer ones first.
var shorthands = []struct {
	name string
	date func(Clock) value.Date
}{
	{"start-of-month", startOfMonth}, {"start-of-week", startOfWeek}, {"start-of-year", startOfYear},
	{"end-of-month", func(c Clock) value.Date { return lastMoment(startOfMonth(c), value.Months, 1) }},
	{"end-of-week", func(c Clock) value.Date { return lastMoment(startOfWeek(c), value.Weeks, 1) }},
	{"end-of-year", func(c Clock) value.Date { return lastMoment(startOfYear(c), value.Years, 1) }},
	{"yesterday", func(c Clock) value.Date { return c.today().Plus(value.DurationOf(-1, value.Days)) }},
	{"tomorrow", func(c Clock) value.Date { return c.today().Plus(value.DurationOf(1, value.Days)) }},
	{"today", Clock.today},
	{"now", func(c Clock) value.Date { return value.Date{Time: c.Now} }},
	{"sow", startOfWeek}, {"soy", startOfYear}, {"som", startOfMonth},
	{"eow", func(c Clock) value.Date { return lastMoment(startOfWeek(c), value.Weeks, 1) }},
	{"eoy", func(c Clock) value.Date { return lastMoment(startOfYear(c), value.Years, 1) }},
	{"eom", func(c Clock) value.Date { return lastMoment(startOfMonth(c), value.Months, 1) }},
}

func startOfWeek(c Clock) value.Date {
	today := c.today()
	return today.Plus(value.DurationOf(-float64((int(today.Time.Weekday())+6)%7), value.Days))
}

func startOfMonth(c Clock) value.Date {
	return c.date(c.Now.Year(), int(c.Now.Month()), 1, 0, 0, 0, 0)
}

func startOfYear(c Clock) value.Date { return c.date(c.Now.Year(), 1, 1, 0, 0, 0, 0) }

// lastMoment is the millisecond before a date plus count units.
func lastMoment(start value.Date, unit value.Unit, count float64) value.Date {
	return start.Plus(value.DurationOf(count, unit)).Plus(value.DurationOf(-1, value.Milliseconds))
}

// date reads an ISO date as far as it goes.
func (p *parser) date() (value.Date, bool) {
	start := p.at
	var parts [7]int // year, month, day, hour, minute, second, millisecond
	parts[2] = 1
	read := func(i, digits int, before string) bool {
		text := strings.TrimPrefix(p.rest(), before)
		if !strings.HasPrefix(p.rest(), before) || countDigits(text) < digits {
			return false
		}
		parts[i], _ = strconv.Atoi(text[:digits])
		p.at += len(before) + digits
		return true
	}
	if !read(0, 4, "") || !read(1, 2, "-") {
		p.at = start
		return value.Date{}, false
	}
	isComplete := read(2, 2, "-") && read(3, 2, "T") && read(4, 2, ":") && read(5, 2, ":")
	if isComplete {
		read(6, 3, ".")
	}
	zone, location := "", p.clock.Now.Location()
	if isComplete {
		var ok bool
		if zone, location, ok = p.zone(); !ok {
			p.at = start
			return value.Date{}, false
		}
	}
	if parts[1] < 1 || parts[1] > 12 {
		p.at = start
		return value.Date{}, false
	}
	moment := time.Date(parts[0], time.Month(parts[1]), parts[2], parts[3], parts[4], parts[5], parts[6]*int(time.Millisecond), location)
	return value.Date{Time: moment, Zone: zone}, true
}

// zone reads the zone of a date, if there is one: Z, +02:00, [Europe/Berlin].
func (p *parser) zone() (name string, location *time.Location, ok bool) {
	text := p.rest()
	local := p.clock.Now.Location()
	switch {
	case strings.HasPrefix(text, "Z"):
		p.at++
		return "UTC", time.UTC, true
	case strings.HasPrefix(text, "+"), strings.HasPrefix(text, "-"):
		digits := min(2, countDigits(text[1:]))
		if digits == 0 {
			return "", local, true
		}
		hours, _ := strconv.Atoi(text[1 : 1+digits])
		end, minutes := 1+digits, 0
		if strings.HasPrefix(text[end:], ":") && countDigits(text[end+1:]) >= 2 {
			minutes, _ = strconv.Atoi(text[end+1 : end+3])
			end += 3
		}
		p.at += end
		seconds := hours*3600 + minutes*60
		if text[0] == '-' {
			seconds = -seconds
		}
		if seconds == 0 {
			return "UTC", time.UTC, true
		}
		name := fmt.Sprintf("UTC%+d", seconds/60)
		return name, time.FixedZone(name, seconds), true
	case strings.HasPrefix(text, "["):
		end := 1
		for end < len(text) && (text[end] >= '+' && text[end] <= '/' || isASCIIWord(text[end])) {
			end++
		}
		if end == 1 || !strings.HasPrefix(text[end:], "]") {
			return "", local, true
		}
		if p.clock.Zone == nil {
			return "", nil, false
		}
		named, err := p.clock.Zone(text[1:end])
		if err != nil {
			return "", nil, false
		}
		p.at += end + 1
		return named.String(), named, true
	}
	return "", local, true
}

func isASCIIWord(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// datePlus reads a date or the name of one.
func (p *parser) datePlus() (value.Date, bool) {
	for _, shorthand := range shorthands {
		if strings.HasPrefix(p.rest(), shorthand.name) {
			p.at += len(shorthand.name)
			return shorthand.date(p.clock), true
		}
	}
	return p.date()
}

func (p *parser) dateLiteral() (Expression, bool) {
	var date value.Date
	ok := p.between("date(", func() (ok bool) { date, ok = p.datePlus(); return ok })
	return literal{date}, ok
}

func (p *parser) durationLiteral() (Expression, bool) {
	var length value.Duration
	ok := p.between("dur(", func() (ok bool) { length, ok = p.duration(); return ok })
	return literal{length}, ok
}

// between reads something between an opening text and a closing parenthesis.
func (p *parser) between(open string, read func() bool) bool {
	return p.attempt(func() bool {
		if !p.literally(open) {
			return false
		}
		p.blanks()
		if !read() {
			return false
		}
		p.blanks()
		return p.literally(")")
	})
}

// unitSpellings are how units are written, longer spellings first.
var unitSpellings = []struct {
	spelling string
	unit     value.Unit
}{
	{"minutes", value.Minutes}, {"seconds", value.Seconds},
	{"months", value.Months}, {"minute", value.Minutes}, {"second", value.Seconds},
	{"years", value.Years}, {"month", value.Months}, {"weeks", value.Weeks}, {"hours", value.Hours},
	{"year", value.Years}, {"week", value.Weeks}, {"days", value.Days}, {"hour", value.Hours}, {"mins", value.Minutes}, {"secs", value.Seconds},
	{"yrs", value.Years}, {"mos", value.Months}, {"wks", value.Weeks}, {"day", value.Days}, {"hrs", value.Hours}, {"min", value.Minutes}, {"sec", value.Seconds},
	{"yr", value.Years}, {"mo", value.Months}, {"wk", value.Weeks}, {"hr", value.Hours},
	{"w", value.Weeks}, {"d", value.Days}, {"h", value.Hours}, {"m", value.Minutes}, {"s", value.Seconds},
}

// duration reads numbers with units, with commas, blanks or nothing between them.
func (p *parser) duration() (value.Duration, bool) {
	total, ok := p.durationPart()
	if !ok {
		return value.Duration{}, false
	}
	for p.attempt(func() bool {
		if !p.around(",") {
			p.blanks()
		}
		part, ok := p.durationPart()
		if ok {
			total = total.Plus(part)
		}
		return ok
	}) {
	}
	return total, true
}

func (p *parser) durationPart() (part value.Duration, ok bool) {
	ok = p.attempt(func() bool {
		count, ok := p.number()
		if !ok {
			return false
		}
		p.blanks()
		for _, known := range unitSpellings {
			if strings.HasPrefix(p.rest(), known.spelling) {
				p.at += len(known.spelling)
				part = value.DurationOf(count, known.unit)
				return true
			}
		}
		p.fail("a unit of time, such as days or hours")
		return false
	})
	return part, ok
}

// whole reads a text of which nothing may be left.
func whole[T any](text string, clock Clock, read func(*parser) (T, bool)) (T, bool) {
	p := &parser{text: text, clock: clock}
	v, ok := read(p)
	if !ok || p.at != len(text) {
		var none T
		return none, false
	}
	return v, true
}
