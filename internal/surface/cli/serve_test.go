package cli

import (
	"os"
	"strings"
	"testing"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/tool"
)

// The printed entry can be pasted into the config file, whatever the token is called.
func TestNewTokenPrintsValidConfig(t *testing.T) {
	d := newTestHome(t, 0)
	for _, name := range []string{"client", `C:\x`, `the "old" one`, "Büro: # 1"} {
		status, out, messages := d.run("", "token", "new", "--name", name)
		_, lines, _ := strings.Cut(out, "\ntokens:\n")
		file := d.write("own.yaml", "tokens:\n"+lines)
		settings, err := config.Load(config.Source{File: file, Lookup: os.LookupEnv})
		if status != 0 || err != nil || len(settings.HTTP.Tokens) != 1 || settings.HTTP.Tokens[0].Name != name {
			t.Errorf("%s: %d, %v\n%s%s", name, status, err, out, messages)
		}
	}
}

// A server keeps no command but its own, and can still be told how it was called.
func TestServersDropOtherCommands(t *testing.T) {
	t.Parallel()
	root := Program{Tools: tool.NewRegistry(nil), Lookup: os.LookupEnv}.root()
	cmd, _, err := root.Find([]string{"http"})
	if err != nil || len(root.Commands()) < 5 {
		t.Fatal(len(root.Commands()), err)
	}
	dropOthers(cmd)
	if left := root.Commands(); len(left) != 1 || left[0] != cmd || cmd.CommandPath() != "obsidian-mcp http" {
		t.Errorf("%d commands are left; this one is %q", len(left), cmd.CommandPath())
	}
	dropOthers(root)
	if left := root.Commands(); len(left) != 0 {
		t.Errorf("%d commands are left", len(left))
	}
}
