package clients_test

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"

	"obsidian-mcp/internal/install/clients"
	"obsidian-mcp/internal/testkit/golden"
	"obsidian-mcp/internal/testkit/skip"
)

var (
	local = clients.Server{Name: "obsidian", Command: "/path/to/obsidian-mcp", Env: []clients.Variable{{Name: "OBSIDIAN_VAULT_PATH", Value: "/path/to/vault"}}}
	odd   = clients.Server{Name: "my notes", Command: `C:\Program Files\it's\obsidian-mcp.exe`, Args: []string{"--config", `a "b" $HOME`},
		Env: []clients.Variable{{Name: "OBSIDIAN_VAULT_PATH", Value: `D:\Мои "заметки"`}, {Name: "OBSIDIAN_MCP_READ_ONLY", Value: "true"}}}
	open  = clients.Server{Name: "obsidian", URL: "http://127.0.0.1:1065/mcp"}
	token = clients.Server{Name: "obsidian", URL: "https://notes.example.com/mcp", Token: "s3cret"}
)

// TestBlocks compares the blocks that people paste with the golden file.
func TestBlocks(t *testing.T) {
	skip.OnWindows(t, "a shell reads the blocks")
	var all strings.Builder
	for _, client := range clients.All() {
		for _, kind := range []struct {
			name   string
			server clients.Server
		}{{"local", local}, {"odd", odd}, {"open", open}, {"token", token}} {
			block, ok := client.Block(kind.server)
			if !ok {
				fmt.Fprintf(&all, "-- %s, %s: none --\n", client.ID, kind.name)
				continue
			}
			fmt.Fprintf(&all, "-- %s, %s: %s, %s --\n%s", client.ID, kind.name, block.Language, block.Where, block.Text)
			checkBlock(t, client.ID, block, kind.server)
		}
	}
	golden.Check(t, "testdata/blocks.golden", []byte(all.String()))
}

// checkBlock reads a block as the client's own parser would.
func checkBlock(t *testing.T, id string, block clients.Block, s clients.Server) {
	t.Helper()
	config := map[string]map[string]map[string]any{}
	switch block.Language {
	case "json":
		if err := json.Unmarshal([]byte(block.Text), &config); err != nil {
			t.Fatalf("%s: %v\n%s", id, err, block.Text)
		}
	case "toml":
		if err := toml.Unmarshal([]byte(block.Text), &config); err != nil {
			t.Fatalf("%s: %v\n%s", id, err, block.Text)
		}
	case "sh":
		checkShell(t, block.Text, s)
		return
	default:
		if !strings.Contains(block.Text, s.URL) {
			t.Errorf("%s: no URL in\n%s", id, block.Text)
		}
		return
	}
	for _, servers := range config {
		entry := servers[s.Name]
		text := fmt.Sprint(entry)
		if s.URL != "" && !strings.Contains(text, s.URL) || s.URL == "" && entry["command"] != s.Command || !strings.Contains(text, s.Token) {
			t.Errorf("%s: %v", id, entry)
		}
		for _, variable := range s.Env {
			if env := entry["env"].(map[string]any); env[variable.Name] != variable.Value {
				t.Errorf("%s: %v", id, env)
			}
		}
	}
}

// checkShell splits the command with a real shell.
func checkShell(t *testing.T, text string, s clients.Server) {
	t.Helper()
	output, err := exec.Command("sh", "-c", `claude() { for word; do printf '%s\n' "$word"; done; }; `+text).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	words := strings.Split(strings.TrimSuffix(string(output), "\n"), "\n")
	for _, want := range append([]string{s.Name, s.Command, s.URL}, s.Args...) {
		if want != "" && !strings.Contains("\n"+string(output), "\n"+want+"\n") {
			t.Errorf("%q is not in %q", want, words)
		}
	}
}

func TestSupportedServers(t *testing.T) {
	for _, client := range clients.All() {
		_, starts := client.Block(local)
		_, calls := client.Block(open)
		if wantStarts, wantCalls := client.ID != "chatgpt", client.ID != "claude-desktop"; starts != wantStarts || calls != wantCalls {
			t.Errorf("%s: %v, %v", client.ID, starts, calls)
		}
		if client.Name == "" || client.Next == "" {
			t.Errorf("%s: %+v", client.ID, client)
		}
	}
}
