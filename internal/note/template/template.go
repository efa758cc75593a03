// Package template fills in the variables of templates: those of the core plugin Templates, those of Periodic Notes, and
// the part of Templater's language that only makes text. It never runs code. What it does not know stays as it is.
package template

import (
	"regexp"
	"strconv"
	"strings"

	"obsidian-mcp/internal/note/moment"
)

// Values are what the variables of a template stand for.
type Values struct {
	Title  string // the name of the note, without folder and extension
	Folder string // the path of its folder
	Now    moment.Time
	Locale moment.Locale

	DateFormat, TimeFormat string            // of the core plugin; "" for the defaults
	Period                 *Period           // if the note is a periodic one
	Given                  map[string]string // variables that the caller gives

	Created, Modified moment.Time                      // of the note that the template is for; now if it is new
	Property          func(name string) (string, bool) // of that note
}

// Period is what a template can say about the period of its note.
type Period struct {
	Unit   moment.Unit // day, week, month, quarter or year
	Day    moment.Date // the day that is formatted for the name of the note
	Format string      // of that name
	Name   string      // the formatted name, with its folders
	Sets   bool        // by the rules of Periodic Notes with calendar sets
}

// Render fills in a template. It returns how many tags of Templater were left as they are.
func Render(text string, v Values) (rendered string, left int) {
	switch {
	case v.Period == nil:
		text = v.core(text)
	case v.Period.Sets:
		text = v.withSets(text)
	case v.Period.Unit == moment.Day:
		text = v.shifted(v.plain(text), dateOrTime, v.clock(v.Period.Day))
		text = v.neighbours(text)
	default:
		text = v.shifted(text, dateOrTime, v.clock(v.Period.Day))
		text = v.weekdays(v.plain(text))
	}
	text, left = v.templater(text)
	return v.given(text), left
}

const (
	space   = `[\s\x{a0}\x{feff}\pZ]*`
	inLine  = `[^\n\r\x{2028}\x{2029}]`
	formula = space + `(?:([+-]\d+)([yqmwdhs]))?` + space + `(:` + inLine + `+?)?}}`
)

func variable(names string) *regexp.Regexp {
	return regexp.MustCompile(`(?i){{` + space + names + space + `}}`)
}

var (
	dateVariable, timeVariable, titleVariable = variable("date"), variable("time"), variable("title")
	yesterday, tomorrow                       = variable("yesterday"), variable("tomorrow")

	coreVariable  = regexp.MustCompile(`(?i){{` + space + `(date|time)` + space + `(?::(` + inLine + `+?))?}}`)
	givenVariable = regexp.MustCompile(`{{` + space + `([^{}:\s]+)` + space + `}}`)
	dateOrTime    = regexp.MustCompile(`(?i){{` + space + `(?:date|time)` + formula)
	weekday       = regexp.MustCompile(`(?i){{` + space + `(sunday|monday|tuesday|wednesday|thursday|friday|saturday)` + space + `:(` + inLine + `*?)}}`)
	ownPeriod     = map[moment.Unit]*regexp.Regexp{
		moment.Month:   regexp.MustCompile(`(?i){{` + space + `month` + formula),
		moment.Quarter: regexp.MustCompile(`(?i){{` + space + `quarter` + formula),
		moment.Year:    regexp.MustCompile(`(?i){{` + space + `year` + formula),
	}
)

// given fills in the variables that the caller gives, last: their values are not templates.
func (v Values) given(text string) string {
	if len(v.Given) == 0 {
		return text
	}
	return givenVariable.ReplaceAllStringFunc(text, func(found string) string {
		if value, ok := v.Given[givenVariable.FindStringSubmatch(found)[1]]; ok {
			return value
		}
		return found
	})
}

// core fills in the variables of the core plugin.
func (v Values) core(text string) string {
	text = replaced(text, coreVariable, func(found []string) string {
		format := strings.TrimSpace(found[2])
		switch {
		case format != "":
		case strings.EqualFold(found[1], "time"):
			format = v.TimeFormat
			if format == "" {
				format = defaultTime
			}
		default:
			format = v.DateFormat
			if format == "" {
				format = defaultDate
			}
		}
		return v.Locale.Format(v.Now, format)
	})
	return titleVariable.ReplaceAllLiteralString(text, v.Title)
}

// The formats of dates and times that have none.
const (
	defaultDate = "YYYY-MM-DD"
	defaultTime = "HH:mm"
)

// plain fills in the variables of a periodic note that have neither a format nor a shift.
func (v Values) plain(text string) string {
	text = dateVariable.ReplaceAllLiteralString(text, v.Period.Name)
	text = timeVariable.ReplaceAllLiteralString(text, v.Locale.Format(v.Now, defaultTime))
	return titleVariable.ReplaceAllLiteralString(text, v.Period.Name)
}

// withSets fills in the variables as the version of Periodic Notes does that has calendar sets.
func (v Values) withSets(text string) string {
	text = v.plain(text)
	switch unit := v.Period.Unit; unit {
	case moment.Day:
		return v.shifted(v.neighbours(text), dateOrTime, v.clock(v.Period.Day))
	case moment.Week:
		return v.weekdays(text)
	default:
		day := v.Period.Day
		month := map[moment.Unit]int{moment.Month: day.Month, moment.Quarter: 3*day.Quarter() - 2, moment.Year: 1}[unit]
		return v.shifted(text, ownPeriod[unit], moment.Time{Date: moment.Date{Year: day.Year, Month: month, Day: 1}})
	}
}

// clock returns what the clock shows now, on another day.
func (v Values) clock(day moment.Date) moment.Time {
	at := v.Now
	at.Date, at.Millisecond = day, 0
	return at
}

// shifted fills in variables with a shift such as +1d, or a format.
func (v Values) shifted(text string, pattern *regexp.Regexp, at moment.Time) string {
	return replaced(text, pattern, func(found []string) string {
		shift, _ := strconv.Atoi(found[1]) // "" is 0
		format := v.Period.Format
		if found[3] != "" {
			format = strings.TrimSpace(found[3][1:])
		}
		return v.Locale.Format(at.Add(shift, unitOf(found[2])), format)
	})
}

// unitOf returns the unit that a letter stands for. Capitals mean months and quarters, and otherwise the same as small
// letters; q and D stand for nothing.
func unitOf(letter string) moment.Unit {
	switch letter {
	case "M", "Q":
		return moment.Unit(letter)
	case "q", "D":
		return ""
	}
	return moment.Unit(strings.ToLower(letter))
}

func (v Values) neighbours(text string) string {
	name := func(days int) string {
		return v.Locale.Format(moment.Time{Date: v.Period.Day.AddDays(days)}, v.Period.Format)
	}
	return tomorrow.ReplaceAllLiteralString(yesterday.ReplaceAllLiteralString(text, name(-1)), name(1))
}

// weekdays fills in the days of the week of a weekly note.
func (v Values) weekdays(text string) string {
	if v.Period.Unit != moment.Week {
		return text
	}
	start := v.Locale.Weeks.Start(v.Period.Day)
	return replaced(text, weekday, func(found []string) string {
		for day := start; ; day = day.AddDays(1) {
			if strings.EqualFold(day.WeekdayName(), found[1]) {
				return v.Locale.Format(moment.Time{Date: day}, strings.TrimSpace(found[2]))
			}
		}
	})
}

// replaced replaces what a pattern finds. Groups that it does not find are "".
func replaced(text string, pattern *regexp.Regexp, with func(found []string) string) string {
	return pattern.ReplaceAllStringFunc(text, func(found string) string { return with(pattern.FindStringSubmatch(found)) })
}
