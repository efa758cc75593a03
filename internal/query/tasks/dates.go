package tasks

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"obsidian-mcp/internal/note/moment"
)

// span is a number of days.
type span struct{ first, last moment.Date }

var relativeRange = regexp.MustCompile(`^(last|this|next) (week|month|quarter|year)$`)

// readRange reads a number of days: two dates, this week and the like, or a week, month, quarter or year by its number.
func (c Context) readRange(text string) (span, bool) {
	british := moment.British()
	if found := relativeRange.FindStringSubmatch(text); found != nil {
		n := map[string]int{"last": -1, "this": 0, "next": 1}[found[1]]
		unit := map[string]moment.Unit{"week": moment.Week, "month": moment.Month, "quarter": moment.Quarter, "year": moment.Year}[found[2]]
		return wholeUnit(moment.Time{Date: startOf(c.Today, unit)}.Add(n, unit).Date, unit), true
	}
	for _, form := range []struct {
		format string
		unit   moment.Unit
	}{{"GGGG-[W]WW", moment.Week}, {"YYYY-MM", moment.Month}, {"YYYY-[Q]Q", moment.Quarter}, {"YYYY", moment.Year}} {
		if at, ok := british.Parse(text, form.format, moment.Time{}); ok {
			return wholeUnit(startOf(at.Date, form.unit), form.unit), true
		}
	}
	words := strings.Fields(text)
	if len(words) != 2 {
		return span{}, false
	}
	first, ok := british.Parse(words[0], "YYYY-MM-DD", moment.Time{})
	last, ok2 := british.Parse(words[1], "YYYY-MM-DD", moment.Time{})
	if first.Date.Days() > last.Date.Days() {
		first, last = last, first
	}
	return span{first.Date, last.Date}, ok && ok2
}

// startOf returns the first day of a unit. Weeks begin on Monday.
func startOf(day moment.Date, unit moment.Unit) moment.Date {
	switch unit {
	case moment.Week:
		return moment.British().Weeks.Start(day)
	case moment.Month:
		return moment.Date{Year: day.Year, Month: day.Month, Day: 1}
	case moment.Quarter:
		return moment.Date{Year: day.Year, Month: 3*day.Quarter() - 2, Day: 1}
	}
	return moment.Date{Year: day.Year, Month: 1, Day: 1}
}

func wholeUnit(first moment.Date, unit moment.Unit) span {
	return span{first, moment.Time{Date: first}.Add(1, unit).Date.AddDays(-1)}
}

// ReadDay reads a date as queries write it: 2026-11-16, tomorrow, next friday, in two weeks.
func ReadDay(text string, today moment.Date) (moment.Date, bool) {
	text = strings.TrimSpace(text)
	day, at, size := Context{Today: today}.findDay(text)
	return day, at == 0 && size > 0 && size == len(text)
}

const (
	monthWords = `jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?`
	dayWords   = `sun(?:day)?|mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:rs?(?:day)?)?|fri(?:day)?|sat(?:urday)?`
	amounts    = `\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve`
	unitWords  = `days?|weeks?|months?|quarters?|years?`
)

// phrase is a way to write a date, and how to read it.
type phrase struct {
	pattern *regexp.Regexp
	read    func(c Context, found []string) (moment.Date, bool)
}

// phrases are the ways to write a date.
var phrases = []phrase{
	{word(`(\d{4})-(\d{1,2})-(\d{1,2})`), func(_ Context, found []string) (moment.Date, bool) {
		return existing(number(found[1]), number(found[2]), number(found[3]))
	}},
	{word(`(today|tomorrow|yesterday|now|tonight)`), func(c Context, found []string) (moment.Date, bool) {
		return c.Today.AddDays(map[string]int{"tomorrow": 1, "yesterday": -1}[strings.ToLower(found[1])]), true
	}},
	{word(`(?:(last|past|next|this)\s+)?(` + dayWords + `)`), readWeekday},
	{word(`(?:in|within)\s+(` + amounts + `)\s+(` + unitWords + `)`), func(c Context, found []string) (moment.Date, bool) {
		return c.shifted(number(found[1]), found[2]), true
	}},
	{word(`(` + amounts + `)\s+(` + unitWords + `)\s+(ago|from now|later)`), func(c Context, found []string) (moment.Date, bool) {
		n := number(found[1])
		if strings.EqualFold(found[3], "ago") {
			n = -n
		}
		return c.shifted(n, found[2]), true
	}},
	{word(`(last|past|next|this)\s+(day|week|month|quarter|year)`), func(c Context, found []string) (moment.Date, bool) {
		n := map[string]int{"last": -1, "past": -1, "next": 1}[strings.ToLower(found[1])]
		return c.shifted(n, found[2]), true
	}},
	{word(`(\d{1,2})(?:st|nd|rd|th)?\s+(?:of\s+)?(` + monthWords + `)(?:\s+(\d{4}))?`), func(c Context, found []string) (moment.Date, bool) {
		return c.dayOfMonth(found[1], found[2], found[3])
	}},
	{word(`(` + monthWords + `)\s+(\d{1,2})(?:st|nd|rd|th)?(?:,?\s+(\d{4}))?`), func(c Context, found []string) (moment.Date, bool) {
		return c.dayOfMonth(found[2], found[1], found[3])
	}},
}

