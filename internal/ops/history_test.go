package ops_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/ops"
	"obsidian-mcp/internal/store/mem"
	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/vault"
	"obsidian-mcp/internal/vault/call"
	"obsidian-mcp/internal/vault/history"
)

// recordedVault is a vault in memory with a history.
type recordedVault struct {
	t     *testing.T
	store *mem.Store
	vault *vault.Vault
}

func newRecordedVault(t *testing.T, files map[string]string) *recordedVault {
	s := mem.New(files)
	v := &recordedVault{t, s, vault.Open(s, slog.New(slog.DiscardHandler), vault.Options{History: newHistory(t)})}
	t.Cleanup(func() { v.vault.Close() })
	return v
}

// call calls a tool that needs a confirmation to change more than over notes.
func (v *recordedVault) call(over int, name string, arguments map[string]any) (tool.Answer, error) {
	v.t.Helper()
	_, tools := ops.New(v.vault.Whole(), ops.Options{TagPolicy: ops.TagsOff, ConfirmOver: over, Secret: []byte("test"), VaultID: "vault"})
	ctx, _ := call.Begin(v.t.Context(), name)
	return invoke(ctx, v.t, tools, name, arguments)
}

func (v *recordedVault) must(name string, arguments map[string]any) tool.Answer {
	v.t.Helper()
	answer, err := v.call(0, name, arguments)
	if err != nil {
		v.t.Fatalf("%s: %v", name, err)
	}
	return answer
}

// listed returns the summary of each change in list_changes, and which are undone.
func (v *recordedVault) listed() (summaries, undone []string) {
	v.t.Helper()
	answer := v.must("list_changes", nil)
	var list ops.ChangeList
	if err := json.Unmarshal(answer.JSON, &list); err != nil {
		v.t.Fatal(err)
	}
	for _, change := range list.Changes {
		summaries = append(summaries, change.Summary)
	}
	undone, _ = answer.Meta["undone"].([]string)
	return summaries, undone
}

