package ops_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"regexp"
	"strings"
	"testing"

	"obsidian-mcp/internal/ops"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/store/mem"
	"obsidian-mcp/internal/testkit/mode"
	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/vault"
	"obsidian-mcp/internal/vault/call"
)

// textsOf reads all files of a store.
func textsOf(t *testing.T, s store.Store) map[string]string {
	t.Helper()
	texts := map[string]string{}
	err := s.Scan(t.Context(), func(store.Info) bool { return true }, func(found store.Found) {
		if !found.Folder {
			texts[string(found.Path)] = string(found.Data)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

// TestManyNotesNeedConsent edits more notes than a call may without it. The dry run gives the id for the call.
func TestManyNotesNeedConsent(t *testing.T) {
	files := map[string]string{}
	for i := range 12 {
		files[fmt.Sprintf("n/%02d.md", i)] = "text\n"
	}
	s := mem.New(files)
	v := vault.Open(s, slog.New(slog.DiscardHandler), vault.Options{History: newHistory(t)})
	t.Cleanup(func() { v.Close() })
	_, tools := ops.New(v.Whole(), ops.Options{Secret: []byte("x"), ConfirmOver: 10})
	arguments := map[string]any{"where": map[string]any{"path_prefix": "n/"}, "ops": noteOps("append", "text", "more")}
	edit := func(further map[string]any) (tool.Answer, error) {
		t.Helper()
		all := maps.Clone(arguments)
		maps.Copy(all, further)
		ctx, _ := call.Begin(t.Context(), "edit_notes")
		return invoke(ctx, t, tools, "edit_notes", all)
	}
	if _, err := edit(nil); err == nil || !strings.Contains(err.Error(), "This changes 12 notes") {
		t.Fatal(err)
	}
	preview, err := edit(map[string]any{"dry_run": true})
	if err != nil || len(preview.HintLines()) != 1 {
		t.Fatal(preview.HintLines(), err)
	}
	id := regexp.MustCompile(`confirm='([^']+)'`).FindStringSubmatch(preview.HintLines()[0])
	if _, err := edit(map[string]any{"confirm": id[1], "ops": noteOps("append", "text", "else")}); err == nil {
		t.Error("an id is valid for another call")
	}
	if got := textsOf(t, s); got["n/00.md"] != "text\n" {
		t.Errorf("%q", got)
	}
	if _, err := edit(map[string]any{"confirm": id[1]}); err != nil {
		t.Fatal(err)
	}
	if got := textsOf(t, s); got["n/00.md"] != "text\n\nmore\n" || got["n/11.md"] != "text\n\nmore\n" {
		t.Errorf("%q", got)
	}
	if ids := changes(t, v); len(ids) != 1 {
		t.Errorf("%d changes", len(ids))
	}
}

// TestEditNotesIsOneUnit lets a write fail, and another program change a note before the first attempt commits.
func TestEditNotesIsOneUnit(t *testing.T) {
	files := map[string]string{"A.md": "a\n", "B.md": "b\n", "C.md": "c\n"}
	s := &racingStore{Store: mem.New(files)}
	v := vault.Open(s, slog.New(slog.DiscardHandler), vault.Options{})
	t.Cleanup(func() { v.Close() })
	_, tools := ops.New(v.Whole(), ops.Options{Secret: []byte("x")})
	s.before = func() {
		file, err := s.Store.Read(t.Context(), "B.md", 100)
		if err == nil {
			_, err = s.Store.Commit(t.Context(), []store.Change{{Path: "B.md", Base: file.Rev, Was: file.Data, Data: []byte("b, changed elsewhere\n")}})
		}
		if err != nil {
			t.Error(err)
		}
	}
	if _, err := invoke(t.Context(), t, tools, "edit_notes", map[string]any{"names": []string{"A", "B", "C"}, "ops": noteOps("append", "text", "more")}); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"A.md": "a\n\nmore\n", "B.md": "b, changed elsewhere\n\nmore\n", "C.md": "c\n\nmore\n"}
	if got := textsOf(t, s.Store); !maps.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// TestEditNotesCanBeUndone edits random notes with random operations. Other notes stay, and one undo gives back
// every byte.
func TestEditNotesCanBeUndone(t *testing.T) {
	bodies := []string{"plain\n", "---\ntags: [a, b]\nstatus: open # x\n---\n# Log\r\n- one\r\n", "# Log\n\n`Acme` Acme\n", "---\nlist:\n  - 1\n---\n", "", "no newline", "\ufeff---\ntags: a\n---\nAcme\n"}
	operations := [][]map[string]any{
		noteOps("set_property", "key", "status", "value", "done"), noteOps("remove_property", "key", "status"), noteOps("rename_property", "from", "status", "to", "state"),
		noteOps("add_tag", "tag", "a"), noteOps("remove_tag", "tag", "a"), noteOps("replace_text", "old", "Acme", "new", "Apex"),
		noteOps("append", "text", "end"), noteOps("append_section", "section", "Log", "text", "- two"), noteOps("update_section", "section", "Log", "content", "new"),
	}
	for round := range mode.Pick(60, 600, 6000) {
		random := mode.Rand(uint64(round))
		files := map[string]string{"Other.md": "Acme\n"}
		var names []string
		for i := range 1 + random.IntN(6) {
			name := fmt.Sprintf("N%d", i)
			names = append(names, name)
			files[name+".md"] = bodies[random.IntN(len(bodies))]
		}
		var chosen []map[string]any
		for range 1 + random.IntN(3) {
			chosen = append(chosen, operations[random.IntN(len(operations))]...)
		}
		s := mem.New(maps.Clone(files))
		v := vault.Open(s, slog.New(slog.DiscardHandler), vault.Options{History: newHistory(t)})
		_, tools := ops.New(v.Whole(), ops.Options{Secret: []byte("x"), TagPolicy: ops.TagsOff})
		ctx, _ := call.Begin(t.Context(), "edit_notes")
		answer, err := invoke(ctx, t, tools, "edit_notes", map[string]any{"names": names, "ops": chosen})
		checkEdited(t, s, files, answer, err, fmt.Sprint(chosen))
		if ids := changes(t, v); len(ids) > 0 {
			if _, err := invoke(t.Context(), t, tools, "undo_change", map[string]any{"id": ids[0]}); err != nil {
				t.Errorf("round %d: %v", round, err)
			}
		}
		if got := textsOf(t, s); !maps.Equal(got, files) {
			t.Errorf("round %d, %v: %q was %q", round, chosen, got, files)
		}
		v.Close()
	}
}

// checkEdited checks that exactly the notes that an answer lists have changed.
func checkEdited(t *testing.T, s store.Store, before map[string]string, answer tool.Answer, failed error, what string) {
	t.Helper()
	var result struct {
		Matched, Unchanged int
		Changed, Skipped   []struct{ Path string }
	}
	if failed == nil {
		if err := json.Unmarshal(answer.JSON, &result); err != nil {
			t.Fatal(err)
		}
		if result.Matched != len(result.Changed)+len(result.Skipped)+result.Unchanged {
			t.Errorf("%s: %s", what, answer.Text)
		}
	}
	changed := map[string]bool{}
	for _, note := range result.Changed {
		changed[note.Path] = true
	}
	for path, now := range textsOf(t, s) {
		if (now != before[path]) != changed[path] {
			t.Errorf("%s: %s was %q and is %q, reported: %v", what, path, before[path], now, changed[path])
		}
	}
}

// racingStore calls before ahead of its first commit.
type racingStore struct {
	store.Store
	before func()
}

func (s *racingStore) Commit(ctx context.Context, changes []store.Change) ([]store.Result, error) {
	if before := s.before; before != nil {
		s.before = nil
		before()
	}
	return s.Store.Commit(ctx, changes)
}
