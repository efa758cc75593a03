package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// Clients do not pass on the variables that move the user's folders in this shell, so the entry names the folders. What
// an earlier entry says about them stays.
func TestEntryNamesMovedFolders(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems use other folders")
	}
	for name, c := range map[string]struct {
		config, state string // what the variables name, below the home folder
		entry         string
		flags         []string
		want, unwant  []string
	}{
		"elsewhere":            {"own", "state", "", nil, []string{`"args": ["--config", "$HOME/own/obsidian-mcp.yaml"]`, `"OBSIDIAN_MCP_STATE_DIR": "$HOME/state/obsidian-mcp"`}, nil},
		"the default folders":  {".config", ".local/state", "", nil, nil, []string{"args", "STATE_DIR"}},
		"not set":              {"", "", "", nil, nil, []string{"args", "STATE_DIR"}},
		"no file":              {"empty", "", "", nil, nil, []string{"args", "STATE_DIR"}},
		"another file":         {"own", "", "", []string{"--config", "$HOME/.config/obsidian-mcp.yaml"}, []string{`"args": ["--config", "$HOME/.config/obsidian-mcp.yaml"]`}, []string{"own"}},
		"another state":        {"", "state", "", []string{"--state-dir", "$HOME/x"}, []string{`"OBSIDIAN_MCP_STATE_DIR": "$HOME/x"`}, []string{"$HOME/state"}},
		"an earlier file":      {"own", "state", `"args": ["--config=$HOME/limits.yaml"]`, nil, []string{`"args": ["--config=$HOME/limits.yaml"]`}, []string{"own", "STATE_DIR"}},
		"an earlier lost file": {"own", "", `"args": ["--config", "/nowhere.yaml"]`, nil, []string{`"args": ["--config", "$HOME/own/obsidian-mcp.yaml"]`}, []string{"nowhere"}},
		"an earlier state":     {"own", "state", `"args": ["--state-dir", "/x"]`, nil, []string{`"args": ["--config", "$HOME/own/obsidian-mcp.yaml", "--state-dir", "/x"]`}, []string{"STATE_DIR"}},
		"an earlier variable":  {"own", "state", `"env": {"XDG_CONFIG_HOME": "/x", "OBSIDIAN_MCP_STATE_DIR": "/y"}`, nil, []string{`"OBSIDIAN_MCP_STATE_DIR": "/y"`}, []string{"args"}},
	} {
		t.Run(name, func(t *testing.T) {
			d := newTestHome(t, 0, "Notes")
			here := strings.NewReplacer("$HOME", d.home)
			for variable, folder := range map[string]string{"XDG_CONFIG_HOME": c.config, "XDG_STATE_HOME": c.state} {
				if folder != "" {
					t.Setenv(variable, filepath.Join(d.home, folder))
				}
			}
			for _, file := range []string{"own/obsidian-mcp.yaml", ".config/obsidian-mcp.yaml", "limits.yaml"} {
				d.write(file, "read_only: true\n")
			}
			if c.entry != "" {
				d.write(".cursor/mcp.json", here.Replace(`{"mcpServers": {"obsidian": {"command": "/old/obsidian-mcp", `+c.entry+`}}}`))
			}
			args := []string{"install", "cursor", "--yes", "--vault-path", filepath.Join(d.home, "Notes")}
			for _, arg := range c.flags {
				args = append(args, here.Replace(arg))
			}
			status, _, messages := d.run("", args...)
			text := d.read(".cursor/mcp.json")
			for _, want := range c.want {
				if !strings.Contains(text, here.Replace(want)) {
					t.Errorf("%s is not in\n%s", want, text)
				}
			}
			for _, unwanted := range c.unwant {
				if strings.Contains(text, here.Replace(unwanted)) {
					t.Errorf("%s is in\n%s", unwanted, text)
				}
			}
			if status != 0 {
				t.Errorf("status %d: %s", status, messages)
			}
			if _, out, messages := d.run("", args...); !strings.Contains(out, "already set up") {
				t.Errorf("the second time:\n%s%s", out, messages)
			}
		})
	}
}

// A file that the shell opened only for this process is not written into an entry.
func TestRefusesProcessSubstitution(t *testing.T) {
	d := newTestHome(t, 0, "Notes")
	opened, err := os.Open(d.write("limits.yaml", "read_only: true\n"))
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	file := fmt.Sprintf("/dev/fd/%d", opened.Fd())
	if _, err := os.Stat(file); err != nil && runtime.GOOS == "linux" {
		t.Fatal(err)
	} else if err != nil {
		t.Skip("open files have no names on this system")
	}
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	if _, err := write.WriteString("true\n"); err != nil {
		t.Fatal(err)
	}
	write.Close()
	before := d.files()
	status, _, messages := d.run("", "install", "cursor", "--yes", "--config", file)
	if status != 2 || !strings.Contains(messages, "--config: "+file+" is not a regular file; it will be gone when a client starts the server\nnothing was changed; copy") {
		t.Errorf("status %d: %s", status, messages)
	}
	t.Setenv("OBSIDIAN_MCP_READ_ONLY_FILE", fmt.Sprintf("/dev/fd/%d", read.Fd()))
	if status, _, messages := d.run("", "install", "cursor", "--yes"); status != 2 || !strings.Contains(messages, "OBSIDIAN_MCP_READ_ONLY_FILE: /dev/fd/") {
		t.Errorf("status %d: %s", status, messages)
	}
	if after := d.files(); after != before {
		t.Errorf("files changed:\n%s", after)
	}
	t.Setenv("OBSIDIAN_MCP_READ_ONLY_FILE", "")
	if status, _, messages := d.run("", "install", "cursor", "--yes", "--config", os.DevNull); status != 0 {
		t.Errorf("status %d: %s", status, messages)
	}
}

// With a mistake in the settings, uninstall and logs still work.
func TestUninstallAndLogsWithBadSettings(t *testing.T) {
	for name, spoil := range map[string]func(d testHome){
		"a file":     func(d testHome) { d.write(".config/obsidian-mcp.yaml", "read_onyl: true\n") },
		"a variable": func(testHome) { t.Setenv("OBSIDIAN_MCP_CONFIRM_OVER", "x") },
	} {
		d := newTestHome(t, 0, "Notes")
		d.write(".config/Claude/logs/mcp-server-obsidian.log", "a line\n")
		d.write(".cursor/mcp.json", `{"mcpServers": {"obsidian": {"command": "/old/obsidian-mcp"}}}`)
		spoil(d)
		if status, out, messages := d.run("", "logs", "--tail", "1"); status != 0 || !strings.Contains(out, "a line\n") {
			t.Errorf("%s: status %d: %s%s", name, status, out, messages)
		}
		if status, out, messages := d.run("", "logs"); status != 0 || !strings.Contains(out, "audit log: unknown: ") || !strings.Contains(out, "mcp-server-obsidian.log") {
			t.Errorf("%s: status %d: %s%s", name, status, out, messages)
		}
		if status, out, messages := d.run("", "uninstall", "cursor", "--yes"); status != 0 || strings.Contains(d.read(".cursor/mcp.json"), "old") {
			t.Errorf("%s: status %d: %s%s", name, status, out, messages)
		}
	}
}
