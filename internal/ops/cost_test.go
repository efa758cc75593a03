package ops_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store/mem"
)

// TestLongQuestions: a question of a length that no person asks is refused, and
// one that is just as long as it may be is not.
func TestLongQuestions(t *testing.T) {
	tools := toolsOn(t, mem.New(map[string]string{"a.md": "text #tag"}))
	repeated := func(n int) any { return strings.Repeat("a", n) }
	tags := func(n int) any { return strings.Split(strings.Repeat("a", n), "") }
	for _, test := range []struct {
		tool, parameter string
		most            int
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
			arguments := map[string]any{test.parameter: test.value(test.most + more)}
			for name, value := range test.others {
				arguments[name] = value
			}
			_, err := callTool[any](t, tools, test.tool, arguments)
			if refused := fault.KindOf(err) == fault.InvalidArgument && err != nil; refused != (more == 1) {
				t.Errorf("%s, %d for %s %v: %v", test.tool, test.most+more, test.parameter, test.others, err)
			}
		}
	}
}

// TestCostlyQuestions asks for what has hundreds of threads at every byte of a
// line that does not end, before there is an index and, in the long form, with
// one.
func TestCostlyQuestions(t *testing.T) {
	var line strings.Builder
	for i := range 150_000 {
		fmt.Fprintf(&line, "%x, ", i*i*7919)
	}
	s := &slow{Store: mem.New(map[string]string{"long.md": line.String()}), end: make(chan struct{})}
	tools := toolsOn(t, s)
	for s.scans.Load() == 0 {
		time.Sleep(time.Millisecond) // until the index is being built
	}
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
	if os.Getenv("OBSIDIAN_MCP_TEST_LONG") == "" {
		return
	}
	if _, err := callTool[any](t, tools, "find_notes", map[string]any{}); err != nil { // waits for the index
		t.Fatal(err)
	}
	ask("vault_search", pattern)
	ask("find_notes", "/"+pattern+"/")
}
