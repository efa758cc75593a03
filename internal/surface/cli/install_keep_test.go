package cli

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"obsidian-mcp/internal/install"
)

// TestLimitsStay: what a person has added to an entry is still there after a new
// installation, but for what names the vault or is given anew.
func TestLimitsStay(t *testing.T) {
	for name, c := range map[string]struct {
		args  string
		given []string
		want  string
	}{
		"a vault by flag":     {`["--read-only", "--vault-path", "/old", "--toolsets", "notes"]`, nil, `"args": ["--read-only", "--toolsets", "notes"]`},
		"joined, odd dashes":  {`["--vault_path=/old", "stdio", "--read-only=true", "--vault=Old"]`, nil, `"args": ["stdio", "--read-only=true"]`},
		"a database":          {`["--couchdb-base-url", "http://x", "--couchdb-password=p", "--log-level", "debug"]`, nil, `"args": ["--log-level", "debug"]`},
		"another config file": {`["--config", "/old.yaml", "--read-only"]`, []string{"--config", "own.yaml"}, `"args": ["--config", "$HOME/own.yaml", "--read-only"]`},
		"given anew":          {`["--read-only", "stdio", "--toolsets", "notes"]`, []string{"--read-only=false", "--toolsets", "find"}, `"args": ["stdio"]`},
		"the vault alone":     {`["--vault-path", "/old"]`, nil, `{"command": "$PROGRAM", "env": {`},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, 0, "Notes")
			t.Chdir(d.home)
			d.write("own.yaml", "log_level: debug\n")
			d.write(".cursor/mcp.json", fmt.Sprintf(`{"mcpServers": {"obsidian": {"command": "/old/obsidian-mcp", "args": %s}}}`, c.args))
			status, out, messages := d.run("", append([]string{"install", "cursor", "--yes"}, c.given...)...)
			text := strings.NewReplacer("{ ", "{", " }", "}").Replace(d.read(".cursor/mcp.json"))
			want := strings.NewReplacer("$HOME", d.home, "$PROGRAM", install.Executable()).Replace(c.want)
			if status != 0 || !strings.Contains(text, want) || !strings.Contains(text, filepath.Join(d.home, "Notes")) || strings.Contains(text, "old") {
				t.Errorf("%d, want %s\n%s%s\n%s", status, want, out, messages, text)
			}
		})
	}
}

// TestAnEarlierConfigFile stays, since it may hold limits, unless no server could
// be started with it; that it goes is said, even to who wants silence.
func TestAnEarlierConfigFile(t *testing.T) {
	for name, c := range map[string]struct {
		content, args string
		want, says    string
	}{
		"limits":           {"read_only: true\n", `["stdio", "--config", "$FILE"]`, `["stdio", "--config", "$FILE"]`, ""},
		"joined":           {"read_only: true\n", `["--config=$FILE", "--log-level", "debug"]`, `["--config=$FILE", "--log-level", "debug"]`, ""},
		"another folder":   {"vault_path: /old\n", `["--config", "$FILE"]`, `["--config", "$FILE"]`, ""},
		"a database":       {"couchdb_base_url: http://x\ncouchdb_database_name: y\n", `["stdio", "--config", "$FILE"]`, `["stdio"]`, "are both configured"},
		"what is no file":  {"", `["stdio", "--config", "/nowhere/at-all.yaml"]`, `["stdio"]`, "/nowhere/at-all.yaml"},
		"what is no value": {"", `["stdio", "--config"]`, `["stdio"]`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, 0, "Notes")
			file := strings.NewReplacer("$FILE", d.write("earlier.yaml", c.content))
			d.write(".cursor/mcp.json", fmt.Sprintf(`{"mcpServers": {"obsidian": {"command": "/old/obsidian-mcp", "args": %s}}}`, file.Replace(c.args)))
			status, _, messages := d.run("", "install", "cursor", "--yes", "--quiet")
			text := d.read(".cursor/mcp.json")
			if status != 0 || !strings.Contains(text, `"args": `+file.Replace(c.want)) || strings.Contains(messages, "is left out, with all that it sets") != (c.says != "") || !strings.Contains(messages, c.says) {
				t.Errorf("%d %s\n%s", status, messages, text)
			}
		})
	}
}

// TestFormsOfASetting: a setting that is given anew replaces the earlier one in
// whichever form, as the server refuses two that differ.
func TestFormsOfASetting(t *testing.T) {
	d := newDesk(t, 0, "Notes")
	file := d.write("toolsets", "find\n")
	for name, c := range map[string]struct {
		env          string
		given        string
		want, unwant string
	}{
		"a file before":  {`{"OBSIDIAN_MCP_TOOLSETS_FILE": "/old", "OBSIDIAN_MCP_READ_ONLY": "true"}`, "OBSIDIAN_MCP_TOOLSETS=all", `"OBSIDIAN_MCP_TOOLSETS": "all"`, "_FILE"},
		"a file now":     {`{"OBSIDIAN_MCP_TOOLSETS": "old", "OBSIDIAN_MCP_READ_ONLY": "true"}`, "OBSIDIAN_MCP_TOOLSETS_FILE=" + file, `"OBSIDIAN_MCP_TOOLSETS_FILE": "` + file, `"old"`},
		"nothing is now": {`{"OBSIDIAN_MCP_TOOLSETS_FILE": "/old", "OBSIDIAN_MCP_READ_ONLY": "true"}`, "X=", `"OBSIDIAN_MCP_TOOLSETS_FILE": "/old"`, `"X"`},
	} {
		t.Run(name, func(t *testing.T) {
			d.write(".cursor/mcp.json", `{"mcpServers": {"obsidian": {"command": "/old/obsidian-mcp", "env": `+c.env+`}}}`)
			variable, value, _ := strings.Cut(c.given, "=")
			t.Setenv(variable, value)
			status, _, messages := d.run("", "install", "cursor", "--yes")
			text := d.read(".cursor/mcp.json")
			if status != 0 || !strings.Contains(text, c.want) || strings.Contains(text, c.unwant) || !strings.Contains(text, `"OBSIDIAN_MCP_READ_ONLY": "true"`) {
				t.Errorf("%d %s\n%s", status, messages, text)
			}
		})
	}
}
