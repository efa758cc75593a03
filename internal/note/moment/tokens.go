package moment

import "strconv"

// writers hold what each token writes.
var writers = map[string]func(Locale, Time) string{
	"YYYYYY": func(_ Locale, t Time) string { return sign(t.Date.Year, "+") + fill(abs(t.Date.Year), 6) },
	"YYYYY":  func(_ Locale, t Time) string { return fill(t.Date.Year, 5) },
	"YYYY":   func(_ Locale, t Time) string { return fill(t.Date.Year, 4) },
	"YY":     func(_ Locale, t Time) string { return fill(t.Date.Year%100, 2) },
	"Y": func(_ Locale, t Time) string {
		if t.Date.Year > 9999 {
			return "+" + fill(t.Date.Year, 1)
		}
		return fill(t.Date.Year, 4)
	},
	"yyyy": func(_ Locale, t Time) string { return fill(eraYear(t), 4) },
	"yyy":  func(_ Locale, t Time) string { return fill(eraYear(t), 3) },
	"yy":   func(_ Locale, t Time) string { return fill(eraYear(t), 2) },
	"y":    func(_ Locale, t Time) string { return fill(eraYear(t), 1) },
	"yo":   func(_ Locale, t Time) string { return ordinal(eraYear(t)) },

	"N": eraShort, "NN": eraShort, "NNN": eraShort, "NNNNN": eraShort,
	"NNNN": func(_ Locale, t Time) string {
		if t.Date.Year < 1 {
			return "Before Christ"
		}
		return "Anno Domini"
	},

	"ggggg": func(l Locale, t Time) string { return fill(weekYear(l.Weeks, t), 5) },
	"gggg":  func(l Locale, t Time) string { return fill(weekYear(l.Weeks, t), 4) },
	"gg":    func(l Locale, t Time) string { return fill(weekYear(l.Weeks, t)%100, 2) },
	"GGGGG": func(_ Locale, t Time) string { return fill(weekYear(iso, t), 5) },
	"GGGG":  func(_ Locale, t Time) string { return fill(weekYear(iso, t), 4) },
	"GG":    func(_ Locale, t Time) string { return fill(weekYear(iso, t)%100, 2) },
	"w":     func(l Locale, t Time) string { return fill(week(l.Weeks, t), 1) },
	"ww":    func(l Locale, t Time) string { return fill(week(l.Weeks, t), 2) },
	"wo":    func(l Locale, t Time) string { return ordinal(week(l.Weeks, t)) },
	"W":     func(_ Locale, t Time) string { return fill(week(iso, t), 1) },
	"WW":    func(_ Locale, t Time) string { return fill(week(iso, t), 2) },
	"Wo":    func(_ Locale, t Time) string { return ordinal(week(iso, t)) },

	"Q":    func(_ Locale, t Time) string { return fill(t.Date.Quarter(), 1) },
	"Qo":   func(_ Locale, t Time) string { return ordinal(t.Date.Quarter()) },
	"M":    func(_ Locale, t Time) string { return fill(t.Date.Month, 1) },
	"MM":   func(_ Locale, t Time) string { return fill(t.Date.Month, 2) },
	"Mo":   func(_ Locale, t Time) string { return ordinal(t.Date.Month) },
	"MMM":  func(_ Locale, t Time) string { return months[t.Date.Month-1][:3] },
	"MMMM": func(_ Locale, t Time) string { return months[t.Date.Month-1] },

	"D":    func(_ Locale, t Time) string { return fill(t.Date.Day, 1) },
	"DD":   func(_ Locale, t Time) string { return fill(t.Date.Day, 2) },
	"Do":   func(_ Locale, t Time) string { return ordinal(t.Date.Day) },
	"DDD":  func(_ Locale, t Time) string { return fill(t.Date.YearDay(), 1) },
	"DDDD": func(_ Locale, t Time) string { return fill(t.Date.YearDay(), 3) },
	"DDDo": func(_ Locale, t Time) string { return ordinal(t.Date.YearDay()) },
	"d":    func(_ Locale, t Time) string { return fill(t.Date.Weekday(), 1) },
	"do":   func(_ Locale, t Time) string { return ordinal(t.Date.Weekday()) },
	"dd":   func(_ Locale, t Time) string { return weekdays[t.Date.Weekday()][:2] },
	"ddd":  func(_ Locale, t Time) string { return weekdays[t.Date.Weekday()][:3] },
	"dddd": func(_ Locale, t Time) string { return weekdays[t.Date.Weekday()] },
	"e":    func(l Locale, t Time) string { return fill(l.Weeks.weekday(t.Date), 1) },
	"E":    func(_ Locale, t Time) string { return fill(iso.weekday(t.Date)+1, 1) },

	"H":     func(_ Locale, t Time) string { return fill(t.Hour, 1) },
	"HH":    func(_ Locale, t Time) string { return fill(t.Hour, 2) },
	"h":     func(_ Locale, t Time) string { return fill(hour12(t), 1) },
	"hh":    func(_ Locale, t Time) string { return fill(hour12(t), 2) },
	"k":     func(_ Locale, t Time) string { return fill(hour24(t), 1) },
	"kk":    func(_ Locale, t Time) string { return fill(hour24(t), 2) },
	"Hmm":   func(_ Locale, t Time) string { return fill(t.Hour, 1) + fill(t.Minute, 2) },
	"Hmmss": func(_ Locale, t Time) string { return fill(t.Hour, 1) + fill(t.Minute, 2) + fill(t.Second, 2) },
	"hmm":   func(_ Locale, t Time) string { return fill(hour12(t), 1) + fill(t.Minute, 2) },
	"hmmss": func(_ Locale, t Time) string { return fill(hour12(t), 1) + fill(t.Minute, 2) + fill(t.Second, 2) },
	"A":     func(_ Locale, t Time) string { return half(t, "AM", "PM") },
	"a":     func(_ Locale, t Time) string { return half(t, "am", "pm") },
	"m":     func(_ Locale, t Time) string { return fill(t.Minute, 1) },
	"mm":    func(_ Locale, t Time) string { return fill(t.Minute, 2) },
	"s":     func(_ Locale, t Time) string { return fill(t.Second, 1) },
	"ss":    func(_ Locale, t Time) string { return fill(t.Second, 2) },

	"S": fraction(1), "SS": fraction(2), "SSS": fraction(3), "SSSS": fraction(4), "SSSSS": fraction(5),
	"SSSSSS": fraction(6), "SSSSSSS": fraction(7), "SSSSSSSS": fraction(8), "SSSSSSSSS": fraction(9),

	"X":  func(_ Locale, t Time) string { return strconv.FormatInt(unix(t), 10) },
	"x":  func(_ Locale, t Time) string { return strconv.FormatInt(unix(t)*1000+int64(t.Millisecond), 10) },
	"Z":  func(_ Locale, t Time) string { return zone(t, ":") },
	"ZZ": func(_ Locale, t Time) string { return zone(t, "") },
	"z":  func(Locale, Time) string { return "" }, // moment has no names of zones
	"zz": func(Locale, Time) string { return "" },
}

