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

// keeper is a vault in memory with a history.
type keeper struct {
	t     *testing.T
	store *mem.Store
	vault *vault.Vault
}

func newKeeper(t *testing.T, files map[string]string) *keeper {
	s := mem.New(files)
	k := &keeper{t, s, vault.Open(s, slog.New(slog.DiscardHandler), vault.Options{History: newHistory(t)})}
	t.Cleanup(func() { k.vault.Close() })
	return k
}

// call calls a tool that needs a confirmation to change more than so many notes.
func (k *keeper) call(over int, name string, arguments map[string]any) (tool.Answer, error) {
	k.t.Helper()
	_, tools := ops.New(k.vault.Whole(), ops.Options{TagPolicy: ops.TagsOff, ConfirmOver: over, Secret: []byte("test"), VaultID: "vault"})
	ctx, _ := call.Begin(k.t.Context(), name)
	return invoke(ctx, k.t, tools, name, arguments)
}

func (k *keeper) must(name string, arguments map[string]any) tool.Answer {
	k.t.Helper()
	answer, err := k.call(0, name, arguments)
	if err != nil {
		k.t.Fatalf("%s: %v", name, err)
	}
	return answer
}

// listed returns the summary of each change in list_changes, and which are undone.
func (k *keeper) listed() (summaries, undone []string) {
	k.t.Helper()
	answer := k.must("list_changes", nil)
	var list ops.ChangeList
	if err := json.Unmarshal(answer.JSON, &list); err != nil {
		k.t.Fatal(err)
	}
	for _, change := range list.Changes {
		summaries = append(summaries, change.Summary)
	}
	undone, _ = answer.Meta["undone"].([]string)
	return summaries, undone
}

// TestUndoOfManyNotesIsConfirmed: like the change itself.
func TestUndoOfManyNotesIsConfirmed(t *testing.T) {
	files := map[string]string{"A.md": "a", "B.md": "[[A]]", "C.md": "[[A]]"}
	k := newKeeper(t, files)
	k.must("rename_note", map[string]any{"old_name": "A", "new_name": "Z"})
	id := changes(t, k.vault)[0]
	_, err := k.call(2, "undo_change", map[string]any{"id": id})
	needs, ok := errors.AsType[*tool.NeedsConfirm](err)
	if !ok || needs.Notes != 3 || !errors.Is(err, fault.InvalidArgument) || k.store.Files()["Z.md"] != "a" {
		t.Fatalf("%v, %v", err, k.store.Files())
	}
	if _, err := k.call(2, "undo_change", map[string]any{"id": id, "force": true, "confirm": needs.ID}); !errors.As(err, &needs) {
		t.Errorf("the id was accepted for another call: %v", err)
	}
	if _, err := k.call(2, "undo_change", map[string]any{"id": id, "dry_run": true}); err != nil {
		t.Errorf("a dry run needs a confirmation: %v", err)
	}
	needs, _ = errors.AsType[*tool.NeedsConfirm](err)
	if _, err := k.call(2, "undo_change", map[string]any{"id": id, "confirm": needs.ID}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(files, k.store.Files()); diff != "" {
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
			k := newKeeper(t, files)
			k.store.SetConfig("bookmarks.json", `{"items":[{"type":"file","path":"A.md"}]}`)
			k.must(name, arguments)
			after := k.store.Files()
			made := changes(t, k.vault)
			if cmp.Equal(files, after) || len(made) != 1 {
				t.Fatalf("%d changes recorded: %v", len(made), after)
			}
			did, _ := k.listed()
			k.must("undo_change", map[string]any{"id": made[0]})
			if summaries, undone := k.listed(); summaries[0] != "undid: "+did[0] || !slices.Equal(undone, made) {
				t.Errorf("the undo is listed as %q, undone are %v", summaries, undone)
			}
			if diff := cmp.Diff(files, withoutTrash(k.store.Files())); diff != "" {
				t.Errorf("undone: %s", diff)
			}
			if bookmarks, err := k.store.Config(t.Context(), "bookmarks.json"); err != nil || !strings.Contains(string(bookmarks.Data), `"A.md"`) {
				t.Errorf("bookmarks: %s, %v", bookmarks.Data, err)
			}
			k.must("undo_change", map[string]any{"id": changes(t, k.vault)[1]})
			if diff := cmp.Diff(withoutTrash(after), withoutTrash(k.store.Files())); diff != "" {
				t.Errorf("the undo undone: %s", diff)
			}
			if _, undone := k.listed(); !slices.Equal(undone, changes(t, k.vault)[1:2]) {
				t.Errorf("undone are %v of %v", undone, changes(t, k.vault))
			}
		})
	}
}

