package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/tool"
)

// TestEntriesDoNotInheritTheShell: a server that a client starts has no
// XDG_CONFIG_HOME of this shell, and reads the config file that is found without.
func TestEntriesDoNotInheritTheShell(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		t.Skip("the user's config folder is the same for all programs")
	}
	const file, usual = "xdg/obsidian-mcp.yaml", ".config/obsidian-mcp.yaml"
	const anew = "obsidian-mcp install cursor writes the entry anew, with --config"
	for name, c := range map[string]struct {
		entry  string
		files  map[string]string
		vault  string
		doubts string
	}{
		"found from here alone": {`"args": []`, map[string]string{file: "here"}, "", "does not read $HOME/" + file + ", as XDG_CONFIG_HOME is set in this shell alone; " + anew},
		"both":                  {`"args": []`, map[string]string{file: "here", usual: "there"}, "there", "does not read $HOME/" + file},
		"found there alone":     {`"args": []`, map[string]string{usual: "there"}, "there", ""},
		"none":                  {`"args": []`, nil, "", ""},
		"named":                 {`"args": ["--config", "$HOME/` + file + `"]`, map[string]string{file: "here", usual: "there"}, "here", ""},
		"passed on":             {`"env": {"XDG_CONFIG_HOME": "$HOME/xdg"}`, map[string]string{file: "here", usual: "there"}, "here", ""},
		"another is passed on":  {`"env": {"XDG_CONFIG_HOME": "$HOME/other"}`, map[string]string{file: "here", "other/obsidian-mcp.yaml": "other"}, "other", ""},
		"switched off":          {`"disabled": true`, map[string]string{file: "here"}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, 0)
			t.Setenv("XDG_CONFIG_HOME", filepath.Join(d.home, "xdg"))
			fill := strings.NewReplacer("$HOME", d.home)
			d.write("bin/obsidian-mcp", "")
			if err := os.Chmod(filepath.Join(d.home, "bin/obsidian-mcp"), 0o755); err != nil {
				t.Fatal(err)
			}
			for file, vault := range c.files {
				d.write(file, "vault_path: /"+vault)
			}
			d.write(".cursor/mcp.json", fill.Replace(`{"mcpServers": {"obsidian": {"command": "$HOME/bin/obsidian-mcp", `+c.entry+`}}}`))
			found := Program{Tools: tool.NewRegistry(nil), Lookup: os.LookupEnv}.clientVaults()
			if len(found) != 1 || found[0].Err != nil || strings.TrimPrefix(found[0].Vault, "/") != c.vault {
				t.Fatalf("%+v", found)
			}
			var doubts string
			for _, doubt := range found[0].Doubts {
				doubts += fmt.Sprintf("%s; %s", doubt, fault.HintOf(doubt))
			}
			if (doubts == "") != (c.doubts == "") || !strings.Contains(doubts, fill.Replace(c.doubts)) {
				t.Errorf("%q, want %q", doubts, c.doubts)
			}
		})
	}
}

// TestAConfigFileByTwoWays is one file: it is read, whichever way leads there.
func TestAConfigFileByTwoWays(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		t.Skip("the user's config folder is the same for all programs")
	}
	d := newDesk(t, 0)
	d.write(".config/obsidian-mcp.yaml", "vault_path: /there")
	if err := os.Symlink(filepath.Join(d.home, ".config"), filepath.Join(d.home, "xdg")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(d.home, "xdg"))
	d.write(".cursor/mcp.json", `{"mcpServers": {"obsidian": {"command": "/${userHome}/obsidian-mcp"}}}`)
	found := Program{Tools: tool.NewRegistry(nil), Lookup: os.LookupEnv}.clientVaults()
	if len(found) != 1 || len(found[0].Doubts) != 0 || found[0].Vault != "/there" {
		t.Errorf("%+v", found)
	}
}
