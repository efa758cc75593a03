package cli

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
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
			want := strings.NewReplacer("$HOME", d.home, "$PROGRAM", Executable()).Replace(c.want)
			if status != 0 || !strings.Contains(text, want) || !strings.Contains(text, filepath.Join(d.home, "Notes")) || strings.Contains(text, "old") {
				t.Errorf("%d, want %s\n%s%s\n%s", status, want, out, messages, text)
			}
		})
	}
}
