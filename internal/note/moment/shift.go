package moment

// Unit is a unit of time, by moment's short name for it.
type Unit string

// The units.
const (
	Year    Unit = "y"
	Quarter Unit = "Q"
	Month   Unit = "M"
	Week    Unit = "w"
	Day     Unit = "d"
	Hour    Unit = "h"
	Minute  Unit = "m"
	Second  Unit = "s"
)

// Add returns the time n units later. A day that the new month does not have becomes its last.
func (t Time) Add(n int, unit Unit) Time {
	switch unit {
	case Year:
		t.Date = t.Date.AddMonths(12 * n)
	case Quarter:
		t.Date = t.Date.AddMonths(3 * n)
	case Month:
		t.Date = t.Date.AddMonths(n)
	case Week:
		t.Date = t.Date.AddDays(7 * n)
	case Day:
		t.Date = t.Date.AddDays(n)
	case Hour:
		return t.addSeconds(3600 * n)
	case Minute:
		return t.addSeconds(60 * n)
	case Second:
		return t.addSeconds(n)
	}
	return t
}

// AddMonths returns the day n months later, or the last day of that month if it is shorter.
func (d Date) AddMonths(n int) Date {
	first := DateOf(Date{d.Year, d.Month + n, 1}.Days())
	last := Date{first.Year, first.Month + 1, 0}.Days()
	return DateOf(min(first.Days()+d.Day-1, last))
}

func (t Time) addSeconds(n int) Time {
	n += t.Hour*3600 + t.Minute*60 + t.Second
	t.Date = t.Date.AddDays(floorDiv(n, 86400))
	n = mod(n, 86400)
	t.Hour, t.Minute, t.Second = n/3600, n/60%60, n%60
	return t
}
