package bases

import (
	"errors"
	"fmt"
	"slices"
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
	*row
	locals *local
}

// row is a file with the formulas that were computed for it.
type row struct {
	file     *File
	formulas []computed
}

func newScope(e *environment, file *File) *rowScope {
	return &rowScope{environment: e, row: &row{file: file}}
}

// computed is the value of a formula for a file.
type computed struct {
	name   string
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
		return nil, unknown("formula", name, r.base.formulaNames())
	}
	at := slices.IndexFunc(r.formulas, func(known computed) bool { return known.name == name })
	if at < 0 {
		at = len(r.formulas)
		r.formulas = append(r.formulas, computed{name: name})
		outside := *r
		outside.locals = nil
		v, err := expr.evaluate(&outside)
		r.formulas[at] = computed{name, v, err, true}
	}
	if known := &r.formulas[at]; known.isDone {
		return known.value, known.err
	}
	return nil, fmt.Errorf("the formula %q depends on itself", name)
}

func (b *Base) formulaNames() (names []string) {
	for name := range b.formulas {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
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
