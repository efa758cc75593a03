package app

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"obsidian-mcp/internal/access/auth"
	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/fault"
)

// Doctor reports the same error as a server that is started with these settings.
func TestRefusalIsTheErrorOfAStart(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", "")
	for _, folder := range []string{"vault/.obsidian", "other", ".config/obsidian"} {
		if err := os.MkdirAll(filepath.Join(home, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for file, text := range map[string]string{"file": "", ".config/obsidian/obsidian.json": fmt.Sprintf(`{"vaults": {"1": {"path": %q}}}`, filepath.Join(home, "vault"))} {
		if err := os.WriteFile(filepath.Join(home, file), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	vault := "OBSIDIAN_VAULT_PATH=" + filepath.Join(home, "vault")
	for name, c := range map[string]struct {
		env  []string
		want string // "" if it starts
	}{
		"a folder":             {[]string{vault}, ""},
		"no folder":            {[]string{vault + "-gone"}, "there is no such folder"},
		"a file":               {[]string{"OBSIDIAN_VAULT_PATH=" + filepath.Join(home, "file")}, "is not a folder"},
		"below a file":         {[]string{"OBSIDIAN_VAULT_PATH=" + filepath.Join(home, "file", "x")}, "OBSIDIAN_VAULT_PATH"},
		"a name":               {[]string{"OBSIDIAN_VAULT=vault"}, ""},
		"no such name":         {[]string{"OBSIDIAN_VAULT=Nope"}, "OBSIDIAN_VAULT: Obsidian knows no vault called 'Nope'"},
		"two vaults":           {[]string{"OBSIDIAN_VAULT=vault", "OBSIDIAN_VAULT_PATH=" + filepath.Join(home, "other")}, "are both set, and differ"},
		"no such toolset":      {[]string{vault, "OBSIDIAN_MCP_TOOLSETS=nots"}, "OBSIDIAN_MCP_TOOLSETS: "},
		"a toolset that's off": {[]string{vault, "OBSIDIAN_MCP_TOOLSETS=history", "OBSIDIAN_MCP_HISTORY=off"}, "contain no tools"},
		"state in the vault":   {[]string{vault, "OBSIDIAN_MCP_STATE_DIR=" + filepath.Join(home, "vault", "state")}, "OBSIDIAN_MCP_STATE_DIR is inside the vault"},
	} {
		t.Run(name, func(t *testing.T) {
			settings := entrySettings(t, append(c.env, "OBSIDIAN_MCP_CACHE_DIR=off"))
			got := refusal(settings)
			if (got == nil) != (c.want == "") || got != nil && !strings.Contains(got.Error(), c.want) {
				t.Errorf("%v, want %q", got, c.want)
			}
			if err := startError(settings); fmt.Sprint(err, fault.HintOf(err)) != fmt.Sprint(got, fault.HintOf(got)) {
				t.Errorf("%v; %s\na start says\n%v; %s", got, fault.HintOf(got), err, fault.HintOf(err))
			}
		})
	}
}

// entrySettings are the settings of an entry with these variables.
func entrySettings(t *testing.T, env []string) config.Config {
	t.Helper()
	settings, err := config.Load(config.Source{Lookup: func(variable string) (string, bool) {
		at := slices.IndexFunc(env, func(entry string) bool { return strings.HasPrefix(entry, variable+"=") })
		if at < 0 {
			return "", false
		}
		return strings.TrimPrefix(env[at], variable+"="), true
	}})
	if err != nil {
		t.Fatal(err)
	}
	return settings
}

// startError is why a server does not start.
func startError(settings config.Config) error {
	a, err := open(settings, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	defer a.Close()
	_, err = a.offer(settings, auth.Grant{})
	return err
}
