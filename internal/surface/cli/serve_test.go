package cli

import (
	"os"
	"strings"
	"testing"

	"obsidian-mcp/internal/config"
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
