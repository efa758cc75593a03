package ops_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"obsidian-mcp/internal/access/scope"
	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/ops"
	"obsidian-mcp/internal/testkit/mode"
	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/vault"
	"obsidian-mcp/internal/vault/call"
)

// TestUndoOfSeveralRestoresEveryByte makes random changes, undoes the last of them as one, and undoes that: the bytes
// are right each time, whatever the changes did to the same notes in between.
func TestUndoOfSeveralRestoresEveryByte(t *testing.T) {
	t.Parallel()
	for _, backend := range backends {
		t.Run(backend.name, func(t *testing.T) {
			t.Parallel()
			runs := mode.Pick(40, 200, 4000)
			if testing.Short() {
				runs = 10
			}
			if backend.name == "livesync" { // which is slow
				runs = mode.Pick(0, 10, 100)
			}
			for run := range runs {
				undoRandomChanges(t, backend, mode.Rand(uint64(run)))
			}
		})
	}
}

// undoRandomChanges makes changes in a small vault and undoes some.
func undoRandomChanges(t *testing.T, backend backend, random *rand.Rand) {
	t.Helper()
	config := map[string]string{"bookmarks.json": `{"items":[{"type":"file","path":"A.md"}]}`}
	if backend.name == "livesync" {
		config = nil // the store would hear of it at some time during the test
	}
	s, files := backend.open(t, map[string]string{
		"A.md": "a [[B]]\r\n", "B.md": "---\nup: '[[A]]'\n---\nb ![[p.png]]", "sub/C.md": "c", "p.png": "\x89PNG\x00",
		"k.canvas": `{"nodes":[{"id":"1","type":"file","file":"A.md"}],"edges":[]}`,
	}, config)
	v := vault.Open(s, slog.New(slog.DiscardHandler), vault.Options{History: newHistory(t)})
	defer v.Close()
	_, tools := ops.New(v.Whole(), ops.Options{TagPolicy: ops.TagsOff, Secret: []byte("test"), VaultID: "vault"})
	var log []string
	do := func(name string, arguments map[string]any) (tool.Answer, error) {
		ctx, _ := call.Begin(t.Context(), name)
		answer, err := invoke(ctx, t, tools, name, arguments)
		log = append(log, fmt.Sprintf("%s %v: %s, %v", name, arguments, answer.Text, err))
		return answer, err
	}
	state := func() map[string]string {
		all := withoutTrash(files())
		bookmarks, err := s.Config(t.Context(), "bookmarks.json")
		if err != nil && !(config == nil && errors.Is(err, fault.NotFound)) {
			t.Fatal(err)
		}
		all["bookmarks"] = string(bookmarks.Data)
		return all
	}
	states := []map[string]string{state()}
	for range 2 + random.IntN(12) {
		before := len(changes(t, v))
		name, arguments := randomChange(random, states[len(states)-1], changes(t, v))
		_, _ = do(name, arguments) // it may be refused
		if len(changes(t, v)) > before {
			states = append(states, state())
		}
	}
	ids := changes(t, v)
	if len(ids) != len(states)-1 {
		t.Fatalf("%d changes, %d states", len(ids), len(states))
	}
	if len(ids) == 0 {
		return
	}
	count := 1 + random.IntN(len(ids))
	chosen := slices.Clone(ids[len(ids)-count:])
	random.Shuffle(count, func(i, j int) { chosen[i], chosen[j] = chosen[j], chosen[i] })
	want, now := states[len(states)-1-count], states[len(states)-1]
	for _, dryRun := range []bool{true, false} {
		if _, err := do("undo_change", map[string]any{"ids": chosen, "dry_run": dryRun}); err != nil {
			t.Fatalf("%v\n%s", err, strings.Join(log, "\n"))
		}
		if diff := cmp.Diff(map[bool]map[string]string{true: now, false: want}[dryRun], state()); diff != "" {
			t.Fatalf("the last %d undone, dry run %v: %s\n%s", count, dryRun, diff, strings.Join(log, "\n"))
		}
	}
	after := changes(t, v)
	if cmp.Equal(now, want) && len(after) == len(ids) {
		return // there was nothing to undo
	}
	if len(after) != len(ids)+1 {
		t.Fatalf("the undo is %d changes\n%s", len(after)-len(ids), strings.Join(log, "\n"))
	}
	if _, err := do("undo_change", map[string]any{"id": after[len(after)-1]}); err != nil {
		t.Fatalf("%v\n%s", err, strings.Join(log, "\n"))
	}
	if diff := cmp.Diff(now, state()); diff != "" {
		t.Fatalf("the undo of %d undone: %s\n%s", count, diff, strings.Join(log, "\n"))
	}
}

