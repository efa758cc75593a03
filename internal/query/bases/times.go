package bases

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"obsidian-mcp/internal/note/moment"
	"obsidian-mcp/internal/query/value"
)

var datePattern = regexp.MustCompile(`^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,3})\d*)?)?\s*(Z|[+-]\d{2}:?\d{2})?)?$`)

var compactDate = regexp.MustCompile(`^(\d{4})(\d{2})(\d{2})(?:(\d{2})(\d{2})(\d{2})?)?$`)

// parseDate reads YYYY-MM-DD, with or without a time and an offset, and the same without separators.
func parseDate(text string, zone *time.Location) (value.Date, bool) {
	text = strings.TrimSpace(text)
	match := datePattern.FindStringSubmatch(text)
	if match == nil {
		if match = compactDate.FindStringSubmatch(text); match == nil {
			return value.Date{}, false
		}
		match = append(match, "", "")
	}
	number := func(i int) int { n, _ := strconv.Atoi(match[i]); return n }
	if offset := match[8]; offset == "Z" {
		zone = time.UTC
	} else if offset != "" {
		hours, _ := strconv.Atoi(offset[1:3])
		minutes, _ := strconv.Atoi(offset[len(offset)-2:])
		seconds := (hours*60 + minutes) * 60
		if offset[0] == '-' {
			seconds = -seconds
		}
		zone = time.FixedZone(offset, seconds)
	}
	millis, _ := strconv.Atoi((match[7] + "000")[:3])
	t := time.Date(number(1), time.Month(number(2)), number(3), number(4), number(5), number(6), millis*int(time.Millisecond), zone)
	if int(t.Month()) != number(2) || t.Day() != number(3) || number(4) > 23 || number(5) > 59 {
		return value.Date{}, false
	}
	return value.Date{Time: t, IsDay: match[4] == ""}, true
}

var durationPattern = regexp.MustCompile(`^\s*(-?\d+(?:\.\d+)?)\s*([A-Za-z]+)\s*`)

// unitNames are how units are written; M is a month and m a minute.
var unitNames = map[string]value.Unit{
	"y": value.Years, "year": value.Years, "years": value.Years, "M": value.Months, "month": value.Months, "months": value.Months,
	"w": value.Weeks, "week": value.Weeks, "weeks": value.Weeks, "d": value.Days, "day": value.Days, "days": value.Days,
	"h": value.Hours, "hour": value.Hours, "hours": value.Hours, "m": value.Minutes, "minute": value.Minutes, "minutes": value.Minutes,
	"s": value.Seconds, "second": value.Seconds, "seconds": value.Seconds,
}

// parseDuration reads numbers with units, such as 1d or 2 weeks; several add up.
func parseDuration(text string) (value.Duration, bool) {
	var total value.Duration
	for rest := text; ; {
		match := durationPattern.FindStringSubmatch(rest)
		if match == nil {
			return total, strings.TrimSpace(rest) == "" && strings.TrimSpace(text) != ""
		}
		amount, _ := strconv.ParseFloat(match[1], 64)
		unit, ok := unitNames[match[2]]
		if !ok {
			return value.Duration{}, false
		}
		total = total.Plus(value.DurationOf(amount, unit))
		rest = rest[len(match[0]):]
	}
}

// durationOf returns the duration that can be added to a date.
func durationOf(v value.Value) (value.Duration, bool) {
	switch v := v.(type) {
	case value.Duration:
		return v, true
	case string:
		return parseDuration(v)
	case float64:
		return value.DurationOf(v, value.Milliseconds), true
	}
	return value.Duration{}, false
}

func momentOf(d value.Date) moment.Time {
	t := d.Time
	_, offset := t.Zone()
	return moment.Time{
		Date: moment.Date{Year: t.Year(), Month: int(t.Month()), Day: t.Day()},
		Hour: t.Hour(), Minute: t.Minute(), Second: t.Second(), Millisecond: t.Nanosecond() / int(time.Millisecond), Offset: offset / 60,
	}
}

// relative says how long ago a date is, or how far ahead, in moment's words.
func relative(d value.Date, now time.Time) string {
	length := d.Time.Sub(now)
	words := roughly(length.Abs())
	if length > 0 {
		return "in " + words
	}
	return words + " ago"
}

func roughly(length time.Duration) string {
	days := length.Hours() / 24
	months := days * 4800 / 146097
	rounded := func(n float64) int { return int(math.Floor(n + 0.5)) }
	switch {
	case rounded(length.Seconds()) < 45:
		return "a few seconds"
	case rounded(length.Minutes()) <= 1:
		return "a minute"
	case rounded(length.Minutes()) < 45:
		return fmt.Sprintf("%d minutes", rounded(length.Minutes()))
	case rounded(length.Hours()) <= 1:
		return "an hour"
	case rounded(length.Hours()) < 22:
		return fmt.Sprintf("%d hours", rounded(length.Hours()))
	case rounded(days) <= 1:
		return "a day"
	case rounded(days) < 26:
		return fmt.Sprintf("%d days", rounded(days))
	case rounded(months) <= 1:
		return "a month"
	case rounded(months) < 11:
		return fmt.Sprintf("%d months", rounded(months))
	case rounded(months/12) <= 1:
		return "a year"
	}
	return fmt.Sprintf("%d years", rounded(months/12))
}
