package dataview

import (
	"errors"
	"slices"

	"obsidian-mcp/internal/query/value"
	"obsidian-mcp/internal/text/order"
)

// lists are the functions of lists and objects.
func lists() []*overloaded {
	contains := func(name string, inText func(text, part string) bool, inList string) *overloaded {
		defined := define(name)
		return defined.on("array *", func(env *environment, arguments []value.Value) (value.Value, error) {
			for _, element := range asList(arguments[0]) {
				found, err := env.holds(inList, element, arguments[1])
				if err != nil || isTrue(found) {
					return found, err
				}
			}
			return false, nil
		}).on("string string", with(func(arguments []value.Value) value.Value {
			return inText(asText(arguments[0]), asText(arguments[1]))
		})).on("object string", with(func(arguments []value.Value) value.Value {
			_, has := arguments[0].(value.Fields).Get(asText(arguments[1]))
			return has
		})).on("* *", func(env *environment, arguments []value.Value) (value.Value, error) {
			return env.apply("=", arguments[0], arguments[1])
		}).over(2, 1)
	}
	return []*overloaded{
		contains("contains", containsText, "contains"),
		contains("icontains", containsFolded, "icontains"),
		contains("econtains", containsText, ""),
		define("extract").other(extract),
		define("sort").on("array", sorted).on("array function", sorted).on("*", itself),
		define("reverse").on("array", with(func(arguments []value.Value) value.Value {
			turned := slices.Clone(asList(arguments[0]))
			slices.Reverse(turned)
			return turned
		})).on("string", with(func(arguments []value.Value) value.Value {
			units := value.UTF16(asText(arguments[0]))
			slices.Reverse(units)
			return value.FromUTF16(units)
		})).on("*", itself),
		define("length").on("array", with(func(arguments []value.Value) value.Value { return float64(len(asList(arguments[0]))) })).
			on("object", with(func(arguments []value.Value) value.Value { return float64(len(arguments[0].(value.Fields).Keys())) })).
			on("string", with(func(arguments []value.Value) value.Value { return float64(value.UTF16Len(asText(arguments[0]))) })).
			on("null", with(func([]value.Value) value.Value { return 0.0 })),
		define("nonnull").other(with(func(arguments []value.Value) value.Value { return nonNull(listOrAll(arguments)) })),
		define("firstvalue").on("array", with(func(arguments []value.Value) value.Value {
			if values := nonNull(asList(arguments[0])); len(values) > 0 {
				return values[0]
			}
			return nil
		})).null("null"),
		quantifier("all", func(all, _ int, trues int) bool { return trues == all }),
		quantifier("any", func(_, _ int, trues int) bool { return trues > 0 }),
		quantifier("none", func(_, _ int, trues int) bool { return trues == 0 }),
		define("filter").on("array function", filter).null("null *"),
		define("map").on("array function", mapped).null("null *"),
		define("flat").on("array", func(env *environment, arguments []value.Value) (value.Value, error) {
			return env.flat(asList(arguments[0]), 1)
		}).on("array number", func(env *environment, arguments []value.Value) (value.Value, error) {
			return env.flat(asList(arguments[0]), asNumber(arguments[1]))
		}).null("null"),
		define("slice").on("array", with(sliced)).on("array number", with(sliced)).on("array number number", with(sliced)).null("null"),
		define("unique").on("array", func(env *environment, arguments []value.Value) (value.Value, error) {
			all := env.inOrder(asList(arguments[0]))
			return slices.CompactFunc(all, func(a, b value.Value) bool { return env.compare(a, b) == 0 }), env.spend(len(all))
		}).null("null"),
		define("reduce").on("array string", reduceByOperator).on("array function", reduceByFunction).null("null *", "* null").over(2, 1),
		define("join").on("array string", joined).on("array null", joined).
			on("* string", with(func(arguments []value.Value) value.Value { return Text(arguments[0]) })).
			on("array", joined).on("*", with(func(arguments []value.Value) value.Value { return Text(arguments[0]) })).over(2, 1),
	}
}

// holds asks one of the functions of contains about an element; "" compares it as a whole.
func (env *environment) holds(function string, element, wanted value.Value) (value.Value, error) {
	if err := env.spend(0); err != nil {
		return nil, err
	}
	if function == "" {
		return env.apply("=", wanted, element)
	}
	return functions[function](env, []value.Value{element, wanted})
}

func extract(env *environment, arguments []value.Value) (value.Value, error) {
	if len(arguments) == 0 {
		return "extract(object, key1, ...) requires at least 1 argument", nil // as in the plugin: a text, not an error
	}
	if list, ok := arguments[0].(value.List); ok {
		results := make(value.List, len(list))
		for i, element := range list {
			result, err := extract(env, append([]value.Value{element}, arguments[1:]...))
			if err != nil {
				return nil, err
			}
			results[i] = result
		}
		return results, env.spend(len(list))
	}
	object := value.NewObject()
	for _, key := range arguments[1:] {
		name, ok := key.(string)
		if !ok {
			return nil, errors.New("the keys of extract() must be texts")
		}
		part, err := env.part(arguments[0], name)
		if err != nil {
			return nil, err
		}
		object.Set(name, part)
	}
	return object, nil
}

