package ops_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"obsidian-mcp/internal/ops"
	"obsidian-mcp/internal/store/mem"
	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/vault"
)

// onTasks are the options of servers in these tests, which run on a Monday.
var onTasks = ops.Options{TagPolicy: ops.TagsOff, Secret: []byte("x"), VaultID: "v", Now: onMonday, Zone: time.UTC}

// TestTasksInEveryStore finds and ticks tasks in each kind of store, at the same time: nothing is lost.
func TestTasksInEveryStore(t *testing.T) {
	for _, backend := range backends {
		t.Run(backend.name, func(t *testing.T) {
			const count = 6
			var note strings.Builder
			for i := range count {
				fmt.Fprintf(&note, "- [ ] task %d 🔁 every week 📅 2026-11-1%d\r\n", i, i)
			}
			s, after := backend.open(t, map[string]string{"House.md": note.String() + "end"}, map[string]string{"community-plugins.json": `["obsidian-tasks-plugin"]`})
			v := vault.Open(s, slog.New(slog.DiscardHandler), vault.Options{})
			t.Cleanup(func() { v.Close() })
			_, tools := ops.New(v.Whole(), onTasks)
			var clients sync.WaitGroup
			for i := range count {
				clients.Go(func() {
					if _, err := invoke(t.Context(), t, tools, "update_task", map[string]any{"note": "House", "text": fmt.Sprintf("task %d", i), "action": "done"}); err != nil {
						t.Error(err)
					}
				})
			}
			clients.Wait()
			text := after()["House.md"]
			if strings.Count(text, "- [x] task") != count || strings.Count(text, "- [ ] task") != count || strings.Count(text, "\r\n") != 2*count || !strings.HasSuffix(text, "\r\nend") {
				t.Errorf("the note is %q", text)
			}
			answer, err := invoke(t.Context(), t, tools, "find_tasks", map[string]any{"query": "not done; sort by due", "limit": 1})
			if err != nil || !strings.Contains(answer.Text, `"due":"2026-11-17"`) || !strings.HasSuffix(answer.Text, fmt.Sprintf(`"total":%d}`, count)) {
				t.Errorf("%s, %v", answer.Text, err)
			}
		})
	}
}

// TestUpdateTaskLaw: ticking a task there and back gives back every byte of the note, and setting a field changes only its
// line.
func TestUpdateTaskLaw(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		eol := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "line end")
		lines := rapid.SliceOfN(rapid.SampledFrom([]string{
			"- [ ] a", "\t- [ ] nested 📅 2026-11-20 ^id", "> - [ ] quoted", "1. [ ] numbered  ", "text", "", "```", "- [ ] b ⏫ #tag", "# Heading", "%%", "* [/] begun",
		}), 1, 12).Draw(t, "lines")
		text := strings.Join(lines, eol) + rapid.SampledFrom([]string{"", eol}).Draw(t, "end")
		s := mem.New(map[string]string{"N.md": text})
		v := vault.Open(s, slog.New(slog.DiscardHandler), vault.Options{})
		defer v.Close()
		_, tools := ops.New(v.Whole(), onTasks)
		var found struct {
			Tasks []struct {
				Line         int
				Text, Symbol string
			}
		}
		ask(t, tools, "find_tasks", map[string]any{"query": "status.name includes todo"}, &found)
		for _, task := range found.Tasks {
			named := func(action string, set map[string]any) map[string]any {
				return map[string]any{"note": "N", "line": task.Line, "text": task.Text, "action": action, "set": set}
			}
			ask(t, tools, "update_task", named("toggle", nil), nil)
			ask(t, tools, "update_task", named("toggle", nil), nil)
			if now := s.Files()["N.md"]; now != text {
				t.Fatalf("line %d of %q, there and back: %q", task.Line, text, now)
			}
			ask(t, tools, "update_task", named("set", map[string]any{"due": "2027-01-01"}), nil)
			was, now := strings.Split(text, "\n"), strings.Split(s.Files()["N.md"], "\n")
			for i := range was {
				if changed := i == task.Line-1; len(now) != len(was) || (was[i] != now[i]) != changed {
					t.Fatalf("line %d of %q: %q", task.Line, text, s.Files()["N.md"])
				}
			}
			text = s.Files()["N.md"]
		}
	})
}

