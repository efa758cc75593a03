package ops_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/ops"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/testkit/mode"
	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/vault"
	"obsidian-mcp/internal/vault/call"
)

// staleVault is a vault with a note that several sessions work on.
type staleVault struct {
	t     *testing.T
	tools *tool.Registry
	files func() map[string]string
}

func openStale(t *testing.T, backend backend, text string, limit int) *staleVault {
	t.Helper()
	s, files := backend.open(t, map[string]string{"Plan.md": text}, nil)
	v := vault.Open(s, slog.New(slog.DiscardHandler), vault.Options{})
	t.Cleanup(func() { v.Close() })
	_, tools := ops.New(v.Whole(), ops.Options{Secret: []byte("x"), ReadLimit: limit})
	return &staleVault{t, tools, files}
}

// staleBackends are all stores; LiveSync, which is slow to open, only in the heavier form.
func staleBackends() []backend {
	if mode.Full() {
		return backends
	}
	return backends[:2]
}

// session returns a function that makes calls of a session of its own.
func (v *staleVault) session() func(name string, arguments map[string]any) (tool.Answer, error) {
	memory := new(call.Memory)
	return func(name string, arguments map[string]any) (tool.Answer, error) {
		ctx, _ := call.Begin(call.WithMemories(context.WithoutCancel(v.t.Context()), memory), name)
		return invoke(ctx, v.t, v.tools, name, arguments)
	}
}

const changedSince = "'Plan' changed since you read it. Read it again."

// TestStaleNotesAreNotReplaced: each tool that replaces text refuses it once somebody else has changed the note, and
// tools that add text do not.
func TestStaleNotesAreNotReplaced(t *testing.T) {
	for _, backend := range staleBackends() {
		for _, c := range []struct {
			tool      string
			arguments map[string]any
			refused   bool
		}{
			{"update_note", map[string]any{"content": "mine"}, true},
			{"update_section", map[string]any{"section": "Goals", "content": "mine"}, true},
			{"delete_section", map[string]any{"section": "Goals"}, true},
			{"create_note", map[string]any{"content": "mine", "overwrite": true}, true},
			{"set_frontmatter", map[string]any{"key": "list", "value": `["mine"]`}, true},
			{"set_frontmatter", map[string]any{"key": "status", "value": "mine"}, false},
			{"append_note", map[string]any{"text": "mine"}, false},
			{"append_section", map[string]any{"section": "Goals", "text": "mine"}, false},
			{"insert_text", map[string]any{"after": "# Goals", "text": "mine"}, false},
			{"replace_text", map[string]any{"old_text": "first", "new_text": "mine"}, false},
		} {
			t.Run(backend.name+" "+c.tool+fmt.Sprint(c.arguments["key"]), func(t *testing.T) {
				v := openStale(t, backend, "# Goals\n\nfirst\n", 0)
				mine, theirs := v.session(), v.session()
				read, err := mine("read_note", map[string]any{"name": "Plan"})
				if err != nil {
					t.Fatal(err)
				}
				if _, err := theirs("append_note", map[string]any{"name": "Plan", "text": "theirs"}); err != nil {
					t.Fatal(err)
				}
				c.arguments["name"] = "Plan"
				delete(c.arguments, "expected_hash")
				answer, err := mine(c.tool, c.arguments)
				if !c.refused {
					if err != nil || !strings.Contains(v.files()["Plan.md"], "theirs") {
						t.Errorf("%v; the note is now %q", err, v.files()["Plan.md"])
					}
					return
				}
				if fault.KindOf(err) != fault.Conflict || err.Error() != changedSince {
					t.Fatalf("got %v", err)
				}
				if hints := strings.Join(answer.HintLines(), "\n"); !strings.Contains(hints, "+theirs") {
					t.Errorf("the hint is %q, want a diff", hints)
				}
				if !strings.Contains(v.files()["Plan.md"], "theirs") {
					t.Error("their text is lost")
				}
				if _, err := mine("read_note", map[string]any{"name": "Plan"}); err != nil {
					t.Fatal(err)
				}
				if _, err := mine(c.tool, c.arguments); err != nil {
					t.Errorf("after reading it again: %v", err)
				}
				_ = read
			})
		}
	}
}

// TestCallersThatNeverReadAreNotHeldBack: neither they, nor those who give the hash, nor those who changed it themselves.
func TestCallersThatNeverReadAreNotHeldBack(t *testing.T) {
	v := openStale(t, backends[0], "first\n", 0)
	stranger, author, careful := v.session(), v.session(), v.session()
	for _, session := range []func(string, map[string]any) (tool.Answer, error){author, careful} {
		if _, err := session("read_note", map[string]any{"name": "Plan"}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 3 {
		if _, err := author("update_note", map[string]any{"name": "Plan", "content": fmt.Sprint("version ", i)}); err != nil {
			t.Errorf("the author's own change %d: %v", i, err)
		}
	}
	if _, err := stranger("update_note", map[string]any{"name": "Plan", "content": "by a stranger"}); err != nil {
		t.Error(err)
	}
	hash := store.Hash([]byte(v.files()["Plan.md"]))
	if _, err := careful("update_note", map[string]any{"name": "Plan", "content": "by hash", "expected_hash": hash}); err != nil {
		t.Error(err)
	}
}

// TestCutReadingsDoNotReplaceNotes: who was shown only the first lines of a note cannot replace all of it, until the rest
// was shown as well.
func TestCutReadingsDoNotReplaceNotes(t *testing.T) {
	v := openStale(t, backends[0], strings.Repeat("0123456789\n", 10), 45)
	mine := v.session()
	read := func(arguments map[string]any) {
		t.Helper()
		arguments["name"] = "Plan"
		if _, err := mine("read_note", arguments); err != nil {
			t.Fatal(err)
		}
	}
	read(map[string]any{})
	_, err := mine("update_note", map[string]any{"name": "Plan", "content": "x"})
	if want := "Only lines 1-4 of 10 of 'Plan' were shown. Read the rest, or use update_section."; err == nil || err.Error() != want {
		t.Fatalf("got %v, want %s", err, want)
	}
	if _, err := mine("create_note", map[string]any{"name": "Plan", "content": "x", "overwrite": true}); err == nil {
		t.Error("create_note overwrites it")
	}
	read(map[string]any{"start_line": 7, "max_lines": 4})
	if _, err := mine("update_note", map[string]any{"name": "Plan", "content": "x"}); err == nil {
		t.Error("two lines were never shown")
	}
	read(map[string]any{"start_line": 5}) // cut again, at line 8
	read(map[string]any{"start_line": 9})
	if _, err := mine("update_note", map[string]any{"name": "Plan", "content": "x"}); err != nil {
		t.Errorf("everything was shown: %v", err)
	}
}
