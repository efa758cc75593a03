package bases

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"obsidian-mcp/internal/query/value"
	"obsidian-mcp/internal/text/order"
)

// overElements runs filter(), map() and reduce(), in whose expressions value, index and acc have a meaning.
func (r *rowScope) overElements(list value.List, m method) (value.Value, error) {
	wanted := 1
	if m.name == "reduce" {
		wanted = 2
	}
	if len(m.arguments) != wanted {
		return nil, fmt.Errorf("%s() takes an expression%s", m.name, strings.Repeat(" and a start value", wanted-1))
	}
	results := make(value.List, 0, len(list))
	var acc value.Value
	if m.name == "reduce" {
		start, err := m.arguments[1].evaluate(r)
		if err != nil {
			return nil, err
		}
		acc = start
	}
	for i, element := range list {
		inner := r.with("value", element).with("index", float64(i))
		if m.name == "reduce" {
			inner = inner.with("acc", acc)
		}
		v, err := m.arguments[0].evaluate(inner)
		switch {
		case err != nil:
			return nil, err
		case m.name == "reduce":
			acc = v
		case m.name == "map":
			results = append(results, v)
		case isTruthy(v):
			results = append(results, element)
		}
	}
	if m.name == "reduce" {
		return acc, nil
	}
	return results, nil
}

func methodsOfList() map[string]methodOf[value.List] {
	return map[string]methodOf[value.List]{
		"contains": func(r *rowScope, of value.List, a []value.Value) (value.Value, error) {
			return r.has(of, argument(a, 0)), nil
		},
		"containsAll": func(r *rowScope, of value.List, a []value.Value) (value.Value, error) {
			return !slices.ContainsFunc(a, func(wanted value.Value) bool { return !r.has(of, wanted) }), nil
		},
		"containsAny": func(r *rowScope, of value.List, a []value.Value) (value.Value, error) {
			return slices.ContainsFunc(a, func(wanted value.Value) bool { return r.has(of, wanted) }), nil
		},
		"flat": func(r *rowScope, of value.List, _ []value.Value) (value.Value, error) {
			flat := value.List{}
			for _, element := range of {
				if inner, ok := element.(value.List); ok {
					flat = append(flat, inner...)
				} else {
					flat = append(flat, element)
				}
			}
			return flat, r.spend(value.StepsPerElement * len(flat))
		},
		"join": func(r *rowScope, of value.List, a []value.Value) (value.Value, error) {
			var p printer
			p.list(of, Text(argument(a, 0)))
			return p.String(), r.spend(p.Len() / value.BytesPerStep)
		},
		"reverse": func(_ *rowScope, of value.List, _ []value.Value) (value.Value, error) {
			turned := slices.Clone(of)
			slices.Reverse(turned)
			return turned, nil
		},
		"slice": func(_ *rowScope, of value.List, a []value.Value) (value.Value, error) {
			from, to := bounds(a, len(of))
			return slices.Clone(of[from:to]), nil
		},
		"sort": func(r *rowScope, of value.List, _ []value.Value) (value.Value, error) {
			sorted := slices.Clone(of)
			order.Stably(sorted, r.compare)
			return sorted, r.spend(len(of))
		},
		"unique": func(r *rowScope, of value.List, _ []value.Value) (value.Value, error) {
			unique := value.List{}
			var seen distinct
			for _, element := range of {
				if seen.place(r, element) == len(unique) {
					unique = append(unique, element)
				}
			}
			return unique, r.spend(len(of))
		},
		"mean": statistic(mean), "median": statistic(median), "stddev": statistic(deviation),
	}
}

// has reports whether a list has a value. A tag is also found by the tags that it is below.
func (r *rowScope) has(list value.List, wanted value.Value) bool {
	return slices.ContainsFunc(list, func(element value.Value) bool {
		if tag, ok := element.(Tag); ok {
			return value.IsTagOrBelow(string(tag), Text(wanted))
		}
		return r.equal(element, wanted)
	})
}

// statistic computes a number from those of a list; empty values do not count.
func statistic(compute func([]float64) value.Value) methodOf[value.List] {
	return func(_ *rowScope, of value.List, _ []value.Value) (value.Value, error) {
		numbers, err := numbersOf(of)
		if err != nil || len(numbers) == 0 {
			return nil, err
		}
		return compute(numbers), nil
	}
}

func numbersOf(list value.List) ([]float64, error) {
	var numbers []float64
	for _, element := range list {
		switch v := element.(type) {
		case nil:
		case float64:
			numbers = append(numbers, v)
		default:
			return nil, errors.New("not all values are numbers")
		}
	}
	return numbers, nil
}

func sum(numbers []float64) float64 {
	total := 0.0
	for _, number := range numbers {
		total += number
	}
	return total
}

func mean(numbers []float64) value.Value { return sum(numbers) / float64(len(numbers)) }

func median(numbers []float64) value.Value {
	sorted := slices.Sorted(slices.Values(numbers))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}

func deviation(numbers []float64) value.Value {
	average := sum(numbers) / float64(len(numbers))
	squares := 0.0
	for _, number := range numbers {
		squares += (number - average) * (number - average)
	}
	return math.Sqrt(squares / deviationDivisor(len(numbers)))
}
