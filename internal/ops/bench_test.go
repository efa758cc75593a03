package ops_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"obsidian-mcp/internal/ops"
	"obsidian-mcp/internal/store/folder"
	"obsidian-mcp/internal/testkit/vaultgen"
	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/vault"
)

// benchNotes is the size of the generated vault, from VAULT_NOTES.
func benchNotes() int {
	if notes, err := strconv.Atoi(os.Getenv("VAULT_NOTES")); err == nil {
		return notes
	}
	return 10_000
}

// openBench opens a generated vault whose note "Hub" has 5,000 incoming links.
func openBench(b *testing.B, dir string) *tool.Registry {
	b.Helper()
	_, tools := ops.New(openVault(b, dir).Whole(), ops.Options{TagPolicy: ops.TagsNotes, Secret: []byte("x")})
	return tools
}

// openVault makes a vault in a folder and opens it, with its index built.
func openVault(b *testing.B, dir string) *vault.Vault {
	b.Helper()
	if err := vaultgen.Write(dir, vaultgen.Options{Notes: benchNotes(), Seed: 1, Hub: 5000}); err != nil {
		b.Fatal(err)
	}
	return openIndexed(b, dir)
}

// openTools opens a folder with its index built.
func openTools(b *testing.B, dir string, policy ops.TagPolicy) *tool.Registry {
	b.Helper()
	_, tools := ops.New(openIndexed(b, dir).Whole(), ops.Options{TagPolicy: policy, Secret: []byte("x")})
	return tools
}

func openIndexed(b *testing.B, dir string) *vault.Vault {
	b.Helper()
	age(b, dir)
	store, err := folder.Open(dir, folder.Options{State: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	v := vault.Open(store, slog.New(slog.DiscardHandler), vault.Options{})
	b.Cleanup(func() { v.Close() })
	if _, err := v.Snapshot(b.Context()); err != nil {
		b.Fatal(err)
	}
	return v
}

// age makes the files of a vault seem an hour old. Those that were written a moment ago are read again once the index is built.
func age(b *testing.B, dir string) {
	b.Helper()
	then := time.Now().Add(-time.Hour)
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chtimes(path, then, then)
	})
	if err != nil {
		b.Fatal(err)
	}
}

func callBench(b *testing.B, tools *tool.Registry, name string, arguments map[string]any) string {
	b.Helper()
	answer, err := invoke(b.Context(), b, tools, name, arguments)
	if err != nil {
		b.Fatal(err)
	}
	return answer.Text
}

// BenchmarkWarm calls tools on a vault that is open and indexed.
func BenchmarkWarm(b *testing.B) {
	tools := openBench(b, b.TempDir())
	var list struct{ Names []string }
	if err := json.Unmarshal([]byte(callBench(b, tools, "list_notes", map[string]any{"limit": 500})), &list); err != nil {
		b.Fatal(err)
	}
	next := 0
	name := func() string {
		next++
		return list.Names[next%len(list.Names)]
	}
	for _, bench := range []struct {
		name string
		call func()
	}{
		{"get_links", func() { callBench(b, tools, "get_links", map[string]any{"name": name()}) }},
		{"get_links hub", func() { callBench(b, tools, "get_links", map[string]any{"name": "Hub"}) }},
		{"backlinks_search hub", func() { callBench(b, tools, "backlinks_search", map[string]any{"name": "Hub"}) }},
		{"get_note_metadata", func() { callBench(b, tools, "get_note_metadata", map[string]any{"name": name()}) }},
		{"search_notes tag", func() {
			callBench(b, tools, "search_notes", map[string]any{"query": fmt.Sprintf("tag%d", next%200), "mode": "tag"})
			next++
		}},
		{"get_headings", func() { callBench(b, tools, "get_headings", map[string]any{"name": name()}) }},
		{"list_notes", func() { callBench(b, tools, "list_notes", map[string]any{}) }},
		{"search_notes name_partial", func() { callBench(b, tools, "search_notes", map[string]any{"query": "kare"}) }},
		{"read_note", func() { callBench(b, tools, "read_note", map[string]any{"name": name()}) }},
		{"vault_info", func() { callBench(b, tools, "vault_info", nil) }},
		{"find_broken_links of all kinds after an edit", func() {
			callBench(b, tools, "append_note", map[string]any{"name": "Hub", "text": "more"})
			callBench(b, tools, "find_broken_links", map[string]any{"kind": "all"})
		}},
		{"vault_info after an edit", func() {
			callBench(b, tools, "append_note", map[string]any{"name": "Hub", "text": "more"})
			callBench(b, tools, "vault_info", nil)
		}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			for b.Loop() {
				bench.call()
			}
		})
	}
}

