package moment

// Date is a day of the proleptic Gregorian calendar. Month and day count from 1.
type Date struct{ Year, Month, Day int }

// Sunday is the first of the weekdays, which count from 0.
const Sunday = 0

// DateOf returns the day that is a number of days after 1 January 1970.
func DateOf(days int) Date {
	// The calculation counts in years that begin in March, so that the leap day is the last of its year.
	days += 719468
	era := floorDiv(days, 146097)
	ofEra := days - era*146097
	yearOfEra := (ofEra - ofEra/1460 + ofEra/36524 - ofEra/146096) / 365
	ofYear := ofEra - (365*yearOfEra + yearOfEra/4 - yearOfEra/100)
	month := (5*ofYear + 2) / 153
	date := Date{Year: yearOfEra + era*400, Month: month + 3, Day: ofYear - (153*month+2)/5 + 1}
	if date.Month > 12 {
		date.Year, date.Month = date.Year+1, date.Month-12
	}
	return date
}

// Days returns how many days after 1 January 1970 the day is. Months and days that are out of range count on.
func (d Date) Days() int {
	year, month := d.Year+floorDiv(d.Month-1, 12), d.Month-12*floorDiv(d.Month-1, 12)
	if month <= 2 {
		year, month = year-1, month+12
	}
	era := floorDiv(year, 400)
	yearOfEra := year - era*400
	return era*146097 + 365*yearOfEra + yearOfEra/4 - yearOfEra/100 + (153*(month-3)+2)/5 + d.Day - 1 - 719468
}

// AddDays returns the day that many days later.
func (d Date) AddDays(days int) Date { return DateOf(d.Days() + days) }

// Weekday returns 0 for a Sunday to 6 for a Saturday.
func (d Date) Weekday() int { return mod(d.Days()+4, 7) }

// YearDay returns the number of the day in its year, from 1.
func (d Date) YearDay() int { return d.Days() - Date{d.Year, 1, 1}.Days() + 1 }

// Quarter returns the quarter of the year, from 1.
func (d Date) Quarter() int { return (d.Month + 2) / 3 }

// Weeks say how weeks are counted.
type Weeks struct {
	First int // the weekday that a week begins with
	Whole int // moment's doy: the first week is the one that holds day 7 + First - Whole of January
}

// iso are the weeks of ISO 8601: they begin on Monday, and the first has a Thursday.
var iso = Weeks{First: 1, Whole: 4}

// Start returns the first day of a day's week.
func (w Weeks) Start(d Date) Date { return d.AddDays(-w.weekday(d)) }

// weekday returns the number of a day in its week, from 0.
func (w Weeks) weekday(d Date) int { return mod(d.Weekday()-w.First, 7) }

// Of returns the number of a day's week, and the year that the week belongs to.
func (w Weeks) Of(d Date) (year, week int) {
	year = d.Year
	switch {
	case d.Days() >= w.firstDay(year+1):
		year++
	case d.Days() < w.firstDay(year):
		year--
	}
	return year, (d.Days()-w.firstDay(year))/7 + 1
}

// firstDay returns the day on which the first week of a year begins.
func (w Weeks) firstDay(year int) int {
	return w.Start(Date{year, 1, 7 + w.First - w.Whole}).Days()
}

func floorDiv[T int | int64](a, b T) T {
	if a < 0 {
		return -((b - 1 - a) / b)
	}
	return a / b
}

func mod(a, b int) int { return a - b*floorDiv(a, b) }
