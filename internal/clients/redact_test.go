package clients_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"obsidian-mcp/internal/clients"
)

// shown is what of a diff is about lines, without their numbers.
func shown(diff string) string {
	_, lines, _ := strings.Cut(diff, "@@\n")
	return lines
}

// TestNoSecretIsShown: neither one that comes, nor one that goes, nor a
// neighbour's.
func TestNoSecretIsShown(t *testing.T) {
	for name, c := range map[string]struct {
		client string
		server clients.Server
		before string
		want   string // the lines of the diff
	}{
		"another token": {"cursor", clients.Server{Name: "o", URL: "http://127.0.0.1:1065/mcp", Token: "SECRET-2"},
			"{ \"mcpServers\": {\n  \"o\": {\n    \"url\": \"http://127.0.0.1:1065/mcp\",\n    \"headers\": {\n      \"Authorization\": \"Bearer SECRET-1\"\n    }\n  }\n} }\n",
			"   \"o\": {\n     \"url\": \"http://127.0.0.1:1065/mcp\",\n     \"headers\": {\n-      \"Authorization\": \"Bearer [redacted]\"\n+      \"Authorization\": \"Bearer [redacted]\"\n     }\n   }\n } }\n"},
		"neighbours in one line": {"cursor", clients.Server{Name: "o", Command: "obsidian-mcp"},
			`{"mcpServers": {"g": {"args": ["--api-key", "SECRET-1", "--log=x", "--token=SECRET\"-2", "X-Api-Key: SECRET-3", "Authorization: Bearer SECRET-4", "API_KEY=SECRET-5", "Bearer SECRET-6"], "url": "https://me:SECRET-7@h/p?token=SECRET-8&x=1", "env": {"GITHUB_TOKEN":"SECRET-9 \"", "DB_PASS" : "SECRET-0", "A_PASSWORD_FILE": "/run/pw", "EMPTY_KEY": "", "keymap": "vim", "maxTokens": 12}}}}`,
			`-{"mcpServers": {"g": {"args": ["--api-key", "[redacted]", "--log=x", "--token=[redacted]", "X-Api-Key: [redacted]", "Authorization: [redacted]", "API_KEY=[redacted]", "Bearer [redacted]"], "url": "https://[redacted]@h/p?token=[redacted]&x=1", "env": {"GITHUB_TOKEN":"[redacted]", "DB_PASS" : "[redacted]", "A_PASSWORD_FILE": "/run/pw", "EMPTY_KEY": "", "keymap": "vim", "maxTokens": 12}}}}` + "\n\\ No newline at end of file\n" +
				`+{"mcpServers": {"g": {"args": ["--api-key", "[redacted]", "--log=x", "--token=[redacted]", "X-Api-Key: [redacted]", "Authorization: [redacted]", "API_KEY=[redacted]", "Bearer [redacted]"], "url": "https://[redacted]@h/p?token=[redacted]&x=1", "env": {"GITHUB_TOKEN":"[redacted]", "DB_PASS" : "[redacted]", "A_PASSWORD_FILE": "/run/pw", "EMPTY_KEY": "", "keymap": "vim", "maxTokens": 12}}, "o": { "command": "obsidian-mcp" }}}` + "\n\\ No newline at end of file\n"},
		"a name that is not shown": {"cursor", clients.Server{Name: "o", Command: "obsidian-mcp"},
			"{ \"mcpServers\": {\n  \"g\": { \"args\": [\n    \"--secret\",\n    \"SECRET-1\"\n  ] },\n  \"o\": {\n    \"command\": \"/old/obsidian-mcp\"\n  }\n} }\n",
			"     \"[redacted]\"\n   ] },\n   \"o\": {\n-    \"command\": \"/old/obsidian-mcp\"\n+    \"command\": \"obsidian-mcp\"\n   }\n } }\n"},
		"TOML": {"codex", clients.Server{Name: "o", Command: "obsidian-mcp"},
			"[mcp_servers.g]\r\nbearer_token_env_var = \"G\"\r\nenv = { A_KEY = 'SECRET-1', \"B-Secret\"=\"SECRET-2\" }\r\nprivate_key = '''SECRET-3\r\n''' # it\r\n",
			" env = { A_KEY = '[redacted]', \"B-Secret\"=\"[redacted]\" }\n private_key = '[redacted]'\n  # it\n+\n+[mcp_servers.o]\n+command = \"obsidian-mcp\"\n"},
	} {
		t.Run(name, func(t *testing.T) {
			client, file := find(t, c.client), write(t, c.before)
			plan, err := client.Install(file, c.server, clients.Options{})
			check(t, err)
			got := plan.Diff()
			if strings.Contains(got, "SECRET") {
				t.Errorf("a secret is shown:\n%s", got)
			}
			if diff := cmp.Diff(c.want, shown(got)); diff != "" {
				t.Error(diff)
			}
			if plan.Before == nil || strings.Contains(string(plan.After), "[redacted]") || strings.Count(string(plan.After), "SECRET") != strings.Count(c.before, "SECRET") {
				t.Errorf("what is written:\n%s", plan.After)
			}
			_, err = plan.Write(moment)
			check(t, err)
			gone, err := client.Uninstall(file, c.server, clients.Options{})
			check(t, err)
			if got := gone.Diff(); got == "" || strings.Contains(got, "SECRET") {
				t.Errorf("a secret is shown:\n%s", got)
			}
		})
	}
}
