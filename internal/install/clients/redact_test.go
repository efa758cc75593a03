package clients_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"obsidian-mcp/internal/install/clients"
)

// hunkLines returns the lines of a diff's hunk, without their numbers.
func hunkLines(diff string) string {
	_, lines, _ := strings.Cut(diff, "@@\n")
	return lines
}

var added = clients.Server{Name: "o", Command: "obsidian-mcp"}

// oneLineDiff returns the diff of a one-line file to which the server is added at the @.
func oneLineDiff(line string) string {
	at := strings.LastIndex(line, "@}")
	before, after := line[:at]+line[at+1:], line[:at]+`, "o": { "command": "obsidian-mcp" }`+line[at+1:]
	return "-" + before + "\n\\ No newline at end of file\n+" + after + "\n\\ No newline at end of file\n"
}

// The diff shows no secret: none that is added, none that is removed, and none of other servers.
func TestDiffMasksSecrets(t *testing.T) {
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
		"names of all sorts": {"cursor", added,
			`{"mcpServers": {"x": {"command": "y", "env": {"OPENAI_API_KEY_2": "SECRET-1", "STRIPE_KEY_LIVE": "SECRET-2", "PRIVATE_KEY_PEM": "SECRET-3", "GH_PAT_2": "SECRET-4", "PASS_1": "SECRET-5", "AUTH": "SECRET-6", "DBPASS": "SECRET-7", "SSHPASS": "SECRET-8", "JWT": "SECRET-9", "apiKeyLive": "SECRET-10", "X": "Basic SECRET-11", "PIN_PASSWORD": 123456, "passwords": [1234], "tokens": {"a": "SECRET-12", "b": ["SECRET-13"], "c": true, "max": 7}, "api_keys": ["SECRET-14", "SECRET-15"], "LAST": "seen"}}}}`,
			oneLineDiff(`{"mcpServers": {"x": {"command": "y", "env": {"OPENAI_API_KEY_2": "[redacted]", "STRIPE_KEY_LIVE": "[redacted]", "PRIVATE_KEY_PEM": "[redacted]", "GH_PAT_2": "[redacted]", "PASS_1": "[redacted]", "AUTH": "[redacted]", "DBPASS": "[redacted]", "SSHPASS": "[redacted]", "JWT": "[redacted]", "apiKeyLive": "[redacted]", "X": "Basic [redacted]", "PIN_PASSWORD": [redacted], "passwords": [[redacted]], "tokens": {"a": "[redacted]", "b": ["[redacted]"], "c": true, "max": 7}, "api_keys": ["[redacted]", "[redacted]"], "LAST": "seen"}}@}}`)},
		"logins": {"cursor", added,
			`{"mcpServers": {"x": {"command": "y", "args": ["postgres://u:p@SECRET-1@host/db", "postgresql://u:pa/SECRET-2?x#@h/d", "https:\/\/u:SECRET-3@host\/p", "https://SECRET-4@h/p", "--token", /* it */ "SECRET-5", "--user=bob:SECRET-6", "-u", "bob:SECRET-7", "--json", "{\"apiKey\": \"SECRET-8\"}"]}}}`,
			oneLineDiff(`{"mcpServers": {"x": {"command": "y", "args": ["postgres://[redacted]@host/db", "postgresql://[redacted]@h/d", "https:\/\/[redacted]@host\/p", "https://[redacted]@h/p", "--token", /* it */ "[redacted]", "--user=bob:[redacted]", "-u", "bob:[redacted]", "--json", "{\"apiKey\": [redacted]"]}@}}`)},
		"comments": {"cursor", added,
			"{ \"mcpServers\": { // it's \"so\": [\n  // \"A_KEY\": \"SECRET-1\"\n  // \"--token\", \"SECRET-2\"\n  // https://me:SECRET-3@h and key = SECRET-4\n} }\n",
			"   // \"A_KEY\": [redacted]\n   // \"--token\", \"[redacted]\"\n   // https://[redacted]@h and key = [redacted]\n+  \"o\": {\n+    \"command\": \"obsidian-mcp\"\n+  }\n } }\n"},
		"not a secret": {"cursor", added,
			`{"mcpServers": {"token-keys": {"command": "/opt/secret/run", "args": ["http://127.0.0.1:4873/@scope/pkg@1.2", "https://h/@scope", "--user", "1000:1000", "-v", "/my/keys:/data", "C:\\Secret\\x"], "env": {"OBSIDIAN_VAULT_PATH": "/home/me/Secret Keys", "SSH_KEY_PATH": "/k", "AUTH_URL": "https://h/login", "password": true, "keyboard": "de", "author": "me", "max_output_tokens": 12, "PATH": "/bin"}}}, "projects": {"/home/me/secret": {"trust": "yes"}}}`,
			oneLineDiff(`{"mcpServers": {"token-keys": {"command": "/opt/secret/run", "args": ["http://127.0.0.1:4873/@scope/pkg@1.2", "https://h/@scope", "--user", "1000:1000", "-v", "/my/keys:/data", "C:\\Secret\\x"], "env": {"OBSIDIAN_VAULT_PATH": "/home/me/Secret Keys", "SSH_KEY_PATH": "/k", "AUTH_URL": "https://h/login", "password": true, "keyboard": "de", "author": "me", "max_output_tokens": 12, "PATH": "/bin"}}@}, "projects": {"/home/me/secret": {"trust": "yes"}}}`)},
		"tables of TOML": {"codex", added,
			"[mcp_servers.x.credentials]\na = \"SECRET-1\" # [x]\nb = [\n  'SECRET-2', [\"SECRET-3\"]\n]\n[mcp_servers.my-token]\ncommand = \"y\"\nenv.passwords.a = 'SECRET-4'\npin_password = 12\n",
			" command = \"y\"\n env.passwords.a = '[redacted]'\n pin_password = [redacted]\n+\n+[mcp_servers.o]\n+command = \"obsidian-mcp\"\n"},
		"a table above": {"codex", added,
			"[mcp_servers.o]\ncommand = \"/old/obsidian-mcp\"\n[mcp_servers.x.credentials]\na = \"SECRET-1\" # [x]\nb = [ 'SECRET-2', [\"SECRET-3\"] ]\n",
			" [mcp_servers.o]\n-command = \"/old/obsidian-mcp\"\n+command = \"obsidian-mcp\"\n [mcp_servers.x.credentials]\n a = \"[redacted]\" # [x]\n b = [ '[redacted]', [\"[redacted]\"] ]\n"},
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
			if diff := cmp.Diff(c.want, hunkLines(got)); diff != "" {
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
