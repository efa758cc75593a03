package bases

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"obsidian-mcp/internal/query/value"
	"obsidian-mcp/internal/text/order"
)

// gathering is a view while its files are looked at, one after the other. It keeps the rows that can be among those wanted;
// of the others, the values that summaries need.
type gathering struct {
	*environment
	chosen  view
	first   *order.First[*tableRow]
	total   int
	columns []value.List // of the summaries; nil if their rows are kept
}

// gathering begins with a view. A group is shown with its number of rows and with summaries of them, and a summary of the
// base's own may ask for the order of all values: these need all rows.
func (e *environment) gathering(chosen view, wanted value.Window) *gathering {
	most := wanted.End()
	if chosen.group != nil || most < 0 || chosen.limit >= 0 && chosen.limit < most {
		most = chosen.limit
	}
	g := &gathering{environment: e, chosen: chosen}
	if slices.ContainsFunc(chosen.summaries, func(s columnSummary) bool { return e.base.summaries[s.name] != nil }) {
		most = -1
	}
	if most >= 0 {
		g.columns = make([]value.List, len(chosen.summaries))
	}
	g.first = order.NewFirst(most, g.compare)
	return g
}

// files looks at all files.
func (g *gathering) files(result *Result) error {
	var scope *rowScope // of the file that is looked at; a row keeps it, other files use it one after the other
	for _, file := range g.vault.files {
		if g.vault.Excluded(file.Path) {
			continue
		}
		if scope == nil {
			scope = newScope(g.environment, nil)
		}
		scope.file = file
		passes, err := scope.passes(g.base.filter)
		if err == nil && passes {
			passes, err = scope.passes(g.chosen.filter)
		}
		if isFinal(err) {
			return err
		}
		if err != nil {
			result.Failed++
			if reason := reasonOf(err); len(result.Reasons) < mostReasons && !slices.Contains(result.Reasons, reason) {
				result.Reasons = append(result.Reasons, reason)
			}
		} else if passes {
			if err := g.add(scope); err != nil {
				return err
			}
			scope = nil
			continue
		}
		scope.formulas = scope.formulas[:0]
	}
	if result.Failed > 0 && g.total == 0 {
		return fmt.Errorf("the filters cannot be decided for %d files, and no other file passes: %s", result.Failed, strings.Join(result.Reasons, "; "))
	}
	return nil
}

// mostReasons is how many different failures are told.
const mostReasons = 3

// add takes a file that passes the filters.
func (g *gathering) add(scope *rowScope) error {
	row := &tableRow{Row: Row{Path: scope.file.Path}, scope: scope, place: g.total}
	g.total++
	for i := range g.columns {
		v, err := scope.summarised(g.chosen.summaries[i])
		if err != nil {
			return err
		}
		g.columns[i] = append(g.columns[i], v)
	}
	for _, key := range g.chosen.sort {
		v, err := scope.cell(key.expr)
		if err != nil {
			return err
		}
		row.keys = append(row.keys, v)
	}
	g.first.Add(row)
	return g.spend(0)
}

// compare puts rows in the order of a view. Rows that no key tells apart stay in the order of the files.
func (g *gathering) compare(a, b *tableRow) int {
	for i, key := range g.chosen.sort {
		if order := g.compareInColumn(a.keys[i], b.keys[i], key.descending); order != 0 {
			return order
		}
	}
	return cmp.Compare(a.place, b.place)
}

// summaries are those of all rows; kept are the rows that were kept.
func (g *gathering) summaries(kept []*tableRow) ([]Summary, error) {
	if g.columns == nil {
		return g.environment.summaries(g.chosen, kept)
	}
	return g.summariesOf(g.chosen, g.columns)
}
