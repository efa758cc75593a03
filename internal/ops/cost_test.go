package ops_test

import (
	"fmt"
	"strings"
	"testing"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store/mem"
	"obsidian-mcp/internal/testkit/mode"
)

// TestLengthOfQueriesIsLimited: a query at the limit is accepted, one beyond it refused.
func TestLengthOfQueriesIsLimited(t *testing.T) {
	tools := toolsOn(t, mem.New(map[string]string{"a.md": "text #tag"}))
	repeated := func(n int) any { return strings.Repeat("a", n) }
	tags := func(n int) any { return strings.Split(strings.Repeat("a", n), "") }
	for _, test := range []struct {
		tool, parameter string
		limit           int
		value           func(int) any
		others          map[string]any
	}{
		{"vault_search", "query", 4096, repeated, nil},
		{"vault_search", "path_filter", 2048, repeated, map[string]any{"query": "x"}},
		{"search_notes", "query", 4096, repeated, map[string]any{"mode": "name"}},
		{"search_notes", "query", 4096, repeated, map[string]any{"mode": "name_partial"}},
		{"search_notes", "query", 4096, repeated, map[string]any{"mode": "content"}},
		{"search_notes", "query", 4096, repeated, map[string]any{"mode": "tag"}},
		{"find_notes", "query", 4096, repeated, nil},
		{"find_notes", "tags", 100, tags, nil},
	} {
		for _, more := range []int{0, 1} {
			arguments := map[string]any{test.parameter: test.value(test.limit + more)}
			for name, value := range test.others {
				arguments[name] = value
			}
			_, err := callTool[any](t, tools, test.tool, arguments)
			if refused := fault.KindOf(err) == fault.InvalidArgument && err != nil; refused != (more == 1) {
				t.Errorf("%s, %d for %s %v: %v", test.tool, test.limit+more, test.parameter, test.others, err)
			}
		}
	}
}

// TestCostlyPatternsAreRefused searches one endless line for a pattern that has hundreds
// of threads at every byte: before the index is built and, in the full form, with it.
func TestCostlyPatternsAreRefused(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	var line strings.Builder
	for i := range 150_000 {
		fmt.Fprintf(&line, "%x, ", i*i*7919)
	}
	s := newUnindexed(map[string]string{"long.md": line.String()})
	tools := toolsOn(t, s)
	<-s.begun
	var alternatives []string
	for i := range 90 {
		alternatives = append(alternatives, fmt.Sprintf("[%d-f].{%d}[g-z]", i%9, 10+i))
	}
	pattern := strings.Join(alternatives, "|")
	ask := func(tool, query string) {
		t.Helper()
		_, err := callTool[any](t, tools, tool, map[string]any{"query": query})
		if fault.KindOf(err) != fault.InvalidArgument || !strings.Contains(fmt.Sprint(err), "costs too much") || fault.HintOf(err) == "" {
			t.Errorf("%s: %v", tool, err)
		}
	}
	ask("vault_search", pattern)
	close(s.end)
	if !mode.Full() {
		return
	}
	if _, err := callTool[any](t, tools, "find_notes", map[string]any{}); err != nil { // waits for the index
		t.Fatal(err)
	}
	ask("vault_search", pattern)
	ask("find_notes", "/"+pattern+"/")
}