func word(pattern string) *regexp.Regexp { return regexp.MustCompile(`(?i)\b` + pattern + `\b`) }

// readDay finds the first date in a text.
func (c Context) readDay(text string) (span, bool) {
	day, _, size := c.findDay(text)
	return span{day, day}, size > 0
}

// findDay finds the first date in a text, and says where it is; its size is 0 if there is none.
func (c Context) findDay(text string) (day moment.Date, at, size int) {
	at = len(text)
	for _, phrase := range phrases {
		match := phrase.pattern.FindStringSubmatchIndex(text)
		if match == nil || match[0] > at || match[0] == at && match[1]-match[0] <= size {
			continue
		}
		groups := phrase.pattern.FindStringSubmatch(text)
		if read, ok := phrase.read(c, groups); ok {
			day, at, size = read, match[0], match[1]-match[0]
		}
	}
	return day, at, size
}

var amountWords = []string{"", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"}

// number reads a number in digits or words.
func number(text string) int {
	text = strings.ToLower(text)
	if text == "a" || text == "an" {
		return 1
	}
	if n := slices.Index(amountWords, text); n > 0 {
		return n
	}
	n, _ := strconv.Atoi(text) // the patterns have only digits
	return n
}

func existing(year, month, day int) (moment.Date, bool) {
	date := moment.Date{Year: year, Month: month, Day: day}
	return date, month >= 1 && month <= 12 && moment.DateOf(date.Days()) == date
}

func (c Context) shifted(n int, unit string) moment.Date {
	units := map[byte]moment.Unit{'d': moment.Day, 'w': moment.Week, 'm': moment.Month, 'q': moment.Quarter, 'y': moment.Year}
	return moment.Time{Date: c.Today}.Add(n, units[strings.ToLower(unit)[0]]).Date
}

// readWeekday reads a weekday: of this week, which begins on Sunday, of the one before or after, or else the nearest.
func readWeekday(c Context, found []string) (moment.Date, bool) {
	day := c.Today
	wanted := slices.IndexFunc([]string{"su", "mo", "tu", "we", "th", "fr", "sa"}, func(name string) bool {
		return strings.HasPrefix(strings.ToLower(found[2]), name)
	})
	distance := wanted - day.Weekday()
	switch strings.ToLower(found[1]) {
	case "next":
		distance += 7
	case "last", "past":
		distance -= 7
	case "this":
	default:
		if distance > 3 {
			distance -= 7
		} else if distance < -3 {
			distance += 7
		}
	}
	return day.AddDays(distance), true
}

// dayOfMonth returns a day; without a year, the nearest.
func (c Context) dayOfMonth(day, month, year string) (moment.Date, bool) {
	names := []string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}
	m := slices.Index(names, strings.ToLower(month)[:3]) + 1
	if year != "" {
		return existing(number(year), m, number(day))
	}
	best, found := moment.Date{}, false
	for _, y := range []int{c.Today.Year, c.Today.Year + 1, c.Today.Year - 1} {
		date, ok := existing(y, m, number(day))
		if ok && (!found || distance(date, c.Today) < distance(best, c.Today)) {
			best, found = date, true
		}
	}
	return best, found
}

func distance(a, b moment.Date) int { return max(a.Days()-b.Days(), b.Days()-a.Days()) }
