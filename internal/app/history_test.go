package app

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestHistoryOverHTTP: on every transport the history records client and token of a change, the answer contains the id of
// the change, and each call has its line in the audit log.
func TestHistoryOverHTTP(t *testing.T) {
	t.Parallel()
	dir, log := t.TempDir(), filepath.Join(t.TempDir(), "audit.jsonl")
	writeFiles(t, dir, map[string]string{"A.md": "qanary text\n", "private/P.md": "[[A]] qanaryprivate\n"})
	owner, ownerEntry := testToken("owner")
	phone, phoneEntry := testToken("phone", "deny: [private/]")
	s := startHTTP(t, dir, configFile(t, "tokens:\n"+ownerEntry+phoneEntry), "OBSIDIAN_MCP_AUDIT_LOG="+log)
	var ids []string
	callers := map[string]*httpCaller{"session": s.session(owner), "sessionless": s.sessionless(owner), "sse": s.eventStream(owner)}
	for name, caller := range callers {
		id, ok := caller.call("append_note", map[string]any{"name": "A", "text": "qanary by " + name}).Meta["change_id"].(string)
		if !ok {
			t.Fatalf("%s: no change_id", name)
		}
		ids = append(ids, id)
	}
	ours := s.session(phone)
	renamed := ours.call("rename_note", map[string]any{"old_name": "A", "new_name": "B"}).Meta["change_id"].(string)
	if meta := ours.call("read_note", map[string]any{"name": "B"}).Meta; meta["change_id"] != nil {
		t.Errorf("a read has a change_id: %v", meta)
	}
	listed := ours.done("list_changes", map[string]any{})
	for _, id := range append(ids, renamed) {
		if !strings.Contains(listed, id) {
			t.Errorf("%s is not listed: %s", id, listed)
		}
	}
	if strings.Contains(listed, "owner") || strings.Contains(listed, "private") ||
		strings.Contains(listed, "other note") || !strings.Contains(listed, "(phone)") {
		t.Errorf("a limited caller sees: %s", listed)
	}
	if all := s.session(owner).done("list_changes", map[string]any{"client": "PHONE"}); !strings.Contains(all, `"test (phone)"`) || !strings.Contains(all, "1 other note") {
		t.Errorf("the owner sees: %s", all)
	}
	checkSessions(t, callers)
	if theirs := s.session(owner).done("list_changes", map[string]any{"session": "this"}); !strings.Contains(theirs, `"total":0`) {
		t.Errorf("a new session begins with changes: %s", theirs)
	}
	ours.done("undo_change", map[string]any{"session": "this"})
	if text, err := os.ReadFile(filepath.Join(dir, "private/P.md")); err != nil || string(text) != "[[A]] qanaryprivate\n" {
		t.Errorf("%q, %v", text, err)
	}
	ours.request("resources/read", map[string]any{"uri": "mcp-obsidian://" + filepath.Base(dir) + "/A.md"})
	s.stop()
	checkAudit(t, log, owner, phone)
}

// checkSessions checks that each caller made one change, in a session that others do not have and that reveals nothing.
func checkSessions(t *testing.T, callers map[string]*httpCaller) {
	t.Helper()
	seen := map[string]bool{}
	for name, caller := range callers {
		var list struct {
			Changes []struct{ Session, Summary string }
			Total   int
		}
		text := caller.done("list_changes", map[string]any{"session": "this"})
		if err := json.Unmarshal([]byte(text), &list); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if list.Total != 1 || len(list.Changes[0].Session) != 12 || seen[list.Changes[0].Session] {
			t.Errorf("%s: the changes of this session are %s", name, text)
			continue
		}
		seen[list.Changes[0].Session] = true
		if caller.id != "" && strings.Contains(text, caller.id[:8]) {
			t.Errorf("%s: the session's secret id is in %s", name, text)
		}
	}
}

// checkAudit reads an audit log of the calls above.
func checkAudit(t *testing.T, log string, secrets ...string) {
	t.Helper()
	content, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range append(secrets, "qanary") {
		if bytes.Contains(content, []byte(secret)) {
			t.Errorf("%q is in the log:\n%s", secret, content)
		}
	}
	counted := map[string]int{}
	for _, text := range lines(string(content)) {
		var line struct {
			Tool, Token, Kind string
			Paths             []string
			Changes           []struct{ Path, Before, After string }
			ChangeID          string `json:"change_id"`
		}
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		counted[line.Tool+" "+line.Token+" "+line.Kind]++
		if line.Tool == "rename_note" && (len(line.Changes) != 2 || line.ChangeID == "" || len(line.Paths) != 3) {
			t.Errorf("%s", text)
		}
	}
	for call, want := range map[string]int{
		"append_note owner ok": 3, "rename_note phone ok": 1, "read_note phone ok": 1, "list_changes phone ok": 1, "list_changes owner ok": 5,
		"undo_change phone ok": 1, "resources/read phone ok": 1,
	} {
		if counted[call] != want {
			t.Errorf("%q has %d lines, want %d:\n%s", call, counted[call], want, content)
		}
	}
}

// TestHistoryOfAnEncryptedVault: changes of a LiveSync vault can be undone like any others, and the files of the history
// show nothing about them.
func TestHistoryOfAnEncryptedVault(t *testing.T) {
	t.Parallel()
	d, settings := fixtureNamed(t, "e2ee-v2-obfuscated").load(t)
	state := t.TempDir()
	settings = append(settings, "OBSIDIAN_MCP_STATE_DIR="+state)
	run := func(args ...string) string {
		t.Helper()
		done := runProgram(t, settings, args...)
		if done.status != 0 {
			t.Fatalf("%v: %d, %s", args, done.status, done.errors)
		}
		return done.out
	}
	run("call", "create_note", "--name", "Qanaryfolder/Qanaryname", "--content", "qanarytext\n")
	run("call", "append_note", "--name", "Qanaryname", "--text", "qanarymore")
	id, _, _ := strings.Cut(run("history", "--limit", "1"), " ")
	if shown := run("history", id); !strings.Contains(shown, "+qanarymore") {
		t.Errorf("%s", shown)
	}
	run("undo", id)
	if text := run("call", "read_note", "--name", "Qanaryname"); text != "qanarytext\n" {
		t.Errorf("%q", text)
	}
	for name, content := range readAll(t, state) {
		low := bytes.ToLower(append([]byte(name), content...))
		for _, word := range []string{"qanary", "append_note", "command line", d.Name, "undo"} {
			if bytes.Contains(low, []byte(strings.ToLower(word))) {
				t.Errorf("%s shows %q", name, word)
			}
		}
	}
	settings = append(settings, "VAULT_PASSPHRASE=another")
	if done := runProgram(t, settings, "history"); done.status == 0 {
		t.Errorf("another passphrase opens the history: %s", done.out)
	}
}