// longestToken is the length of the longest token.
const longestToken = len("SSSSSSSSS")

func weekYear(w Weeks, t Time) int { year, _ := w.Of(t.Date); return year }
func week(w Weeks, t Time) int     { _, week := w.Of(t.Date); return week }

// eraYear counts the years before Christ backwards, from 1.
func eraYear(t Time) int {
	if t.Date.Year < 1 {
		return 1 - t.Date.Year
	}
	return t.Date.Year
}

func eraShort(_ Locale, t Time) string {
	if t.Date.Year < 1 {
		return "BC"
	}
	return "AD"
}

func hour12(t Time) int { return (t.Hour+11)%12 + 1 }
func hour24(t Time) int { return (t.Hour+23)%24 + 1 }

func half(t Time, before, after string) string {
	if t.Hour < 12 {
		return before
	}
	return after
}

// fraction writes the first digits of the second's fraction.
func fraction(digits int) func(Locale, Time) string {
	return func(_ Locale, t Time) string { return (fill(t.Millisecond, 3) + "000000")[:digits] }
}

// unix returns the seconds since 1970.
func unix(t Time) int64 {
	return int64(t.Date.Days())*86400 + int64(t.Hour*3600+(t.Minute-t.Offset)*60+t.Second)
}

func zone(t Time, separator string) string {
	offset := abs(t.Offset)
	return sign(t.Offset, "+") + fill(offset/60, 2) + separator + fill(offset%60, 2)
}

// fill writes a number, with zeros in front if it has fewer digits.
func fill(n, digits int) string {
	text := strconv.Itoa(abs(n))
	for len(text) < digits {
		text = "0" + text
	}
	return sign(n, "") + text
}

// sign is "-" for a negative number.
func sign(n int, plus string) string {
	if n < 0 {
		return "-"
	}
	return plus
}

func abs(n int) int { return max(n, -n) }
