package bases

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"obsidian-mcp/internal/query/value"
)

// environment is what all expressions of a query share.
type environment struct {
	base   *Base
	vault  *Vault
	this   *File // the file that the base is shown in; nil: none
	now    time.Time
	random func() float64
	budget *value.Budget
}

// spend counts work.
func (e *environment) spend(steps int) error { return e.budget.Spend(steps) }

// isFinal reports whether an error ends the query: the base is wrong, or takes too much work. Other errors concern a value.
func isFinal(err error) bool {
	_, isWrong := errors.AsType[*Error](err)
	return isWrong || value.IsFinal(err)
}

// rowScope is where expressions find the values of names for one file.
type rowScope struct {
	*environment
	file     *File
	formulas *map[string]*computed // made when a formula is first computed
	locals   *local
}

func newScope(e *environment, file *File) *rowScope {
	return &rowScope{environment: e, file: file, formulas: new(map[string]*computed)}
}

// computed is the value of a formula for a file.
type computed struct {
	value  value.Value
	err    error
	isDone bool
}

// local is a name inside of filter(), map() and reduce(), or of a summary.
type local struct {
	name  string
	value value.Value
	outer *local
}

func (r *rowScope) with(name string, v value.Value) *rowScope {
	inner := *r
	inner.locals = &local{name, v, r.locals}
	return &inner
}

// formula computes a formula once.
func (r *rowScope) formula(name string) (value.Value, error) {
	expr, ok := r.base.formulas[name]
	if !ok {
		return nil, &Error{Reason: fmt.Sprintf("there is no formula %q", name) + nearest(name, r.base.formulaNames())}
	}
	if *r.formulas == nil {
		*r.formulas = map[string]*computed{}
	}
	known := (*r.formulas)[name]
	if known == nil {
		known = new(computed)
		(*r.formulas)[name] = known
		outside := *r
		outside.locals = nil
		v, err := expr.evaluate(&outside)
		known.value, known.err, known.isDone = v, err, true
	}
	if !known.isDone {
		return nil, fmt.Errorf("the formula %q depends on itself", name)
	}
	return known.value, known.err
}

