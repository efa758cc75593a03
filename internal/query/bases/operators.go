package bases

import (
	"fmt"
	"slices"
	"strings"

	"obsidian-mcp/internal/query/value"
)

// equal reports whether two values are the same. Links and files are if they lead to the same file.
func (r *rowScope) equal(a, b value.Value) bool {
	if r.spend(0) != nil {
		return false // the query ends as soon as the result is used
	}
	a, b = r.comparable(a), r.comparable(b)
	switch x := a.(type) {
	case value.Date:
		if y, ok := r.asDate(b); ok {
			if x.IsDay != y.IsDay {
				return x.Day().Time.Equal(y.Day().Time)
			}
			return x.Time.Equal(y.Time)
		}
	case string:
		if y, ok := b.(value.Date); ok {
			return r.equal(y, x)
		}
	case value.Duration:
		if y, ok := asMillis(b); ok {
			return x.Millis() == y
		}
	case float64:
		if y, ok := b.(value.Duration); ok {
			return x == y.Millis()
		}
	case value.List:
		y, ok := b.(value.List)
		return ok && slices.EqualFunc(x, y, r.equal)
	case value.Fields:
		y, ok := b.(value.Fields)
		return ok && len(x.Keys()) == len(y.Keys()) && !slices.ContainsFunc(x.Keys(), func(key string) bool {
			first, _ := x.Get(key)
			second, has := y.Get(key)
			return !has || !r.equal(first, second)
		})
	case pattern:
		y, ok := b.(pattern)
		return ok && x.source == y.source
	}
	switch b.(type) {
	case value.List, value.Fields, pattern:
		return false
	}
	return a == b
}

// target is what links and files are compared by.
type target string

// comparable turns links and files into what they are compared by, and tags into text.
func (r *rowScope) comparable(v value.Value) value.Value {
	if file := fileOf(v); file != nil {
		return target(file.Path)
	}
	switch v := v.(type) {
	case value.Link:
		return target(r.resolved(value.Link{Path: v.Path}, r.file).Path)
	case Tag:
		return string(v)
	}
	return v
}

// asDate reads a date; texts are parsed.
func (r *rowScope) asDate(v value.Value) (value.Date, bool) {
	switch v := v.(type) {
	case value.Date:
		return v, true
	case string:
		return parseDate(v, r.now.Location())
	}
	return value.Date{}, false
}

func asMillis(v value.Value) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case value.Duration:
		return v.Millis(), true
	}
	return 0, false
}

// ordered compares numbers, durations, dates and texts; anything else is neither less nor greater.
func (r *rowScope) ordered(op string, a, b value.Value) bool {
	if a == nil || b == nil {
		return compareEmpty()
	}
	holds := func(order int) bool {
		switch op {
		case "<":
			return order < 0
		case "<=":
			return order <= 0
		case ">":
			return order > 0
		}
		return order >= 0
	}
	_, aDate := a.(value.Date)
	_, bDate := b.(value.Date)
	if aDate || bDate {
		x, xOK := r.asDate(a)
		y, yOK := r.asDate(b)
		return xOK && yOK && holds(x.Time.Compare(y.Time))
	}
	x, xOK := asMillis(a)
	y, yOK := asMillis(b)
	if xOK && yOK {
		switch {
		case x < y:
			return holds(-1)
		case x > y:
			return holds(1)
		}
		return x == y && holds(0)
	}
	first, firstOK := r.comparable(a).(string)
	second, secondOK := r.comparable(b).(string)
	return firstOK && secondOK && holds(strings.Compare(first, second))
}

// calculate adds, subtracts, multiplies and divides.
func (r *rowScope) calculate(op string, a, b value.Value) (value.Value, error) {
	_, aText := asText(a)
	_, bText := asText(b)
	x, xDate := a.(value.Date)
	if xDate && (op == "+" || op == "-") {
		if y, ok := b.(value.Date); ok && op == "-" {
			return value.DurationOf(float64(x.Time.Sub(y.Time).Milliseconds()), value.Milliseconds), nil
		}
		if by, ok := durationOf(b); ok {
			if op == "-" {
				by = by.Times(-1)
			}
			return x.Plus(by), nil
		}
	}
	if op == "+" && (aText || bText) {
		text := Text(a) + Text(b)
		return text, r.spend(len(text) / value.BytesPerStep)
	}
	if a == nil || b == nil {
		return emptyArithmetic(), nil
	}
	switch x := a.(type) {
	case float64:
		if y, ok := b.(float64); ok {
			return value.Calculate(op, x, y), nil
		}
	case value.Duration:
		switch y := b.(type) {
		case float64:
			if op == "*" {
				return x.Times(y), nil
			} else if op == "/" {
				return x.Times(1 / y), nil
			}
		case value.Duration:
			if op == "+" {
				return x.Plus(y), nil
			} else if op == "-" {
				return x.Plus(y.Times(-1)), nil
			}
		}
	case value.List:
		if y, ok := b.(value.List); ok && op == "+" {
			return slices.Concat(x, y), r.spend(value.StepsPerElement * (len(x) + len(y)))
		}
	}
	return nil, fmt.Errorf("%s %s %s is not possible", typeName(a), op, typeName(b))
}
