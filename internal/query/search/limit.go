package search

import (
	"math"
	"strconv"
	"strings"

	"obsidian-mcp/internal/note/md/front"
)

// limit is what a property is compared with: a date or, if date is empty, a number.
type limit struct {
	number float64
	date   string // as dateOf returns it
}

// IsComparable reports whether properties can be compared with a text: it is a number or a date.
func IsComparable(text string) bool {
	_, ok := parseLimit(text)
	return ok
}

// parseLimit reads a number or a date: 5, -2.5, 2024-05, 2024-05-31,
// 2024-05-31T10:30.
func parseLimit(text string) (limit, bool) {
	if date, rest := dateOf(text); date != "" && rest == "" {
		return limit{date: date}, true
	}
	number, ok := numberOf(text)
	return limit{number: number}, ok
}

// numberOf reads a decimal number.
func numberOf(text string) (float64, bool) {
	if text == "" || strings.Trim(text, "+-0123456789.eE") != "" {
		return 0, false
	}
	number, err := strconv.ParseFloat(text, 64)
	return number, err == nil && !math.IsInf(number, 0)
}

// dateLayout is the form of a date. A date may end after the month, the day, the minute or the second.
const dateLayout = "0000-00-00T00:00:00"

// dateOf reads as much of a date as there is at the start of a text, and returns it and the rest of the text. A
// space may replace the T.
func dateOf(text string) (date, rest string) {
	n := 0
	for n < len(text) && n < len(dateLayout) && fits(text[n], dateLayout[n]) {
		n++
	}
	for _, end := range []int{19, 16, 10, 7} {
		if n >= end {
			date = strings.Replace(text[:end], " ", "T", 1)
			break
		}
	}
	if date == "" || date[5:7] < "01" || date[5:7] > "12" || len(date) > 7 && (date[8:10] < "01" || date[8:10] > "31") {
		return "", text
	}
	return date, text[len(date):]
}

func fits(c, wanted byte) bool {
	switch wanted {
	case '0':
		return '0' <= c && c <= '9'
	case 'T':
		return c == 'T' || c == ' '
	}
	return c == wanted
}

// holds compares a value with the limit. A value that is neither a number nor a date satisfies no comparison.
func (c *Compare) holds(value front.Value) bool {
	if c.limit.date != "" {
		date, _ := dateOf(strings.TrimSpace(value.Text))
		if value.Kind != front.Text || date == "" {
			return false
		}
		// Compare only as exactly as the limit is given: the evening of a day is not after that day.
		if len(date) < len(c.limit.date) {
			date += dateLayout[len(date):]
		}
		return onSide(strings.Compare(date[:len(c.limit.date)], c.limit.date), c.Sign)
	}
	number := math.NaN()
	switch value.Kind {
	case front.Number:
		number = value.Float()
	case front.Text:
		if read, ok := numberOf(strings.TrimSpace(value.Text)); ok {
			number = read
		}
	}
	switch {
	case number < c.limit.number:
		return onSide(-1, c.Sign)
	case number > c.limit.number:
		return onSide(1, c.Sign)
	case number == c.limit.number:
		return onSide(0, c.Sign)
	}
	return false
}

// onSide reports whether an order (-1, 0, 1) satisfies a sign.
func onSide(order int, sign string) bool {
	switch {
	case order == 0:
		return len(sign) == 2 || sign == "=" // <= or >=
	case order < 0:
		return sign[0] == '<'
	}
	return sign[0] == '>'
}
