package bases

import (
	"maps"
	"slices"

	"obsidian-mcp/internal/query/value"
)

// summaries computes the summaries of a view over some rows.
func (e *environment) summaries(chosen view, rows []*tableRow) ([]Summary, error) {
	columns := make([]value.List, len(chosen.summaries))
	for i, wanted := range chosen.summaries {
		columns[i] = make(value.List, len(rows))
		for j, row := range rows {
			var err error
			if columns[i][j], err = row.scope.summarised(wanted); err != nil {
				return nil, err
			}
		}
	}
	return e.summariesOf(chosen, columns)
}

// summarised is the value of a file that a summary counts; one that cannot be computed counts as empty.
func (r *rowScope) summarised(wanted columnSummary) (value.Value, error) {
	v, err := r.cell(wanted.expr)
	if _, failed := v.(error); failed {
		return nil, err
	}
	return v, err
}

// summariesOf computes the summaries of a view over the values of their columns.
func (e *environment) summariesOf(chosen view, columns []value.List) ([]Summary, error) {
	var results []Summary
	for i, wanted := range chosen.summaries {
		v, err := e.summary(wanted.name, columns[i])
		if value.IsFinal(err) {
			return nil, err
		}
		if err != nil {
			v = err
		}
		results = append(results, Summary{wanted.id, v})
	}
	return results, nil
}

// summary computes one of the base's own summaries, or one that every base has.
func (e *environment) summary(name string, column value.List) (value.Value, error) {
	scope := newScope(e, &File{})
	if own, ok := e.base.summaries[name]; ok {
		return own.evaluate(scope.with("values", column))
	}
	known, ok := standardSummaries[name]
	if !ok {
		all := slices.Sorted(maps.Keys(standardSummaries))
		all = append(all, slices.Sorted(maps.Keys(e.base.summaries))...)
		return nil, unknown("summary", name, all)
	}
	return known(scope, column), e.spend(0)
}

// standardSummaries are the summaries that every base has. Empty values do not count in those of numbers and dates.
var standardSummaries = map[string]func(r *rowScope, column value.List) value.Value{
	"Average": ofNumbers(mean),
	"Min":     ofNumbers(func(numbers []float64) value.Value { return slices.Min(numbers) }),
	"Max":     ofNumbers(func(numbers []float64) value.Value { return slices.Max(numbers) }),
	"Sum":     ofNumbers(func(numbers []float64) value.Value { return sum(numbers) }),
	"Median":  ofNumbers(median),
	"Stddev":  ofNumbers(deviation),
	"Range": func(r *rowScope, column value.List) value.Value {
		if dates := datesOf(column); len(dates) > 0 {
			return value.DurationOf(float64(slices.MaxFunc(dates, compareDates).Time.Sub(slices.MinFunc(dates, compareDates).Time).Milliseconds()), value.Milliseconds)
		}
		return ofNumbers(func(numbers []float64) value.Value { return slices.Max(numbers) - slices.Min(numbers) })(r, column)
	},
	"Earliest":  ofDates(func(dates []value.Date) value.Date { return slices.MinFunc(dates, compareDates) }),
	"Latest":    ofDates(func(dates []value.Date) value.Date { return slices.MaxFunc(dates, compareDates) }),
	"Checked":   counting(func(v value.Value) bool { return v == true }),
	"Unchecked": counting(isUnchecked),
	"Empty":     counting(isEmptyValue),
	"Filled":    counting(func(v value.Value) bool { return !isEmptyValue(v) }),
	"Unique": func(r *rowScope, column value.List) value.Value {
		var seen distinct
		for _, v := range column {
			if !isEmptyValue(v) {
				seen.place(r, v)
			}
		}
		return float64(len(seen.values))
	},
}

func ofNumbers(compute func([]float64) value.Value) func(*rowScope, value.List) value.Value {
	return func(_ *rowScope, column value.List) value.Value {
		var numbers []float64
		for _, v := range column {
			if number, ok := v.(float64); ok {
				numbers = append(numbers, number)
			}
		}
		if len(numbers) == 0 {
			return nil
		}
		return compute(numbers)
	}
}

func datesOf(column value.List) (dates []value.Date) {
	for _, v := range column {
		if date, ok := v.(value.Date); ok {
			dates = append(dates, date)
		}
	}
	return dates
}

func compareDates(a, b value.Date) int { return a.Time.Compare(b.Time) }

func ofDates(pick func([]value.Date) value.Date) func(*rowScope, value.List) value.Value {
	return func(_ *rowScope, column value.List) value.Value {
		if dates := datesOf(column); len(dates) > 0 {
			return pick(dates)
		}
		return nil
	}
}

func counting(counts func(value.Value) bool) func(*rowScope, value.List) value.Value {
	return func(_ *rowScope, column value.List) value.Value {
		count := 0
		for _, v := range column {
			if counts(v) {
				count++
			}
		}
		return float64(count)
	}
}
