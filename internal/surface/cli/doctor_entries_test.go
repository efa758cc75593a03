package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/tool"
)

// Entries that cannot work are reported. What only the client can know is not judged.
func TestReportsEntriesThatCannotWork(t *testing.T) {
	d := newTestHome(t, 0, "Notes")
	program := d.write("bin/obsidian-mcp", "")
	plain := d.write("plain/obsidian-mcp", "")
	if err := os.Chmod(program, 0o755); err != nil {
		t.Fatal(err)
	}
	vault := filepath.Join(d.home, "Notes")
	const rewrites = "obsidian-mcp install cursor rewrites the entry"
	for name, c := range map[string]struct {
		command, args string
		err, hint     string
		relative      string
		doubt         string
	}{
		"works":                {program, `[]`, "", "", "", ""},
		"stdio":                {program, `["--read-only", "stdio"]`, "", "", "", ""},
		"on the client's PATH": {"obsidian-mcp", `[]`, "", "", "", "'obsidian-mcp' is not on the PATH here"},
		"with a variable":      {"/${userHome}/obsidian-mcp", `[]`, "", "", "", ""},
		"a Windows path":       {`C:\\x\\obsidian-mcp.exe`, `[]`, "", "", "", ""},
		"a relative path":      {"./obsidian-mcp", `[]`, "", "", "./obsidian-mcp", ""},
		"gone":                 {"/nonexistent/obsidian-mcp", `[]`, "there is no program /nonexistent/obsidian-mcp", rewrites, "", ""},
		"below a file":         {program + "/obsidian-mcp", `[]`, program + "/obsidian-mcp cannot be started: not a directory", rewrites, "", ""},
		"a plain file":         {plain, `[]`, plain + " cannot be started: permission denied", rewrites, "", ""},
		"http":                 {program, `["http"]`, "'obsidian-mcp http' does not serve over stdin and stdout", "begin with stdio", "", ""},
		"behind options":       {program, `["--log-level", "debug", "http", "--port", "1"]`, "'obsidian-mcp http' does not serve", "", "", ""},
		"a subcommand":         {program, `["token", "new"]`, "'obsidian-mcp token new' does not serve", "", "", ""},
		"doctor":               {program, `["doctor"]`, "'obsidian-mcp doctor' does not serve", "", "", ""},
		"help":                 {program, `["--help"]`, "'obsidian-mcp --help' does not serve", "", "", ""},
		"version":              {program, `["-v"]`, "'obsidian-mcp --version' does not serve", "", "", ""},
		"no such command":      {program, `["htp"]`, "htp", "", "", ""},
		"no such option":       {program, `["stdio", "--redonly"]`, "unknown flag: --redonly", "", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			d.write(".cursor/mcp.json", fmt.Sprintf(`{"mcpServers": {"obsidian": {"command": "%s", "args": %s, "env": {"OBSIDIAN_VAULT_PATH": "%s"}}}}`, c.command, c.args, vault))
			found := (Program{Tools: tool.NewRegistry(nil), Lookup: os.LookupEnv}).entries()
			if len(found) != 1 {
				t.Fatalf("%+v", found)
			}
			got := found[0]
			if (got.Err == nil) != (c.err == "") || got.Err != nil && !strings.Contains(got.Err.Error(), c.err) || !strings.Contains(fault.HintOf(got.Err), c.hint) {
				t.Errorf("%v; %s", got.Err, fault.HintOf(got.Err))
			}
			if doubts := fmt.Sprint(got.Doubts); (len(got.Doubts) == 0) != (c.doubt == "") || !strings.Contains(doubts, c.doubt) {
				t.Error(doubts)
			}
			if got.Relative != c.relative || c.err == "" && c.relative == "" && got.Vault != vault {
				t.Errorf("%q, %q", got.Relative, got.Vault)
			}
		})
	}
}
