package clients_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/install/clients"
	"obsidian-mcp/internal/testkit/skip"
)

// machine returns a machine with the given variables and no programs.
func machine(home, system string, variables map[string]string) clients.Machine {
	return clients.Machine{
		Home: home, System: system,
		Lookup:  func(name string) (string, bool) { value, ok := variables[name]; return value, ok },
		Program: func(string) (string, error) { return "", errors.New("not found") },
	}
}

func find(t *testing.T, id string) clients.Client {
	t.Helper()
	client, err := clients.Find(id)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func TestFiles(t *testing.T) {
	windows := map[string]string{"APPDATA": "/h/R", "LOCALAPPDATA": "/h/L"}
	for name, c := range map[string]struct {
		machine clients.Machine
		files   map[string]string
	}{
		"Linux": {machine("/h", "linux", nil), map[string]string{
			"claude-desktop": "/h/.config/Claude/claude_desktop_config.json", "claude-code": "/h/.claude.json", "cursor": "/h/.cursor/mcp.json",
			"vscode": "/h/.config/Code/User/mcp.json", "windsurf": "/h/.codeium/windsurf/mcp_config.json", "zed": "/h/.config/zed/settings.json",
			"gemini": "/h/.gemini/settings.json", "codex": "/h/.codex/config.toml", "chatgpt": "",
		}},
		"Linux with variables": {machine("/h", "linux", map[string]string{"XDG_CONFIG_HOME": "/x", "CLAUDE_CONFIG_DIR": "/c", "CODEX_HOME": "/o"}), map[string]string{
			"claude-desktop": "/x/Claude/claude_desktop_config.json", "claude-code": "/c/.claude.json", "vscode": "/x/Code/User/mcp.json",
			"zed": "/x/zed/settings.json", "codex": "/o/config.toml",
		}},
		"macOS": {machine("/h", "darwin", map[string]string{"XDG_CONFIG_HOME": "/x"}), map[string]string{
			"claude-desktop": "/h/Library/Application Support/Claude/claude_desktop_config.json", "claude-code": "/h/.claude.json",
			"vscode": "/h/Library/Application Support/Code/User/mcp.json", "zed": "/h/.config/zed/settings.json", "cursor": "/h/.cursor/mcp.json",
		}},
		"Windows": {machine("/h", "windows", windows), map[string]string{
			"claude-desktop": "/h/R/Claude/claude_desktop_config.json", "claude-code": "/h/.claude.json", "vscode": "/h/R/Code/User/mcp.json",
			"zed": "/h/R/Zed/settings.json", "windsurf": "/h/.codeium/windsurf/mcp_config.json", "codex": "/h/.codex/config.toml",
		}},
		"Windows without variables": {machine("/h", "windows", nil), map[string]string{"vscode": "/h/AppData/Roaming/Code/User/mcp.json"}},
		"relative variables": {machine("/h", "linux", map[string]string{"XDG_CONFIG_HOME": "x", "CLAUDE_CONFIG_DIR": "./c", "CODEX_HOME": `C:\o`}), map[string]string{
			"vscode": "/h/.config/Code/User/mcp.json", "claude-code": "/h/.claude.json", "codex": "/h/.codex/config.toml",
		}},
		"Windows with drives": {machine("/h", "windows", map[string]string{"APPDATA": "C:/R", "CODEX_HOME": `x\o`}), map[string]string{"vscode": "C:/R/Code/User/mcp.json", "codex": "/h/.codex/config.toml"}},
		"no home folder":      {machine("", "linux", nil), map[string]string{"cursor": "", "vscode": "", "codex": "", "claude-code": ""}},
	} {
		for id, want := range c.files {
			if got := filepath.ToSlash(find(t, id).File(c.machine)); got != want {
				t.Errorf("%s, %s: %q, want %q", name, id, got, want)
			}
		}
	}
}

// A relative home folder is ignored, since it depends on the working folder.
func TestIgnoresRelativeHome(t *testing.T) {
	home := t.TempDir()
	for name, want := range map[string]string{home: home, "rel": "", "": ""} {
		t.Setenv(clients.UserMachine().HomeVariable(), name)
		if got := clients.UserMachine().Home; got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

// On Windows the packaged Claude Desktop sees only its own copy of the home folder.
func TestPackagedClaude(t *testing.T) {
	home := filepath.Join(t.TempDir(), "[me]")
	inside := filepath.Join(home, "AppData", "Local", "Packages", "Claude_pzs8sxrjxfjjc", "LocalCache", "Roaming", "Claude")
	if err := os.MkdirAll(inside, 0o755); err != nil {
		t.Fatal(err)
	}
	m := machine(home, "windows", nil)
	client := find(t, "claude-desktop")
	if got, want := client.File(m), filepath.Join(inside, "claude_desktop_config.json"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := client.Logs(m)[0], filepath.Join(inside, "logs", "mcp-server-*.log"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestPresence(t *testing.T) {
	for _, client := range clients.All() {
		home := t.TempDir()
		m := machine(home, "linux", nil)
		if client.Present(m) {
			t.Errorf("%s is present in an empty folder", client.ID)
		}
		if !client.HasFile() {
			continue
		}
		onPath := m
		onPath.Program = func(string) (string, error) { return "/bin/x", nil }
		if got := client.Present(onPath); got != (client.ID != "claude-desktop" && client.ID != "zed") {
			t.Errorf("%s: with its program: %v", client.ID, got)
		}
		if err := os.MkdirAll(filepath.Dir(client.File(m)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(client.File(m), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if !client.Present(m) {
			t.Errorf("%s is not found by its file", client.ID)
		}
	}
}

func TestUnknownClient(t *testing.T) {
	_, err := clients.Find("cursr")
	if !errors.Is(err, fault.InvalidArgument) || !strings.Contains(err.Error(), "did you mean 'cursor'?") || !strings.Contains(fault.HintOf(err), "codex") {
		t.Errorf("%v; %s", err, fault.HintOf(err))
	}
	if _, err := clients.Find("netscape navigator"); err == nil || strings.Contains(err.Error(), "mean") {
		t.Errorf("%v", err)
	}
}

func TestLogs(t *testing.T) {
	skip.OnWindows(t, "paths of all systems are joined as on this one")
	paths := map[string]map[string][]string{
		"linux": {
			"claude-desktop": {"/h/.config/Claude/logs/mcp-server-*.log", "/h/.config/Claude/logs/mcp.log"},
			"claude-code":    {"/h/.cache/claude-cli-nodejs/*/mcp-logs-*/*"}, "zed": {"/h/.local/share/zed/logs/Zed.log"}, "gemini": nil, "chatgpt": nil,
		},
		"darwin": {
			"claude-desktop": {"/h/Library/Logs/Claude/mcp-server-*.log", "/h/Library/Logs/Claude/mcp.log"},
			"claude-code":    {"/h/Library/Caches/claude-cli-nodejs/*/mcp-logs-*/*"}, "zed": {"/h/Library/Logs/Zed/Zed.log"},
		},
		"windows": {
			"claude-desktop": {"/h/AppData/Roaming/Claude/logs/mcp-server-*.log", "/h/AppData/Roaming/Claude/logs/mcp.log"},
			"claude-code":    {"/h/AppData/Local/claude-cli-nodejs/*/mcp-logs-*/*"}, "zed": {"/h/AppData/Local/Zed/logs/Zed.log"},
		},
	}
	for system, clientPaths := range paths {
		for id, want := range clientPaths {
			if diff := cmp.Diff(want, find(t, id).Logs(machine("/h", system, nil))); diff != "" {
				t.Errorf("%s, %s: %s", system, id, diff)
			}
		}
	}
}

func TestLogFiles(t *testing.T) {
	home := filepath.Join(t.TempDir(), "[me]")
	folder := filepath.Join(home, ".config", "Claude", "logs")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"mcp.log", "mcp-server-obsidian.log", "mcp-server-other.log"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte("x\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var names []string
	for _, log := range find(t, "claude-desktop").LogFiles(machine(home, "linux", nil), "obsidian") {
		names = append(names, filepath.Base(log.Path))
		if log.Size != 2 || log.Written.IsZero() {
			t.Errorf("%+v", log)
		}
	}
	if strings.Contains(strings.Join(names, " "), "other") || len(names) != 2 {
		t.Errorf("%v", names)
	}
}
