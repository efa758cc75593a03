package app

import (
	"bytes"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/store/livesync/couchtest"
	"obsidian-mcp/internal/testkit/mode"
)

// wrongDatabases are settings with which no database can ever be served, and a part of the error that each causes.
func wrongDatabases(t *testing.T) map[string]struct {
	settings []string
	says     string
	status   int // of a command; a server always exits with 1
} {
	t.Helper()
	_, encrypted := fixtureNamed(t, "e2ee-v2-obfuscated").load(t)
	database, plain := fixtureNamed(t, "plain").load(t)
	self := httptest.NewUnstartedServer(http.NotFoundHandler())
	self.Config.ErrorLog = log.New(io.Discard, "", 0)
	self.StartTLS()
	t.Cleanup(self.Close)
	with := func(settings []string, more ...string) []string { return append(slices.Clone(settings), more...) }
	return map[string]struct {
		settings []string
		says     string
		status   int
	}{
		"password":              {with(plain, wrongPassword(t, database, "hunter2")...), "wrong user or password", 4},
		"user":                  {with(plain, "COUCHDB_USER=nobody-in-"+database.Name), "wrong user or password", 4},
		"database":              {with(plain, "COUCHDB_DATABASE_NAME=nowhere"), "no database 'nowhere'", 1},
		"passphrase":            {with(encrypted, "VAULT_PASSPHRASE=hunter2"), "VAULT_PASSPHRASE does not open the vault", 4},
		"no passphrase":         {with(encrypted, "VAULT_PASSPHRASE="), "VAULT_PASSPHRASE", 4},
		"a passphrase too many": {with(plain, "VAULT_PASSPHRASE=hunter2"), "is not encrypted", 2},
		"obfuscation":           {with(plain, "USE_PATH_OBFUSCATION=true"), "USE_PATH_OBFUSCATION is true", 2},
		"certificate":           {with(plain, "COUCHDB_BASE_URL="+self.URL), "certificate", 7},
	}
}

// TestServerEndsOnWrongDatabaseSettings: one line says which setting is wrong, and the program exits with 1, whether the
// client keeps the input open or has closed it.
func TestServerEndsOnWrongDatabaseSettings(t *testing.T) {
	for name, c := range wrongDatabases(t) {
		for _, how := range []string{"stdio, idle", "stdio, closed", "http"} {
			t.Run(name+"/"+how, func(t *testing.T) {
				t.Parallel()
				if how != "stdio, closed" {
					skipUnlessFull(t, name, "passphrase")
				}
				got := startAndWait(t, how, c.settings)
				if got.status != 1 || got.out != "" || len(lines(got.errors)) != 1 || !strings.HasPrefix(got.errors, "obsidian-mcp: ") || !strings.Contains(got.errors, c.says) {
					t.Errorf("%+v", got)
				}
				if strings.Contains(got.errors, "hunter2") {
					t.Errorf("a secret is shown: %s", got.errors)
				}
			})
		}
	}
}

// startAndWait starts the server and waits until it ends by itself.
func startAndWait(t *testing.T, how string, settings []string) ended {
	t.Helper()
	args := []string{"stdio"}
	if how == "http" {
		args = []string{"http", "--port", "0"}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := testCommand(self, "", t.TempDir(), args...)
	cmd.Env = append(append(cmd.Env, asProgram+"=yes", patientStart+"=yes"), settings...)
	var out, messages bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &messages
	if how == "stdio, idle" {
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	patience := time.AfterFunc(mode.Patience, func() { cmd.Process.Kill() })
	defer patience.Stop()
	return finish(t, cmd, cmd.Wait(), &out, &messages)
}

// TestCommandsFailOnWrongDatabaseSettings: a command exits with the status for the kind of error.
func TestCommandsFailOnWrongDatabaseSettings(t *testing.T) {
	t.Parallel()
	for name, c := range wrongDatabases(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			skipUnlessFull(t, name, "passphrase", "certificate")
			for _, args := range [][]string{{"call", "list_notes"}, {"batch"}, {"livesync", "verify"}} {
				got := runProgram(t, c.settings, args...)
				if got.status != c.status || got.out != "" || !strings.HasPrefix(got.errors, "obsidian-mcp: ") || !strings.Contains(got.errors, c.says) || strings.Contains(got.errors, "level=") {
					t.Errorf("%v: %+v", args, got)
				}
			}
			found := runProgram(t, c.settings, "doctor")
			if found.status != 1 || !strings.Contains(found.out, "FAILED") || !strings.Contains(found.out, c.says) {
				t.Errorf("doctor: %+v", found)
			}
			if all := found.out + found.errors; strings.Contains(all, "hunter2") {
				t.Errorf("a secret is shown: %s", all)
			}
		})
	}
}

