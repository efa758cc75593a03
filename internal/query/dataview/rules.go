package dataview

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"obsidian-mcp/internal/query/value"
	"obsidian-mcp/internal/text/collate"
)

// function is a function of the language, or a lambda.
type function func(env *environment, arguments []value.Value) (value.Value, error)

// ExternalLink is a link to an address on the web.
type ExternalLink struct{ URL, Display string }

// Pair is a row of a list that shows what the row is and a value.
type Pair struct{ ID, Value value.Value }

// typeOf names the type of a value.
func typeOf(v value.Value) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case float64:
		return "number"
	case string:
		return "string"
	case value.Date:
		return "date"
	case value.Duration:
		return "duration"
	case value.Link:
		return "link"
	case value.List:
		return "array"
	case function:
		return "function"
	case ExternalLink, Pair:
		return "widget"
	}
	return "object"
}

// isTrue reports whether a value counts as true.
func isTrue(v value.Value) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	case float64:
		return v != 0
	case string:
		return v != ""
	case value.Date:
		return v.Time.UnixMilli() != 0
	case value.Duration:
		return v.Millis() != 0
	case value.Link:
		return v.Path != ""
	case value.List:
		return len(v) > 0
	case value.Fields:
		return len(v.Keys()) > 0
	}
	return true
}

// compare puts all values in order. Links at the top are compared by the files that they lead to, those in lists and
// objects as they are written.
func (env *environment) compare(a, b value.Value) int { return env.compareAt(a, b, true) }

func (env *environment) compareAt(a, b value.Value, isTop bool) int {
	if env.spend(0) != nil {
		return 0 // the query ends as soon as the result is used
	}
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return -1
	case b == nil:
		return 1
	}
	switch a := a.(type) {
	case string:
		if b, ok := b.(string); ok {
			return collate.Text(a, b)
		}
	case float64:
		if b, ok := b.(float64); ok {
			return compareNumbers(a, b)
		}
	case bool:
		if b, ok := b.(bool); ok {
			return compareBooleans(a, b)
		}
	case value.Date:
		if b, ok := b.(value.Date); ok {
			return compareLengths(a.Time.Before(b.Time), a.Equal(b))
		}
	case value.Duration:
		if b, ok := b.(value.Duration); ok {
			return compareLengths(a.Millis() < b.Millis(), a.Equal(b))
		}
	case value.Link:
		if b, ok := b.(value.Link); ok {
			return env.compareLinks(a, b, isTop)
		}
	case value.List:
		if b, ok := b.(value.List); ok {
			return env.compareLists(a, b)
		}
	case value.Fields:
		if b, ok := b.(value.Fields); ok {
			return env.compareFields(a, b)
		}
	}
	return strings.Compare(typeOf(a), typeOf(b))
}

func compareNumbers(a, b float64) int {
	return compareLengths(a < b, a == b)
}

// compareLengths orders by less and equal; what is neither is greater, even if the same holds the other way round.
func compareLengths(isLess, isEqual bool) int {
	switch {
	case isLess:
		return -1
	case isEqual:
		return 0
	}
	return 1
}