// ask makes a call that must succeed.
func ask(t *rapid.T, tools *tool.Registry, name string, arguments map[string]any, into any) {
	encoded, err := json.Marshal(arguments)
	if err != nil {
		t.Fatal(err)
	}
	called, err := tools.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := called.Call(t.Context(), encoded)
	if err != nil {
		t.Fatalf("%s %s: %v", name, encoded, err)
	}
	if into != nil {
		err = json.Unmarshal(answer.JSON, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// BenchmarkFindTasks asks for the open tasks among 50,000 in 10,000 notes: of an index that knows them, right after an edit,
// and by a search for lines.
func BenchmarkFindTasks(b *testing.B) {
	files := map[string]string{}
	for i := range 10_000 {
		var text strings.Builder
		text.WriteString(strings.Repeat("Words that are not tasks. ", 40) + "\n\n")
		for j := range 5 {
			fmt.Fprintf(&text, "- [%s] Task %d of note %d%s\n", []string{" ", "x"}[(i+j)%3/2], j, i,
				[]string{"", fmt.Sprintf(" 📅 2026-11-%02d", 1+i%28), " ⏫ ⏳ 2026-12-01", " #home 🔁 every week 📅 2026-10-01", " 🛫 2026-09-01"}[j])
		}
		files[fmt.Sprintf("Area %d/Note %d.md", i%50, i)] = text.String()
	}
	v := vault.Open(mem.New(files), slog.New(slog.DiscardHandler), vault.Options{})
	defer v.Close()
	_, tools := ops.New(v.Whole(), onTasks)
	for range 3 { // files that are new are read twice
		callBench(b, tools, "find_tasks", map[string]any{})
		time.Sleep(time.Second)
	}
	for _, query := range []string{"not done", "not done; due before 2026-11-16; sort by due", "not done; tags include home; group by folder"} {
		b.Run(query, func(b *testing.B) {
			for b.Loop() {
				callBench(b, tools, "find_tasks", map[string]any{"query": query})
			}
		})
	}
	b.Run("after an edit", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			callBench(b, tools, "append_note", map[string]any{"name": "Note 7", "text": "- [ ] more"})
			b.StartTimer()
			callBench(b, tools, "find_tasks", map[string]any{})
		}
	})
	b.Run("by line", func(b *testing.B) {
		for b.Loop() {
			callBench(b, tools, "vault_search", map[string]any{"query": `^\s*- \[ \]`, "limit": 10_000})
		}
	})
}

// TestTaskChangesAreUndone: whatever update_task does is one change, and undoing it gives back every byte.
func TestTaskChangesAreUndone(t *testing.T) {
	files := map[string]string{
		"House.md": "# Now\r\n- [ ] water 🔁 every week 📅 2026-11-16\r\n\t- more\r\n- [ ] oil 🏁 delete\r\n# Later\r\nend",
		"Board.md": "---\nkanban-plugin: board\n---\n## A\n- [ ] card\n\n## Done\n\n**Complete**\n",
	}
	for _, arguments := range []map[string]any{
		{"note": "House", "text": "water", "action": "done"}, {"note": "House", "text": "oil", "action": "done"},
		{"note": "House", "text": "water", "action": "move", "section": "Later"}, {"note": "House", "text": "new", "action": "create", "section": "Now"},
		{"note": "Board", "text": "card", "action": "move", "lane": "Done"}, {"note": "Board", "text": "card", "action": "move", "lane": "Archive"},
		{"text": "new", "action": "create"},
	} {
		v := newRecordedVault(t, files)
		v.must("update_task", arguments)
		if maps.Equal(v.store.Files(), files) {
			t.Errorf("%v changes nothing", arguments)
		}
		v.must("undo_change", map[string]any{"since": "1h"})
		after := v.store.Files()
		maps.DeleteFunc(after, func(path, _ string) bool { return strings.HasPrefix(path, ".trash/") }) // where new notes go
		if diff := cmp.Diff(files, after); diff != "" {
			t.Errorf("%v and undone:\n%s", arguments, diff)
		}
	}
}
