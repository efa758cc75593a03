package app

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"obsidian-mcp/internal/access/auth"
	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/surface/cli"
)

// TestEntriesAreJudgedAsAtTheStart: what doctor says of an entry is what the
// server says that is started with its settings.
func TestEntriesAreJudgedAsAtTheStart(t *testing.T) {
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
		want string // "": it starts
	}{
		"a folder":             {[]string{vault}, ""},
		"no folder":            {[]string{vault + "-gone"}, "there is no such folder"},
		"a file":               {[]string{"OBSIDIAN_VAULT_PATH=" + filepath.Join(home, "file")}, "is not a folder"},
		"below a file":         {[]string{"OBSIDIAN_VAULT_PATH=" + filepath.Join(home, "file", "x")}, "OBSIDIAN_VAULT_PATH"},
		"a name":               {[]string{"OBSIDIAN_VAULT=vault"}, ""},
		"no such name":         {[]string{"OBSIDIAN_VAULT=Nope"}, "OBSIDIAN_VAULT: Obsidian knows no vault called 'Nope'"},
		"two vaults":           {[]string{"OBSIDIAN_VAULT=vault", "OBSIDIAN_VAULT_PATH=" + filepath.Join(home, "other")}, "are both set, and differ"},
		"no such toolset":      {[]string{vault, "OBSIDIAN_MCP_TOOLSETS=nots"}, "OBSIDIAN_MCP_TOOLSETS: "},
		"a toolset that's off": {[]string{vault, "OBSIDIAN_MCP_TOOLSETS=history", "OBSIDIAN_MCP_HISTORY=off"}, "hold no tool"},
		"state in the vault":   {[]string{vault, "OBSIDIAN_MCP_STATE_DIR=" + filepath.Join(home, "vault", "state")}, "OBSIDIAN_MCP_STATE_DIR is inside of the vault"},
	} {
		t.Run(name, func(t *testing.T) {
			settings := entrySettings(t, append(c.env, "OBSIDIAN_MCP_CACHE_DIR=off"))
			got := refusal(cli.ClientVault{Vault: "x", Settings: settings})
			if (got == nil) != (c.want == "") || got != nil && !strings.Contains(got.Error(), c.want) {
				t.Errorf("%v, want %q", got, c.want)
			}
			if err := startError(settings); fmt.Sprint(err, fault.HintOf(err)) != fmt.Sprint(got, fault.HintOf(got)) {
				t.Errorf("%v; %s\nthe start says\n%v; %s", got, fault.HintOf(got), err, fault.HintOf(err))
			}
		})
	}
}

// entrySettings are those of an entry with some variables.
func entrySettings(t *testing.T, env []string) config.Config {
	t.Helper()
	settings, err := config.Load(config.Source{Lookup: func(variable string) (string, bool) {
		at := slices.IndexFunc(env, func(one string) bool { return strings.HasPrefix(one, variable+"=") })
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

// TestVerdictsOnEntries: what is not settled by an entry's settings alone.
func TestVerdictsOnEntries(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	port := strings.TrimPrefix(listener.Addr().String(), "127.0.0.1:")
	gone := filepath.Join(t.TempDir(), "gone")
	database := config.Config{Toolsets: "default", LiveSync: config.LiveSync{URL: "http://127.0.0.1:1", Database: "db"}}
	folder := func(path string) cli.ClientVault {
		return cli.ClientVault{Vault: path, Settings: config.Config{Toolsets: "default", VaultPath: path}}
	}
	for name, c := range map[string]struct {
		entry cli.ClientVault
		want  string
	}{
		"somebody answers":       {cli.ClientVault{URL: "http://127.0.0.1:" + port + "/mcp"}, "^ok      clients: X calls http://127.0.0.1:[0-9]+/mcp\n$"},
		"by its name":            {cli.ClientVault{URL: "http://localhost:" + port + "/mcp"}, "^ok      clients: X calls http://localhost:[0-9]+/mcp\n$"},
		"nobody answers":         {cli.ClientVault{URL: "http://127.0.0.1:1/mcp"}, "^look    clients: X calls http://127.0.0.1:1/mcp, where nothing answers now; start a server there with obsidian-mcp http\n$"},
		"a database":             {cli.ClientVault{Vault: "the database", Settings: database}, "^ok      clients: X starts this program with the database\n$"},
		"no folder":              {folder(gone), "^FAILED  clients: X starts this program, which refuses: .*there is no such folder; correct the path"},
		"the client fills it in": {folder(gone + "/${user}"), "^ok      clients: X starts this program with "},
		"switched off":           {cli.ClientVault{Off: true, URL: "http://127.0.0.1:1/mcp"}, "^ok      clients: X: the entry of this program is switched off\n$"},
	} {
		t.Run(name, func(t *testing.T) {
			c.entry.Client = "X"
			var out strings.Builder
			(&examination{out: &out}).clients(cli.Examination{Clients: []cli.ClientVault{c.entry}})
			if !regexp.MustCompile(c.want).MatchString(out.String()) {
				t.Errorf("%s, want %s", out.String(), c.want)
			}
		})
	}
}

// TestEntriesOfWhichTheSameIsToldAreToldTogether, unless what is to be done is
// not the same.
func TestEntriesOfWhichTheSameIsToldAreToldTogether(t *testing.T) {
	noProgram := func(client string) cli.ClientVault {
		return cli.ClientVault{Client: client, Err: fault.NotFound.Errorf("there is none").WithHint("install %s", client)}
	}
	off := func(client string) cli.ClientVault { return cli.ClientVault{Client: client, Off: true} }
	var out strings.Builder
	(&examination{out: &out}).clients(cli.Examination{Clients: []cli.ClientVault{off("A"), noProgram("B"), off("C"), noProgram("D")}})
	const want = "ok      clients: A, C: the entry of this program is switched off\n" +
		"FAILED  clients: B starts this program, which refuses: there is none; install B\n" +
		"FAILED  clients: D starts this program, which refuses: there is none; install D\n"
	if out.String() != want {
		t.Errorf("%s, want %s", out.String(), want)
	}
}

// TestOnlyThisMachineIsAsked whether somebody listens.
func TestOnlyThisMachineIsAsked(t *testing.T) {
	for address, want := range map[string][]string{
		"http://127.0.0.1:1065/mcp":       {"127.0.0.1:1065"},
		"http://[::1]:1065/mcp":           {"[::1]:1065"},
		"http://localhost:1065/mcp":       {"127.0.0.1:1065", "[::1]:1065"},
		"https://localhost/mcp":           {"127.0.0.1:443", "[::1]:443"},
		"http://192.0.2.1:1065/mcp":       nil,
		"https://example.org:1065/mcp":    nil,
		"http://localhost.example/mcp":    nil,
		"an address that cannot be read":  nil,
		"http://127.0.0.1.example.org/:1": nil,
	} {
		var asked []string
		nobody := nobodyAt(address, func(_, address string, _ time.Duration) (net.Conn, error) {
			asked = append(asked, address)
			return nil, errors.New("refused")
		})
		if !slices.Equal(asked, want) || nobody != (want != nil) {
			t.Errorf("%s: %v, %v", address, asked, nobody)
		}
	}
}
