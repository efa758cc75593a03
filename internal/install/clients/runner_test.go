package clients

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Entries that start the program by npx are known as ours, replaced by and for other programs, and removed; entries of other
// packages are not touched.
func TestEntriesByNPX(t *testing.T) {
	byNPX := Server{Name: "obsidian", Command: "npx", Runner: []string{"-y", Package}}
	byPath := Server{Name: "obsidian", Command: "/usr/bin/obsidian-mcp"}
	keep := func(args []string) []string { return args }
	for name, c := range map[string]struct {
		server        Server
		before, after string // args
		state         State
	}{
		"new":                       {byNPX, "", `"command":"npx","args":["-y","@obsidian-mcp/server"]`, Absent},
		"unchanged":                 {byNPX, `"command":"npx","args":["-y","@obsidian-mcp/server"]`, `"command":"npx","args":["-y","@obsidian-mcp/server"]`, Same},
		"a version, and an option":  {byNPX, `"command":"npx","args":["-y","@obsidian-mcp/server@1.2.3","--read-only"]`, `"command":"npx","args":["-y","@obsidian-mcp/server","--read-only"]`, Different},
		"from a program":            {byNPX, `"command":"/old/obsidian-mcp","args":["--read-only"]`, `"command":"npx","args":["-y","@obsidian-mcp/server","--read-only"]`, Different},
		"to a program":              {byPath, `"command":"npx","args":["-y","@obsidian-mcp/server","--read-only"]`, `"command":"/usr/bin/obsidian-mcp","args":["--read-only"]`, Different},
		"from Windows":              {byNPX, `"command":"cmd","args":["/c","npx","-y","@obsidian-mcp/server"]`, `"command":"npx","args":["-y","@obsidian-mcp/server"]`, Different},
		"another package":           {byNPX, `"command":"npx","args":["-y","obsidian-mcp-server"]`, "", Foreign},
		"another of the same start": {byNPX, `"command":"npx","args":["-y","@obsidian-mcp/server-notes"]`, "", Foreign},
	} {
		t.Run(name, func(t *testing.T) {
			client, err := Find("claude-desktop")
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(t.TempDir(), "config.json")
			if c.before != "" {
				if err := os.WriteFile(file, []byte(`{"mcpServers":{"obsidian":{`+c.before+`}}}`), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			plan, err := client.Install(file, c.server, Options{Keep: keep})
			if plan.State != c.state || (err != nil) != (c.state == Foreign) {
				t.Fatalf("%v, %v, want %v", plan.State, err, c.state)
			}
			if c.state == Foreign {
				return
			}
			got, want := compact(t, plan.After), compact(t, []byte(`{"mcpServers":{"obsidian":{`+c.after+`}}}`))
			if got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
			if c.before == "" {
				return
			}
			if removal, err := client.Uninstall(file, byPath, Options{}); err != nil || !removal.Changes() {
				t.Errorf("it cannot be removed: %v", err)
			}
		})
	}
}

func TestReadingAnEntryByNPX(t *testing.T) {
	read := serverOf("obsidian", map[string]any{"command": "npx", "args": []any{"-y", Package + "@2", "--read-only"}})
	if !slices.Equal(read.Runner, []string{"-y", Package + "@2"}) || !slices.Equal(read.Args, []string{"--read-only"}) {
		t.Errorf("%+v", read)
	}
	read = serverOf("obsidian", map[string]any{"command": "obsidian-mcp", "args": []any{"stdio"}})
	if len(read.Runner) != 0 || !slices.Equal(read.Args, []string{"stdio"}) {
		t.Errorf("%+v", read)
	}
}

func compact(t *testing.T, text []byte) string {
	t.Helper()
	var out bytes.Buffer
	if err := json.Compact(&out, text); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return out.String()
}
