package dataview

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode/utf16"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/query/value"
)

// environment is what all expressions of a query share.
type environment struct {
	set    *Set
	origin string       // the path of the note that the query is asked from; "" if it is asked from none
	this   value.Fields // its fields
	clock  Clock
	budget *value.Budget
}

// spend counts work.
func (env *environment) spend(steps int) error { return env.budget.Spend(steps) }

// resolve turns the path of a link into that of the file that it leads to, if there is one.
func (env *environment) resolve(path string) string {
	if found := env.set.Resolve(path, env.origin); found != "" {
		return found
	}
	return path
}

// scope is where an expression finds the values of names.
type scope struct {
	env    *environment
	row    value.Fields
	locals *local
}

// local is an argument of a lambda.
type local struct {
	name  string
	value value.Value
	outer *local
}

func (s *scope) lookUp(name string) value.Value {
	for l := s.locals; l != nil; l = l.outer {
		if l.name == name {
			return l.value
		}
	}
	if s.row != nil {
		if v, ok := s.row.Get(name); ok {
			return v
		}
	}
	if name == "this" {
		return s.env.this
	}
	return nil
}

func (l literal) evaluate(s *scope) (value.Value, error) { return l.value, s.env.spend(0) }

func (v variable) evaluate(s *scope) (value.Value, error) { return s.lookUp(v.name), s.env.spend(0) }

func (n negation) evaluate(s *scope) (value.Value, error) {
	of, err := n.of.evaluate(s)
	return !isTrue(of), err
}

func (b binary) evaluate(s *scope) (value.Value, error) {
	left, err := b.left.evaluate(s)
	if err != nil {
		return nil, err
	}
	if (b.op == "&" || b.op == "|") && isTrue(left) == (b.op == "|") && isSafe(b.right) {
		return b.op == "|", nil // the right side does not matter
	}
	right, err := b.right.evaluate(s)
	if err != nil {
		return nil, err
	}
	return s.env.apply(b.op, left, right)
}

// isSafe reports whether an expression cannot fail. One that can is evaluated even if its value does not matter, because a
// row is left out if any part of an expression fails.
func isSafe(e Expression) bool {
	switch e := e.(type) {
	case literal, variable:
		return true
	case negation:
		return isSafe(e.of)
	case binary:
		switch e.op {
		case "+", "-", "*", "/", "%":
			return false
		}
		return isSafe(e.left) && isSafe(e.right)
	}
	return false
}

func (l listOf) evaluate(s *scope) (value.Value, error) {
	list, err := evaluateAll(s, l.items)
	return value.List(list), err
}

func evaluateAll(s *scope, all []Expression) ([]value.Value, error) {
	values := make([]value.Value, len(all))
	for i, expression := range all {
		v, err := expression.evaluate(s)
		if err != nil {
			return nil, err
		}
		values[i] = v
	}
	return values, s.env.spend(len(all))
}

func (o objectOf) evaluate(s *scope) (value.Value, error) {
	object := value.NewObject()
	for i, key := range o.keys {
		v, err := o.values[i].evaluate(s)
		if err != nil {
			return nil, err
		}
		object.Set(key, v)
	}
	return object, s.env.spend(len(o.keys))
}

func (l lambda) evaluate(s *scope) (value.Value, error) {
	return function(func(env *environment, arguments []value.Value) (value.Value, error) {
		inner := *s
		for i, name := range l.names {
			if i < len(arguments) {
				inner.locals = &local{name, arguments[i], inner.locals}
			}
		}
		return l.body.evaluate(&inner)
	}), s.env.spend(0)
}