func compareBooleans(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

func (env *environment) compareLinks(a, b value.Link, isTop bool) int {
	first, second := a.Path, b.Path
	if isTop && first != second {
		first, second = env.resolve(first), env.resolve(second)
	}
	return cmp.Or(collate.Text(first, second), strings.Compare(string(a.Kind), string(b.Kind)), collate.Text(a.Subpath, b.Subpath))
}

func (env *environment) compareLists(a, b value.List) int {
	for i := range min(len(a), len(b)) {
		if order := env.compareAt(a[i], b[i], false); order != 0 {
			return order
		}
	}
	return cmp.Compare(len(a), len(b))
}

func (env *environment) compareFields(a, b value.Fields) int {
	if a == b {
		return 0
	}
	first, second := slices.Sorted(slices.Values(a.Keys())), slices.Sorted(slices.Values(b.Keys()))
	if order := env.compareLists(textList(first), textList(second)); order != 0 {
		return order
	}
	for _, key := range first {
		x, _ := a.Get(key)
		y, _ := b.Get(key)
		if order := env.compareAt(x, y, false); order != 0 {
			return order
		}
	}
	return 0
}

func textList[T ~string](texts []T) value.List {
	list := make(value.List, len(texts))
	for i, text := range texts {
		list[i] = string(text)
	}
	return list
}

// apply evaluates a binary operator.
func (env *environment) apply(op operator, a, b value.Value) (value.Value, error) {
	switch op {
	case "&":
		return isTrue(a) && isTrue(b), nil
	case "|":
		return isTrue(a) || isTrue(b), nil
	case "<":
		return env.compare(a, b) < 0, env.spend(0)
	case "<=":
		return env.compare(a, b) <= 0, env.spend(0)
	case ">":
		return env.compare(a, b) > 0, env.spend(0)
	case ">=":
		return env.compare(a, b) >= 0, env.spend(0)
	case "=":
		return env.compare(a, b) == 0, env.spend(0)
	case "!=":
		return env.compare(a, b) != 0, env.spend(0)
	}
	if result, ok, err := env.arithmetic(op, a, b); ok || err != nil {
		return result, err
	}
	return nil, fmt.Errorf("%s %s %s is not possible", typeOf(a), op, typeOf(b))
}

func (env *environment) arithmetic(op operator, a, b value.Value) (result value.Value, ok bool, err error) {
	if a == nil && b == nil {
		return nil, true, nil
	}
	_, aDate := a.(value.Date)
	_, bDate := b.(value.Date)
	if (op == "+" || op == "-") && (aDate && b == nil || a == nil && bDate) {
		return nil, true, nil
	}
	switch x := a.(type) {
	case float64:
		switch y := b.(type) {
		case float64:
			return value.Calculate(string(op), x, y), true, nil
		case string:
			if op == "*" {
				return env.repeated(y, x)
			}
		case value.Duration:
			if op == "*" {
				return y.Times(x).Normal(), true, nil
			}
		}
	case value.Date:
		switch y := b.(type) {
		case value.Duration:
			if op == "+" {
				return x.Plus(y), true, nil
			} else if op == "-" {
				return x.Minus(y), true, nil
			}
		case value.Date:
			if op == "-" {
				return x.Since(y).Normal(), true, nil
			}
		}
	case value.Duration:
		switch y := b.(type) {
		case value.Date:
			if op == "+" {
				return y.Plus(x), true, nil
			}
		case value.Duration:
			if op == "+" {
				return x.Plus(y).Normal(), true, nil
			} else if op == "-" {
				return x.Plus(y.Times(-1)).Normal(), true, nil
			}
		case float64:
			if op == "*" {
				return x.Times(y).Normal(), true, nil
			} else if op == "/" {
				return x.Times(1 / y).Normal(), true, nil
			}
		}
	case string:
		if y, isNumber := b.(float64); isNumber && op == "*" {
			return env.repeated(x, y)
		}
	case value.List:
		if y, isList := b.(value.List); isList && op == "+" {
			return slices.Concat(x, y), true, env.spend(value.StepsPerElement * (len(x) + len(y)))
		}
	}
	if op != "+" {
		return nil, false, nil
	}
	return env.joined(a, b)
}

// joined adds texts to anything, and objects to each other.
func (env *environment) joined(a, b value.Value) (value.Value, bool, error) {
	_, aText := a.(string)
	_, bText := b.(string)
	if aText || bText {
		text := Text(a) + Text(b)
		return text, true, env.spend(len(text) / value.BytesPerStep)
	}
	x, aFields := a.(value.Fields)
	y, bFields := b.(value.Fields)
	if !aFields || !bFields {
		return nil, false, nil
	}
	sum := value.NewObject()
	for _, fields := range []value.Fields{x, y} {
		for _, key := range fields.Keys() {
			v, _ := fields.Get(key)
			sum.Set(key, v)
		}
	}
	return sum, true, nil
}

func (env *environment) repeated(text string, times float64) (value.Value, bool, error) {
	if times < 1 || math.IsNaN(times) {
		return "", true, nil
	}
	if times*float64(len(text)) > value.MaxText {
		return nil, false, value.ErrTooMuch
	}
	return strings.Repeat(text, int(times)), true, env.spend(int(times) * len(text) / value.BytesPerStep)
}
