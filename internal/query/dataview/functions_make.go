package dataview

import (
	"errors"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"obsidian-mcp/internal/query/value"
)

// constructors make values.
func constructors() []*overloaded {
	return []*overloaded{
		define("object").other(makeObject),
		define("list").other(with(func(arguments []value.Value) value.Value { return value.List(arguments) })),
		define("date").on("string", dateOfText).on("date", itself).on("link", dateOfLink).on("string string", dateInFormat).
			null("null string", "null").over(1, 0),
		define("dur").on("string", durationOfText).on("duration", itself).on("null", itself).over(1, 0),
		define("number").on("number", itself).on("string", with(firstNumber)).null("null").over(1, 0),
		define("string").on("*", with(func(arguments []value.Value) value.Value { return Text(arguments[0]) })),
		define("link").on("string", linkOfText).on("link", itself).null("null").
			on("string string", linkOfText).on("string string boolean", linkOfText).
			on("link string", with(func(arguments []value.Value) value.Value {
				link := arguments[0].(value.Link)
				link.Display = asText(arguments[1])
				return link
			})).
			null("null *").on("* null", func(env *environment, arguments []value.Value) (value.Value, error) {
			return functions["link"](env, arguments[:1])
		}).over(1, 0).over(2, 0, 1),
		define("embed").on("link", with(embedded)).null("null").on("link boolean", with(embedded)).
			null("null *", "* null").over(1, 0).over(2, 0, 1),
		define("elink").on("string string", with(external)).on("string null", with(external)).null("null *").
			on("string", with(external)).null("null").over(1, 0).over(2, 0),
		define("typeof").on("*", with(func(arguments []value.Value) value.Value { return typeOf(arguments[0]) })),
	}
}

func makeObject(_ *environment, arguments []value.Value) (value.Value, error) {
	if len(arguments)%2 != 0 {
		return nil, errors.New("object() needs a value for every key")
	}
	object := value.NewObject()
	for i := 0; i < len(arguments); i += 2 {
		key, ok := arguments[i].(string)
		if !ok {
			return nil, errors.New("the keys of object() must be texts")
		}
		object.Set(key, arguments[i+1])
	}
	return object, nil
}

func dateOfText(env *environment, arguments []value.Value) (value.Value, error) {
	if date, ok := whole(asText(arguments[0]), env.clock, (*parser).datePlus); ok {
		return date, nil
	}
	return nil, nil
}

// dateOfLink reads the date of a link from its text, its target, or the note that it leads to.
func dateOfLink(env *environment, arguments []value.Value) (value.Value, error) {
	link := arguments[0].(value.Link)
	for _, text := range []string{link.Display, link.Path} {
		if date, ok := whole(text, env.clock, (*parser).date); ok {
			return date, nil
		}
	}
	if page := env.set.Page(env.resolve(link.Path)); page != nil && page.Day != nil {
		return *page.Day, nil
	}
	return nil, nil
}

func dateInFormat(env *environment, arguments []value.Value) (value.Value, error) {
	text, format := asText(arguments[0]), asText(arguments[1])
	if format != "x" && format != "X" {
		return anyError(readDate(text, format, env.clock))
	}
	digits := numberPattern.FindString(text)
	if digits == "" {
		return nil, errors.New("the text has no number")
	}
	number, _ := strconv.ParseFloat(digits, 64)
	if number = math.Trunc(number); format == "X" {
		number *= 1000
	}
	return value.Date{Time: time.UnixMilli(int64(number)).In(env.clock.Now.Location())}, nil
}

// anyError turns a typed result into a value.
func anyError[T any](v T, err error) (value.Value, error) {
	if err != nil {
		return nil, err
	}
	return v, nil
}

func durationOfText(env *environment, arguments []value.Value) (value.Value, error) {
	if length, ok := whole(trimmed(asText(arguments[0])), env.clock, (*parser).duration); ok {
		return length, nil
	}
	return nil, nil
}

var numberPattern = regexp.MustCompile(`-?[0-9]+(\.[0-9]+)?`)

func firstNumber(arguments []value.Value) value.Value {
	if digits := numberPattern.FindString(asText(arguments[0])); digits != "" {
		number, _ := strconv.ParseFloat(digits, 64)
		return number
	}
	return nil
}

func linkOfText(env *environment, arguments []value.Value) (value.Value, error) {
	link := value.FileLink(env.resolve(asText(arguments[0])))
	if len(arguments) > 1 {
		link.Display = asText(arguments[1])
	}
	if len(arguments) > 2 {
		link.Embed = arguments[2].(bool)
	}
	return link, nil
}

