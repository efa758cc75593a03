package dataview

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"obsidian-mcp/internal/query/value"
)

// variant is one way to call a function: the types of its arguments ("*" is any), and what it does with them.
type variant struct {
	types []string
	run   function
}

// overloaded is a function that does different things for different types of arguments.
type overloaded struct {
	name     string
	variants []variant
	rest     function      // for any other arguments; nil: they are refused
	spread   map[int][]int // by the number of arguments: which of them may be lists, whose elements are taken one by one
}

func define(name string) *overloaded { return &overloaded{name: name, spread: map[int][]int{}} }

// on adds a variant; types are separated by blanks.
func (o *overloaded) on(types string, run function) *overloaded {
	o.variants = append(o.variants, variant{strings.Fields(types), run})
	return o
}

// null makes the function return null for some types.
func (o *overloaded) null(types ...string) *overloaded {
	for _, list := range types {
		o.on(list, func(*environment, []value.Value) (value.Value, error) { return nil, nil })
	}
	return o
}

// other sets what the function does with any other arguments.
func (o *overloaded) other(run function) *overloaded {
	o.rest = run
	return o
}

// over makes arguments at some positions spread over their elements, if the function is called with count arguments.
func (o *overloaded) over(count int, positions ...int) *overloaded {
	o.spread[count] = positions
	return o
}

func (o *overloaded) call(env *environment, arguments []value.Value) (value.Value, error) {
	if err := env.spend(1); err != nil {
		return nil, err
	}
	if list, ok, err := o.elementwise(env, arguments); ok {
		return list, err
	}
	types := make([]string, len(arguments))
	for i, argument := range arguments {
		types[i] = typeOf(argument)
	}
	for _, variant := range o.variants {
		if slices.EqualFunc(variant.types, types, func(want, got string) bool { return want == "*" || want == got }) {
			return variant.run(env, arguments)
		}
	}
	if o.rest != nil {
		return o.rest(env, arguments)
	}
	return nil, fmt.Errorf("%s() does not take (%s)", o.name, strings.Join(types, ", "))
}

// elementwise calls the function for each element of the lists among the arguments that may be lists.
func (o *overloaded) elementwise(env *environment, arguments []value.Value) (value.Value, bool, error) {
	var lists []int
	length := -1
	for _, position := range o.spread[len(arguments)] {
		if list, ok := arguments[position].(value.List); ok {
			lists = append(lists, position)
			if length < 0 || len(list) < length {
				length = len(list)
			}
		}
	}
	if len(lists) == 0 {
		return nil, false, nil
	}
	results := make(value.List, length)
	inner := slices.Clone(arguments)
	for i := range results {
		for _, position := range lists {
			inner[position] = arguments[position].(value.List)[i]
		}
		result, err := o.call(env, inner)
		if err != nil {
			return nil, true, err
		}
		results[i] = result
	}
	return results, true, nil
}

// functions are all functions by name. It is filled when the program starts, because some call others.
var functions = map[string]function{}

func init() {
	for _, group := range []func() []*overloaded{constructors, numeric, lists, texts, utilities} {
		for _, defined := range group() {
			functions[defined.name] = defined.call
		}
	}
	functions["array"] = functions["list"]
}

func functionNames() []string { return slices.Sorted(maps.Keys(functions)) }

// asText, asNumber and asList read arguments that have been checked already.

func asText(v value.Value) string     { text, _ := v.(string); return text }
func asNumber(v value.Value) float64  { n, _ := v.(float64); return n }
func asList(v value.Value) value.List { list, _ := v.(value.List); return list }

// itself returns the first argument.
func itself(_ *environment, arguments []value.Value) (value.Value, error) { return arguments[0], nil }

// with makes a function of one that needs no environment and never fails.
func with(run func(arguments []value.Value) value.Value) function {
	return func(_ *environment, arguments []value.Value) (value.Value, error) { return run(arguments), nil }
}
