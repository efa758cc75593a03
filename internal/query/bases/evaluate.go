package bases

import (
	"fmt"
	"math"

	"obsidian-mcp/internal/query/value"
)

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
		if part, ok := of.Part(name); ok {
			return part, nil
		}
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
			units := value.UTF16(of)
			if number < 0 || number >= float64(len(units)) || number != math.Trunc(number) {
				return nil, nil
			}
			return value.FromUTF16(units[int(number) : int(number)+1]), nil
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