func (b *Base) formulaNames() (names []string) {
	for name := range b.formulas {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (l literal) evaluate(r *rowScope) (value.Value, error) { return l.value, r.spend(0) }

func (v variable) evaluate(r *rowScope) (value.Value, error) {
	if err := r.spend(0); err != nil {
		return nil, err
	}
	for l := r.locals; l != nil; l = l.outer {
		if l.name == v.name {
			return l.value, nil
		}
	}
	switch v.name {
	case "file":
		return r.file, nil
	case "note":
		return noteFields{r.file}, nil
	case "formula":
		return formulaFields{r}, nil
	case "this":
		if r.this == nil {
			return nil, nil
		}
		return thisNote{r.this}, nil
	}
	found, _ := r.file.property(v.name)
	return found, nil
}

// noteFields are the properties of a note.
type noteFields struct{ *File }

func (n noteFields) Get(name string) (value.Value, bool) { return n.property(name) }

func (n noteFields) Keys() []string {
	if n.Properties == nil {
		return nil
	}
	return n.Properties.Keys()
}

// formulaFields are the formulas of a base.
type formulaFields struct{ *rowScope }

func (f formulaFields) Get(name string) (value.Value, bool) {
	v, err := f.formula(name)
	return v, err == nil
}

func (f formulaFields) Keys() []string { return f.base.formulaNames() }

// thisNote is the file that the base is shown in: this.file, and its properties.
type thisNote struct{ *File }

func (t thisNote) Get(name string) (value.Value, bool) {
	if name == "file" {
		return t.File, true
	}
	return t.property(name)
}

func (t thisNote) Keys() []string { return append([]string{"file"}, noteFields(t).Keys()...) }

// fileOf returns the file that a value stands for.
func fileOf(v value.Value) *File {
	switch v := v.(type) {
	case *File:
		return v
	case thisNote:
		return v.File
	}
	return nil
}

func (m member) evaluate(r *rowScope) (value.Value, error) {
	of, err := m.of.evaluate(r)
	if err != nil {
		return nil, err
	}
	return r.member(of, m.name)
}

// member returns a field of a value.
func (r *rowScope) member(of value.Value, name string) (value.Value, error) {
	switch of := of.(type) {
	case nil:
		return nil, nil
	case formulaFields:
		return of.formula(name)
	case *File:
		return r.field(of, name)
	case value.Fields:
		v, _ := of.Get(name)
		return v, nil
	case value.Date:
		return datePart(of, name)
	case value.Duration:
		unit, ok := value.UnitNamed(name)
		if !ok {
			return nil, fmt.Errorf("a duration has no %q", name)
		}
		return of.Millis() / value.DurationOf(1, unit).Millis(), nil
	case string:
		if name == "length" {
			return float64(value.UTF16Len(of)), nil
		}
	case Tag:
		return r.member(string(of), name)
	case value.List:
		if name == "length" {
			return float64(len(of)), nil
		}
	}
	return nil, fmt.Errorf("a value of type %s has no %q", typeName(of), name)
}

func datePart(d value.Date, name string) (value.Value, error) {
	t := d.Time
	switch name {
	case "year":
		return float64(t.Year()), nil
	case "month":
		return float64(t.Month()), nil
	case "day":
		return float64(t.Day()), nil
	case "hour":
		return float64(t.Hour()), nil
	case "minute":
		return float64(t.Minute()), nil
	case "second":
		return float64(t.Second()), nil
	case "millisecond":
		return float64(t.Nanosecond() / int(time.Millisecond)), nil
	}
	return nil, fmt.Errorf("a date has no %q", name)
}

func (e element) evaluate(r *rowScope) (value.Value, error) {
	of, err := e.of.evaluate(r)
	if err != nil {
		return nil, err
	}
	by, err := e.by.evaluate(r)
	if err != nil {
		return nil, err
	}
	number, byNumber := by.(float64)
	switch of := of.(type) {
	case nil:
		return nil, nil
	case value.List:
		if byNumber {
			if number < 0 || number >= float64(len(of)) || number != math.Trunc(number) {
				return nil, nil
			}
			return of[int(number)], nil
		}
	case string:
		if byNumber {
			units := unitsOf(of)
			if number < 0 || number >= float64(len(units)) || number != math.Trunc(number) {
				return nil, nil
			}
			return textOf(units[int(number) : int(number)+1]), nil
		}
	}
	if name, byName := by.(string); byName {
		return r.member(of, name)
	}
	return nil, fmt.Errorf("a value of type %s has no such element", typeName(of))
}

func (l listOf) evaluate(r *rowScope) (value.Value, error) {
	list, err := evaluateAll(r, l.items)
	return value.List(list), err
}

func (o objectOf) evaluate(r *rowScope) (value.Value, error) {
	values, err := evaluateAll(r, o.values)
	if err != nil {
		return nil, err
	}
	object := value.NewObject()
	for i, key := range o.keys {
		object.Set(key, values[i])
	}
	return object, nil
}

func evaluateAll(r *rowScope, all []expression) ([]value.Value, error) {
	values := make([]value.Value, len(all))
	for i, expr := range all {
		v, err := expr.evaluate(r)
		if err != nil {
			return nil, err
		}
		values[i] = v
	}
	return values, r.spend(len(all))
}

func (u unary) evaluate(r *rowScope) (value.Value, error) {
	of, err := u.of.evaluate(r)
	if err != nil {
		return nil, err
	}
	if u.op == "!" {
		return !isTruthy(of), nil
	}
	switch of := of.(type) {
	case nil:
		return emptyArithmetic(), nil
	case float64:
		return -of, nil
	case value.Duration:
		return of.Times(-1), nil
	}
	return nil, fmt.Errorf("-%s is not possible", typeName(of))
}

func (b binary) evaluate(r *rowScope) (value.Value, error) {
	left, err := b.left.evaluate(r)
	if err != nil {
		return nil, err
	}
	switch {
	case b.op == "&&" && !isTruthy(left):
		return false, nil
	case b.op == "||" && isTruthy(left):
		return true, nil
	}
	right, err := b.right.evaluate(r)
	if err != nil {
		return nil, err
	}
	switch b.op {
	case "&&", "||":
		return isTruthy(right), nil
	case "==":
		return r.equal(left, right), r.spend(0)
	case "!=":
		return !r.equal(left, right), r.spend(0)
	case "<", "<=", ">", ">=":
		return r.ordered(b.op, left, right), nil
	}
	return r.calculate(b.op, left, right)
}

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
