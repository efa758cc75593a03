package dataview

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"obsidian-mcp/internal/query/value"
)

// stage is a command while its query runs. It takes rows one after the other and passes on what it makes of them, at once or,
// if it needs to see them all, at the end. So only those commands hold rows.
type stage interface {
	take(row pageRow) error
	end() error
}

// stages makes the stages of commands and, behind them, of what shows the rows. It returns the first.
func (x *execution) stages(steps []step) (stage, error) {
	if len(steps) == 0 {
		return x.shower(), nil
	}
	step := steps[0]
	switch {
	case step.kind == groupBy:
		x.groups = &grouping{step.field.Name, x.groups}
	case step.kind == flatten && x.groups != nil && x.groups.name == step.field.Name:
		x.groups = x.groups.inner
	}
	next, err := x.stages(steps[1:])
	if err != nil {
		return nil, err
	}
	switch step.kind {
	case where:
		return &filterStage{base: x.base("WHERE", next), by: step.field.Expression}, nil
	case sortBy:
		return x.sorter(step, next), nil
	case limit:
		return x.limiter(step, next)
	case groupBy:
		return &groupStage{base: x.base("GROUP BY", next), field: step.field}, nil
	case flatten:
		return &flattenStage{base: x.base("FLATTEN", next), field: step.field}, nil
	}
	return nil, errors.New("a query can have only one FROM")
}

// base is what the stages share: they evaluate expressions, which may fail, for each row.
type base struct {
	*execution
	command string
	next    stage
	scope   scope
	rows    int
	failed  int
	reasons []string // the first of the failures
}

func (x *execution) base(command string, next stage) base {
	return base{execution: x, command: command, next: next}
}

// at returns the scope of a row. It is valid until the next call.
func (b *base) at(row pageRow) *scope {
	b.rows++
	b.scope = scope{env: b.environment, row: row.fields}
	return &b.scope
}

// fail leaves out a row for which an expression failed. It returns the errors that end a query.
func (b *base) fail(err error) error {
	if value.IsFinal(err) {
		return err
	}
	if b.failed++; b.failed <= mostReasons && !slices.Contains(b.reasons, err.Error()) {
		b.reasons = append(b.reasons, err.Error())
	}
	return nil
}

// mostReasons is how many different failures are told.
const mostReasons = 3

// tell adds the failures of a command to the result. If it failed for every row, the query fails.
func (b *base) tell() error {
	if b.failed > 0 && b.failed == b.rows {
		return fmt.Errorf("%s fails for every row: %s", b.command, strings.Join(b.reasons, "; "))
	}
	b.result.Failed += b.failed
	for _, reason := range b.reasons {
		if !slices.Contains(b.result.Reasons, reason) && len(b.result.Reasons) < mostReasons {
			b.result.Reasons = append(b.result.Reasons, reason)
		}
	}
	return nil
}

// end adds the failures to the result and ends the next stage.
func (b *base) end() error {
	if err := b.tell(); err != nil {
		return err
	}
	return b.next.end()
}

// filterStage is WHERE.
type filterStage struct {
	base
	by Expression
}

func (f *filterStage) take(row pageRow) error {
	v, err := f.by.evaluate(f.at(row))
	if err != nil {
		return f.fail(err)
	}
	if !isTrue(v) {
		return nil
	}
	return f.next.take(row)
}

// limitStage is LIMIT.
type limitStage struct {
	next    stage
	most    int       // negative: all but that many at the end
	taken   int       // rows that were passed on
	waiting []pageRow // the last rows, which may be the end
}

func (x *execution) limiter(step step, next stage) (stage, error) {
	amount, err := step.field.Expression.evaluate(&scope{env: x.environment})
	if err != nil {
		return nil, fmt.Errorf("LIMIT: %w", err)
	}
	number, ok := amount.(float64)
	if !ok {
		return nil, fmt.Errorf("LIMIT needs a number, not %s", typeOf(amount))
	}
	if math.IsNaN(number) {
		number = 0
	}
	return &limitStage{next: next, most: int(min(max(number, -math.MaxInt32), math.MaxInt32))}, nil
}

func (l *limitStage) take(row pageRow) error {
	if l.most < 0 {
		l.waiting = append(l.waiting, row)
		if len(l.waiting) <= -l.most {
			return nil
		}
		row, l.waiting = l.waiting[0], l.waiting[1:]
	} else if l.taken++; l.taken > l.most {
		return nil
	}
	return l.next.take(row)
}

func (l *limitStage) end() error { return l.next.end() }

// flattenStage is FLATTEN.
type flattenStage struct {
	base
	field Named
}

func (f *flattenStage) take(row pageRow) error {
	v, err := f.field.Expression.evaluate(f.at(row))
	if err != nil {
		return f.fail(err)
	}
	elements, isList := v.(value.List)
	if !isList {
		elements = value.List{v}
	}
	if err := f.spend(len(elements)); err != nil {
		return err
	}
	for _, element := range elements {
		if err := f.next.take(pageRow{row.id, overlay{row.fields, f.field.Name, element}}); err != nil {
			return err
		}
	}
	return nil
}

// overlay is a row with one field changed.
type overlay struct {
	value.Fields
	name  string
	value value.Value
}

// Get implements value.Fields.
func (o overlay) Get(name string) (value.Value, bool) {
	if name == o.name {
		return o.value, true
	}
	return o.Fields.Get(name)
}

// Keys implements value.Fields.
func (o overlay) Keys() []string {
	keys := o.Fields.Keys()
	if slices.Contains(keys, o.name) {
		return keys
	}
	return append(slices.Clone(keys), o.name)
}
