package cli

import (
	"os"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/tool"
)

// TestHelpOfCommands: a command's help is about the command; the settings are
// in the program's own help, and in that of the servers.
func TestHelpOfCommands(t *testing.T) {
	d := newDesk(t, 0)
	root := Program{Tools: tool.NewRegistry(nil), IsTerminal: func() bool { return true }, Lookup: os.LookupEnv}.root()
	for _, cmd := range append(allCommands(root), root) {
		words := append(strings.Fields(cmd.CommandPath())[1:], "--help")
		t.Run(strings.Join(words, " "), func(t *testing.T) {
			status, out, messages := d.run("x\n", words...)
			whole := cmd == root || cmd.Name() == "stdio" || cmd.Name() == "http"
			if status != 0 || messages != "" || !strings.Contains(out, "--quiet") {
				t.Errorf("%d\n%s\n%s", status, out, messages)
			}
			for _, setting := range config.Settings() {
				if listed := strings.Contains(out, "  --"+setting.Flag()+" "); listed != whole {
					t.Errorf("--%s is in the help: %v", setting.Flag(), listed)
				}
			}
			if pointed := strings.Contains(out, "obsidian-mcp --help lists them"); pointed == whole {
				t.Errorf("where the settings are: %v\n%s", pointed, out)
			}
		})
	}
}

// TestBriefHelp: who types the name alone sees what there is, on one screen.
func TestBriefHelp(t *testing.T) {
	status, out, _ := newDesk(t, 0).run("x\n")
	for _, want := range []string{"\"obsidian-mcp install\" sets up", "\n  install ", "obsidian-mcp --help lists them"} {
		if status != 0 || !strings.Contains(out, want) || strings.Count(out, "\n") > 45 || strings.Contains(out, "COUCHDB_USER") {
			t.Errorf("%d, %q is wanted in\n%s", status, want, out)
		}
	}
}

// TestPlaceholders: a word in backquotes in a flag's text would be taken for the
// kind of its value.
func TestPlaceholders(t *testing.T) {
	root := Program{Tools: tool.NewRegistry(nil), IsTerminal: func() bool { return true }, Lookup: os.LookupEnv}.root()
	for _, cmd := range append(allCommands(root), root) {
		look := func(flag *pflag.Flag) {
			if strings.Contains(flag.Usage, "`") {
				t.Errorf("%s --%s: %s", cmd.CommandPath(), flag.Name, flag.Usage)
			}
		}
		cmd.Flags().VisitAll(look)
		cmd.PersistentFlags().VisitAll(look)
	}
}
