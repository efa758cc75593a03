package doctor

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/install/clients"
	"obsidian-mcp/internal/testkit/skip"
)

// home is the folder of a user with Cursor.
type home struct {
	t   *testing.T
	dir string
}

func newHome(t *testing.T) home {
	t.Helper()
	h := home{t, t.TempDir()}
	t.Setenv("HOME", h.dir)
	t.Setenv("USERPROFILE", h.dir)
	t.Setenv("PATH", "")
	for _, variable := range []string{"XDG_CONFIG_HOME", "XDG_STATE_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "WSL_DISTRO_NAME"} {
		t.Setenv(variable, "")
	}
	return h
}

func (h home) write(name, text string) {
	h.t.Helper()
	file := filepath.Join(h.dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		h.t.Fatal(err)
	}
}

// plainArguments stands in for the command line: it knows --config only.
type plainArguments struct{}

func (plainArguments) Source(args []string) (config.Source, error) {
	source := config.Source{Flags: map[string]string{}}
	if len(args) == 2 && args[0] == "--config" {
		source.File = args[1]
	}
	return source, nil
}

func (plainArguments) CheckServes([]string) error { return nil }

// An entry is named if the client alone does not say which one it is, and the remedy is about that entry.
func TestEntriesAreNamedWhereNecessary(t *testing.T) {
	skip.OnWindows(t, "the entries name programs by paths of Unix")
	home := newHome(t)
	const gone = `{"command": "/nonexistent/obsidian-mcp", "args": ["--read-only"]}`
	const offPath = `{"command": "obsidian-mcp"}`
	for name, c := range map[string]struct {
		cursor string
		want   string
	}{
		"the usual name":    {`"obsidian": ` + gone, "Cursor: obsidian-mcp install cursor rewrites the entry\n"},
		"another name":      {`"notes": ` + gone, "Cursor (notes): obsidian-mcp install cursor --name notes rewrites the entry\n"},
		"several entries":   {`"notes": ` + gone + `, "obsidian": ` + gone, "Cursor (notes): obsidian-mcp install cursor --name notes rewrites the entry\nCursor (obsidian): obsidian-mcp install cursor rewrites the entry\n"},
		"unfit for install": {`"my notes": ` + gone, "Cursor (my notes): write the program's path into the entry\n"},
		"another program's": {`"obsidian": ` + gone + `, "x": {"command": "x"}`, "Cursor: obsidian-mcp install cursor rewrites the entry\n"},
		"not on the PATH":   {`"notes": ` + offPath, "Cursor (notes): obsidian-mcp install cursor --name notes writes the full path into the entry\n"},
		"neither":           {`"my notes": ` + offPath, "Cursor (my notes): write the full path into the entry\n"},
		"an invalid file":   {`bad`, "Cursor: \n"},
	} {
		t.Run(name, func(t *testing.T) {
			home.write(".cursor/mcp.json", `{"mcpServers": {`+c.cursor+`}}`)
			var got strings.Builder
			for _, entry := range Entries(clients.UserMachine(), plainArguments{}) {
				hint := fault.HintOf(entry.Err)
				for _, doubt := range entry.Doubts {
					hint += fault.HintOf(doubt)
				}
				fmt.Fprintf(&got, "%s: %s\n", entry.Client, hint)
			}
			if got.String() != c.want {
				t.Errorf("%s, want %s", got.String(), c.want)
			}
		})
	}
}

// A server that a client starts does not get XDG_CONFIG_HOME of this shell, and reads the config file that is found
// without it.
func TestEntriesDoNotInheritTheShell(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		t.Skip("the user's config folder is the same for all programs")
	}
	const file, usual = "xdg/obsidian-mcp.yaml", ".config/obsidian-mcp.yaml"
	const rewrites = "obsidian-mcp install cursor rewrites the entry, with --config"
	for name, c := range map[string]struct {
		entry  string
		files  map[string]string
		vault  string
		doubts string
	}{
		"found only from here": {`"args": []`, map[string]string{file: "here"}, "", "does not read $HOME/" + file + ", as XDG_CONFIG_HOME is set in this shell only; " + rewrites},
		"found in both":        {`"args": []`, map[string]string{file: "here", usual: "there"}, "there", "does not read $HOME/" + file},
		"found only there":     {`"args": []`, map[string]string{usual: "there"}, "there", ""},
		"no file":              {`"args": []`, nil, "", ""},
		"named by --config":    {`"args": ["--config", "$HOME/` + file + `"]`, map[string]string{file: "here", usual: "there"}, "here", ""},
		"XDG is passed on":     {`"env": {"XDG_CONFIG_HOME": "$HOME/xdg"}`, map[string]string{file: "here", usual: "there"}, "here", ""},
		"another XDG":          {`"env": {"XDG_CONFIG_HOME": "$HOME/other"}`, map[string]string{file: "here", "other/obsidian-mcp.yaml": "other"}, "other", ""},
		"switched off":         {`"disabled": true`, map[string]string{file: "here"}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			home := newHome(t)
			t.Setenv("XDG_CONFIG_HOME", filepath.Join(home.dir, "xdg"))
			fill := strings.NewReplacer("$HOME", home.dir)
			home.write("bin/obsidian-mcp", "")
			if err := os.Chmod(filepath.Join(home.dir, "bin/obsidian-mcp"), 0o755); err != nil {
				t.Fatal(err)
			}
			for file, vault := range c.files {
				home.write(file, "vault_path: /"+vault)
			}
			home.write(".cursor/mcp.json", fill.Replace(`{"mcpServers": {"obsidian": {"command": "$HOME/bin/obsidian-mcp", `+c.entry+`}}}`))
			found := Entries(clients.UserMachine(), plainArguments{})
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

// A config file that two paths lead to is one file, and is read.
func TestConfigFileBehindALinkIsTheSame(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		t.Skip("the user's config folder is the same for all programs")
	}
	home := newHome(t)
	home.write(".config/obsidian-mcp.yaml", "vault_path: /there")
	if err := os.Symlink(filepath.Join(home.dir, ".config"), filepath.Join(home.dir, "xdg")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home.dir, "xdg"))
	home.write(".cursor/mcp.json", `{"mcpServers": {"obsidian": {"command": "/${userHome}/obsidian-mcp"}}}`)
	found := Entries(clients.UserMachine(), plainArguments{})
	if len(found) != 1 || len(found[0].Doubts) != 0 || found[0].Vault != "/there" {
		t.Errorf("%+v", found)
	}
}
