package moment

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// reader reads a token. Its size is how many bytes of a text the token takes, or 0; keep keeps the value of those, and
// reports whether there is such a value.
type reader struct {
	size func(text string) int
	keep func(r *reading, value string) bool
}

// readers hold how each token is read. Tokens that are not here cannot be parsed.
var readers = map[string]reader{
	"Y":      {signed(1, unlimited), into(func(r *reading) **int { return &r.year })},
	"YY":     {digits(2, 2), intoShortYear(func(r *reading) **int { return &r.year })},
	"YYYY":   {digits(4, 4), into(func(r *reading) **int { return &r.year })},
	"YYYYY":  {signed(6, 6), into(func(r *reading) **int { return &r.year })},
	"YYYYYY": {signed(6, 6), into(func(r *reading) **int { return &r.year })},
	"y":      {digits(1, unlimited), into(func(r *reading) **int { return &r.year })},
	"yy":     {digits(1, unlimited), into(func(r *reading) **int { return &r.year })},
	"yyy":    {digits(1, unlimited), into(func(r *reading) **int { return &r.year })},
	"yyyy":   {digits(1, unlimited), into(func(r *reading) **int { return &r.year })},
	"N":      {oneOf("AD", "BC"), keepEra}, "NN": {oneOf("AD", "BC"), keepEra}, "NNN": {oneOf("AD", "BC"), keepEra},
	"NNNN": {oneOf("Anno Domini", "Before Christ"), keepEra}, "NNNNN": {oneOf("AD", "BC"), keepEra},

	"Q":    {digits(1, 1), func(r *reading, value string) bool { r.month = new((number(value) - 1) * 3); return number(value) > 0 }},
	"M":    {unpadded, intoMonth},
	"MM":   {digits(2, 2), intoMonth},
	"MMM":  {word, monthName(3)},
	"MMMM": {word, monthName(0)},
	"D":    {unpadded, into(func(r *reading) **int { return &r.day })},
	"DD":   {digits(2, 2), into(func(r *reading) **int { return &r.day })},
	"Do":   {ordinalSize, into(func(r *reading) **int { return &r.day })},
	"DDD":  {digits(1, 3), into(func(r *reading) **int { return &r.yearDay })},
	"DDDD": {digits(3, 3), into(func(r *reading) **int { return &r.yearDay })},

	"gg":    {digits(2, 2), inWeek(intoShortYear(func(r *reading) **int { return &r.weeks.localYear }))},
	"gggg":  {digits(4, 4), inWeek(into(func(r *reading) **int { return &r.weeks.localYear }))},
	"ggggg": {signed(6, 6), inWeek(into(func(r *reading) **int { return &r.weeks.localYear }))},
	"GG":    {digits(2, 2), inWeek(intoShortYear(func(r *reading) **int { return &r.weeks.isoYear }))},
	"GGGG":  {digits(4, 4), inWeek(into(func(r *reading) **int { return &r.weeks.isoYear }))},
	"GGGGG": {signed(6, 6), inWeek(into(func(r *reading) **int { return &r.weeks.isoYear }))},
	"w":     {unpadded, inWeek(into(func(r *reading) **int { return &r.weeks.localWeek }))},
	"ww":    {digits(2, 2), inWeek(into(func(r *reading) **int { return &r.weeks.localWeek }))},
	"W":     {unpadded, inWeek(into(func(r *reading) **int { return &r.weeks.isoWeek }))},
	"WW":    {digits(2, 2), inWeek(into(func(r *reading) **int { return &r.weeks.isoWeek }))},
	"d":     {digits(1, 2), inWeek(into(func(r *reading) **int { return &r.weeks.weekday }))},
	"dd":    {word, inWeek(weekdayName(2))},
	"ddd":   {word, inWeek(weekdayName(3))},
	"dddd":  {word, inWeek(weekdayName(0))},
	"e":     {digits(1, 2), inWeek(into(func(r *reading) **int { return &r.weeks.localDay }))},
	"E":     {digits(1, 2), inWeek(into(func(r *reading) **int { return &r.weeks.isoDay }))},

	"H":  {upTo99, into(func(r *reading) **int { return &r.hour })},
	"HH": {digits(2, 2), into(func(r *reading) **int { return &r.hour })},
	"h":  {unpadded, twelve(into(func(r *reading) **int { return &r.hour }))},
	"hh": {digits(2, 2), twelve(into(func(r *reading) **int { return &r.hour }))},
	"k":  {unpadded, keepHour24}, "kk": {digits(2, 2), keepHour24},
	"Hmm": {digits(3, 4), keepClock(2)}, "Hmmss": {digits(5, 6), keepClock(4)},
	"hmm": {digits(3, 4), twelve(keepClock(2))}, "hmmss": {digits(5, 6), twelve(keepClock(4))},
	"a": {meridiemSize, keepMeridiem}, "A": {meridiemSize, keepMeridiem},
	"m":  {upTo99, into(func(r *reading) **int { return &r.minute })},
	"mm": {digits(2, 2), into(func(r *reading) **int { return &r.minute })},
	"s":  {upTo99, into(func(r *reading) **int { return &r.second })},
	"ss": {digits(2, 2), into(func(r *reading) **int { return &r.second })},
	"S":  {digits(1, 1), keepFraction}, "SS": {digits(2, 2), keepFraction}, "SSS": {digits(3, 3), keepFraction},
	"SSSS": {digits(1, unlimited), keepFraction}, "SSSSS": {digits(1, unlimited), keepFraction}, "SSSSSS": {digits(1, unlimited), keepFraction},
	"SSSSSSS": {digits(1, unlimited), keepFraction}, "SSSSSSSS": {digits(1, unlimited), keepFraction}, "SSSSSSSSS": {digits(1, unlimited), keepFraction},

	"X": {timestampSize, keepUnix}, "x": {signed(1, unlimited), keepMilliseconds},
	"Z": {offsetSize, keepOffset}, "ZZ": {offsetSize, keepOffset},
}