// randomChange returns a call that probably changes something.
func randomChange(random *rand.Rand, files map[string]string, ids []string) (name string, arguments map[string]any) {
	names := slices.Sorted(maps.Keys(files))
	names = slices.DeleteFunc(names, func(name string) bool { return name == "bookmarks" || name == "k.canvas" })
	pick := func() string {
		if len(names) == 0 {
			return "none"
		}
		return names[random.IntN(len(names))]
	}
	fresh := func(like string) string {
		stems := []string{"A", "B", "sub/C", "D", "sub/deep/E", "a", "F/A"}
		return stems[random.IntN(len(stems))] + path.Ext(like)
	}
	old := pick()
	folders := []string{"sub/", "F/", "sub/deep/", "Other/"}
	folder := func() string { return folders[random.IntN(len(folders))] }
	switch random.IntN(15) {
	case 0, 1:
		return "create_note", map[string]any{"name": strings.TrimSuffix(fresh("x.md"), ".md"), "content": fmt.Sprintf("new %d [[A]]", random.IntN(3))}
	case 2, 3:
		return "append_note", map[string]any{"name": old, "text": fmt.Sprintf("more %d", random.IntN(3))}
	case 4:
		return "update_note", map[string]any{"name": old, "content": fmt.Sprintf("all new %d", random.IntN(2))}
	case 5, 6, 7:
		return "rename_note", map[string]any{"old_name": old, "new_name": "/" + fresh(old)}
	case 8, 9:
		return "delete_note", map[string]any{"name": old}
	case 10, 11:
		return "rename_in_vault", map[string]any{"kind": "folder", "from": folder(), "to": folder()}
	case 12:
		return "compose_notes", map[string]any{"action": "merge", "note": old, "target": pick()}
	case 13:
		return "compose_notes", map[string]any{"action": "extract", "note": old, "lines": "1", "target": strings.TrimSuffix(fresh("x.md"), ".md")}
	}
	if len(ids) == 0 {
		return "delete_note", map[string]any{"name": old}
	}
	return "undo_change", map[string]any{"id": ids[random.IntN(len(ids))], "force": random.IntN(2) == 0}
}

// undone calls undo_change and returns its result.
func (v *recordedVault) undone(arguments map[string]any) (result ops.Undone, err error) {
	v.t.Helper()
	answer, err := v.call(0, "undo_change", arguments)
	if err == nil {
		err = json.Unmarshal(answer.JSON, &result)
	}
	return result, err
}

// TestUndoOfSeveralNamesConflicts: a note that somebody else changed between two of the changes prevents the undo of
// the older one; a dry run says so, and nothing is undone.
func TestUndoOfSeveralNamesConflicts(t *testing.T) {
	v := newRecordedVault(t, map[string]string{"A.md": "a", "B.md": "b", "C.md": "c"})
	v.must("append_note", map[string]any{"name": "A", "text": "1"})
	v.must("append_note", map[string]any{"name": "B", "text": "2"})
	v.must("rename_note", map[string]any{"old_name": "C", "new_name": "D"})
	v.must("append_note", map[string]any{"name": "A", "text": "theirs"})
	v.must("rename_note", map[string]any{"old_name": "B", "new_name": "Q"})
	v.must("append_note", map[string]any{"name": "A", "text": "3"})
	ids, before := changes(t, v.vault), v.store.Files()
	ours := []string{ids[0], ids[1], ids[2], ids[5]}
	result, err := v.undone(map[string]any{"ids": ours, "dry_run": true})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, conflict := range result.Conflicts {
		got[conflict.Note] = conflict.ID + " " + conflict.Reason
	}
	if len(got) != 2 || got["A"] != ids[0]+" changed since by append_note, change "+ids[3] ||
		got["B"] != ids[1]+" after the change it was renamed to 'Q' by change "+ids[4] {
		t.Errorf("conflicts are %v", got)
	}
	if want := []string{ids[5], ids[2], ids[1], ids[0]}; !slices.Equal(result.Undone, want) || !result.DryRun {
		t.Errorf("%+v", result)
	}
	_, err = v.undone(map[string]any{"ids": ours})
	if !errors.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "2 notes have changed since") || !strings.Contains(err.Error(), "'B' was renamed to 'Q'") {
		t.Errorf("%v", err)
	}
	if diff := cmp.Diff(before, v.store.Files()); diff != "" {
		t.Errorf("a refused undo changed: %s", diff)
	}
	if result, err = v.undone(map[string]any{"ids": ours, "force": true}); err != nil || len(result.Conflicts) != 0 {
		t.Errorf("%+v, %v", result, err)
	}
	if diff := cmp.Diff(map[string]string{"A.md": "a", "Q.md": "b", "C.md": "c"}, v.store.Files()); diff != "" {
		t.Errorf("forced: %s", diff)
	}
}

