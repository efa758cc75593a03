package value

import (
	"math"
	"time"
)

// Date is a moment on somebody's calendar.
type Date struct {
	Time  time.Time
	Zone  string // the zone that the date was written with; "" is that of the vault
	IsDay bool   // it has no time of day; midnight stands for it
}

// Equal reports whether two dates are the same moment in the same zone.
func (d Date) Equal(other Date) bool { return d.Time.Equal(other.Time) && d.Zone == other.Zone }

// HasTime reports whether the date is not midnight.
func (d Date) HasTime() bool {
	return d.Time.Hour() != 0 || d.Time.Minute() != 0 || d.Time.Second() != 0
}

// Day is the date without its time.
func (d Date) Day() Date {
	year, month, day := d.Time.Date()
	return Date{Time: time.Date(year, month, day, 0, 0, 0, 0, d.Time.Location()), Zone: d.Zone}
}

// Part returns a part of a date by its name.
func (d Date) Part(name string) (float64, bool) {
	switch t := d.Time; name {
	case "year":
		return float64(t.Year()), true
	case "month":
		return float64(t.Month()), true
	case "day":
		return float64(t.Day()), true
	case "hour":
		return float64(t.Hour()), true
	case "minute":
		return float64(t.Minute()), true
	case "second":
		return float64(t.Second()), true
	case "millisecond":
		return float64(t.Nanosecond() / int(time.Millisecond)), true
	}
	return 0, false
}

// ISO writes a date as ISO 8601 does.
func (d Date) ISO() string {
	if d.Zone == "UTC" {
		return d.Time.Format("2006-01-02T15:04:05.000Z")
	}
	return d.Time.Format("2006-01-02T15:04:05.000-07:00")
}

// Plus adds a duration: first its years and months, and a day that the new month does not have becomes its last; then its
// weeks and days; then the rest, fractions of the longer units included.
func (d Date) Plus(by Duration) Date {
	whole := func(unit Unit) int { return int(math.Trunc(by.Amount[unit])) }
	year, month, day := d.Time.Date()
	first := time.Date(year+whole(Years), month+time.Month(whole(Months)), 1, 0, 0, 0, 0, time.UTC)
	last := first.AddDate(0, 1, -1).Day()
	moved := time.Date(first.Year(), first.Month(), min(day, last)+whole(Days)+7*whole(Weeks),
		d.Time.Hour(), d.Time.Minute(), d.Time.Second(), d.Time.Nanosecond(), d.Time.Location())
	rest := by
	for _, unit := range []Unit{Years, Months, Weeks, Days} {
		rest.Amount[unit] = math.Mod(rest.Amount[unit], 1)
	}
	return Date{Time: moved.Add(time.Duration(math.Round(rest.Millis()) * float64(time.Millisecond))), Zone: d.Zone}
}

// Minus subtracts a duration.
func (d Date) Minus(by Duration) Date { return d.Plus(by.Times(-1)) }

// Since is the time from another date to this one, in years, months, days and shorter units.
func (d Date) Since(other Date) Duration {
	if other.Time.After(d.Time) {
		return other.Since(d).Times(-1)
	}
	later := Date{Time: d.Time.In(other.Time.Location()), Zone: other.Zone}
	var passed Duration
	cursor := other
	for _, unit := range []Unit{Years, Months, Days} {
		passed.has[unit] = true
		passed.Amount[unit] = float64(calendarDifference(cursor.Time, later.Time, unit))
		reached := other.Plus(passed)
		for back := 0; reached.Time.After(later.Time) && back < 2; back++ {
			passed.Amount[unit]--
			reached = other.Plus(passed)
		}
		cursor = reached
	}
	rest := DurationOf(float64(later.Time.Sub(cursor.Time).Milliseconds()), Milliseconds)
	return passed.Plus(rest.ShiftTo(Hours, Minutes, Seconds, Milliseconds))
}

// calendarDifference counts how often the number of a unit changes between two times.
func calendarDifference(from, to time.Time, unit Unit) int {
	years := to.Year() - from.Year()
	switch unit {
	case Years:
		return years
	case Months:
		return years*12 + int(to.Month()-from.Month())
	}
	midnight := func(t time.Time) time.Time { return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC) }
	return int(midnight(to).Sub(midnight(from)).Hours() / 24)
}
