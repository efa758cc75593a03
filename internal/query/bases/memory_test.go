package bases

import (
	"fmt"
	"runtime"
	"testing"

	"obsidian-mcp/internal/query/value"
)

// Rows that are not wanted are not held, however many files pass the filters; only the values that a summary needs.
func TestRowsThatAreNotWantedAreNotHeld(t *testing.T) {
	const count, width = 3_000, 1_000 // each row that is held takes this many bytes
	files := make([]*File, count)
	for i := range files {
		files[i] = &File{Path: fmt.Sprintf("%05d.md", i*7919%count)}
	}
	vault := &Vault{Excluded: func(string) bool { return false }}
	vault.SetFiles(files)
	wide := fmt.Sprintf("formulas: {wide: 'file.name.repeat(%d)'}\n", width/8)
	for _, view := range []string{
		"order: [formula.wide]", "sort: [{property: formula.wide}]", "sort: [{property: formula.wide, direction: DESC}], limit: 20",
		"sort: [{property: file.name}], filters: formula.wide, summaries: {file.name: Unique}", "groupBy: file.ext, limit: 20, sort: [{property: formula.wide}]",
	} {
		base, err := Parse([]byte(wide + "views: [{type: table, " + view + "}]"))
		if err != nil {
			t.Fatal(view, err)
		}
		env := &environment{base: base, vault: vault, budget: value.NewBudget(t.Context().Done())}
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		found := env.gathering(base.views[0], value.Window{Offset: 5, Limit: 5})
		if err := found.files(&Result{}); err != nil || found.total != count {
			t.Fatal(view, found.total, err)
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		if held := (int(after.HeapAlloc) - int(before.HeapAlloc)) / width; held > count/10 {
			t.Errorf("%s holds about %d of %d rows; 5 are wanted", view, held, count)
		}
		runtime.KeepAlive(found)
	}
}