// TestContradictorySettings: settings must name exactly one vault.
func TestContradictorySettings(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, c := range map[string]struct {
		settings []string
		status   int
		says     []string
	}{
		"a folder and a database": {[]string{"OBSIDIAN_VAULT_PATH=" + dir, "COUCHDB_BASE_URL=http://couch.example.com", "COUCHDB_DATABASE_NAME=x"}, 1, []string{dir, "http://couch.example.com"}},
		"a name and a database":   {[]string{"OBSIDIAN_VAULT=Mine", "COUCHDB_BASE_URL=http://couch.example.com", "COUCHDB_DATABASE_NAME=x"}, 1, []string{"OBSIDIAN_VAULT=Mine", "http://couch.example.com"}},
		"no database":             {[]string{"COUCHDB_BASE_URL=http://couch.example.com"}, 1, []string{"COUCHDB_DATABASE_NAME not set"}},
		"no server":               {[]string{"COUCHDB_DATABASE_NAME=x"}, 1, []string{"COUCHDB_BASE_URL not set"}},
		"neither":                 {nil, 1, []string{"OBSIDIAN_VAULT_PATH not set", "COUCHDB_BASE_URL"}},
		"a password in the URL":   {[]string{"COUCHDB_BASE_URL=http://me:hunter2@couch.example.com", "COUCHDB_DATABASE_NAME=x"}, 2, []string{"COUCHDB_BASE_URL must not contain a user or password"}},
	} {
		for _, args := range [][]string{{"stdio"}, {"http", "--port", "0"}, {"call", "list_notes"}} {
			got := runProgram(t, c.settings, args...)
			if got.status != c.status || got.out != "" || strings.Contains(got.errors, "hunter2") {
				t.Errorf("%s, %v: %+v", name, args, got)
			}
			for _, says := range c.says {
				if !strings.Contains(got.errors, says) {
					t.Errorf("%s, %v: %q is not in %q", name, args, says, got.errors)
				}
			}
		}
	}
}

// TestDatabaseAway: the program serves while the database is away. Calls say so, and work as soon as the database is back.
// The log says it once.
func TestDatabaseAway(t *testing.T) {
	t.Parallel()
	d, settings := fixtureNamed(t, "plain").load(t)
	proxy := couchtest.NewProxy(t, d.URL, "")
	proxy.Always(couchtest.Status(http.StatusServiceUnavailable, "down"))
	c := start(t, "", append(settings, "COUCHDB_BASE_URL="+proxy.URL, "OBSIDIAN_MCP_STYLE=contract", "OBSIDIAN_MCP_CALL_TIMEOUT=10s")...)
	c.initialize("2025-06-18")
	away := func() bool {
		return bytes.Contains(c.request("tools/call", map[string]any{"name": "obsidian_list_notes"}).raw, []byte("STORE_UNAVAILABLE"))
	}
	if !away() {
		t.Error("a call does not say that the database is away")
	}
	eventually(t, "the log does not say that the database is away", mode.Patience, func() bool { return c.stderr.String() != "" })
	_, before := proxy.Counts()
	eventually(t, "the program does not try again", mode.Patience, func() bool { // often enough to log the error again
		_, faults := proxy.Counts()
		return faults >= before+25
	})
	proxy.Always(nil)
	eventually(t, "calls still fail", mode.Patience, func() bool { return !away() })
	if answer := c.call("obsidian_read_note", map[string]any{"name": "Welcome"}); answer.IsError || !strings.Contains(answer.Content[0].Text, "# Welcome") {
		t.Errorf("%+v", answer)
	}
	c.end()
	logged := lines(c.stderr.String())
	if len(logged) != 1 || !strings.Contains(logged[0], "level=WARN") || strings.Contains(logged[0], d.Password) {
		t.Errorf("want one warning in the log, got %s", c.stderr)
	}
}

// A database server that accepts connections but never answers keeps neither initialize nor the end of the input
// waiting for it. TestStartup checks the times.
func TestSilentDatabaseHoldsNothingUp(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { silent.Close() })
	go func() {
		for {
			connection, err := silent.Accept()
			if err != nil {
				return
			}
			go func() {
				_, _ = io.Copy(io.Discard, connection)
				connection.Close()
			}()
		}
	}()
	c := start(t, "", "COUCHDB_BASE_URL=http://"+silent.Addr().String(), "COUCHDB_DATABASE_NAME=x")
	c.initialize("2025-06-18")
	c.end()
}

// TestDatabaseNotesStayOffTheDisk: neither the index nor notes are written to disk, unless the cache is on, which is
// encrypted.
func TestDatabaseNotesStayOffTheDisk(t *testing.T) {
	t.Parallel()
	for _, cache := range []string{"off", "on"} {
		t.Run("cache "+cache, func(t *testing.T) {
			t.Parallel()
			_, settings := fixtureNamed(t, "e2ee-v2-obfuscated").load(t)
			dir := t.TempDir()
			settings = append(settings, "OBSIDIAN_MCP_CACHE_DIR="+dir, "OBSIDIAN_MCP_LIVESYNC_CACHE="+cache)
			for range 2 {
				if got := runProgram(t, settings, "call", "search_notes", "--mode", "content", "--query", "Welcome"); got.status != 0 || !strings.Contains(got.out, "Welcome") {
					t.Fatalf("%+v", got)
				}
			}
			files := readAll(t, dir)
			if want := map[string]int{"off": 0, "on": 1}[cache]; len(files) != want {
				t.Errorf("%d files in the cache folder, want %d", len(files), want)
			}
			for name, content := range files {
				for _, word := range []string{"Welcome", "two words", "leap day", "Daily"} {
					if bytes.Contains(content, []byte(word)) || !strings.HasSuffix(name, ".sealed") {
						t.Errorf("%s shows %q", name, word)
					}
				}
			}
		})
	}
}

// TestRulesForADatabase: no rule for a database can be a path of the file system.
func TestRulesForADatabase(t *testing.T) {
	t.Parallel()
	settings := config.Config{LiveSync: config.LiveSync{URL: "http://couch.example.com", Database: "notes"}}
	if err := checkRules(config.Grant{Allow: []string{"projects/"}, Deny: []string{"/private"}}, settings); err != nil {
		t.Error(err)
	}
}
