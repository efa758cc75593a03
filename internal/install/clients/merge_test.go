package clients_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/install/clients"
)

// Credentials stay for the same address and are dropped for another. A new token replaces only the earlier token.
func TestCredentialsStayWithTheirAddress(t *testing.T) {
	here := "https://notes.example.com/mcp"
	without, other := token, token
	without.Token = ""
	other.URL, other.Token = "http://127.0.0.1:1065/mcp", ""
	for name, c := range map[string]struct {
		client        string
		server        clients.Server
		before, after string // the entry
		lost          []string
	}{
		"no new token": {"cursor", without,
			`{"url": "` + here + `", "headers": {"Authorization": "Bearer old", "X-Id": "1"}}`,
			`{"url": "` + here + `", "headers": {"Authorization": "Bearer old", "X-Id": "1"}}`, nil},
		"a new token": {"cursor", token,
			`{"url": "` + here + `", "headers": {"X-Id": "1", "Authorization": "Bearer old"}, "oauth": {"a": 1}}`,
			`{"url": "` + here + `", "headers": {"X-Id": "1", "Authorization": "Bearer s3cret"}, "oauth": {"a": 1}}`, nil},
		"a new token, in other letters": {"gemini", token,
			`{"httpUrl": "` + here + `", "headers": {"authorization": "Bearer old"}}`,
			`{"httpUrl": "` + here + `", "headers": { "Authorization": "Bearer s3cret" }}`, nil},
		"the first token": {"windsurf", token,
			`{"serverUrl": "` + here + `", "headers": null}`,
			`{"serverUrl": "` + here + `", "headers": { "Authorization": "Bearer s3cret" }}`, nil},
		"another address": {"cursor", other,
			`{"url": "http://10.0.0.1:1065/mcp", "headers": {"X-Id": "1", "Authorization": "Bearer old"}, "auth": {"CLIENT_ID": "x"}, "note": 1}`,
			`{"url": "http://127.0.0.1:1065/mcp", "note": 1}`, []string{"auth", "Authorization", "X-Id"}},
		"a program instead": {"gemini", local,
			`{"httpUrl": "http://10.0.0.1:1065/mcp", "headers": {"X-Id": "1"}, "authProviderType": "google_credentials"}`,
			`{ "command": "/path/to/obsidian-mcp", "env": { "OBSIDIAN_VAULT_PATH": "/path/to/vault" } }`, []string{"authProviderType", "X-Id"}},
		"an address instead": {"vscode", without,
			`{"command": "obsidian-mcp", "envFile": "/limits", "cwd": "/", "gallery": true}`,
			`{"gallery": true, "type": "http", "url": "` + here + `"}`, []string{"cwd", "envFile"}},
	} {
		t.Run(name, func(t *testing.T) {
			client, around := find(t, c.client), `{"mcpServers": {"obsidian": ENTRY}}`
			if c.client == "vscode" {
				around = `{"servers": {"obsidian": ENTRY}}`
			}
			plan, err := client.Install(write(t, strings.Replace(around, "ENTRY", c.before, 1)), c.server, clients.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.Replace(around, "ENTRY", c.after, 1), string(plan.After)); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(c.lost, plan.Lost); diff != "" {
				t.Error(diff)
			}
		})
	}
	file := write(t, `{"mcpServers": {"obsidian": {"url": "`+here+`", "headers": "X: 1"}}}`)
	_, err := find(t, "cursor").Install(file, token, clients.Options{})
	if err == nil || !strings.Contains(err.Error(), "'headers' of the entry must map headers") {
		t.Error(err)
	}
}

// Codex refuses an entry that mixes fields for a program with fields for an address.
func TestCodexEntries(t *testing.T) {
	const head = "[mcp_servers.obsidian]\n"
	without := token
	without.Token = ""
	for name, c := range map[string]struct {
		server         clients.Server
		before         string
		want, unwanted []string
	}{
		"to an address": {token, "command = \"obsidian-mcp\"\ncwd = \"/\"\nenv_vars = [\"X\"]\ntool_timeout_sec = 9\n",
			[]string{`url = "https://notes.example.com/mcp"`, "tool_timeout_sec = 9", "Bearer s3cret"}, []string{"command", "cwd", "env_vars"}},
		"to a program": {local, "url = \"http://127.0.0.1:1065/mcp\"\nbearer_token = \"x\"\nbearer_token_env_var = \"X\"\nhttp_headers = {A = \"1\"}\nenv_http_headers = {B = \"C\"}\noauth_resource = \"x\"\nenabled = false\n[mcp_servers.obsidian.oauth]\nclient_id = \"x\"\n",
			[]string{"command = ", "enabled = false"}, []string{"url", "bearer_token", "headers", "oauth"}},
		"the same address": {without, "url = \"https://notes.example.com/mcp\"\nbearer_token_env_var = \"TOKEN\"\ncwd = \"/\"\nenv_http_headers = {Authorization = \"A\", X-Id = \"B\"}\n",
			[]string{`bearer_token_env_var = "TOKEN"`, `Authorization = "A"`, `X-Id = "B"`}, []string{"cwd"}},
		"a new token": {token, "url = \"https://notes.example.com/mcp\"\nbearer_token_env_var = \"TOKEN\"\nhttp_headers = {X-Key = \"1\"}\nenv_http_headers = {Authorization = \"A\", X-Id = \"B\"}\n",
			[]string{"Bearer s3cret", `X-Key = "1"`, `X-Id = "B"`}, []string{"bearer_token_env_var", `"A"`}},
	} {
		t.Run(name, func(t *testing.T) {
			plan, err := find(t, "codex").Install(write(t, head+c.before), c.server, clients.Options{})
			if err != nil {
				t.Fatal(err)
			}
			text := strings.ReplaceAll(string(plan.After), `"X-Id"`, "X-Id")
			for _, want := range c.want {
				if !strings.Contains(text, want) {
					t.Errorf("%s is not in\n%s", want, text)
				}
			}
			for _, unwanted := range c.unwanted {
				if strings.Contains(text, unwanted) {
					t.Errorf("%s is in\n%s", unwanted, text)
				}
			}
		})
	}
}

// The hint says how to remove an entry with an unknown address, and does not repeat an address that contains a secret.
func TestHintNamesAddress(t *testing.T) {
	for address, want := range map[string]string{
		"http://127.0.0.1:1234/mcp":      "--url http://127.0.0.1:1234/mcp removes it; --force",
		"https://me:s3cret@example.com/": "--url with its address removes it; --force",
		"https://example.com/?k=s3cret":  "--url with its address removes it; --force",
	} {
		_, err := find(t, "cursor").Uninstall(write(t, `{"mcpServers": {"obsidian": {"url": "`+address+`"}}}`), clients.Server{Name: "obsidian"}, clients.Options{})
		if hint := fault.HintOf(err); err == nil || !strings.Contains(hint, want) || strings.Contains(hint, "s3cret") {
			t.Errorf("%v; %s", err, hint)
		}
	}
}