func sorted(env *environment, arguments []value.Value) (value.Value, error) {
	list := asList(arguments[0])
	if len(arguments) == 1 {
		return env.inOrder(list), env.spend(len(list))
	}
	keys, err := mapped(env, arguments)
	if err != nil {
		return nil, err
	}
	type keyed struct{ key, element value.Value }
	pairs := make([]keyed, len(list))
	for i, element := range list {
		pairs[i] = keyed{asList(keys)[i], element}
	}
	order.Stably(pairs, func(a, b keyed) int { return env.compare(a.key, b.key) })
	result := make(value.List, len(pairs))
	for i, pair := range pairs {
		result[i] = pair.element
	}
	return result, env.spend(len(list))
}

// inOrder returns a sorted copy of a list.
func (env *environment) inOrder(list value.List) value.List {
	all := slices.Clone(list)
	order.Stably(all, func(a, b value.Value) int { return env.compare(a, b) })
	return all
}

// listOrAll returns the only argument if it is a list, and otherwise the arguments as a list.
func listOrAll(arguments []value.Value) value.List {
	if len(arguments) == 1 {
		if list, ok := arguments[0].(value.List); ok {
			return list
		}
	}
	return arguments
}

func nonNull(list value.List) value.List {
	values := value.List{}
	for _, element := range list {
		if element != nil {
			values = append(values, element)
		}
	}
	return values
}

// quantifier counts the elements that are true, or for which a function is.
func quantifier(name string, holds func(all, _, trues int) bool) *overloaded {
	return define(name).other(func(env *environment, arguments []value.Value) (value.Value, error) {
		list := listOrAll(arguments)
		if len(arguments) == 2 {
			if _, ok := arguments[1].(function); ok && typeOf(arguments[0]) == "array" {
				results, err := mapped(env, arguments)
				if err != nil {
					return nil, err
				}
				list = asList(results)
			}
		}
		trues := 0
		for _, element := range list {
			if isTrue(element) {
				trues++
			}
		}
		return holds(len(list), 0, trues), env.spend(len(list))
	})
}

func filter(env *environment, arguments []value.Value) (value.Value, error) {
	results, err := mapped(env, arguments)
	if err != nil {
		return nil, err
	}
	kept := value.List{}
	for i, element := range asList(arguments[0]) {
		if isTrue(asList(results)[i]) {
			kept = append(kept, element)
		}
	}
	return kept, nil
}

func mapped(env *environment, arguments []value.Value) (value.Value, error) {
	list, run := asList(arguments[0]), arguments[1].(function)
	results := make(value.List, len(list))
	for i, element := range list {
		result, err := run(env, []value.Value{element})
		if err != nil {
			return nil, err
		}
		results[i] = result
	}
	return results, env.spend(len(list))
}

func (env *environment) flat(list value.List, depth float64) (value.List, error) {
	result := value.List{}
	for _, element := range list {
		if err := env.spend(value.StepsPerElement); err != nil {
			return nil, err
		}
		inner, ok := element.(value.List)
		if !ok || depth < 1 {
			result = append(result, element)
			continue
		}
		flat, err := env.flat(inner, depth-1)
		if err != nil {
			return nil, err
		}
		result = append(result, flat...)
	}
	return result, nil
}

func sliced(arguments []value.Value) value.Value {
	list := asList(arguments[0])
	from, to := 0, len(list)
	if len(arguments) > 1 {
		from = place(asNumber(arguments[1]), len(list))
	}
	if len(arguments) > 2 {
		to = place(asNumber(arguments[2]), len(list))
	}
	if from >= to {
		return value.List{}
	}
	return slices.Clone(list[from:to])
}

// place turns a position, which counts from the end if it is negative, into one between 0 and a length.
func place(position float64, length int) int {
	switch {
	case position != position: // not a number
		return 0
	case position <= -1:
		return int(max(0, float64(length)+float64(int(max(position, -1e9)))))
	}
	return int(min(max(position, 0), float64(length)))
}

func reduceByOperator(env *environment, arguments []value.Value) (value.Value, error) {
	op := operator(asText(arguments[1]))
	if len(asList(arguments[0])) > 0 && !slices.Contains([]operator{"+", "-", "*", "/", "&", "|"}, op) {
		return nil, errors.New(`reduce() takes the operators "+", "-", "*", "/", "&" and "|"`)
	}
	return env.fold(asList(arguments[0]), op)
}

func reduceByFunction(env *environment, arguments []value.Value) (value.Value, error) {
	list, run := asList(arguments[0]), arguments[1].(function)
	if len(list) == 0 {
		return nil, nil
	}
	total := list[0]
	for _, element := range list[1:] {
		if element == nil {
			continue
		}
		var err error
		if total, err = run(env, []value.Value{total, element}); err != nil {
			return nil, err
		}
	}
	return total, nil
}

func joined(env *environment, arguments []value.Value) (value.Value, error) {
	separator := ", "
	if len(arguments) > 1 && arguments[1] != nil {
		separator = asText(arguments[1])
	}
	return env.joinedTexts(asList(arguments[0]), separator)
}
