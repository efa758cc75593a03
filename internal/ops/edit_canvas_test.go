package ops_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/ops"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/store/mem"
	"obsidian-mcp/internal/testkit/cases"
	"obsidian-mcp/internal/testkit/mode"
	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/vault"
	"obsidian-mcp/internal/vault/call"
)

// TestUndoOfCanvasEdits: after any edit of the cases and its undo, every byte is as before, on every store.
func TestUndoOfCanvasEdits(t *testing.T) {
	type editCase struct {
		ID, Before string
		Ops        []map[string]any
		Expect     struct{ Error string }
	}
	all := slices.DeleteFunc(readCases[editCase](t, "canvas/cases/edit.json"), func(c editCase) bool { return c.Expect.Error != "" })
	for _, backend := range backends {
		t.Run(backend.name, func(t *testing.T) {
			if backend.name != "mem" {
				skipIfShort(t)
			}
			edits := all
			if backend.name == "livesync" && !mode.Full() {
				edits = all[:8]
			}
			files := map[string]string{"Notes/Plan.md": "text ^abc\n", "Files/pic.png": "x"}
			for _, c := range edits {
				files[c.ID+".canvas"] = c.Before
			}
			s, now := backend.open(t, files, nil)
			v := vault.Open(s, slog.New(slog.DiscardHandler), vault.Options{History: newHistory(t)})
			t.Cleanup(func() { v.Close() })
			_, registry := ops.New(v.Whole(), transcriptOptions(""))
			before := now()
			for _, c := range edits {
				mustCall(t, registry, "edit_canvas", map[string]any{"name": c.ID, "ops": c.Ops})
			}
			mustCall(t, registry, "edit_canvas", map[string]any{"name": "deep/New", "ops": []map[string]any{{"add": "text", "text": "x"}}})
			made := changes(t, v)
			if len(made) < len(edits)-1 { // two cases change nothing
				t.Fatalf("only %d of %d edits were recorded", len(made), len(edits)+1)
			}
			mustCall(t, registry, "undo_change", map[string]any{"ids": made})
			after := now()
			for name := range after {
				if strings.HasPrefix(name, ".trash/") {
					delete(after, name)
				}
			}
			if d := cmp.Diff(before, after); d != "" {
				t.Errorf("(-before +after the undo)\n%s", d)
			}
		})
	}
}

func readCases[T any](t *testing.T, name string) []T {
	t.Helper()
	text, err := os.ReadFile(cases.Path(t, name))
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Cases []T }
	if err := json.Unmarshal(text, &file); err != nil || len(file.Cases) == 0 {
		t.Fatalf("%s: %d cases, %v", name, len(file.Cases), err)
	}
	return file.Cases
}

// mustCall calls a tool that must succeed.
func mustCall(t *testing.T, registry *tool.Registry, name string, arguments map[string]any) tool.Answer {
	t.Helper()
	ctx, _ := call.Begin(call.WithCaller(t.Context(), call.Caller{Client: "test"}), name)
	answer, err := invoke(ctx, t, registry, name, arguments)
	if err != nil {
		t.Fatalf("%s %v: %v", name, arguments, err)
	}
	return answer
}

// disturbed is a store in which somebody else writes a file just before each of the next commits.
type disturbed struct {
	*mem.Store
	times atomic.Int32
	write func(times int32)
}

func (d *disturbed) Commit(ctx context.Context, changes []store.Change) ([]store.Result, error) {
	if left := d.times.Add(-1); left >= 0 {
		d.write(left)
	}
	return d.Store.Commit(ctx, changes)
}

// TestCanvasEditIsAppliedAgain: a canvas that somebody else changes or creates during the call keeps that change, and
// gets the operations too. A caller that expects a state of the canvas is refused instead.
func TestCanvasEditIsAppliedAgain(t *testing.T) {
	theirs := `{"nodes":[{"id":"t","type":"text","text":"Theirs","x":0,"y":0,"width":260,"height":60}],"edges":[]}`
	for name, before := range map[string]map[string]string{
		"changed": {"B.canvas": "{}"}, "created": {},
	} {
		t.Run(name, func(t *testing.T) {
			d := &disturbed{Store: mem.New(before)}
			d.write = func(int32) { d.Store.Outside("B.canvas", []byte(theirs)) }
			v := vault.Open(d, slog.New(slog.DiscardHandler), vault.Options{History: newHistory(t)})
			t.Cleanup(func() { v.Close() })
			_, registry := ops.New(v.Whole(), transcriptOptions(""))
			d.times.Store(1)
			answer := mustCall(t, registry, "edit_canvas", map[string]any{"name": "B", "ops": []map[string]any{{"add": "text", "text": "Ours"}}})
			if text := d.Files()["B.canvas"]; !strings.Contains(text, "Theirs") || !strings.Contains(text, "Ours") || !strings.Contains(answer.Text, `- Theirs\n- Ours\n`) {
				t.Errorf("%s\n%s", answer.Text, text)
			}
			d.times.Store(1)
			d.write = func(int32) { d.Store.Outside("B.canvas", []byte("{}")) }
			_, err := invoke(t.Context(), t, registry, "edit_canvas", map[string]any{
				"name": "B", "expected_hash": store.Hash([]byte(d.Files()["B.canvas"])), "ops": []map[string]any{{"add": "text", "text": "More"}},
			})
			if fault.KindOf(err) != fault.Conflict || d.Files()["B.canvas"] != "{}" {
				t.Errorf("with an expected hash: %v, and the canvas is %s", err, d.Files()["B.canvas"])
			}
		})
	}
}

// TestLargeCanvasIsRefused: a canvas over 10 MB is neither read nor written.
func TestLargeCanvasIsRefused(t *testing.T) {
	large := `{"nodes":[],"edges":[],"zz":"` + strings.Repeat("x", vault.MaxNote) + `"}`
	v := vault.Open(mem.New(map[string]string{"Large.canvas": large}), slog.New(slog.DiscardHandler), vault.Options{})
	t.Cleanup(func() { v.Close() })
	_, registry := ops.New(v.Whole(), transcriptOptions(""))
	for name, text := range map[string]string{"Large": "y", "New": strings.Repeat("y", vault.MaxNote)} {
		_, err := invoke(t.Context(), t, registry, "edit_canvas", map[string]any{"name": name, "ops": []map[string]any{{"add": "text", "text": text}}})
		if fault.KindOf(err) != fault.InvalidArgument {
			t.Errorf("%s: %v", name, err)
		}
	}
}
