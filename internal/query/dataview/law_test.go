package dataview_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"obsidian-mcp/internal/query/dataview"
	"obsidian-mcp/internal/query/value"
)

// paths runs a query for a list of pages and returns their paths.
func paths(t *testing.T, set *dataview.Set, text string) []string {
	t.Helper()
	query, err := dataview.Parse(text, clock)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	result, err := set.Run(t.Context(), query, "Dashboard.md", value.All)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	var all []string
	for _, v := range result.List {
		all = append(all, v.(value.Link).Path)
	}
	return all
}

var (
	sortKeys   = []string{"file.name", "rating", "status", "due", "file.tags", "file.size % 7", "length(file.lists)", "tags", "author", "nothing"}
	conditions = []string{"rating", "status = \"active\"", "due < date(today)", "contains(file.tags, \"#book\")", "length(file.outlinks) > 1", "!read", "file.day"}
)

// Sorting keeps all rows, is stable, does not depend on the order before, and a limit takes a prefix.
func TestSortLaws(t *testing.T) {
	set := shared(t)
	all := paths(t, set, "LIST")
	for _, key := range sortKeys {
		sorted := paths(t, set, "LIST FROM \"\" SORT "+key)
		if again := paths(t, set, "LIST FROM \"\" SORT file.path SORT "+key); !slices.Equal(sorted, again) {
			t.Errorf("SORT %s: %q, after sorting by path %q", key, sorted, again)
		}
		if twice := paths(t, set, "LIST FROM \"\" SORT "+key+" SORT "+key); !slices.Equal(sorted, twice) {
			t.Errorf("SORT %s twice: %q, not %q", key, twice, sorted)
		}
		if kept := slices.Sorted(slices.Values(sorted)); !slices.Equal(kept, all) {
			t.Errorf("SORT %s changes the rows: %q", key, kept)
		}
		for _, limit := range []string{"0", "1", "7", "1000"} {
			first := paths(t, set, "LIST FROM \"\" SORT "+key+" LIMIT "+limit)
			if !slices.Equal(first, sorted[:min(len(first), len(sorted))]) {
				t.Errorf("SORT %s LIMIT %s: %q is not the beginning of %q", key, limit, first, sorted)
			}
		}
	}
}

// The order of filters does not matter, and two filters are one with AND.
func TestFilterLaws(t *testing.T) {
	set := shared(t)
	for _, first := range conditions {
		for _, second := range conditions {
			one := paths(t, set, "LIST WHERE "+first+" WHERE "+second)
			other := paths(t, set, "LIST WHERE "+second+" WHERE "+first)
			both := paths(t, set, "LIST WHERE ("+first+") AND ("+second+")")
			if !slices.Equal(one, other) || !slices.Equal(one, both) {
				t.Errorf("%s and %s: %q, %q, %q", first, second, one, other, both)
			}
		}
	}
}

