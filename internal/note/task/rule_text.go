package task

import (
	"slices"
	"strconv"
	"strings"

	"obsidian-mcp/internal/note/moment"
	"obsidian-mcp/internal/text/order"
)

// text returns the rule in the words that the plugin uses for it.
func (r rule) text() string {
	w := &ruleWriter{rule: r, words: []string{"every"}}
	for _, day := range r.weekdays {
		if day.nth == 0 {
			w.every = append(w.every, day)
		} else {
			w.some = append(w.some, day)
		}
	}
	byDay := func(a, b weekdayRule) int { return a.day - b.day }
	order.Stably(w.every, byDay)
	order.Stably(w.some, byDay)
	w.write()
	if r.count > 0 {
		w.add("for", strconv.Itoa(r.count), plural(r.count, "time"))
	}
	return strings.Join(w.words, " ")
}

// ruleWriter writes a rule in words.
type ruleWriter struct {
	rule
	words       []string
	every, some []weekdayRule // weekdays of every week, and those that are counted
}

func (w *ruleWriter) add(words ...string) { w.words = append(w.words, words...) }

func plural(n int, word string) string {
	if n%100 == 1 {
		return word
	}
	return word + "s"
}

// hasDays reports whether the weekdays are exactly the first count days of the week.
func (w *ruleWriter) hasDays(count int) bool {
	for day := range 7 {
		has := slices.ContainsFunc(w.weekdays, func(of weekdayRule) bool { return of.day == day })
		if has != (day < count) {
			return false
		}
	}
	return true
}

func (w *ruleWriter) units(unit string) {
	if w.interval != 1 {
		w.add(strconv.Itoa(w.interval))
	}
	w.add(plural(w.interval, unit))
}

func (w *ruleWriter) write() {
	switch w.frequency {
	case minutely:
		w.units("minute")
	case hourly:
		w.units("hour")
	case daily:
		w.units("day")
		if len(w.hours) > 0 {
			w.addHours()
		}
	case weekly:
		w.weekly()
	case monthly:
		w.monthly()
	case yearly:
		w.yearly()
	}
}

func (w *ruleWriter) weekly() {
	if w.interval != 1 {
		w.add(strconv.Itoa(w.interval), plural(w.interval, "week"))
	}
	switch {
	case len(w.weekdays) > 0 && w.hasDays(5):
		if w.interval == 1 {
			w.add(plural(w.interval, "weekday"))
		} else {
			w.add("on", "weekdays")
		}
	case len(w.weekdays) > 0 && w.hasDays(7):
		w.add(plural(w.interval, "day"))
	default:
		if w.interval == 1 {
			w.add("week")
		}
		if len(w.months) > 0 {
			w.add("in")
			w.addMonths()
		}
		w.addDays()
		if len(w.hours) > 0 {
			w.addHours()
		}
	}
}

func (w *ruleWriter) monthly() {
	if len(w.months) > 0 {
		if w.interval != 1 {
			w.add(strconv.Itoa(w.interval), "months")
			if w.interval%100 != 1 {
				w.add("in")
			}
		}
		w.addMonths()
	} else {
		w.units("month")
	}
	if len(w.monthDays) == 0 && len(w.weekdays) > 0 && w.hasDays(5) {
		w.add("on", "weekdays")
		return
	}
	w.addDays()
}

func (w *ruleWriter) yearly() {
	if len(w.months) > 0 {
		if w.interval != 1 {
			w.add(strconv.Itoa(w.interval), "years")
		}
		w.addMonths()
	} else {
		w.units("year")
	}
	w.addDays()
	if len(w.weeks) > 0 {
		w.add("in", plural(len(w.weeks), "week"), list(w.weeks, strconv.Itoa, "and"))
	}
}

func (w *ruleWriter) addMonths() { w.add(list(w.months, monthText, "and")) }

func (w *ruleWriter) addHours() { w.add("at", list(w.hours, strconv.Itoa, "and")) }

// addDays adds the days of months, or else the weekdays.
func (w *ruleWriter) addDays() {
	if len(w.monthDays) > 0 {
		days := slices.Sorted(slices.Values(w.monthDays))
		var fromEnd []int
		for len(days) > 0 && days[0] < 0 {
			fromEnd = append([]int{days[0]}, fromEnd...)
			days = days[1:]
		}
		days = append(days, fromEnd...)
		if len(w.every) > 0 {
			w.add("on", list(w.every, weekdayText, "or"), "the", list(days, nthText, "or"))
		} else {
			w.add("on the", list(days, nthText, "and"))
		}
		return
	}
	if len(w.every) > 0 && !w.hasDays(5) {
		w.add("on", list(w.every, weekdayText, ""))
	}
	if len(w.some) > 0 {
		if len(w.every) > 0 {
			w.add("and")
		}
		w.add("on the", list(w.some, weekdayText, "and"))
	}
}

func monthText(month int) string {
	return moment.English().Format(moment.Time{Date: moment.Date{Year: 2000, Month: month, Day: 1}}, "MMMM")
}

func nthText(n int) string {
	if n == -1 {
		return "last"
	}
	suffix := "th"
	switch max(n, -n) {
	case 1, 21, 31:
		suffix = "st"
	case 2, 22:
		suffix = "nd"
	case 3, 23:
		suffix = "rd"
	}
	text := strconv.Itoa(max(n, -n)) + suffix
	if n < 0 {
		text += " last"
	}
	return text
}

func weekdayText(day weekdayRule) string {
	name := moment.DateOf(4 + day.day).WeekdayName() // 5 January 1970 was a Monday
	if day.nth != 0 {
		return nthText(day.nth) + " " + name
	}
	return name
}

// list joins texts with commas, and the last with a word if there is one.
func list[T any](items []T, text func(T) string, last string) string {
	var out strings.Builder
	for i, item := range items {
		switch {
		case i == 0:
		case i == len(items)-1 && last != "":
			out.WriteString(" " + last + " ")
		default:
			out.WriteString(", ")
		}
		out.WriteString(text(item))
	}
	return out.String()
}