// TestUndoOfSeveralCannotBeForced where another note has taken the place of one that would come back.
func TestUndoOfSeveralCannotBeForced(t *testing.T) {
	v := newRecordedVault(t, map[string]string{"note.md": "old", "B.md": "b"})
	v.must("delete_note", map[string]any{"name": "note"})
	v.must("append_note", map[string]any{"name": "B", "text": "more"})
	v.must("create_note", map[string]any{"name": "Note", "content": "another"})
	ids, before := changes(t, v.vault), v.store.Files()
	result, err := v.undone(map[string]any{"ids": ids[:2], "dry_run": true})
	want := []ops.UndoConflict{{ID: ids[0], Note: "note", Reason: "'Note.md' exists now, and some systems take it for 'note.md'"}}
	if diff := cmp.Diff(want, result.Conflicts); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	for _, force := range []bool{false, true} {
		if _, err := v.undone(map[string]any{"ids": ids[:2], "force": force}); !errors.Is(err, fault.AlreadyExists) {
			t.Errorf("force %v: %v", force, err)
		}
	}
	if diff := cmp.Diff(before, v.store.Files()); diff != "" {
		t.Error(diff)
	}
	if _, err := v.undone(map[string]any{"ids": ids}); err != nil {
		t.Errorf("with the note that is in the way: %v", err)
	}
	if diff := cmp.Diff(map[string]string{"note.md": "old", "B.md": "b"}, withoutTrash(v.store.Files())); diff != "" {
		t.Error(diff)
	}
}

// TestSessionsOfOthersAreHidden: a caller with limits sees the sessions of its own token only, and can neither list nor
// undo by those of others.
func TestSessionsOfOthersAreHidden(t *testing.T) {
	v := newRecordedVault(t, map[string]string{"A.md": "a"})
	open, err := scope.New(nil, []string{"private/"})
	if err != nil {
		t.Fatal(err)
	}
	ask := func(view *vault.View, as call.Caller, name string, arguments map[string]any) (tool.Answer, error) {
		t.Helper()
		_, tools := ops.New(view, ops.Options{TagPolicy: ops.TagsOff, VaultID: "vault"})
		ctx, _ := call.Begin(call.WithCaller(t.Context(), as), name)
		return invoke(ctx, t, tools, name, arguments)
	}
	owner := call.Caller{Client: "desk", Token: "owner", Session: "0wner"}
	phone := call.Caller{Client: "desk", Token: "phone", Session: "ph0ne"}
	for _, caller := range []call.Caller{owner, phone} {
		if _, err := ask(v.vault.Whole(), caller, "append_note", map[string]any{"name": "A", "text": "x"}); err != nil {
			t.Fatal(err)
		}
	}
	sessions := func(arguments map[string]any) (found []string) {
		t.Helper()
		answer, err := ask(v.vault.View(open), phone, "list_changes", arguments)
		var list ops.ChangeList
		if err == nil {
			err = json.Unmarshal(answer.JSON, &list)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, change := range list.Changes {
			found = append(found, change.Session)
		}
		return found
	}
	if got := sessions(nil); !slices.Equal(got, []string{"ph0ne", ""}) {
		t.Errorf("sessions %q", got)
	}
	if got := sessions(map[string]any{"session": "0wner"}); len(got) != 0 {
		t.Errorf("found by session: %q", got)
	}
	if got := sessions(map[string]any{"session": "this"}); !slices.Equal(got, []string{"ph0ne"}) {
		t.Errorf("its own: %q", got)
	}
	_, unknown := ask(v.vault.View(open), phone, "undo_change", map[string]any{"session": "none"})
	_, err = ask(v.vault.View(open), phone, "undo_change", map[string]any{"session": "0wner"})
	if !errors.Is(err, fault.NotFound) || err.Error() != unknown.Error() {
		t.Errorf("%v; of an unknown session %v", err, unknown)
	}
}

// TestUndoOfManyChangesIsConfirmed: the number of notes counts, not that of changes.
func TestUndoOfManyChangesIsConfirmed(t *testing.T) {
	files := map[string]string{"A.md": "a", "B.md": "b"}
	v := newRecordedVault(t, files)
	for _, name := range []string{"A", "B", "A"} {
		v.must("append_note", map[string]any{"name": name, "text": "x"})
	}
	all := map[string]any{"since": "1h"}
	answer, err := v.call(1, "undo_change", map[string]any{"since": "1h", "dry_run": true})
	if err != nil || !strings.Contains(fmt.Sprint(answer.HintLines()), "repeat with confirm='") {
		t.Fatalf("%v, %v", err, answer.HintLines())
	}
	_, err = v.call(1, "undo_change", all)
	needs, ok := errors.AsType[*tool.NeedsConfirm](err)
	if !ok || needs.Notes != 2 {
		t.Fatal(err)
	}
	_, err = v.call(1, "undo_change", map[string]any{"ids": changes(t, v.vault)[1:], "confirm": needs.ID})
	if _, refused := errors.AsType[*tool.NeedsConfirm](err); !refused {
		t.Errorf("the id was accepted for other changes: %v", err)
	}
	if _, err := v.call(1, "undo_change", map[string]any{"since": "1h", "confirm": needs.ID}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(files, v.store.Files()); diff != "" {
		t.Error(diff)
	}
}
