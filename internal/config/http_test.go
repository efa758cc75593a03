package config_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"obsidian-mcp/internal/config"
)

// load reads settings from a config file and variables.
func load(t *testing.T, file string, variables map[string]string) (config.Config, error) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "c.yaml")
	if err := os.WriteFile(name, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	return config.Load(config.Source{File: name, Flags: map[string]string{}, Lookup: func(variable string) (string, bool) {
		value, ok := variables[variable]
		return value, ok
	}})
}

func TestTokensInConfigFile(t *testing.T) {
	got, err := load(t, `
tokens:
  - name: phone
    sha256: 0123
    read_only: true
    allow: [projects/]
    deny: [private/, "**/*.secret.md"]
    toolsets: notes, find
    expires: 2027-01-01
  - {name: desk, sha256: 9999, expires: "2027-01-02T03:04:05Z", deny: "Smith, John/"}
oauth_users:
  - alice
  - {user: bob@example.com, read_only: true}
`, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []config.Token{
		{Name: "phone", SHA256: "0123", Expires: time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC), Grant: config.Grant{
			ReadOnly: true, Allow: []string{"projects/"}, Deny: []string{"private/", "**/*.secret.md"}, Toolsets: []string{"notes", "find"},
		}},
		{Name: "desk", SHA256: "9999", Expires: time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC), Grant: config.Grant{Deny: []string{"Smith, John/"}}},
	}
	if diff := cmp.Diff(want, got.HTTP.Tokens); diff != "" {
		t.Error(diff)
	}
	users := []config.User{{Subject: "alice"}, {Subject: "bob@example.com", Grant: config.Grant{ReadOnly: true}}}
	if diff := cmp.Diff(users, got.HTTP.OAuth.Users); diff != "" {
		t.Error(diff)
	}
}

func TestUsersFromVariableReplaceFile(t *testing.T) {
	got, err := load(t, "oauth_users: alice, bob\n", map[string]string{"OBSIDIAN_MCP_OAUTH_USERS": "carol"})
	if err != nil || len(got.HTTP.OAuth.Users) != 1 || got.HTTP.OAuth.Users[0].Subject != "carol" {
		t.Errorf("%+v, %v", got.HTTP.OAuth.Users, err)
	}
	got, err = load(t, "oauth_users: alice, bob\n", nil)
	if err != nil || len(got.HTTP.OAuth.Users) != 2 {
		t.Errorf("%+v, %v", got.HTTP.OAuth.Users, err)
	}
}

func TestInvalidHTTPSettings(t *testing.T) {
	for _, c := range []struct{ file, want string }{
		{"tokens: phone", "tokens must be a list"},
		{"tokens: [phone]", "entry 1 on line 1: it must contain keys and values"},
		{"tokens: [{name: a}]", "needs name and sha256"},
		{"tokens: [{name: a, sha256: b, readonly: true}]", "did you mean 'read_only'?"},
		{"tokens: [{name: a, sha256: b, read_only: maybe}]", "read_only"},
		{"tokens: [{name: a, name: b, sha256: b}]", "'name' is set twice"},
		{"tokens: [{name: a, sha256: b, expires: soon}]", "expires: 'soon' must be a day"},
		{"tokens: [{name: a, sha256: b, allow: }]", "allow: it is empty"},
		{"tokens: [{name: a, sha256: b, allow: []}]", "allow: it is empty"},
		{"tokens: [{name: a, sha256: b, allow: [null]}]", "allow: it contains an empty entry"},
		{"tokens: [{name: a, sha256: b, deny: \"\"}]", "deny: it is empty"},
		{"tokens: [{name: a, sha256: b, deny: \"  \"}]", "deny: it contains an empty entry"},
		{"tokens: [{name: a, sha256: b, toolsets: \" , \"}]", "toolsets: it is empty"},
		{"tokens: [{name: a, sha256: b, toolsets: [\"\"]}]", "toolsets: it contains an empty entry"},
		{"tokens: [{name: a, sha256: b, read_only: }]", "read_only: it has no value"},
		{"tokens: [{name: a, sha256: b, read_only: ~}]", "read_only: it has no value"},
		{"tokens: [{name: a, sha256: b, expires: null}]", "expires: it has no value"},
		{"tokens: [{name: a, sha256: b, expires: \"\"}]", "expires: it has no value"},
		{"oauth_users: [{user: a, read_only: }]", "read_only: it has no value"},
		{"tokens: []", "tokens is empty"},
		{"oauth_users: []", "oauth_users is empty"},
		{"port: 1\n---\nread_only: true", "line 3: a second document begins here"},
		{"port: 1\n...\n---\nread_only: true", "line 4: a second document begins here"},
		{"---\n---\nread_only: true", "line 3: a second document begins here"},
		{"port: 1\n---\n{", "not valid YAML"},
		{"tokens: [{name: a, sha256: b}]\ntokens: []", "twice"},
		{"oauth_users: [{read_only: true}]", "a user needs 'user'"},
		{"port: 70000", "must be a port"},
		{"session_idle: never", "must be a time"},
		{"max_sessions: -1", "must be a whole number"},
		{"max_session: 1", "did you mean 'max_sessions'?"},
		{"max_connections: 0", "must be a whole number from 1"},
		{"insecure_no_auth: perhaps", "must be true or false"},
	} {
		if _, err := load(t, c.file+"\n", nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.file, err, c.want)
		}
	}
}

