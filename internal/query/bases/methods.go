package bases

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"obsidian-mcp/internal/note/moment"
	"obsidian-mcp/internal/query/value"
)

// methodOf is a function of a value: value.name(arguments).
type methodOf[T any] func(r *rowScope, of T, arguments []value.Value) (value.Value, error)

// The functions of each type.
var (
	anyMethods     map[string]methodOf[value.Value]
	dateMethods    map[string]methodOf[value.Date]
	textMethods    map[string]methodOf[string]
	numberMethods  map[string]methodOf[float64]
	listMethods    map[string]methodOf[value.List]
	linkMethods    map[string]methodOf[value.Link]
	fileMethods    map[string]methodOf[*File]
	objectMethods  map[string]methodOf[value.Fields]
	patternMethods map[string]methodOf[pattern]
	everyMethod    []string
)

// lazyMethods get an expression that they evaluate for every element of a list.
var lazyMethods = []string{"filter", "map", "reduce"}

func init() {
	anyMethods = map[string]methodOf[value.Value]{
		"isTruthy": func(_ *rowScope, of value.Value, _ []value.Value) (value.Value, error) { return isTruthy(of), nil },
		"isType": func(_ *rowScope, of value.Value, a []value.Value) (value.Value, error) {
			return len(a) == 1 && strings.EqualFold(Text(a[0]), typeName(of)), nil
		},
		"toString": func(_ *rowScope, of value.Value, _ []value.Value) (value.Value, error) { return Text(of), nil },
		"isEmpty":  func(_ *rowScope, of value.Value, _ []value.Value) (value.Value, error) { return isEmptyValue(of), nil },
	}
	dateMethods = map[string]methodOf[value.Date]{
		"date": func(_ *rowScope, of value.Date, _ []value.Value) (value.Value, error) {
			day := of.Day()
			day.IsDay = true
			return day, nil
		},
		"time": func(_ *rowScope, of value.Date, _ []value.Value) (value.Value, error) {
			return of.Time.Format("15:04:05"), nil
		},
		"format": func(_ *rowScope, of value.Date, a []value.Value) (value.Value, error) {
			if len(a) != 1 {
				return nil, fmt.Errorf("it takes a format, such as \"YYYY-MM-DD\"")
			}
			return moment.English().Format(momentOf(of), Text(a[0])), nil
		},
		"relative": func(r *rowScope, of value.Date, _ []value.Value) (value.Value, error) {
			return relative(of, r.now), nil
		},
	}
	linkMethods = map[string]methodOf[value.Link]{
		"asFile": func(r *rowScope, of value.Link, _ []value.Value) (value.Value, error) {
			return makeFile(r, []value.Value{of})
		},
		"linksTo": func(r *rowScope, of value.Link, a []value.Value) (value.Value, error) {
			from := r.fileAt(of)
			return from != nil && r.hasLink(from, argument(a, 0)), nil
		},
	}
	fileMethods = map[string]methodOf[*File]{
		"asLink": func(r *rowScope, of *File, a []value.Value) (value.Value, error) {
			return makeLink(r, append([]value.Value{of}, a...))
		},
		"asFile": func(_ *rowScope, of *File, _ []value.Value) (value.Value, error) { return of, nil },
		"hasLink": func(r *rowScope, of *File, a []value.Value) (value.Value, error) {
			return r.hasLink(of, argument(a, 0)), nil
		},
		"hasProperty": func(_ *rowScope, of *File, a []value.Value) (value.Value, error) {
			_, has := of.property(Text(argument(a, 0)))
			return has, nil
		},
		"hasTag": func(_ *rowScope, of *File, a []value.Value) (value.Value, error) {
			return slices.ContainsFunc(a, func(wanted value.Value) bool {
				return slices.ContainsFunc(of.Tags, func(tag string) bool { return value.IsTagOrBelow(tag, Text(wanted)) })
			}), nil
		},
		"inFolder": func(_ *rowScope, of *File, a []value.Value) (value.Value, error) {
			return inFolder(of, Text(argument(a, 0))), nil
		},
	}
	objectMethods = map[string]methodOf[value.Fields]{
		"keys": func(_ *rowScope, of value.Fields, _ []value.Value) (value.Value, error) {
			list := value.List{}
			for _, key := range of.Keys() {
				list = append(list, key)
			}
			return list, nil
		},
		"values": func(_ *rowScope, of value.Fields, _ []value.Value) (value.Value, error) {
			list := value.List{}
			for _, key := range of.Keys() {
				v, _ := of.Get(key)
				list = append(list, v)
			}
			return list, nil
		},
	}
	patternMethods = map[string]methodOf[pattern]{
		"matches": func(_ *rowScope, of pattern, a []value.Value) (value.Value, error) {
			return of.MatchString(Text(argument(a, 0))), nil
		},
	}
	textMethods, numberMethods, listMethods = methodsOfText(), methodsOfNumber(), methodsOfList()
	everyMethod = slices.Concat(lazyMethods, names(anyMethods), names(dateMethods), names(textMethods), names(numberMethods),
		names(listMethods), names(linkMethods), names(fileMethods), names(objectMethods), names(patternMethods))
}

