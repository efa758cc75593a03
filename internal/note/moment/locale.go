package moment

import "strings"

// Locale is how a language and region write dates and count weeks. Names are English in all of them.
type Locale struct {
	Name  string
	Weeks Weeks

	long [len(longTokens)]string // what the tokens L to LLLL, LT and LTS stand for
}

// longTokens stand for other formats.
var longTokens = [...]string{"LTS", "LT", "LLLL", "LLL", "LL", "L"}

// English is the locale en: weeks begin on Sunday, and the first holds 1 January.
func English() Locale {
	return Locale{Name: "en", Weeks: Weeks{First: Sunday, Whole: 6}, long: [...]string{
		"h:mm:ss A", "h:mm A", "dddd, MMMM D, YYYY h:mm A", "MMMM D, YYYY h:mm A", "MMMM D, YYYY", "MM/DD/YYYY",
	}}
}

// British is the locale en-gb: weeks are those of ISO 8601.
func British() Locale {
	return Locale{Name: "en-gb", Weeks: iso, long: [...]string{
		"HH:mm:ss", "HH:mm", "dddd, D MMMM YYYY HH:mm", "D MMMM YYYY HH:mm", "D MMMM YYYY", "DD/MM/YYYY",
	}}
}

// LocaleNamed returns the locale with a name, and whether it is known.
func LocaleNamed(name string) (Locale, bool) {
	for _, locale := range []Locale{English(), British()} {
		if strings.EqualFold(name, locale.Name) {
			return locale, true
		}
	}
	return Locale{}, false
}

// StartingOn returns the locale with weeks that begin on a weekday, such as "monday", and whether there is such a day.
// As in moment, which week is the first does not change with it: the result need not be any country's.
func (l Locale) StartingOn(weekday string) (Locale, bool) {
	for i, name := range weekdays {
		if strings.EqualFold(weekday, name) {
			l.Weeks.First = i
			return l, true
		}
	}
	return l, false
}

var (
	months   = [...]string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"}
	weekdays = [...]string{"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"}
)

// ordinal returns a number as in 1st, 2nd, 3rd, 4th.
func ordinal(n int) string {
	suffix := "th"
	if n/10%10 != 1 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return fill(n, 1) + suffix
}

// WeekdayName returns the name of a day's weekday.
func (d Date) WeekdayName() string { return weekdays[d.Weekday()] }