// TestUndoOfManyNotesIsConfirmed: an undo needs a confirmation like the change itself.
func TestUndoOfManyNotesIsConfirmed(t *testing.T) {
	files := map[string]string{"A.md": "a", "B.md": "[[A]]", "C.md": "[[A]]"}
	v := newRecordedVault(t, files)
	v.must("rename_note", map[string]any{"old_name": "A", "new_name": "Z"})
	id := changes(t, v.vault)[0]
	_, err := v.call(2, "undo_change", map[string]any{"id": id})
	needs, ok := errors.AsType[*tool.NeedsConfirm](err)
	if !ok || needs.Notes != 3 || !errors.Is(err, fault.InvalidArgument) || v.store.Files()["Z.md"] != "a" {
		t.Fatalf("%v, %v", err, v.store.Files())
	}
	if _, err := v.call(2, "undo_change", map[string]any{"id": id, "force": true, "confirm": needs.ID}); !errors.As(err, &needs) {
		t.Errorf("the id was accepted for another call: %v", err)
	}
	if _, err := v.call(2, "undo_change", map[string]any{"id": id, "dry_run": true}); err != nil {
		t.Errorf("a dry run needs a confirmation: %v", err)
	}
	needs, _ = errors.AsType[*tool.NeedsConfirm](err)
	if _, err := v.call(2, "undo_change", map[string]any{"id": id, "confirm": needs.ID}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(files, v.store.Files()); diff != "" {
		t.Error(diff)
	}
}

// TestEveryChangeIsUndone makes a change of every kind, undoes it, and undoes the undo: the
// bytes are right each time.
func TestEveryChangeIsUndone(t *testing.T) {
	files := map[string]string{
		"A.md":     "\ufeff---\r\nid: 007 # as is\r\nup: '[[B]]'\r\ntags: [x]\r\n---\r\n# One\r\n\r\ntext [[B]]\r\n# Two\r\nmore",
		"B.md":     "b [[A#One|one]] #x",
		"c.canvas": `{"nodes":[{"id":"1","type":"file","file":"A.md"}],"edges":[]}`,
	}
	for name, arguments := range map[string]map[string]any{
		"create_note":     {"name": "sub/N", "content": "new"},
		"append_note":     {"name": "A", "text": "x"},
		"update_note":     {"name": "A", "content": "all new"},
		"delete_note":     {"name": "A"},
		"rename_note":     {"old_name": "A", "new_name": "deep/er/Z"},
		"set_frontmatter": {"name": "A", "key": "id", "value": "8"},
		"add_tag":         {"name": "B", "tag": "x/y"},
		"remove_tag":      {"name": "A", "tag": "x"},
		"replace_text":    {"name": "A", "old_text": "text", "new_text": ""},
		"insert_text":     {"name": "A", "after": "text", "text": "!"},
		"append_section":  {"name": "A", "section": "One", "text": "x"},
		"update_section":  {"name": "A", "section": "One", "content": ""},
		"delete_section":  {"name": "A", "section": "Two"},
		"note_upsert":     {"path": "A", "content": "more", "frontmatter": map[string]any{}},
		"link_add":        {"source": "A", "target": "c.canvas"},
	} {
		t.Run(name, func(t *testing.T) {
			v := newRecordedVault(t, files)
			v.store.SetConfig("bookmarks.json", `{"items":[{"type":"file","path":"A.md"}]}`)
			v.must(name, arguments)
			after := v.store.Files()
			recorded := changes(t, v.vault)
			if cmp.Equal(files, after) || len(recorded) != 1 {
				t.Fatalf("%d changes recorded: %v", len(recorded), after)
			}
			before, _ := v.listed()
			v.must("undo_change", map[string]any{"id": recorded[0]})
			if summaries, undone := v.listed(); summaries[0] != "undid: "+before[0] || !slices.Equal(undone, recorded) {
				t.Errorf("the undo is listed as %q, undone are %v", summaries, undone)
			}
			if diff := cmp.Diff(files, withoutTrash(v.store.Files())); diff != "" {
				t.Errorf("undone: %s", diff)
			}
			if bookmarks, err := v.store.Config(t.Context(), "bookmarks.json"); err != nil || !strings.Contains(string(bookmarks.Data), `"A.md"`) {
				t.Errorf("bookmarks: %s, %v", bookmarks.Data, err)
			}
			v.must("undo_change", map[string]any{"id": changes(t, v.vault)[1]})
			if diff := cmp.Diff(withoutTrash(after), withoutTrash(v.store.Files())); diff != "" {
				t.Errorf("the undo undone: %s", diff)
			}
			if _, undone := v.listed(); !slices.Equal(undone, changes(t, v.vault)[1:2]) {
				t.Errorf("undone are %v of %v", undone, changes(t, v.vault))
			}
		})
	}
}

// TestUndoneChangesAreMarked: this holds even if other changes look alike, or if an undo overwrote a later edit.
func TestUndoneChangesAreMarked(t *testing.T) {
	v := newRecordedVault(t, map[string]string{"A.md": "a"})
	undo := func(id string) { v.must("undo_change", map[string]any{"id": id, "force": true}) }
	same := func(step string, want ...string) {
		t.Helper()
		_, undone := v.listed()
		slices.Sort(undone)
		slices.Sort(want)
		if !slices.Equal(undone, want) {
			t.Errorf("%s: undone are %v, not %v", step, undone, want)
		}
		for _, id := range changes(t, v.vault) {
			if shown := v.must("show_change", map[string]any{"id": id}).Meta["undone"] == true; shown != slices.Contains(want, id) {
				t.Errorf("%s: show_change marks %s as undone: %v", step, id, shown)
			}
		}
	}
	v.must("create_note", map[string]any{"name": "G", "content": "g"})
	v.must("delete_note", map[string]any{"name": "G"})
	recorded := changes(t, v.vault)
	created, deleted := recorded[0], recorded[1]
	undo(deleted)
	same("the deletion", deleted)
	undo(created)
	same("both", created, deleted)
	v.must("append_note", map[string]any{"name": "A", "text": "one"})
	v.must("append_note", map[string]any{"name": "A", "text": "two"})
	appended := changes(t, v.vault)[4]
	undo(appended)
	same("over a later edit", created, deleted, appended)
	if summaries, _ := v.listed(); !strings.HasPrefix(summaries[0], "undid: changed A") {
		t.Errorf("%q", summaries)
	}
	var list ops.ChangeList
	if err := json.Unmarshal(v.must("list_changes", map[string]any{"limit": 1}).JSON, &list); err != nil || !strings.HasPrefix(list.Changes[0].Summary, "undid: changed A") {
		t.Errorf("alone, the undo is %+v, %v", list, err)
	}
}

// TestShowChangeIsCut shows a change that is far too long.
func TestShowChangeIsCut(t *testing.T) {
	t.Parallel()
	files := map[string]string{"A.md": "a"}
	for i := range 400 {
		files[fmt.Sprintf("n%03d.md", i)] = strings.Repeat(fmt.Sprintf("%d [[A]] %s\n", i, strings.Repeat("ä", 300)), 40)
	}
	v := newRecordedVault(t, files)
	v.must("rename_note", map[string]any{"old_name": "A", "new_name": "Z"})
	text := v.must("show_change", map[string]any{"id": changes(t, v.vault)[0]}).Text
	for _, want := range []string{"more files", "more lines", "bytes more)"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if len(text) > 60_000 || strings.ContainsRune(text, '\ufffd') {
		t.Errorf("%d bytes", len(text))
	}
	var list ops.ChangeList
	if err := json.Unmarshal(v.must("list_changes", nil).JSON, &list); err != nil || len(list.Changes[0].Notes) != 50 {
		t.Errorf("%v, %d notes", err, len(list.Changes[0].Notes))
	}
}

// TestShowChangeOfOtherFiles: files that are not text, or too large, are not printed.
func TestShowChangeOfOtherFiles(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	v := newRecordedVault(t, map[string]string{"pic.png": "\x89PNG\x00\xff", "big.md": strings.Repeat("x\n", 2<<20)})
	v.must("delete_note", map[string]any{"name": "pic.png"})
	v.must("append_note", map[string]any{"name": "big", "text": "x"})
	for i, want := range []string{"Files a/pic.png and /dev/null differ (6 and 0 bytes)", "Files a/big.md and b/big.md differ"} {
		if text := v.must("show_change", map[string]any{"id": changes(t, v.vault)[i]}).Text; !strings.Contains(text, want) {
			t.Errorf("%q lacks %q", text, want)
		}
	}
}

// TestUndoOfAVeryLargeFile: its bytes are not in the history, so the refusal says where in
// the trash it is.
func TestUndoOfAVeryLargeFile(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	v := newRecordedVault(t, map[string]string{"film.mp4": strings.Repeat("x", 17<<20)})
	v.must("rename_note", map[string]any{"old_name": "film.mp4", "new_name": "movie"})
	v.must("delete_note", map[string]any{"name": "movie.mp4"})
	ids := changes(t, v.vault)
	if _, err := v.call(0, "undo_change", map[string]any{"id": ids[1]}); !errors.Is(err, fault.NotFound) || !strings.Contains(fault.HintOf(err), ".trash/movie.mp4") {
		t.Errorf("%v, %s", err, fault.HintOf(err))
	}
	v.store.Outside("movie.mp4", []byte(strings.Repeat("x", 17<<20)))
	for _, id := range []string{ids[1], ids[0]} {
		v.must("undo_change", map[string]any{"id": id})
	}
	if _, back := v.store.Files()["film.mp4"]; !back {
		t.Error("the file did not get its name back")
	}
}

// TestFilesTooLargeForTheHistoryAreNotReplaced by an undo or a restore.
func TestFilesTooLargeForTheHistoryAreNotReplaced(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	v := newRecordedVault(t, map[string]string{"S.md": "small"})
	v.must("append_note", map[string]any{"name": "S", "text": "more"})
	large := strings.Repeat("x", history.MaxKept+1)
	v.store.Outside("S.md", []byte(large))
	for name, arguments := range map[string]map[string]any{
		"undo_change":  {"id": changes(t, v.vault)[0], "force": true},
		"restore_note": {"name": "S", "change_id": changes(t, v.vault)[0]},
	} {
		if _, err := v.call(0, name, arguments); !errors.Is(err, fault.InvalidArgument) || v.store.Files()["S.md"] != large {
			t.Errorf("%s: %v", name, err)
		}
	}
}
