package bases

import (
	"slices"
	"strconv"
	"strings"

	"obsidian-mcp/internal/query/value"
	"obsidian-mcp/internal/text/order"
)

// groups puts rows with the same value together, and returns them in the order of the groups.
func (e *environment) groups(chosen view, rows []*tableRow) ([]Group, []*tableRow, error) {
	var seen distinct
	var keys []value.Value
	var members [][]*tableRow
	for _, row := range rows {
		key, err := row.scope.cell(chosen.group.expr)
		if err != nil {
			return nil, nil, err
		}
		if _, failed := key.(error); failed || isEmptyValue(key) {
			key = nil
		}
		at := seen.place(row.scope, key)
		if at == len(keys) {
			keys, members = append(keys, key), append(members, nil)
		}
		members[at] = append(members[at], row)
	}
	places := upTo(len(keys))
	order.Stably(places, func(a, b int) int { return e.compareInColumn(keys[a], keys[b], chosen.group.descending) })
	groups, ordered := make([]Group, len(places)), make([]*tableRow, 0, len(rows))
	for i, place := range places {
		of := members[place]
		summaries, err := e.summaries(chosen, of)
		if err != nil {
			return nil, nil, err
		}
		groups[i] = Group{Key: keys[place], From: of[0].Path, Total: len(of), Summaries: summaries}
		ordered = append(ordered, of...)
	}
	return groups, ordered, nil
}

// upTo lists the numbers below another.
func upTo(end int) []int {
	numbers := make([]int, end)
	for i := range numbers {
		numbers[i] = i
	}
	return numbers
}

// distinct collects different values.
type distinct struct {
	values []value.Value    // with links and files as what they lead to
	places map[string][]int // of the values with a mark
	others []int            // places of the values without one
}

// place returns the place of the value that equals another, which is added if none does.
func (d *distinct) place(r *rowScope, v value.Value) int {
	v = r.settled(v)
	mark, hasMark := r.mark(v)
	for _, at := range d.mayEqual(mark, hasMark) {
		if r.equal(d.values[at], v) {
			return at
		}
	}
	at := len(d.values)
	d.values = append(d.values, v)
	if !hasMark {
		d.others = append(d.others, at)
		return at
	}
	if d.places == nil {
		d.places = map[string][]int{}
	}
	d.places[mark] = append(d.places[mark], at)
	return at
}

// mayEqual lists the places of the values that one with this mark may equal.
func (d *distinct) mayEqual(mark string, hasMark bool) []int {
	switch {
	case !hasMark:
		return upTo(len(d.values))
	case len(d.others) == 0:
		return d.places[mark]
	}
	return slices.Concat(d.places[mark], d.others)
}

// settled is a value with links and files as what they lead to, so that it can be compared with those of other rows.
func (r *rowScope) settled(v value.Value) value.Value {
	list, isList := v.(value.List)
	if !isList || r.spend(value.StepsPerElement*len(list)) != nil {
		return r.comparable(v)
	}
	settled := make(value.List, len(list))
	for i, element := range list {
		settled[i] = r.settled(element)
	}
	return settled
}

// mark is the same for all values that are equal. Values without a mark may equal any other.
func (r *rowScope) mark(v value.Value) (string, bool) {
	if millis, ok := asMillis(v); ok {
		return "n" + strconv.FormatFloat(millis+0, 'g', -1, 64), true // -0 is 0
	}
	if date, ok := r.asDate(v); ok {
		return "d" + date.Day().Time.Format("2006-01-02"), date.Time.Location() == r.now.Location()
	}
	switch v := v.(type) {
	case nil:
		return "-", true
	case bool:
		return "b" + strconv.FormatBool(v), true
	case string:
		return "s" + v, true
	case target:
		return "f" + string(v), true
	case value.List:
		var out strings.Builder
		for _, element := range v {
			mark, ok := r.mark(element)
			if !ok || r.spend(len(mark)/value.BytesPerStep) != nil {
				return "", false
			}
			out.WriteString(strconv.Itoa(len(mark)) + ":" + mark)
		}
		return "l" + out.String(), true
	}
	return "", false
}