// unlimited is more digits than a number can have.
const unlimited = math.MaxInt

// number returns the number of a text of digits, which may have a sign before and letters behind them.
func number(text string) int {
	n, err := strconv.Atoi(strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyz"))
	if err != nil || abs(n) > farthest {
		return farthest
	}
	return n
}

// farthest is out of the range of every unit.
const farthest = 1 << 30

func into(unit func(*reading) **int) func(*reading, string) bool {
	return func(r *reading, value string) bool {
		*unit(r) = new(number(value))
		return true
	}
}

// intoShortYear keeps a year of two digits, which is between 1969 and 2068.
func intoShortYear(unit func(*reading) **int) func(*reading, string) bool {
	return func(r *reading, value string) bool {
		year := 2000 + number(value)
		if year > 2068 {
			year -= 100
		}
		*unit(r) = &year
		return true
	}
}

func intoMonth(r *reading, value string) bool {
	r.month = new(number(value) - 1)
	return true
}

func monthName(short int) func(*reading, string) bool {
	return func(r *reading, value string) bool {
		r.month = nameIndex(months[:], value, short)
		return r.month != nil
	}
}

func weekdayName(short int) func(*reading, string) bool {
	return func(r *reading, value string) bool {
		r.weeks.weekday = nameIndex(weekdays[:], value, short)
		return r.weeks.weekday != nil
	}
}

// nameIndex finds a name by its first letters, or by all of them if letters is 0.
func nameIndex(names []string, text string, letters int) *int {
	for i, name := range names {
		if letters > 0 {
			name = name[:letters]
		}
		if strings.EqualFold(name, text) {
			return &i
		}
	}
	return nil
}

// inWeek notes that a unit depends on weeks.
func inWeek(keep func(*reading, string) bool) func(*reading, string) bool {
	return func(r *reading, value string) bool {
		r.weeks.any = true
		return keep(r, value)
	}
}

// twelve notes that the hour is one of twelve.
func twelve(keep func(*reading, string) bool) func(*reading, string) bool {
	return func(r *reading, value string) bool {
		r.isTwelve = true
		return keep(r, value)
	}
}

func keepEra(r *reading, value string) bool {
	r.isBC = strings.HasPrefix(strings.ToUpper(value), "B")
	return true
}

func keepHour24(r *reading, value string) bool {
	r.hour = new(number(value))
	if *r.hour == 24 {
		*r.hour = 0
	}
	return true
}

// keepClock keeps an hour that is followed by that many digits of minutes and seconds.
func keepClock(behind int) func(*reading, string) bool {
	return func(r *reading, value string) bool {
		hour, rest := value[:len(value)-behind], value[len(value)-behind:]
		r.hour, r.minute = new(number(hour)), new(number(rest[:2]))
		if len(rest) > 2 {
			r.second = new(number(rest[2:]))
		}
		return true
	}
}

func keepMeridiem(r *reading, value string) bool {
	r.isPM = new(value[0] == 'p' || value[0] == 'P')
	return true
}

func keepFraction(r *reading, value string) bool {
	r.millisecond = new(number((value + "00")[:3]))
	return true
}

func keepUnix(r *reading, value string) bool {
	seconds, fraction, _ := strings.Cut(value, ".")
	return keepMilliseconds(r, seconds+(fraction + "000")[:3])
}

func keepMilliseconds(r *reading, value string) bool {
	milliseconds, err := strconv.ParseInt(value, 10, 64)
	r.unix = &milliseconds
	return err == nil
}

func keepOffset(r *reading, value string) bool {
	offset := 0
	if len(value) > 1 {
		digits := strings.ReplaceAll(value[1:], ":", "") + "00"
		if offset = number(digits[:2])*60 + number(digits[2:4]); value[0] == '-' {
			offset = -offset
		}
	}
	r.offset = &offset
	return true
}

// countDigits returns how many digits a text begins with.
func countDigits(text string) int {
	n := 0
	for n < len(text) && text[n] >= '0' && text[n] <= '9' {
		n++
	}
	return n
}

func digits(least, most int) func(string) int {
	return func(text string) int {
		if n := min(countDigits(text), most); n >= least {
			return n
		}
		return 0
	}
}

// unpadded takes one or two digits of which the first is not 0.
func unpadded(text string) int {
	if strings.HasPrefix(text, "0") {
		return 0
	}
	return min(countDigits(text), 2)
}

// upTo99 takes one or two digits; a 0 stands alone.
func upTo99(text string) int {
	if strings.HasPrefix(text, "0") {
		return 1
	}
	return min(countDigits(text), 2)
}

func signed(least, most int) func(string) int {
	unsigned := digits(least, most)
	return func(text string) int {
		sign := 0
		if text != "" && (text[0] == '+' || text[0] == '-') {
			sign = 1
		}
		if n := unsigned(text[sign:]); n > 0 {
			return sign + n
		}
		return 0
	}
}

func ordinalSize(text string) int {
	n := min(countDigits(text), 2)
	for _, suffix := range []string{"th", "st", "nd", "rd"} {
		if n > 0 && strings.HasPrefix(text[n:], suffix) {
			return n + len(suffix)
		}
	}
	return 0
}

func oneOf(names ...string) func(string) int {
	return func(text string) int {
		for _, name := range names {
			if len(text) >= len(name) && strings.EqualFold(text[:len(name)], name) {
				return len(name)
			}
		}
		return 0
	}
}

// word takes letters, with digits before them.
func word(text string) int {
	start := min(countDigits(text), 256)
	end := start
	for end < len(text) {
		r, size := utf8.DecodeRuneInString(text[end:])
		isLetter := r == '\'' || r|0x20 >= 'a' && r|0x20 <= 'z' || r >= 0xa0 && r <= 0x5ff || r >= 0x700 && r != utf8.RuneError
		if !isLetter {
			break
		}
		end += size
	}
	if end == start {
		return 0
	}
	return end
}

// meridiemSize takes a, am, a.m. and the like.
func meridiemSize(text string) int {
	if text == "" || !strings.ContainsRune("apAP", rune(text[0])) {
		return 0
	}
	size := 1
	for _, next := range []string{".", "m", "."} {
		if size < len(text) && strings.EqualFold(text[size:size+1], next) {
			size++
		}
	}
	return size
}

func timestampSize(text string) int {
	n := signed(1, unlimited)(text)
	if n > 0 && strings.HasPrefix(text[n:], ".") {
		if fraction := min(countDigits(text[n+1:]), 3); fraction > 0 {
			return n + 1 + fraction
		}
	}
	return n
}

// offsetSize takes Z, +02, +0200 and +02:00.
func offsetSize(text string) int {
	switch {
	case text == "":
		return 0
	case text[0] == 'Z' || text[0] == 'z':
		return 1
	case text[0] != '+' && text[0] != '-' || countDigits(text[1:]) < 2:
		return 0
	case countDigits(text[3:]) >= 2:
		return 5
	case strings.HasPrefix(text[3:], ":") && countDigits(text[4:]) >= 2:
		return 6
	}
	return 3
}
