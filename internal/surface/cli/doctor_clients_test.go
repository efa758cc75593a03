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

// TestEntriesThatCannotWork are told; what only the client can know is not.
func TestEntriesThatCannotWork(t *testing.T) {
	d := newDesk(t, 0, "Notes")
	program := d.write("bin/obsidian-mcp", "")
	plain := d.write("plain/obsidian-mcp", "")
	if err := os.Chmod(program, 0o755); err != nil {
		t.Fatal(err)
	}
	vault := filepath.Join(d.home, "Notes")
	const writesAnew = "obsidian-mcp install cursor writes the entry anew"
	for name, c := range map[string]struct {
		command, args string
		err, hint     string
		relative      string
		doubt         string
	}{
		"in order":             {program, `[]`, "", "", "", ""},
		"stdio":                {program, `["--read-only", "stdio"]`, "", "", "", ""},
		"on the client's PATH": {"obsidian-mcp", `[]`, "", "", "", "'obsidian-mcp' is not on the PATH here"},
		"filled in":            {"/${userHome}/obsidian-mcp", `[]`, "", "", "", ""},
		"of Windows":           {`C:\\x\\obsidian-mcp.exe`, `[]`, "", "", "", ""},
		"a relative one":       {"./obsidian-mcp", `[]`, "", "", "./obsidian-mcp", ""},
		"gone":                 {"/nonexistent/obsidian-mcp", `[]`, "there is no program /nonexistent/obsidian-mcp", writesAnew, "", ""},
		"below a file":         {program + "/obsidian-mcp", `[]`, program + "/obsidian-mcp cannot be started: not a directory", writesAnew, "", ""},
		"a plain file":         {plain, `[]`, plain + " cannot be started: permission denied", writesAnew, "", ""},
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
			found := Program{Tools: tool.NewRegistry(nil), Lookup: os.LookupEnv}.clientVaults()
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

// TestEntriesAreNamed where the client alone does not say which one it is, and
// what is to be done is about that entry.
func TestEntriesAreNamed(t *testing.T) {
	d := newDesk(t, 0, "Notes")
	const gone = `{"command": "/nonexistent/obsidian-mcp", "args": ["--read-only"]}`
	const offPath = `{"command": "obsidian-mcp"}`
	for name, c := range map[string]struct {
		cursor string
		want   string
	}{
		"the usual name":       {`"obsidian": ` + gone, "Cursor: obsidian-mcp install cursor writes the entry anew\n"},
		"another name":         {`"notes": ` + gone, "Cursor (notes): obsidian-mcp install cursor --name notes writes the entry anew\n"},
		"several":              {`"notes": ` + gone + `, "obsidian": ` + gone, "Cursor (notes): obsidian-mcp install cursor --name notes writes the entry anew\nCursor (obsidian): obsidian-mcp install cursor writes the entry anew\n"},
		"none for install":     {`"my notes": ` + gone, "Cursor (my notes): write the program's path into the entry\n"},
		"another program's":    {`"obsidian": ` + gone + `, "x": {"command": "x"}`, "Cursor: obsidian-mcp install cursor writes the entry anew\n"},
		"not on the PATH":      {`"notes": ` + offPath, "Cursor (notes): obsidian-mcp install cursor --name notes writes the whole path into the entry\n"},
		"nor one for install":  {`"my notes": ` + offPath, "Cursor (my notes): write the whole path into the entry\n"},
		"no file that is read": {`bad`, "Cursor: \n"},
	} {
		t.Run(name, func(t *testing.T) {
			d.write(".cursor/mcp.json", `{"mcpServers": {`+c.cursor+`}}`)
			var got strings.Builder
			for _, one := range (Program{Tools: tool.NewRegistry(nil), Lookup: os.LookupEnv}).clientVaults() {
				hint := fault.HintOf(one.Err)
				for _, doubt := range one.Doubts {
					hint += fault.HintOf(doubt)
				}
				fmt.Fprintf(&got, "%s: %s\n", one.Client, hint)
			}
			if got.String() != c.want {
				t.Errorf("%s, want %s", got.String(), c.want)
			}
		})
	}
}
