package dataview

import (
	"fmt"
	"runtime"
	"testing"

	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/query/value"
)

// liveHeap is how many bytes are in use once garbage has been collected.
func liveHeap() int {
	var memory runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&memory)
	return int(memory.HeapAlloc)
}

// Rows that are not wanted are not held, however many a query sees.
func TestRowsThatAreNotWantedAreNotHeld(t *testing.T) {
	const count, width = 3_000, 1_000 // each row that is held takes this many bytes
	pages := make([]*Page, count)
	for i := range pages {
		pages[i] = Import(Source{Path: fmt.Sprintf("%05d.md", i), Note: md.Scan([]byte(fmt.Sprintf("n:: %d\n- [ ] x", i*7919%count)))}, Clock{})
	}
	set := NewSet(pages, nil)
	wide := fmt.Sprintf(`padleft(n + "", %d)`, width)
	for _, text := range []string{
		"TABLE " + wide, "TABLE " + wide + " SORT n", "LIST " + wide + " SORT n DESC", "LIST FROM \"\" FLATTEN " + wide + " AS w SORT w",
		"LIST FROM \"\" FLATTEN " + wide + " AS w SORT w LIMIT 10", "LIST FROM \"\" FLATTEN " + wide + " AS w WHERE w SORT n LIMIT 10 SORT w", "LIST FROM \"\" FLATTEN " + wide + " AS w LIMIT -10",
		"TASK FLATTEN " + wide + " AS w SORT w",
	} {
		query, err := Parse(text, Clock{})
		if err != nil {
			t.Fatal(text, err)
		}
		run := execution{environment: set.environment(t.Context(), ""), query: query, wanted: value.Window{Offset: 5, Limit: 5}}
		first, err := run.stages(query.steps)
		if err != nil {
			t.Fatal(text, err)
		}
		before := liveHeap()
		for _, page := range set.pages {
			if err := run.send(page, first); err != nil {
				t.Fatal(text, err)
			}
		}
		if held := (liveHeap() - before) / width; held > 100 {
			t.Errorf("%s holds about %d of %d rows; 5 are wanted", text, held, count)
		}
		runtime.KeepAlive(first)
	}
	runtime.KeepAlive(set)
}