func (c call) evaluate(s *scope) (value.Value, error) {
	var called value.Value
	if named, ok := c.function.(variable); ok {
		called = named.name
	} else {
		v, err := c.function.evaluate(s)
		if err != nil {
			return nil, err
		}
		called = v
	}
	arguments, err := evaluateAll(s, c.arguments)
	if err != nil {
		return nil, err
	}
	switch called := called.(type) {
	case function:
		return called(s.env, arguments)
	case string:
		known, ok := functions[called]
		if !ok {
			return nil, fmt.Errorf("no function is named %q%s", called, fault.DidYouMean(called, functionNames()))
		}
		return known(s.env, arguments)
	}
	return nil, fmt.Errorf("%s cannot be called", typeOf(called))
}

func (i index) evaluate(s *scope) (value.Value, error) {
	by, err := i.by.evaluate(s)
	if err != nil {
		return nil, err
	}
	var of value.Value
	if named, ok := i.of.(variable); ok && named.name == "row" {
		of = wholeRow{s}
	} else if of, err = i.of.evaluate(s); err != nil {
		return nil, err
	}
	return s.env.part(of, by)
}

// wholeRow is the row as an object: row.name, row["a name"].
type wholeRow struct{ *scope }

func (w wholeRow) Get(name string) (value.Value, bool) {
	v := w.lookUp(name)
	return v, v != nil
}

func (w wholeRow) Keys() []string {
	if w.row == nil {
		return []string{"this"}
	}
	return append([]string{"this"}, w.row.Keys()...)
}

// part returns a part of a value by name or number.
func (env *environment) part(of, by value.Value) (value.Value, error) {
	name, byName := by.(string)
	number, byNumber := by.(float64)
	switch {
	case by == nil:
		return nil, nil
	case !byName && !byNumber:
		return nil, errors.New("only texts and numbers select a part of a value")
	}
	switch of := of.(type) {
	case value.List:
		if byName {
			return env.parts(of, name)
		}
		if number < 0 || number >= float64(len(of)) || number != math.Trunc(number) {
			return nil, nil
		}
		return of[int(number)], nil
	case string:
		if byName {
			return nil, errors.New("a text has no parts with names")
		}
		units := utf16.Encode([]rune(of))
		if number < 0 || number >= float64(len(units)) || number != math.Trunc(number) {
			return nil, nil
		}
		return string(utf16.Decode(units[int(number) : int(number)+1])), nil
	}
	if !byName {
		switch of.(type) {
		case value.Link, value.Date, value.Duration, value.Fields:
			return nil, fmt.Errorf("the parts of a value of type %s have names, not numbers", typeOf(of))
		}
		return nil, nil
	}
	switch of := of.(type) {
	case value.Link:
		if page := env.set.Page(env.resolve(of.Path)); page != nil {
			v, _ := page.Get(name)
			return v, nil
		}
	case value.Date:
		return datePart(of, name), nil
	case value.Duration:
		return durationPart(of, name), nil
	case value.Fields:
		v, _ := of.Get(name)
		return v, nil
	}
	return nil, nil
}

// parts returns the same part of every element; elements without parts of that kind are left out.
func (env *environment) parts(of value.List, name string) (value.Value, error) {
	parts := make(value.List, 0, len(of))
	for _, element := range of {
		v, err := env.part(element, name)
		if value.IsFinal(err) {
			return nil, err
		}
		if err == nil {
			parts = append(parts, v)
		}
	}
	return parts, env.spend(len(of))
}

// datePart returns a part of a date: week is the plugin's own, weekyear the number of the week.
func datePart(d value.Date, name string) value.Value {
	switch name {
	case "weekyear":
		_, week := d.Time.ISOWeek()
		return float64(week)
	case "week":
		return float64(d.Time.Day()/7 + 1)
	case "weekday":
		return float64((int(d.Time.Weekday())+6)%7 + 1)
	}
	if part, ok := d.Part(name); ok {
		return part
	}
	return nil
}

func durationPart(d value.Duration, name string) value.Value {
	if name == "week" {
		return nil
	}
	unit, ok := value.UnitNamed(strings.TrimSuffix(name, "s") + "s")
	if !ok {
		return nil
	}
	return d.In(unit)
}