// Expressions that would take forever, or make endless texts, end.
func TestWorkIsBounded(t *testing.T) {
	t.Parallel()
	set := shared(t)
	list := "[" + strings.Repeat("1, ", 199) + "1]"
	deep := "x"
	for range 6 {
		deep = "map(" + list + ", (x) => " + deep + ")"
	}
	tree := `reduce(` + list + `, (a, b) => list(a, a))` // 2^199 leaves
	for _, text := range []string{deep, `"ab" * 100000000000`, `padleft("a", 100000000000)`, `reduce(` + list + `, (a, b) => a + " " + a)`, `length(flat(` + tree + `, 100))`, `display(` + tree + `)`, `join(split("a" * 100000, ""), "b" * 10000)`, `replace("a" * 100000, "a", "b" * 10000)`, `regexreplace("a" * 100000, "a", "b" * 10000)`, tree + ` = ` + tree, `reduce(map(` + list + `, (x) => [x]), (a, b) => a + a)`} {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			expression, err := dataview.ParseExpression(text, clock)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := set.Evaluate(t.Context(), expression, ""); err == nil || !strings.Contains(err.Error(), "work") {
				t.Errorf("%.60s: %v, want an end", text, err)
			}
		})
	}
	expression, err := dataview.ParseExpression(tree, clock)
	if err != nil {
		t.Fatal(err)
	}
	v, err := set.Evaluate(t.Context(), expression, "")
	if text := dataview.Text(v); err != nil || len(text) > 10<<20 {
		t.Errorf("a huge value has a text of %d bytes, %v", len(text), err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	expression, _ = dataview.ParseExpression(deep, clock)
	if _, err := set.Evaluate(ended, expression, ""); err == nil || strings.Contains(err.Error(), "work") {
		t.Errorf("after its call ended, an expression goes on: %v", err)
	}
	for _, text := range []string{strings.Repeat("(", 100_000), "LIST WHERE " + strings.Repeat("[", 100_000)} {
		var syntax *dataview.SyntaxError
		if _, err := dataview.ParseExpression(text, clock); !errors.As(err, &syntax) {
			t.Errorf("%.20s: %v", text, err)
		}
	}
}

// Keys that are not like themselves have groups of their own.
func TestGroupsOfNaN(t *testing.T) {
	notes := map[string]string{"A.md": "n:: 1", "B.md": "n:: x", "C.md": "n:: y"}
	set := vaultOf(notes, nil, nil)
	query, err := dataview.Parse("LIST GROUP BY choice(n = 1, 1, 0 / 0) GROUP BY key", clock)
	if err != nil {
		t.Fatal(err)
	}
	result, err := set.Run(t.Context(), query, "", value.All)
	if err != nil || len(result.List) != 3 {
		t.Errorf("%v, %v", result, err)
	}
}

// A window of a result is a part of the whole, and what is counted stays the same.
func TestWindowLaws(t *testing.T) {
	set := shared(t)
	for _, text := range []string{
		"LIST", "LIST FROM \"\" SORT rating DESC", "LIST rating + 1 WHERE rating SORT file.name", "TABLE rating, date(due) SORT due", "TABLE lower(status)", "CALENDAR file.ctime SORT file.size",
		"LIST FROM \"\" GROUP BY status", "TABLE rows.file.link GROUP BY status SORT length(rows) DESC", "LIST FROM \"\" FLATTEN file.tags AS tag SORT tag LIMIT 12", "LIST FROM \"\" SORT file.size LIMIT -3",
		"TASK", "TASK SORT text", "TASK WHERE !completed GROUP BY file.link", "TASK GROUP BY status GROUP BY length(rows)", "LIST FROM \"\" SORT nope.x() LIMIT 3",
	} {
		query, err := dataview.Parse(text, clock)
		if err != nil {
			t.Fatal(text, err)
		}
		all, allErr := set.Run(t.Context(), query, "", value.All)
		for _, window := range []value.Window{{Limit: 3}, {Limit: 0}, {Offset: 2, Limit: 5}, {Offset: 4, Limit: -1}, {Offset: 1000, Limit: 5}, {Offset: 1, Limit: math.MaxInt}} {
			part, err := set.Run(t.Context(), query, "", window)
			if (err == nil) != (allErr == nil) {
				t.Fatalf("%s: %v, %v", text, err, allErr)
			}
			if err != nil {
				continue
			}
			if part.Total != all.Total || part.Failed != all.Failed || !slices.Equal(part.Reasons, all.Reasons) {
				t.Errorf("%s %+v: counts %d and %d, want %d and %d", text, window, part.Total, part.Failed, all.Total, all.Failed)
			}
			if got, want := shownTexts(part), value.Of(window, shownTexts(all)); !slices.Equal(got, want) {
				t.Errorf("%s %+v: %q, want %q", text, window, got, want)
			}
		}
		if allErr == nil && all.Total != len(shownTexts(all)) {
			t.Errorf("%s: %d rows, %d counted", text, len(shownTexts(all)), all.Total)
		}
	}
}

// shownTexts are the rows or tasks of a result as texts.
func shownTexts(result *dataview.Result) (all []string) {
	for _, row := range result.Rows {
		all = append(all, dataview.Text(value.List(row)))
	}
	for _, v := range result.List {
		all = append(all, dataview.Text(v))
	}
	for _, day := range result.Days {
		all = append(all, dataview.Text(day.Date)+dataview.Text(day.Link))
	}
	var add func(groups []dataview.TaskGroup)
	add = func(groups []dataview.TaskGroup) {
		for _, group := range groups {
			add(group.Groups)
			for _, task := range group.Tasks {
				all = append(all, task.Path+task.Text)
			}
		}
	}
	add(result.Tasks)
	return all
}