// BenchmarkHubRename renames a note with 5,000 incoming links, and writes as
// many files in a plain loop with the same durability.
func BenchmarkHubRename(b *testing.B) {
	dir := b.TempDir()
	tools := openBench(b, dir)
	from, to := "Hub", "Hub renamed"
	b.Run("rename", func(b *testing.B) {
		for b.Loop() {
			callBench(b, tools, "rename_note", map[string]any{"old_name": from, "new_name": to})
			from, to = to, from
		}
	})
	var result struct {
		Incoming []string
	}
	if err := json.Unmarshal([]byte(callBench(b, tools, "get_links", map[string]any{"name": from, "direction": "in"})), &result); err != nil || len(result.Incoming) < 4900 {
		b.Fatalf("%d incoming links, %v", len(result.Incoming), err)
	}
	linking := map[string]bool{}
	for _, name := range result.Incoming {
		linking[filepath.Base(name)] = true
	}
	files := map[string][]byte{}
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && linking[trimExt(entry.Name())] {
			files[name], err = os.ReadFile(name)
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			for name, content := range files {
				writeDurably(b, name, content)
			}
		}
	})
	b.Logf("%d files", len(files))
}

func trimExt(name string) string { return name[:len(name)-len(filepath.Ext(name))] }

// writeDurably replaces a file with the least that durability needs.
func writeDurably(b *testing.B, name string, content []byte) {
	temporary := name + ".tmp"
	file, err := os.OpenFile(temporary, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o644)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := file.Write(content); err != nil {
		b.Fatal(err)
	}
	if err := file.Sync(); err != nil {
		b.Fatal(err)
	}
	file.Close()
	if err := os.Rename(temporary, name); err != nil {
		b.Fatal(err)
	}
	dir, err := os.Open(filepath.Dir(name))
	if err != nil {
		b.Fatal(err)
	}
	if err := dir.Sync(); err != nil {
		b.Fatal(err)
	}
	dir.Close()
}

// BenchmarkUnknownName reads notes that do not exist: each error suggests others.
func BenchmarkUnknownName(b *testing.B) {
	tools := openBench(b, b.TempDir())
	for _, name := range []string{"Hbu", "nothing like it", "qqqqqqqqqqqq"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := invoke(b.Context(), b, tools, "read_note", map[string]any{"name": name}); err == nil {
					b.Fatal("the note exists")
				}
			}
		})
	}
}

// BenchmarkGraphReport makes every kind of report. After a change the graph has to be built again: "orphans after an edit". The first
// mentions and duplicates need all texts: "mentions, first".
func BenchmarkGraphReport(b *testing.B) {
	v := openVault(b, b.TempDir())
	open := func() *tool.Registry {
		_, tools := ops.New(v.Whole(), ops.Options{TagPolicy: ops.TagsNotes, Secret: []byte("x")})
		return tools
	}
	tools := open()
	for _, kind := range []string{"mentions", "duplicates"} {
		b.Run(kind+", first", func(b *testing.B) {
			for b.Loop() {
				callBench(b, open(), "graph_report", map[string]any{"kind": kind})
			}
		})
	}
	b.Run("orphans after an edit", func(b *testing.B) {
		for i := range b.N {
			b.StopTimer()
			callBench(b, tools, "append_note", map[string]any{"name": "Hub", "text": fmt.Sprint("edit ", i)})
			b.StartTimer()
			callBench(b, tools, "graph_report", map[string]any{"kind": "orphans"})
		}
	})
	for _, kind := range []string{"orphans", "dead_ends", "hubs", "path", "mentions", "clusters", "duplicates", "similar"} {
		arguments := map[string]any{"kind": kind}
		if kind == "path" || kind == "similar" {
			arguments["note"] = "Hub"
		}
		if kind == "path" {
			arguments["to"] = "Hub"
		}
		b.Run(kind, func(b *testing.B) {
			for b.Loop() {
				callBench(b, tools, "graph_report", arguments)
			}
		})
	}
}
