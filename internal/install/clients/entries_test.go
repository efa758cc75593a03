package clients_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"obsidian-mcp/internal/install/clients"
)

// TestEntries finds entries that install writes, and entries that people write by hand.
func TestEntries(t *testing.T) {
	home := t.TempDir()
	for name, text := range map[string]string{
		".cursor/mcp.json":                     `{"mcpServers": {"x": {"command": "npx"}, "mine": {"command": "/x/obsidian-mcp", "args": ["--config", "/c.yaml"], "env": {"OBSIDIAN_VAULT_PATH": "/v", "N": 1}, "disabled": true}}} // notes`,
		".gemini/settings.json":                `{"mcpServers": {"obsidian": {"httpUrl": "http://127.0.0.1:1065/mcp"}, "odd": 3}}`,
		".codex/config.toml":                   "[mcp_servers.obsidian]\ncommand = \"obsidian-mcp\"\n[mcp_servers.obsidian.env]\nOBSIDIAN_VAULT = \"Notes\"\n",
		".codeium/windsurf/mcp_config.json":    `{"mcpServers": [`,
		".config/Claude/claude_desktop_config": `{}`,
	} {
		file := filepath.Join(home, filepath.FromSlash(name))
		check(t, os.MkdirAll(filepath.Dir(file), 0o755))
		check(t, os.WriteFile(file, []byte(text), 0o644))
	}
	machine := clients.Machine{Home: home, System: "linux", Lookup: func(string) (string, bool) { return "", false }}
	var got []clients.Server
	var names []string
	for _, entry := range clients.Entries(machine) {
		if entry.Off != (entry.Client.ID == "cursor") || (entry.Err != nil) != (entry.Client.ID == "windsurf") {
			t.Errorf("%s: off: %v, error: %v", entry.Client.ID, entry.Off, entry.Err)
		}
		got, names = append(got, entry.Server), append(names, entry.Client.ID)
	}
	want := []clients.Server{
		{Name: "mine", Command: "/x/obsidian-mcp", Args: []string{"--config", "/c.yaml"}, Env: []clients.Variable{{Name: "N"}, {Name: "OBSIDIAN_VAULT_PATH", Value: "/v"}}},
		{},
		{Name: "obsidian", URL: "http://127.0.0.1:1065/mcp"},
		{Name: "obsidian", Command: "obsidian-mcp", Env: []clients.Variable{{Name: "OBSIDIAN_VAULT", Value: "Notes"}}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"cursor", "windsurf", "gemini", "codex"}, names); diff != "" {
		t.Error(diff)
	}
	if entries := clients.Entries(clients.Machine{System: "linux", Lookup: machine.Lookup}); entries != nil {
		t.Errorf("without a home folder: %v", entries)
	}
}
