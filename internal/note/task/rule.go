package task

import (
	"slices"

	"obsidian-mcp/internal/note/moment"
)

// frequency is how often a rule recurs.
type frequency int

const (
	yearly frequency = iota
	monthly
	weekly
	daily
	hourly
	minutely
)

// weekdayRule is a weekday, and which one of a month or year; 0 is every.
type weekdayRule struct {
	day int // from Monday
	nth int // from the end if negative
}

// rule is when a task recurs.
type rule struct {
	frequency frequency
	interval  int
	weekdays  []weekdayRule
	monthDays []int // from the end if negative
	months    []int
	weeks     []int // of ISO 8601
	hours     []int
	count     int // 0: without end
}

// farthest is how many days are searched for an occurrence.
const farthest = 366 * 100

// after returns the first day of a rule that starts on a day and is later than another, and whether that day exists.
func (r rule) after(start, base moment.Date) (moment.Date, bool) {
	r = r.complete(start)
	if r.frequency >= hourly {
		return r.afterHours(start, base)
	}
	counted := 0
	for days := start.Days(); days <= max(start.Days(), base.Days())+farthest; days++ {
		day := moment.DateOf(days)
		if !r.isOn(start, day) {
			continue
		}
		if counted++; r.count > 0 && counted > r.count {
			return moment.Date{}, false
		}
		if days > base.Days() {
			return day, true
		}
	}
	return moment.Date{}, false
}

// afterHours is after for rules of hours and minutes.
func (r rule) afterHours(start, base moment.Date) (moment.Date, bool) {
	perDay := map[frequency]int{hourly: 24, minutely: 24 * 60}[r.frequency]
	counted := 0
	for at := start.Days() * perDay; at/perDay <= max(start.Days(), base.Days())+farthest; at += r.interval {
		day := moment.DateOf(at / perDay)
		if !r.isOn(start, day) {
			continue
		}
		if counted++; r.count > 0 && counted > r.count {
			return moment.Date{}, false
		}
		if day.Days() > base.Days() {
			return day, true
		}
	}
	return moment.Date{}, false
}

// complete returns the rule with what its first day gives.
func (r rule) complete(start moment.Date) rule {
	r.interval = max(r.interval, 1)
	if len(r.weekdays) > 0 || len(r.monthDays) > 0 || len(r.weeks) > 0 {
		return r
	}
	switch r.frequency {
	case yearly:
		if len(r.months) == 0 {
			r.months = []int{start.Month}
		}
		r.monthDays = []int{start.Day}
	case monthly:
		r.monthDays = []int{start.Day}
	case weekly:
		r.weekdays = []weekdayRule{{day: mondayBased(start)}}
	}
	return r
}

func mondayBased(day moment.Date) int { return (day.Weekday() + 6) % 7 }

// isOn reports whether a rule has a day.
func (r rule) isOn(start, day moment.Date) bool {
	switch r.frequency {
	case yearly:
		if (day.Year-start.Year)%r.interval != 0 {
			return false
		}
	case monthly:
		if (12*(day.Year-start.Year)+day.Month-start.Month)%r.interval != 0 {
			return false
		}
	case weekly:
		weekOf := func(d moment.Date) int { return (d.Days() - mondayBased(d)) / 7 }
		if (weekOf(day)-weekOf(start))%r.interval != 0 {
			return false
		}
	case daily:
		if (day.Days()-start.Days())%r.interval != 0 {
			return false
		}
	}
	return r.hasMonth(day) && r.hasWeek(day) && r.hasWeekday(day) && r.hasMonthDay(day)
}

func (r rule) hasMonth(day moment.Date) bool {
	return len(r.months) == 0 || slices.Contains(r.months, day.Month)
}

func (r rule) hasWeek(day moment.Date) bool {
	if len(r.weeks) == 0 {
		return true
	}
	_, week := moment.British().Weeks.Of(day)
	return slices.Contains(r.weeks, week)
}

// hasWeekday checks the weekdays: those of every week, and those that are counted in the month or year.
func (r rule) hasWeekday(day moment.Date) bool {
	plain, counted, isPlain, isCounted := false, false, false, false
	for _, wanted := range r.weekdays {
		isDay := wanted.day == mondayBased(day)
		if wanted.nth == 0 || r.frequency > monthly {
			plain, isPlain = true, isPlain || isDay
			continue
		}
		first := moment.Date{Year: day.Year, Month: day.Month, Day: 1}
		next := first.AddMonths(1)
		if r.frequency == yearly && len(r.months) == 0 {
			first = moment.Date{Year: day.Year, Month: 1, Day: 1}
			next = moment.Date{Year: day.Year + 1, Month: 1, Day: 1}
		}
		nth := (day.Days()-first.Days())/7 + 1
		fromEnd := -((next.Days()-1-day.Days())/7 + 1)
		counted, isCounted = true, isCounted || isDay && (nth == wanted.nth || fromEnd == wanted.nth)
	}
	return (!plain || isPlain) && (!counted || isCounted)
}

func (r rule) hasMonthDay(day moment.Date) bool {
	if len(r.monthDays) == 0 {
		return true
	}
	first := moment.Date{Year: day.Year, Month: day.Month, Day: 1}
	fromEnd := day.Day - 1 - (first.AddMonths(1).Days() - first.Days())
	return slices.Contains(r.monthDays, day.Day) || slices.Contains(r.monthDays, fromEnd)
}
