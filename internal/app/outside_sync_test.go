package app

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"obsidian-mcp/internal/testkit/mode"
)

// gitIn runs git as the user would on another device.
func gitIn(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=Ann", "-c", "user.email=ann@example.org"}, args...)...)
	cmd.Dir, cmd.Env = dir, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GIT_CONFIG_NOSYSTEM=1"}
	output, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, output)
	}
	return strings.TrimSpace(string(output))
}

// syncedVaultDir is a vault with a Git repository, its remote, and another device.
func syncedVaultDir(t *testing.T) (vault, remote, other string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil && os.Getenv("CI") == "" {
		t.Skip(err)
	}
	dir := t.TempDir()
	vault, remote, other = filepath.Join(dir, "Notes"), filepath.Join(dir, "remote.git"), filepath.Join(dir, "other")
	gitIn(t, dir, "init", "--quiet", "--bare", "--initial-branch=main", remote)
	gitIn(t, dir, "init", "--quiet", "--initial-branch=main", vault)
	gitIn(t, vault, "remote", "add", "origin", remote)
	writeFiles(t, vault, map[string]string{"Plan.md": "one\ntwo\nthree\n", "private/Diary.md": "secret\n"})
	return vault, remote, other
}

func TestVaultSyncWithGit(t *testing.T) {
	t.Parallel()
	vault, remote, other := syncedVaultDir(t)
	limited, entry := testToken("phone", "allow: [private/]")
	readOnly, second := testToken("reader", "read_only: true")
	whole, third := testToken("laptop")
	audit := filepath.Join(t.TempDir(), "audit.jsonl")
	s := startHTTP(t, vault, configFile(t, "sync: git\ntokens:\n"+entry+second+third), "OBSIDIAN_MCP_TOKEN_SECRET=swordfish", "OBSIDIAN_MCP_AUDIT_LOG="+audit)
	for _, token := range []string{limited, readOnly} {
		c := rpcTransports[0].connect(s, token)
		if listedTools(t, c)["vault_sync"] {
			t.Error("a caller with limits is offered vault_sync")
		}
		checkUnknownTool(t, c, map[string]any{"name": "vault_sync", "arguments": map[string]any{"action": "now"}})
	}
	c := rpcTransports[0].connect(s, whole)
	call := func(name string, arguments map[string]any) toolResult {
		t.Helper()
		return decodeResult(t, c.request("tools/call", map[string]any{"name": name, "arguments": arguments}))
	}
	synced := func(action string) (state syncState) {
		t.Helper()
		result := call("vault_sync", map[string]any{"action": action})
		if err := json.Unmarshal(result.StructuredContent, &state); err != nil || result.IsError {
			t.Fatalf("%v: %+v", err, result)
		}
		state.hints = ""
		for _, item := range result.Content[1:] {
			state.hints += item.Text + "\n"
		}
		return state
	}
	edited := call("append_note", map[string]any{"name": "Plan", "text": "four"})
	if state := synced("status"); state.State != "pending" {
		t.Errorf("%+v", state)
	}
	if state := synced("now"); state.State != "up_to_date" || state.Ahead == nil || *state.Ahead != 0 {
		t.Errorf("%+v", state)
	}
	if message := gitIn(t, remote, "log", "-1", "--format=%B", "main"); message != "Sync 2 files\n\nChange: "+edited.Meta["change_id"].(string) {
		t.Errorf("%q: %v", message, edited.Meta)
	}

	gitIn(t, filepath.Dir(other), "clone", "--quiet", remote, other)
	writeFiles(t, other, map[string]string{"Phone.md": "written on the phone\n"})
	gitIn(t, other, "add", "--all")
	gitIn(t, other, "commit", "--quiet", "-m", "phone")
	gitIn(t, other, "push", "--quiet")
	if state := synced("now"); state.State != "up_to_date" || !strings.Contains(state.Output, "received 1 commit") {
		t.Errorf("%+v", state)
	}
	if found := call("search_notes", map[string]any{"query": "phone"}); !strings.Contains(found.Content[0].Text, "Phone") {
		t.Errorf("the index is not fresh: %s", found.Content[0].Text)
	}

	writeFiles(t, other, map[string]string{"Plan.md": "one\nTWO\nthree\nfour\n"})
	gitIn(t, other, "commit", "--quiet", "-am", "phone")
	gitIn(t, other, "push", "--quiet")
	call("replace_text", map[string]any{"name": "Plan", "old_text": "two", "new_text": "zwei"})
	if state := synced("now"); state.State != "conflict" || !strings.Contains(state.Output, "conflicts in: Plan.md") || !strings.Contains(state.hints, "Plan.md") {
		t.Errorf("%+v", state)
	}
	if note, _ := os.ReadFile(filepath.Join(vault, "Plan.md")); !strings.HasPrefix(string(note), "one\nzwei\nthree\n") {
		t.Errorf("%q", note)
	}
	if state := synced("status"); state.State != "pending" || !strings.Contains(state.hints, "left conflicts in Plan.md") {
		t.Errorf("%+v", state)
	}
	bad := call("vault_sync", map[string]any{"action": "git push --force"})
	if !bad.IsError || bad.Content[0].Text != "action must be status or now" {
		t.Errorf("%+v", bad)
	}
	if more := call("vault_sync", map[string]any{"command": "rm"}); !more.IsError {
		t.Errorf("%+v", more)
	}
	if recorded, _ := os.ReadFile(audit); strings.Count(string(recorded), `"vault_sync"`) < 6 {
		t.Errorf("the audit log has %s", recorded)
	}
}

