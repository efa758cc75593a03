package cli

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"obsidian-mcp/internal/install"
)

// Installing again keeps what a person added to the entry, except what names the vault or is given again.
func TestReinstallKeepsLimits(t *testing.T) {
	for name, c := range map[string]struct {
		args  string
		flags []string
		want  string
	}{
		"a vault by flag":     {`["--read-only", "--vault-path", "/old", "--toolsets", "notes"]`, nil, `"args": ["--read-only", "--toolsets", "notes"]`},
		"joined, odd dashes":  {`["--vault_path=/old", "stdio", "--read-only=true", "--vault=Old"]`, nil, `"args": ["stdio", "--read-only=true"]`},
		"a database":          {`["--couchdb-base-url", "http://x", "--couchdb-password=p", "--log-level", "debug"]`, nil, `"args": ["--log-level", "debug"]`},
		"another config file": {`["--config", "/old.yaml", "--read-only"]`, []string{"--config", "own.yaml"}, `"args": ["--config", "$HOME/own.yaml", "--read-only"]`},
		"given again":         {`["--read-only", "stdio", "--toolsets", "notes"]`, []string{"--read-only=false", "--toolsets", "find"}, `"args": ["stdio"]`},
		"the vault alone":     {`["--vault-path", "/old"]`, nil, `{"command": "$PROGRAM", "env": {`},
	} {
		t.Run(name, func(t *testing.T) {
			d := newTestHome(t, 0, "Notes")
			t.Chdir(d.home)
			d.write("own.yaml", "log_level: debug\n")
			d.write(".cursor/mcp.json", fmt.Sprintf(`{"mcpServers": {"obsidian": {"command": "/old/obsidian-mcp", "args": %s}}}`, c.args))
			status, out, messages := d.run("", append([]string{"install", "cursor", "--yes"}, c.flags...)...)
			text := strings.NewReplacer("{ ", "{", " }", "}").Replace(d.read(".cursor/mcp.json"))
			want := strings.NewReplacer("$HOME", d.home, "$PROGRAM", install.Executable()).Replace(c.want)
			if status != 0 || !strings.Contains(text, want) || !strings.Contains(text, filepath.Join(d.home, "Notes")) || strings.Contains(text, "old") {
				t.Errorf("%d, want %s\n%s%s\n%s", status, want, out, messages, text)
			}
		})
	}
}

// The config file of an earlier entry stays, since it may contain limits, unless the server could not start with it.
// Dropping it is reported even with --quiet.
func TestReinstallKeepsConfigFile(t *testing.T) {
	for name, c := range map[string]struct {
		content, args string
		want, reason  string
	}{
		"limits":         {"read_only: true\n", `["stdio", "--config", "$FILE"]`, `["stdio", "--config", "$FILE"]`, ""},
		"joined":         {"read_only: true\n", `["--config=$FILE", "--log-level", "debug"]`, `["--config=$FILE", "--log-level", "debug"]`, ""},
		"another folder": {"vault_path: /old\n", `["--config", "$FILE"]`, `["--config", "$FILE"]`, ""},
		"a database":     {"couchdb_base_url: http://x\ncouchdb_database_name: y\n", `["stdio", "--config", "$FILE"]`, `["stdio"]`, "are both configured"},
		"no such file":   {"", `["stdio", "--config", "/nowhere/at-all.yaml"]`, `["stdio"]`, "/nowhere/at-all.yaml"},
		"no value":       {"", `["stdio", "--config"]`, `["stdio"]`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			d := newTestHome(t, 0, "Notes")
			file := strings.NewReplacer("$FILE", d.write("earlier.yaml", c.content))
			d.write(".cursor/mcp.json", fmt.Sprintf(`{"mcpServers": {"obsidian": {"command": "/old/obsidian-mcp", "args": %s}}}`, file.Replace(c.args)))
			status, _, messages := d.run("", "install", "cursor", "--yes", "--quiet")
			text := d.read(".cursor/mcp.json")
			if want := `"args": ` + file.Replace(c.want); status != 0 || !strings.Contains(text, want) {
				t.Errorf("status %d, want %s\n%s\n%s", status, want, messages, text)
			}
			dropped := strings.Contains(messages, "is left out, with all that it sets")
			if dropped != (c.reason != "") || !strings.Contains(messages, c.reason) {
				t.Errorf("dropped: %v, want the reason %q\n%s", dropped, c.reason, messages)
			}
		})
	}
}

// A setting given again replaces the earlier one in either form, value or file: the server refuses both together.
func TestReinstallReplacesSettingInAnyForm(t *testing.T) {
	d := newTestHome(t, 0, "Notes")
	file := d.write("toolsets", "find\n")
	for name, c := range map[string]struct {
		env          string
		variable     string // NAME=value, in the environment
		want, unwant string
	}{
		"a file before": {`{"OBSIDIAN_MCP_TOOLSETS_FILE": "/old", "OBSIDIAN_MCP_READ_ONLY": "true"}`, "OBSIDIAN_MCP_TOOLSETS=all", `"OBSIDIAN_MCP_TOOLSETS": "all"`, "_FILE"},
		"a file now":    {`{"OBSIDIAN_MCP_TOOLSETS": "old", "OBSIDIAN_MCP_READ_ONLY": "true"}`, "OBSIDIAN_MCP_TOOLSETS_FILE=" + file, `"OBSIDIAN_MCP_TOOLSETS_FILE": "` + file, `"old"`},
		"nothing now":   {`{"OBSIDIAN_MCP_TOOLSETS_FILE": "/old", "OBSIDIAN_MCP_READ_ONLY": "true"}`, "X=", `"OBSIDIAN_MCP_TOOLSETS_FILE": "/old"`, `"X"`},
	} {
		t.Run(name, func(t *testing.T) {
			d.write(".cursor/mcp.json", `{"mcpServers": {"obsidian": {"command": "/old/obsidian-mcp", "env": `+c.env+`}}}`)
			variable, value, _ := strings.Cut(c.variable, "=")
			t.Setenv(variable, value)
			status, _, messages := d.run("", "install", "cursor", "--yes")
			text := d.read(".cursor/mcp.json")
			if status != 0 || !strings.Contains(text, c.want) || strings.Contains(text, c.unwant) {
				t.Errorf("status %d, want %s, not %s\n%s\n%s", status, c.want, c.unwant, messages, text)
			}
			if !strings.Contains(text, `"OBSIDIAN_MCP_READ_ONLY": "true"`) {
				t.Errorf("the other setting is lost\n%s", text)
			}
		})
	}
}
