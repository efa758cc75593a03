package app

import (
	"strings"
	"testing"

	"obsidian-mcp/internal/access/auth"
	"obsidian-mcp/internal/config"
)

// TestConflictsOfFixtures: a conflict between two devices is found, shown, resolved and undone, and then the vault is as whole as
// before.
func TestConflictsOfFixtures(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"plain-conflict", "e2ee-v2-obfuscated-conflict"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			skipUnlessFull(t, name, "e2ee-v2-obfuscated-conflict")
			f := fixtureNamed(t, name)
			_, settings := f.load(t)
			settings = append(settings, "OBSIDIAN_MCP_STATE_DIR="+t.TempDir())
			call := func(args ...string) string {
				t.Helper()
				got := runProgram(t, settings, append([]string{"call"}, args...)...)
				if got.status != 0 {
					t.Fatalf("%q: %+v", args, got)
				}
				return got.out
			}
			if found := call("find_conflicts"); !strings.Contains(found, `"note":"Daily/2024-02-29.md","kind":"revision"`) || !strings.Contains(found, `"total":1}`) {
				t.Fatal(found)
			}
			shown := call("resolve_conflict", "--note", "2024-02-29", "--dry-run")
			done := call("resolve_conflict", "--note", "2024-02-29")
			if !strings.Contains(done, `"merged":true`) || strings.Replace(shown, `"dry_run":true`, `"dry_run":false`, 1) != done {
				t.Errorf("%s\n%s", shown, done)
			}
			if found := call("find_conflicts"); !strings.Contains(found, `"total":0`) {
				t.Error(found)
			}
			if got := runProgram(t, settings, "livesync", "verify", "--lost"); got.status != 0 || !strings.HasSuffix(got.out, "no line was lost\n") {
				t.Errorf("%+v", got)
			}
			call("append_note", "--name", "2024-02-29", "--text", "written again")
			if got := runProgram(t, settings, "livesync", "verify"); strings.Contains(got.out, "conflict") {
				t.Errorf("%+v", got)
			}
			listed := call("list_changes", "--limit", "2")
			if !strings.Contains(listed, "resolved a conflict in Daily/2024-02-29") {
				t.Error(listed)
			}
			_, after, _ := strings.Cut(listed, "},{\"id\":\"")
			id, _, _ := strings.Cut(after, `"`)
			if got := runProgram(t, settings, "call", "undo_change", "--id", id, "--force"); got.status != 0 {
				t.Fatalf("%+v", got)
			}
			if found := call("find_conflicts"); !strings.Contains(found, `"kind":"copy"`) {
				t.Error(found)
			}
		})
	}
}

// TestConflictToolsOfFolders: a vault in a folder offers them if the settings name their toolset, and call always.
func TestConflictToolsOfFolders(t *testing.T) {
	t.Parallel()
	vault := t.TempDir()
	writeFiles(t, vault, map[string]string{"A.md": "one\n", "A.sync-conflict-20261116-101010-ABCDEFG.md": "one\ntwo\n"})
	if got := runProgram(t, []string{"OBSIDIAN_VAULT_PATH=" + vault}, "call", "find_conflicts"); !strings.Contains(got.out, `"note":"A.md","kind":"copy"`) {
		t.Errorf("%+v", got)
	}
	for toolsets, isOffered := range map[string]bool{"default": false, "small": false, "default,sync": true, "sync": true, "all": true, "all,-sync": false} {
		tools, err := offered(Tools(), config.Config{Toolsets: toolsets}, auth.Grant{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tools.Find("find_conflicts"); (err == nil) != isOffered {
			t.Errorf("%s: %v", toolsets, err)
		}
	}
	byToken, err := offered(Tools(), config.Config{Toolsets: "default"}, auth.Grant{Toolsets: []string{"sync"}})
	if err != nil || len(byToken.All()) != 2 {
		t.Errorf("a token that names the toolset: %d tools, %v", len(byToken.All()), err)
	}
	database, err := offered(Tools(), config.Config{Toolsets: "default", LiveSync: config.LiveSync{URL: "http://x", Database: "x"}}, auth.Grant{})
	if _, missing := database.Find("resolve_conflict"); err != nil || missing != nil {
		t.Errorf("a database: %v, %v", err, missing)
	}
}
