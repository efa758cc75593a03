package dataview

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"obsidian-mcp/internal/query/value"
)

// formatToken is a part of a format: a run of the same letter, or text in quotes that stands for itself.
type formatToken struct {
	text      string
	isLiteral bool
}

// formatTokens splits a format of luxon, the library that the plugin uses.
func formatTokens(format string) []formatToken {
	var tokens []formatToken
	var current strings.Builder
	isQuoted := false
	var last rune
	flush := func(literal bool) {
		if current.Len() > 0 {
			tokens = append(tokens, formatToken{current.String(), literal || isBlank(current.String())})
		}
		current.Reset()
	}
	for _, r := range format {
		switch {
		case r == '\'':
			flush(isQuoted)
			last, isQuoted = 0, !isQuoted
			continue
		case isQuoted, r == last:
		default:
			flush(false)
			last = r
		}
		current.WriteRune(r)
	}
	flush(isQuoted)
	return tokens
}

func isBlank(text string) bool { return strings.TrimSpace(text) == "" }

// formatDate writes a date in a format of luxon, in English.
func formatDate(d value.Date, format string) string {
	var out strings.Builder
	for _, token := range formatTokens(format) {
		if token.isLiteral {
			out.WriteString(token.text)
		} else {
			out.WriteString(formatted(d, token.text))
		}
	}
	return out.String()
}

func pad(n, width int) string { return fmt.Sprintf("%0*d", width, n) }

// formatted writes one part of a date. What is not a token stands for itself.
func formatted(d value.Date, token string) string {
	if layout, ok := layouts[token]; ok {
		return d.Time.Format(layout)
	}
	if macro, ok := macros[token]; ok {
		return formatDate(d, macro)
	}
	t := d.Time
	hour12 := (t.Hour()+11)%12 + 1
	isoYear, isoWeek := t.ISOWeek()
	weekday := (int(t.Weekday())+6)%7 + 1
	quarter := (int(t.Month()) + 2) / 3
	_, offset := t.Zone()
	milli := t.Nanosecond() / int(time.Millisecond)
	switch token {
	case "S":
		return strconv.Itoa(milli)
	case "SSS", "u":
		return pad(milli, 3)
	case "uu":
		return pad(milli/10, 2)
	case "uuu":
		return strconv.Itoa(milli / 100)
	case "s":
		return strconv.Itoa(t.Second())
	case "m":
		return strconv.Itoa(t.Minute())
	case "h":
		return strconv.Itoa(hour12)
	case "hh":
		return pad(hour12, 2)
	case "H":
		return strconv.Itoa(t.Hour())
	case "Z":
		text := fmt.Sprintf("%+d", offset/3600)
		if minutes := offset / 60 % 60; minutes != 0 {
			text += ":" + pad(int(math.Abs(float64(minutes))), 2)
		}
		return text
	case "z":
		return zoneName(d)
	case "a":
		if t.Hour() < 12 {
			return "AM"
		}
		return "PM"
	case "c", "E":
		return strconv.Itoa(weekday)
	case "ccccc", "EEEEE":
		return t.Weekday().String()[:1]
	case "LLLLL", "MMMMM":
		return t.Month().String()[:1]
	case "y":
		return strconv.Itoa(t.Year())
	case "yyyyyy":
		return pad(t.Year(), 6)
	case "G":
		return "AD"
	case "GG":
		return "Anno Domini"
	case "GGGGG":
		return "A"
	case "kk":
		return pad(isoYear%100, 2)
	case "kkkk":
		return pad(isoYear, 4)
	case "W":
		return strconv.Itoa(isoWeek)
	case "WW":
		return pad(isoWeek, 2)
	case "o":
		return strconv.Itoa(t.YearDay())
	case "ooo":
		return pad(t.YearDay(), 3)
	case "q":
		return strconv.Itoa(quarter)
	case "qq":
		return pad(quarter, 2)
	case "X":
		return strconv.FormatInt(t.Unix(), 10)
	case "x":
		return strconv.FormatInt(t.UnixMilli(), 10)
	}
	return token
}

// layouts are the tokens that Go writes.
var layouts = map[string]string{
	"ss": "05", "mm": "04", "HH": "15", "d": "2", "dd": "02", "ccc": "Mon", "EEE": "Mon", "cccc": "Monday", "EEEE": "Monday",
	"L": "1", "M": "1", "LL": "01", "MM": "01", "LLL": "Jan", "MMM": "Jan", "LLLL": "January", "MMMM": "January",
	"yy": "06", "yyyy": "2006", "ZZ": "-07:00", "ZZZ": "-0700", "ZZZZ": "MST",
}

// macros are the tokens for whole dates, as American English has them.
var macros = map[string]string{
	"D": "M/d/yyyy", "DD": "MMM d, yyyy", "DDD": "MMMM d, yyyy", "DDDD": "EEEE, MMMM d, yyyy",
	"t": "h:mm a", "tt": "h:mm:ss a", "ttt": "h:mm:ss a ZZZZ", "T": "HH:mm", "TT": "HH:mm:ss", "TTT": "HH:mm:ss ZZZZ",
	"f": "M/d/yyyy, h:mm a", "ff": "MMM d, yyyy, h:mm a", "fff": "MMMM d, yyyy 'at' h:mm a ZZZZ", "ffff": "EEEE, MMMM d, yyyy 'at' h:mm a ZZZZ",
	"F": "M/d/yyyy, h:mm:ss a", "FF": "MMM d, yyyy, h:mm:ss a", "FFF": "MMMM d, yyyy 'at' h:mm:ss a ZZZZ", "FFFF": "EEEE, MMMM d, yyyy 'at' h:mm:ss a ZZZZ",
}

