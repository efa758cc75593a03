package doctor

import (
	"errors"
	"net"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/fault"
)

func TestVerdictsOnEntries(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	port := strings.TrimPrefix(listener.Addr().String(), "127.0.0.1:")
	gone := filepath.Join(t.TempDir(), "gone")
	database := config.Config{Toolsets: "default", LiveSync: config.LiveSync{URL: "http://127.0.0.1:1", Database: "db"}}
	folder := func(path string) Entry {
		return Entry{Vault: path, Settings: config.Config{Toolsets: "default", VaultPath: path}}
	}
	for name, c := range map[string]struct {
		entry Entry
		want  string
	}{
		"a server that answers":  {Entry{URL: "http://127.0.0.1:" + port + "/mcp"}, "^ok      clients: X calls http://127.0.0.1:[0-9]+/mcp\n$"},
		"a server by host name":  {Entry{URL: "http://localhost:" + port + "/mcp"}, "^ok      clients: X calls http://localhost:[0-9]+/mcp\n$"},
		"no server there":        {Entry{URL: "http://127.0.0.1:1/mcp"}, "^look    clients: X calls http://127.0.0.1:1/mcp, where nothing answers now; start a server there with obsidian-mcp http\n$"},
		"a database":             {Entry{Vault: "the database", Settings: database}, "^ok      clients: X starts this program with the database\n$"},
		"no folder":              {folder(gone), "^FAILED  clients: X starts this program, which refuses to start: .*there is no such folder; correct the path"},
		"the client fills it in": {folder(gone + "/${user}"), "^ok      clients: X starts this program with "},
		"switched off":           {Entry{Off: true, URL: "http://127.0.0.1:1/mcp"}, "^ok      clients: X: the entry of this program is switched off\n$"},
	} {
		t.Run(name, func(t *testing.T) {
			c.entry.Client = "X"
			start := func(settings config.Config) error {
				if !settings.VaultIsFolder() {
					return nil
				}
				return CheckFolder(settings.VaultPath)
			}
			got := lines(func(r *Report) { r.clients([]Entry{c.entry}, false, start) })
			if !regexp.MustCompile(c.want).MatchString(got) {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// Entries with the same remark share a line, unless their remedies differ.
func TestEntriesWithTheSameRemarkShareALine(t *testing.T) {
	noProgram := func(client string) Entry {
		return Entry{Client: client, Err: fault.NotFound.Errorf("no program").WithHint("install %s", client)}
	}
	off := func(client string) Entry { return Entry{Client: client, Off: true} }
	got := lines(func(r *Report) { r.clients([]Entry{off("A"), noProgram("B"), off("C"), noProgram("D")}, false, nil) })
	const want = "ok      clients: A, C: the entry of this program is switched off\n" +
		"FAILED  clients: B starts this program, which refuses to start: no program; install B\n" +
		"FAILED  clients: D starts this program, which refuses to start: no program; install D\n"
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestOnlyThisMachineIsAskedForListeners(t *testing.T) {
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