// TestUndoneChangesAreMarked: also if other changes are alike, and if an undo overwrote a
// later edit.
func TestUndoneChangesAreMarked(t *testing.T) {
	k := newKeeper(t, map[string]string{"A.md": "a"})
	undo := func(id string) { k.must("undo_change", map[string]any{"id": id, "force": true}) }
	same := func(step string, want ...string) {
		t.Helper()
		_, undone := k.listed()
		slices.Sort(undone)
		slices.Sort(want)
		if !slices.Equal(undone, want) {
			t.Errorf("%s: undone are %v, not %v", step, undone, want)
		}
		for _, id := range changes(t, k.vault) {
			if shown := k.must("show_change", map[string]any{"id": id}).Meta["undone"] == true; shown != slices.Contains(want, id) {
				t.Errorf("%s: show_change marks %s as undone: %v", step, id, shown)
			}
		}
	}
	k.must("create_note", map[string]any{"name": "G", "content": "g"})
	k.must("delete_note", map[string]any{"name": "G"})
	made := changes(t, k.vault)
	created, deleted := made[0], made[1]
	undo(deleted)
	same("the deletion", deleted)
	undo(created)
	same("both", created, deleted)
	k.must("append_note", map[string]any{"name": "A", "text": "one"})
	k.must("append_note", map[string]any{"name": "A", "text": "two"})
	appended := changes(t, k.vault)[4]
	undo(appended)
	same("over a later edit", created, deleted, appended)
	if summaries, _ := k.listed(); !strings.HasPrefix(summaries[0], "undid: changed A") {
		t.Errorf("%q", summaries)
	}
	var list ops.ChangeList
	if err := json.Unmarshal(k.must("list_changes", map[string]any{"limit": 1}).JSON, &list); err != nil || !strings.HasPrefix(list.Changes[0].Summary, "undid: changed A") {
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
	k := newKeeper(t, files)
	k.must("rename_note", map[string]any{"old_name": "A", "new_name": "Z"})
	text := k.must("show_change", map[string]any{"id": changes(t, k.vault)[0]}).Text
	for _, want := range []string{"more files", "more lines", "bytes more)"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if len(text) > 60_000 || strings.ContainsRune(text, '\ufffd') {
		t.Errorf("%d bytes", len(text))
	}
	var list ops.ChangeList
	if err := json.Unmarshal(k.must("list_changes", nil).JSON, &list); err != nil || len(list.Changes[0].Notes) != 50 {
		t.Errorf("%v, %d notes", err, len(list.Changes[0].Notes))
	}
}

// TestShowChangeOfOtherFiles: files that are not text, or too large, are not printed.
func TestShowChangeOfOtherFiles(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	k := newKeeper(t, map[string]string{"pic.png": "\x89PNG\x00\xff", "big.md": strings.Repeat("x\n", 2<<20)})
	k.must("delete_note", map[string]any{"name": "pic.png"})
	k.must("append_note", map[string]any{"name": "big", "text": "x"})
	for i, want := range []string{"Files a/pic.png and /dev/null differ (6 and 0 bytes)", "Files a/big.md and b/big.md differ"} {
		if text := k.must("show_change", map[string]any{"id": changes(t, k.vault)[i]}).Text; !strings.Contains(text, want) {
			t.Errorf("%q lacks %q", text, want)
		}
	}
}

// TestUndoOfAVeryLargeFile: its bytes are not in the history, so the refusal says where in
// the trash it is.
func TestUndoOfAVeryLargeFile(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	k := newKeeper(t, map[string]string{"film.mp4": strings.Repeat("x", 17<<20)})
	k.must("rename_note", map[string]any{"old_name": "film.mp4", "new_name": "movie"})
	k.must("delete_note", map[string]any{"name": "movie.mp4"})
	ids := changes(t, k.vault)
	if _, err := k.call(0, "undo_change", map[string]any{"id": ids[1]}); !errors.Is(err, fault.NotFound) || !strings.Contains(fault.HintOf(err), ".trash/movie.mp4") {
		t.Errorf("%v, %s", err, fault.HintOf(err))
	}
	k.store.Outside("movie.mp4", []byte(strings.Repeat("x", 17<<20)))
	for _, id := range []string{ids[1], ids[0]} {
		k.must("undo_change", map[string]any{"id": id})
	}
	if _, back := k.store.Files()["film.mp4"]; !back {
		t.Error("the file did not get its name back")
	}
}

// TestFilesTooLargeForTheHistoryAreNotReplaced by an undo or a restore.
func TestFilesTooLargeForTheHistoryAreNotReplaced(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	k := newKeeper(t, map[string]string{"S.md": "small"})
	k.must("append_note", map[string]any{"name": "S", "text": "more"})
	large := strings.Repeat("x", history.MaxKept+1)
	k.store.Outside("S.md", []byte(large))
	for name, arguments := range map[string]map[string]any{
		"undo_change":  {"id": changes(t, k.vault)[0], "force": true},
		"restore_note": {"name": "S", "change_id": changes(t, k.vault)[0]},
	} {
		if _, err := k.call(0, name, arguments); !errors.Is(err, fault.InvalidArgument) || k.store.Files()["S.md"] != large {
			t.Errorf("%s: %v", name, err)
		}
	}
}
