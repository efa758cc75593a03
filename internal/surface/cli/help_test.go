package cli

import (
	"os"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/tool"
)

// Only the help of the program itself and of the servers lists the settings.
func TestOnlyServersListSettings(t *testing.T) {
	d := newTestHome(t, 0)
	root := Program{Tools: tool.NewRegistry(nil), IsTerminal: func() bool { return true }, Lookup: os.LookupEnv}.root()
	for _, cmd := range append(allCommands(root), root) {
		words := append(strings.Fields(cmd.CommandPath())[1:], "--help")
		t.Run(strings.Join(words, " "), func(t *testing.T) {
			status, out, messages := d.run("x\n", words...)
			wantSettings := cmd == root || cmd.Name() == "stdio" || cmd.Name() == "http"
			if status != 0 || messages != "" || !strings.Contains(out, "--quiet") {
				t.Errorf("status %d\n%s\n%s", status, out, messages)
			}
			for _, setting := range config.Settings() {
				if listed := strings.Contains(out, "  --"+setting.Flag()+" "); listed != wantSettings {
					t.Errorf("--%s is listed: %v, want %v", setting.Flag(), listed, wantSettings)
				}
			}
			if pointed := strings.Contains(out, "obsidian-mcp --help lists them"); pointed == wantSettings {
				t.Errorf("says where the settings are: %v, want %v\n%s", pointed, !wantSettings, out)
			}
		})
	}
}

// The program's name alone prints help that fits on one screen.
func TestBriefHelp(t *testing.T) {
	status, out, _ := newTestHome(t, 0).run("x\n")
	for _, want := range []string{"\"obsidian-mcp install\" sets up", "\n  install ", "obsidian-mcp --help lists them"} {
		if status != 0 || !strings.Contains(out, want) || strings.Count(out, "\n") > 45 || strings.Contains(out, "COUCHDB_USER") {
			t.Errorf("status %d, want %q in short help\n%s", status, want, out)
		}
	}
}

// pflag takes a word in backquotes in a flag's text for the type of its value.
func TestFlagTextsHaveNoBackquotes(t *testing.T) {
	root := Program{Tools: tool.NewRegistry(nil), IsTerminal: func() bool { return true }, Lookup: os.LookupEnv}.root()
	for _, cmd := range append(allCommands(root), root) {
		check := func(flag *pflag.Flag) {
			if strings.Contains(flag.Usage, "`") {
				t.Errorf("%s --%s: %s", cmd.CommandPath(), flag.Name, flag.Usage)
			}
		}
		cmd.Flags().VisitAll(check)
		cmd.PersistentFlags().VisitAll(check)
	}
}