func embedded(arguments []value.Value) value.Value {
	link := arguments[0].(value.Link)
	link.Embed = len(arguments) < 2 || arguments[1].(bool)
	return link
}

func external(arguments []value.Value) value.Value {
	url := asText(arguments[0])
	if len(arguments) > 1 && arguments[1] != nil {
		return ExternalLink{url, asText(arguments[1])}
	}
	return ExternalLink{url, url}
}

// numeric functions calculate.
func numeric() []*overloaded {
	whole := func(name string, round func(float64) float64) *overloaded {
		return define(name).on("number", with(func(arguments []value.Value) value.Value { return round(asNumber(arguments[0])) })).
			null("null").over(1, 0)
	}
	return []*overloaded{
		whole("round", roundHalfUp).on("number number", with(func(arguments []value.Value) value.Value {
			return rounded(asNumber(arguments[0]), asNumber(arguments[1]))
		})).on("number null", with(func(arguments []value.Value) value.Value { return roundHalfUp(asNumber(arguments[0])) })).
			null("null *").over(2, 0),
		whole("trunc", math.Trunc), whole("floor", math.Floor), whole("ceil", math.Ceil),
		define("min").other(func(env *environment, arguments []value.Value) (value.Value, error) {
			return env.extreme(arguments, func(order int) bool { return order <= 0 })
		}),
		define("max").other(func(env *environment, arguments []value.Value) (value.Value, error) {
			return env.extreme(arguments, func(order int) bool { return order > 0 })
		}),
		define("sum").on("array", func(env *environment, arguments []value.Value) (value.Value, error) {
			return env.fold(asList(arguments[0]), "+")
		}).on("*", itself),
		define("product").on("array", func(env *environment, arguments []value.Value) (value.Value, error) {
			return env.fold(asList(arguments[0]), "*")
		}).on("*", itself),
		define("average").on("array", average).on("*", itself),
		define("minby").on("array function", by(func(order int) bool { return order <= 0 })).null("null function"),
		define("maxby").on("array function", by(func(order int) bool { return order > 0 })).null("null function"),
	}
}

func roundHalfUp(n float64) float64 { return math.Floor(n + 0.5) }

func rounded(n, digits float64) float64 {
	if digits <= 0 {
		return roundHalfUp(n)
	}
	size, places := math.Abs(n), int(min(digits, 100))
	exact := strconv.FormatFloat(size, 'f', places+exactDigits, 64)
	if tail := exact[max(0, len(exact)-exactDigits):]; strings.Trim(tail[1:], "0") == "" && tail[0] == '5' {
		size = math.Nextafter(size, math.Inf(1)) // exactly between two numbers: the larger one
	}
	number, _ := strconv.ParseFloat(strconv.FormatFloat(size, 'f', places, 64), 64)
	return math.Copysign(number, n)
}

// exactDigits are enough to see whether a number is exactly between two others.
const exactDigits = 60

// extreme returns the argument that is preferred to all others; nulls do not count.
func (env *environment) extreme(arguments []value.Value, isPreferred func(order int) bool) (value.Value, error) {
	if len(arguments) == 1 {
		if list, ok := arguments[0].(value.List); ok {
			arguments = list
		}
	}
	var best value.Value
	for _, argument := range arguments {
		if argument != nil && (best == nil || !isPreferred(env.compare(best, argument))) {
			best = argument
		}
	}
	return best, env.spend(len(arguments))
}

// fold joins the elements of a list with an operator.
func (env *environment) fold(list value.List, op operator) (value.Value, error) {
	if len(list) == 0 {
		return nil, nil
	}
	total := list[0]
	for _, element := range list[1:] {
		var err error
		if total, err = env.apply(op, total, element); err != nil {
			return nil, err
		}
		if err := env.spend(0); err != nil {
			return nil, err
		}
	}
	return total, nil
}

func average(env *environment, arguments []value.Value) (value.Value, error) {
	list := asList(arguments[0])
	total, err := env.fold(list, "+")
	if err != nil || total == nil {
		return nil, err
	}
	return env.apply("/", total, float64(len(list)))
}

// by returns the element whose key is preferred to all others; null keys do not count.
func by(isPreferred func(order int) bool) function {
	return func(env *environment, arguments []value.Value) (value.Value, error) {
		list, key := asList(arguments[0]), arguments[1].(function)
		if len(list) == 0 {
			return nil, nil
		}
		best, bestKey := list[0], value.Value(nil)
		for _, element := range list {
			k, err := key(env, []value.Value{element})
			if err != nil {
				return nil, err
			}
			if k != nil && (bestKey == nil || !isPreferred(env.compare(bestKey, k))) {
				best, bestKey = element, k
			}
		}
		return best, nil
	}
}