type syncState struct {
	State         string
	Ahead, Behind *int
	Output        string
	TookMS        int64 `json:"took_ms"`
	hints         string
}

func TestVaultSyncOnTheCommandLine(t *testing.T) {
	t.Parallel()
	vault, _, _ := syncedVaultDir(t)
	state := "OBSIDIAN_MCP_STATE_DIR=" + t.TempDir()
	settings := []string{"OBSIDIAN_VAULT_PATH=" + vault, state, "GITHUB_TOKEN=swordfish1", "COUCHDB_PASSWORD_X=swordfish2"}
	if done := runProgram(t, settings, "call", "vault_sync"); done.status != 2 || !strings.Contains(done.errors, "the config file has no 'sync'") {
		t.Errorf("%+v", done)
	}
	own := configFile(t, "sync: {pull: [sh, -c, 'env; touch \"Plan (conflicted copy).md\"; printf \"<<<<<<< a\\n=======\\n>>>>>>> b\\n\" > Plan.md'], status: [git, status, --short]}")
	done := runProgram(t, settings, own, "call", "vault_sync", "--action", "now")
	if done.status != 0 || !strings.Contains(done.out, `"state":"conflict"`) || !strings.Contains(done.out, "conflicts in: Plan (conflicted copy).md, Plan.md") {
		t.Errorf("%+v", done)
	}
	if strings.Contains(done.out, "swordfish") || !strings.Contains(done.out, "PATH=") {
		t.Errorf("%+v", done)
	}
	if done := runProgram(t, settings, own, "call", "vault_sync"); done.status != 0 || !strings.Contains(done.out, "?? private/") || !strings.Contains(done.errors, "left conflicts in Plan (conflicted copy).md") {
		t.Errorf("%+v", done)
	}
	if done := runProgram(t, settings, own, "doctor"); !strings.Contains(done.out, "sync: sh -c") && !strings.Contains(done.out, "sync: sh (") || !strings.Contains(done.out, "left conflicts in") {
		t.Errorf("%+v", done)
	}
	missing := configFile(t, "sync: {pull: [no-such-program-here]}")
	if done := runProgram(t, settings, missing, "call", "vault_sync", "--action", "now"); done.status != 2 || !strings.Contains(done.errors, "sync.pull") {
		t.Errorf("%+v", done)
	}
	if done := runProgram(t, settings, missing, "doctor"); done.status == 0 || !strings.Contains(done.out, "no-such-program-here") {
		t.Errorf("%+v", done)
	}
	slow := configFile(t, "sync: {pull: [sleep, '600'], timeout: 1s}")
	if done := runProgram(t, settings, slow, "call", "vault_sync", "--action", "now"); done.status != 5 || !strings.Contains(done.errors, "sync.timeout") {
		t.Errorf("%+v", done)
	}
}

// TestVaultSyncsByItself waits until the server has pushed without being asked.
func TestVaultSyncsByItself(t *testing.T) {
	t.Parallel()
	vault, remote, _ := syncedVaultDir(t)
	s := startHTTP(t, vault, configFile(t, "sync: {preset: git, every: 1s}"))
	eventually(t, "the vault is not synced", mode.Patience, func() bool { return strings.Contains(s.stderr.String(), "the vault was synced") })
	if page := s.do("GET", "/", ""); page.status != http.StatusOK || !strings.Contains(page.body, "Last sync") {
		t.Errorf("%d %s", page.status, page.body)
	}
	if files := gitIn(t, remote, "ls-tree", "-r", "--name-only", "main"); files != "Plan.md\nprivate/Diary.md" {
		t.Error(files)
	}
}

func TestSyncNeedsAFolder(t *testing.T) {
	t.Parallel()
	settings := []string{"COUCHDB_BASE_URL=http://127.0.0.1:1", "COUCHDB_DATABASE_NAME=notes", "COUCHDB_USER=a", "COUCHDB_PASSWORD=b"}
	done := runProgram(t, settings, configFile(t, "sync: git"), "call", "vault_sync")
	if done.status != 2 || !strings.Contains(done.errors, "only a vault in a folder can be synced") {
		t.Errorf("%+v", done)
	}
}
