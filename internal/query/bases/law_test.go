package bases_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"obsidian-mcp/internal/query/bases"
	"obsidian-mcp/internal/query/value"
)

// A base without a filter lists every file that is not excluded.
func TestNoFilterListsEveryFile(t *testing.T) {
	v := vault(t)
	result, err := run(t, v, []byte("views:\n  - type: table\n"), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, row := range result.Rows {
		listed[row.Path] = true
	}
	for _, file := range v.Files() {
		if listed[file.Path] == v.Excluded(file.Path) {
			t.Errorf("%s: listed %v", file.Path, listed[file.Path])
		}
	}
}

// Rows that nothing else sorts are in the order of their names, numbers by their value, and then of their paths.
func TestRowsByName(t *testing.T) {
	v := vault(t)
	v.Excluded = func(string) bool { return false }
	var files []*bases.File
	for _, path := range []string{"b/Note 10.md", "a/Zebra.md", "c/Note 9.md", "b/Apple.md", "a/Note 10.md"} {
		files = append(files, &bases.File{Path: path})
	}
	v.SetFiles(files)
	result, err := run(t, v, []byte("views:\n  - {type: table, sort: [{property: nothing}]}\n"), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, row := range result.Rows {
		got = append(got, row.Path)
	}
	if want := []string{"b/Apple.md", "c/Note 9.md", "a/Note 10.md", "b/Note 10.md", "a/Zebra.md"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Filters are decided, or the query fails, or the file is left out and counted: never is a doubtful file a row.
func TestDoubtfulFilters(t *testing.T) {
	v := vault(t)
	for text, want := range map[string]string{
		"filters: number(status) > 1\n":                     "cannot be decided",
		"filters: formula.nope > 1\n":                       `no formula is named "nope"`,
		"filters: file.nope\n":                              "file.nope does not exist",
		"filters: nope(1)\n":                                `no function is named "nope"`,
		"filters: {and: [], or: []}\n":                      "exactly one of and, or, not",
		"filters: [a, b]\n":                                 "a filter is a text",
		"filters: a ==\n":                                   "column 5",
		"filters: a b\n":                                    `"b"`,
		"filters: 'x.replace(/(?=a)/, \"\")'\n":             "not supported",
		"filters: 'status == \"x'\n":                        "quote",
		"filters: (1\n":                                     `")"`,
		"formulas:\n  a: nope(1)\nfilters: formula.a\n":     "nope",
		"filters: x\n---\nviews: []\n":                      "dashes",
		"filters: '" + strings.Repeat("(", 100_000) + "'\n": "",
	} {
		if result, err := run(t, v, []byte(text), "", nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v, %v; want %q", text, result, err, want)
		}
	}
	mixed, err := run(t, v, []byte("filters: number(price) > 10\n"), "", nil)
	if err != nil || mixed.Failed != 1 || len(mixed.Reasons) != 1 || strings.Contains(mixed.Reasons[0], "n/a") {
		t.Errorf("%+v, %v", mixed, err)
	}
	for _, row := range mixed.Rows {
		if row.Path == "Ideas/Lantern.md" {
			t.Error("a file whose filter fails is a row")
		}
	}
}

// Expressions that would take forever, or make endless values, end.
func TestWorkIsBounded(t *testing.T) {
	v := vault(t)
	list := "[" + strings.Repeat("1, ", 199) + "1]"
	deep := "1"
	for range 5 {
		deep = list + ".map(" + deep + ")"
	}
	tree := list + ".reduce([acc, acc], 1)"
	for _, text := range []string{deep, `"ab".repeat(100000000000)`, tree + " == " + tree, "[" + tree + "," + tree + "].sort()", "[" + tree + "," + tree + "].unique()", list + `.reduce(acc + acc, [1])`, list + `.reduce(acc + acc, "a")`} {
		if _, err := run(t, v, []byte("filters: '"+text+"'\n"), "", nil); err == nil || !strings.Contains(err.Error(), "work") {
			t.Errorf("%.60s: %v, want an end", text, err)
		}
	}
	result, err := run(t, v, []byte("filters: file.path == \"Inbox.md\"\nformulas:\n  x: '"+tree+".toString().length'\nviews:\n  - {type: table, order: [formula.x]}\n"), "", nil)
	if err != nil || len(result.Rows) != 1 || len(bases.Text(result.Rows[0].Cells[0])) > 20 {
		t.Errorf("%+v, %v", result, err)
	}
}

// Many different values are put into groups and counted without comparing each with each.
func TestManyDifferentValues(t *testing.T) {
	v := vault(t)
	v.Excluded = func(string) bool { return false }
	var files []*bases.File
	for i := range 10_000 {
		properties := value.NewObject()
		properties.Set("n", float64(i))
		properties.Set("text", fmt.Sprint("text ", i))
		properties.Set("day", value.Date{Time: now.AddDate(0, 0, i), IsDay: true})
		properties.Set("list", value.List{value.FileLink("Inbox"), fmt.Sprint(i)})
		files = append(files, &bases.File{Path: fmt.Sprintf("Note %d.md", i), Properties: properties})
	}
	v.SetFiles(files)
	for _, name := range []string{"n", "text", "day", "list", "file"} {
		result, err := run(t, v, fmt.Appendf(nil, "views:\n  - type: table\n    groupBy: {property: %[1]s}\n    summaries: {%[1]s: Unique}\n", name), "", nil)
		want := 10_000
		if name == "file" {
			want = 1 // no note has this property
		}
		if err != nil || len(result.Groups) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Values are the same in unique() if == says so.
func TestUniqueIsEqual(t *testing.T) {
	v := vault(t)
	values := []string{
		"0", "-0", "1", "1000", `duration("1s")`, `"1"`, "true", "[1]", "[1, 1]", `["1"]`, "[[1]]", `""`, `"2026-01-02"`, `date("2026-01-02")`,
		`date("2026-01-02 10:00")`, `date("2026-01-02T10:00:00+02:00")`, `"2026-01-02T10:00"`, `link("Inbox")`, `link("Inbox.md", "in")`, `file("Inbox")`,
		`"Inbox.md"`, `{"a": 1}`, `{"a": duration("1ms")}`, `/a/`, `[link("Inbox")]`, `[file("Inbox")]`,
	}
	for _, a := range values {
		for _, b := range values {
			count := func(text string) string {
				result, err := run(t, v, []byte("filters: file.path == \"Inbox.md\"\nformulas:\n  x: '"+text+"'\nviews:\n  - {type: table, order: [formula.x]}\n"), "", nil)
				if err != nil {
					return err.Error()
				}
				return bases.Text(result.Rows[0].Cells[0])
			}
			if pair := "[" + a + ", " + b + "]"; count(pair+".unique().length == 1") != count(a+" == "+b) {
				t.Errorf("%s: unique %s, == %s", pair, count(pair+".unique().length"), count(a+" == "+b))
			}
		}
	}
}

// A window of a view is a part of the whole, and counts, groups and summaries stay the same.
func TestWindowLaws(t *testing.T) {
	v := vault(t)
	for _, text := range []string{
		"views: [{type: table}]", "views: [{type: table, sort: [{property: file.size, direction: DESC}], limit: 9}]",
		"views: [{type: table, order: [rating], summaries: {rating: Average, file.name: Unique}, sort: [{property: rating}]}]",
		"summaries: {First: 'values[0]'}\nviews: [{type: table, order: [rating], summaries: {file.name: First}, sort: [{property: file.size}]}]",
		"views: [{type: table, groupBy: {property: status, direction: ASC}, sort: [{property: file.name}], summaries: {rating: Sum}}]",
		"views: [{type: table, groupBy: status, limit: 11}]",
	} {
		base, err := bases.Parse([]byte(text))
		if err != nil {
			t.Fatal(text, err)
		}
		run := func(wanted value.Window) *bases.Result {
			result, err := base.Run(t.Context(), v, bases.Asking{Wanted: wanted, Now: now})
			if err != nil {
				t.Fatal(text, err)
			}
			return result
		}
		all := run(value.All)
		for _, window := range []value.Window{{Limit: 3}, {Limit: 0}, {Offset: 2, Limit: 5}, {Offset: 4, Limit: -1}, {Offset: 1000, Limit: 5}} {
			part := run(window)
			if part.Total != all.Total || part.Shown != all.Shown || all.Shown != len(all.Rows) || fmt.Sprint(part.Summaries) != fmt.Sprint(all.Summaries) {
				t.Errorf("%s %+v: %d, %d, %v; want %d, %d, %v", text, window, part.Total, part.Shown, part.Summaries, all.Total, all.Shown, all.Summaries)
			}
			if got, want := fmt.Sprint(part.Rows), fmt.Sprint(value.Of(window, all.Rows)); got != want {
				t.Errorf("%s %+v: %s, want %s", text, window, got, want)
			}
			rows := 0
			for i, group := range part.Groups {
				rows += len(group.Rows)
				if whole := all.Groups[i]; group.Total != whole.Total || whole.Total != len(whole.Rows) || fmt.Sprint(group.Summaries) != fmt.Sprint(whole.Summaries) {
					t.Errorf("%s %+v: group %+v, want that of %+v", text, window, group, whole)
				}
			}
			if part.Groups != nil && rows != len(part.Rows) {
				t.Errorf("%s %+v: the groups have %d rows, want %d", text, window, rows, len(part.Rows))
			}
		}
	}
}
