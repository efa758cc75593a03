package ops_test

import (
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"testing"

	"obsidian-mcp/internal/ops"
	"obsidian-mcp/internal/store/mem"
	"obsidian-mcp/internal/text/meaning"
	"obsidian-mcp/internal/vault"
	"obsidian-mcp/internal/vault/call"
)

// cutCalls are calls that find more than they may show.
var cutCalls = map[string]map[string]any{
	"search_notes":      {"query": "Note"},
	"list_notes":        {},
	"find_broken_links": {},
	"find_notes":        {"query": "word"},
	"vault_search":      {"query": "word"},
	"backlinks_search":  {"name": "Hub"},
	"graph_neighbors":   {"name": "Hub"},
	"graph_report":      {"kind": "orphans"},
	"list_changes":      {},
	"read_note":         {"name": "Long"},
	"list_files":        {},
	"find_properties":   {},
	"find_tasks":        {},
	"query_vault":       {"query": "LIST"},
	"find_conflicts":    {},
}

// TestCutAnswersSaySo: every tool that can cut its answer says so, and how to go on.
func TestCutAnswersSaySo(t *testing.T) {
	files := map[string]string{"Hub.md": "word [[Missing]] [[Missing 2]]\n", "Long.md": strings.Repeat("a line\n", 100), "Tasks.md": "- [ ] a\n- [ ] b\n", "a.png": "", "b.png": "", "a.sync-conflict-20261116-101010.png": "", "b.sync-conflict-20261116-101010.png": "", "P.md": "---\na: 1\nb: 2\n---\n"}
	for i := range 5 {
		files[fmt.Sprintf("Note %d.md", i)] = "word [[Hub]]\n"
	}
	v := vault.Open(mem.New(files), slog.New(slog.DiscardHandler), vault.Options{History: newHistory(t), Meaning: meaning.Builtin()})
	t.Cleanup(func() { v.Close() })
	_, tools := ops.New(v.Whole(), ops.Options{Secret: []byte("x"), ReadLimit: 100})
	for i := range 3 {
		ctx, _ := call.Begin(t.Context(), "append_note")
		if _, err := invoke(ctx, t, tools, "append_note", map[string]any{"name": fmt.Sprintf("Note %d", i), "text": "more"}); err != nil {
			t.Fatal(err)
		}
	}
	howToGoOn := regexp.MustCompile(`continue with (offset|start_line)=\d+|limit`)
	for _, called := range tools.All() {
		arguments, known := cutCalls[called.Name]
		for _, param := range called.Params {
			if param.Name == "limit" && !known {
				t.Errorf("cutCalls has no call of %s: add one that finds more than one result", called.Name)
			}
		}
		if !known {
			continue
		}
		if called.Name != "read_note" {
			arguments["limit"] = 1
		}
		answer, err := invoke(t.Context(), t, tools, called.Name, arguments)
		if lines := answer.HintLines(); err != nil || len(lines) != 1 || !howToGoOn.MatchString(lines[0]) {
			t.Errorf("%s: %q, %v; want a hint that says how to go on", called.Name, lines, err)
		}
	}
}