func names[T any](methods map[string]methodOf[T]) []string { return slices.Sorted(maps.Keys(methods)) }

func methodNames() []string { return everyMethod }

func isMethod(name string) bool { return slices.Contains(everyMethod, name) }

// argument returns an argument, or null if it is missing.
func argument(a []value.Value, i int) value.Value {
	if i < len(a) {
		return a[i]
	}
	return nil
}

func (m method) evaluate(r *rowScope) (value.Value, error) {
	of, err := m.of.evaluate(r)
	if err != nil {
		return nil, err
	}
	if list, ok := of.(value.List); ok && slices.Contains(lazyMethods, m.name) {
		return r.overElements(list, m)
	}
	arguments, err := evaluateAll(r, m.arguments)
	if err != nil {
		return nil, err
	}
	v, ok, err := r.callMethod(of, m.name, arguments)
	switch {
	case ok && err != nil && !isFinal(err):
		return nil, fmt.Errorf("%s(): %w", m.name, err)
	case ok:
		return v, err
	case of == nil:
		return emptyMethod(), nil
	}
	return nil, fmt.Errorf("a value of type %s has no function %q", typeName(of), m.name)
}

// callMethod calls a function of a value's type, or one that every value has.
func (r *rowScope) callMethod(of value.Value, name string, a []value.Value) (v value.Value, ok bool, err error) {
	if file := fileOf(of); file != nil {
		if v, ok, err := invoke(r, fileMethods, file, name, a); ok {
			return v, true, err
		}
	}
	switch of := of.(type) {
	case value.Date:
		v, ok, err = invoke(r, dateMethods, of, name, a)
	case string:
		v, ok, err = invoke(r, textMethods, of, name, a)
	case Tag:
		v, ok, err = invoke(r, textMethods, string(of), name, a)
	case float64:
		v, ok, err = invoke(r, numberMethods, of, name, a)
	case value.List:
		v, ok, err = invoke(r, listMethods, of, name, a)
	case value.Link:
		if v, ok, err = invoke(r, linkMethods, of, name, a); !ok {
			v, ok, err = invoke(r, textMethods, Text(of), name, a)
		}
	case pattern:
		v, ok, err = invoke(r, patternMethods, of, name, a)
	case value.Fields:
		v, ok, err = invoke(r, objectMethods, of, name, a)
	}
	if !ok {
		v, ok, err = invoke(r, anyMethods, of, name, a)
	}
	return v, ok, err
}

func invoke[T any](r *rowScope, methods map[string]methodOf[T], of T, name string, a []value.Value) (value.Value, bool, error) {
	run, ok := methods[name]
	if !ok {
		return nil, false, nil
	}
	v, err := run(r, of, a)
	return v, true, err
}

// hasLink reports whether a file links to another; the parts that links point at do not matter.
func (r *rowScope) hasLink(from *File, to value.Value) bool {
	wanted := ""
	if file := r.fileAt(to); file != nil {
		wanted = file.Path
	} else if link, ok := to.(value.Link); ok {
		wanted = link.Path
	} else if text, ok := to.(string); ok {
		wanted = text
	}
	return wanted != "" && slices.ContainsFunc(from.Links, func(link value.Link) bool {
		return link.Path == wanted || r.vault.Resolve(link.Path, from.Path) == wanted
	})
}