// Document markers around a single document are fine.
func TestDocumentMarkersAreAccepted(t *testing.T) {
	for _, file := range []string{"---\nread_only: true", "%YAML 1.1\n---\nread_only: true\n...", "read_only: true\n---", "read_only: true\n--- # nothing\n...\n"} {
		if got, err := load(t, file+"\n", nil); err != nil || !got.ReadOnly {
			t.Errorf("%q: %v", file, err)
		}
	}
}

// ~/ means the home folder, as in a shell.
func TestTildeIsExpanded(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	got, err := load(t, "vault_path: ~/v\nstate_dir: ~/s\ncache_dir: ~/c\naudit_log: ~/a\n", nil)
	if err != nil || got.VaultPath != filepath.Join(home, "v") || got.StateDir != filepath.Join(home, "s") ||
		got.CacheDir != filepath.Join(home, "c") || got.AuditLog != filepath.Join(home, "a") {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestRatesDependOnWhereTheServerListens(t *testing.T) {
	for _, c := range []struct {
		file                 string
		loopback             bool
		calls, writes, bytes int
	}{
		{"", true, 0, 0, 0},
		{"", false, 600, 120, 32 << 20},
		{"rate_calls: 7\nrate_writes: 0", true, 7, 0, 0},
		{"rate_calls: 0\nrate_writes: 3\nrate_write_bytes: 5", false, 0, 3, 5},
	} {
		got, err := load(t, c.file+"\n", nil)
		if err != nil {
			t.Fatal(err)
		}
		limits := got.HTTP.Limits.In(c.loopback)
		if limits.Calls != c.calls || limits.Writes != c.writes || limits.WriteBytes != c.bytes {
			t.Errorf("%q, loopback %v: %d, %d and %d", c.file, c.loopback, limits.Calls, limits.Writes, limits.WriteBytes)
		}
	}
}

func TestTokenIsNeverPrinted(t *testing.T) {
	got, err := load(t, "", map[string]string{"OBSIDIAN_MCP_TOKEN": "omcp_CANARY"})
	if err != nil || got.HTTP.Token.Reveal() != "omcp_CANARY" {
		t.Fatalf("%v, %v", got.HTTP.Token, err)
	}
	for _, format := range []string{"%v", "%+v", "%#v", "%s"} {
		if shown := fmt.Sprintf(format, got); strings.Contains(shown, "CANARY") {
			t.Errorf("%s prints the token", format)
		}
	}
}

func TestUnknownVariables(t *testing.T) {
	got := config.Unknown([]string{"OBSIDIAN_MCP_TOKN=x", "OBSIDIAN_MCP_TOKEN=x", "OBSIDIAN_MCP_TOKEN_FILE=x", "HOME=/", "OBSIDIAN_MCP_NOTHING_OF_THE_KIND=1"})
	if len(got) != 2 || got[0] != "OBSIDIAN_MCP_TOKN (did you mean OBSIDIAN_MCP_TOKEN?)" || strings.Contains(got[1], "=") {
		t.Errorf("%q", got)
	}
}