func zoneName(d value.Date) string {
	if d.Zone != "" {
		return d.Zone
	}
	return d.Time.Location().String()
}

// durationTokens are the units of a duration's format.
var durationTokens = map[byte]value.Unit{
	'S': value.Milliseconds, 's': value.Seconds, 'm': value.Minutes, 'h': value.Hours, 'd': value.Days, 'w': value.Weeks,
	'M': value.Months, 'y': value.Years,
}

// formatDuration writes a duration in the units that a format asks for.
func formatDuration(d value.Duration, format string) string {
	tokens := formatTokens(format)
	var units []value.Unit
	for _, token := range tokens {
		if unit, ok := durationTokens[token.text[0]]; ok && !token.isLiteral {
			units = append(units, unit)
		}
	}
	shifted := d
	if len(units) > 0 {
		shifted = d.ShiftTo(units...)
	}
	var out strings.Builder
	for _, token := range tokens {
		unit, ok := durationTokens[token.text[0]]
		if !ok || token.isLiteral {
			out.WriteString(token.text)
			continue
		}
		amount := math.Floor(shifted.Amount[unit])
		if amount < 0 {
			out.WriteByte('-')
		}
		out.WriteString(pad(int(math.Abs(amount)), len(token.text)))
	}
	return out.String()
}

// errFormat quotes neither the text nor the format, because errors do not show what notes say.
var errFormat = errors.New("the text is not a date in the format")

// readDate reads a text that was written in a format of luxon.
func readDate(text, format string, clock Clock) (value.Date, error) {
	r := dateReader{rest: text, clock: clock, year: clock.Now.Year(), month: 1, day: 1}
	for _, token := range formatTokens(format) {
		if !r.read(token) {
			return value.Date{}, errFormat
		}
	}
	if r.rest != "" || r.month < 1 || r.month > 12 || r.day < 1 || r.day > 31 {
		return value.Date{}, errFormat
	}
	if r.isPM && r.hour < 12 {
		r.hour += 12
	} else if r.isAM && r.hour == 12 {
		r.hour = 0
	}
	return clock.date(r.year, r.month, r.day, r.hour, r.minute, r.second, r.milli), nil
}

// dateReader reads the parts of a date.
type dateReader struct {
	rest                                          string
	clock                                         Clock
	year, month, day, hour, minute, second, milli int
	isAM, isPM                                    bool
}

func (r *dateReader) read(token formatToken) bool {
	if token.isLiteral {
		return r.literally(token.text)
	}
	switch token.text {
	case "y":
		return r.number(&r.year, 1, 6)
	case "yy":
		ok := r.number(&r.year, 2, 4)
		if r.year < 100 {
			r.year += 1900
			if r.year <= 1960 {
				r.year += 100
			}
		}
		return ok
	case "yyyy":
		return r.number(&r.year, 4, 4)
	case "M", "L":
		return r.number(&r.month, 1, 2)
	case "MM", "LL":
		return r.number(&r.month, 2, 2)
	case "MMM", "LLL":
		return r.name(&r.month, func(month int) string { return time.Month(month).String()[:3] })
	case "MMMM", "LLLL":
		return r.name(&r.month, func(month int) string { return time.Month(month).String() })
	case "d":
		return r.number(&r.day, 1, 2)
	case "dd":
		return r.number(&r.day, 2, 2)
	case "H", "h":
		return r.number(&r.hour, 1, 2)
	case "HH", "hh":
		return r.number(&r.hour, 2, 2)
	case "m":
		return r.number(&r.minute, 1, 2)
	case "mm":
		return r.number(&r.minute, 2, 2)
	case "s":
		return r.number(&r.second, 1, 2)
	case "ss":
		return r.number(&r.second, 2, 2)
	case "S":
		return r.number(&r.milli, 1, 3)
	case "SSS":
		return r.number(&r.milli, 3, 3)
	case "a":
		if len(r.rest) < 2 {
			return false
		}
		r.isAM, r.isPM = strings.EqualFold(r.rest[:2], "am"), strings.EqualFold(r.rest[:2], "pm")
		r.rest = r.rest[2:]
		return r.isAM || r.isPM
	case "EEE", "ccc":
		var ignored int
		return r.name(&ignored, func(day int) string { return time.Weekday(day % 7).String()[:3] })
	case "EEEE", "cccc":
		var ignored int
		return r.name(&ignored, func(day int) string { return time.Weekday(day % 7).String() })
	}
	return r.literally(token.text)
}

func (r *dateReader) literally(text string) bool {
	rest, ok := strings.CutPrefix(r.rest, text)
	r.rest = rest
	return ok
}

func (r *dateReader) number(into *int, least, most int) bool {
	digits := min(countDigits(r.rest), most)
	if digits < least {
		return false
	}
	*into, _ = strconv.Atoi(r.rest[:digits])
	r.rest = r.rest[digits:]
	return true
}

// name reads one of twelve names, whatever its letter case.
func (r *dateReader) name(into *int, nameOf func(int) string) bool {
	for number := 1; number <= 12; number++ {
		name := nameOf(number)
		if len(r.rest) >= len(name) && strings.EqualFold(r.rest[:len(name)], name) {
			*into, r.rest = number, r.rest[len(name):]
			return true
		}
	}
	return false
}
