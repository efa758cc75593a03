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
)

// hopeless are settings with which no database will ever be served, and the
// word of the line that tells which is wrong.
func hopeless(t *testing.T) map[string]struct {
	settings []string
	says     string
	status   int // of a command, where kinds of error are told apart
} {
	t.Helper()
	_, encrypted := fixtureNamed(t, "e2ee-v2-obfuscated").load(t)
	_, plain := fixtureNamed(t, "plain").load(t)
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
		"password":              {with(plain, "COUCHDB_PASSWORD=hunter2"), "wrong user or password", 4},
		"user":                  {with(plain, "COUCHDB_USER=nobody"), "wrong user or password", 4},
		"database":              {with(plain, "COUCHDB_DATABASE_NAME=nowhere"), "no database 'nowhere'", 1},
		"passphrase":            {with(encrypted, "VAULT_PASSPHRASE=hunter2"), "VAULT_PASSPHRASE does not open the vault", 4},
		"no passphrase":         {with(encrypted, "VAULT_PASSPHRASE="), "VAULT_PASSPHRASE", 4},
		"a passphrase too many": {with(plain, "VAULT_PASSPHRASE=hunter2"), "is not encrypted", 2},
		"obfuscation":           {with(plain, "USE_PATH_OBFUSCATION=true"), "USE_PATH_OBFUSCATION is true", 2},
		"certificate":           {with(plain, "COUCHDB_BASE_URL="+self.URL), "certificate", 7},
	}
}

// TestHopelessStart: one line says which setting is wrong, and the program ends
// with 1, though a client keeps the input open and waits, or has closed it.
func TestHopelessStart(t *testing.T) {
	for name, c := range hopeless(t) {
		for _, how := range []string{"stdio, idle", "stdio, closed", "http"} {
			t.Run(name+"/"+how, func(t *testing.T) {
				t.Parallel()
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
	patience := time.AfterFunc(2*time.Minute, func() { cmd.Process.Kill() })
	defer patience.Stop()
	return finish(t, cmd, cmd.Wait(), &out, &messages)
}

// TestHopelessCommands: a command ends with the status for the kind of error.
func TestHopelessCommands(t *testing.T) {
	t.Parallel()
	for name, c := range hopeless(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
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

// TestContradictorySettings: which vault is meant must be clear.
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

// TestServerAway: it is served, calls say that the database is away, and they
// work as soon as it is back.
func TestServerAway(t *testing.T) {
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
	time.Sleep(probeTime) // so that what is logged again and again is
	proxy.Always(nil)
	eventually(t, "calls still fail", time.Minute, func() bool { return !away() })
	if answer := c.call("obsidian_read_note", map[string]any{"name": "Welcome"}); answer.IsError || !strings.Contains(answer.Content[0].Text, "# Welcome") {
		t.Errorf("%+v", answer)
	}
	c.end()
	if said := lines(c.stderr.String()); len(said) != 1 || !strings.Contains(said[0], "level=WARN") || strings.Contains(said[0], d.Password) {
		t.Errorf("the log: %s", c.stderr)
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

// TestNothingOfAVaultOnDisk: neither index nor notes, unless the cache is on,
// and then nothing in clear.
func TestNothingOfAVaultOnDisk(t *testing.T) {
	t.Parallel()
	for _, cache := range []string{"off", "on"} {
		t.Run("cache "+cache, func(t *testing.T) {
			t.Parallel()
			_, settings := fixtureNamed(t, "e2ee-v2-obfuscated").load(t)
			kept := t.TempDir()
			settings = append(settings, "OBSIDIAN_MCP_CACHE_DIR="+kept, "OBSIDIAN_MCP_LIVESYNC_CACHE="+cache)
			for range 2 {
				if got := runProgram(t, settings, "call", "search_notes", "--mode", "content", "--query", "Welcome"); got.status != 0 || !strings.Contains(got.out, "Welcome") {
					t.Fatalf("%+v", got)
				}
			}
			files := readAll(t, kept)
			if cache == "off" && len(files) != 0 {
				t.Errorf("kept: %d files", len(files))
			}
			if cache == "on" && len(files) != 1 {
				t.Errorf("kept: %d files", len(files))
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

// TestRulesForADatabase: nothing of it is a path of the file system.
func TestRulesForADatabase(t *testing.T) {
	t.Parallel()
	settings := config.Config{LiveSync: config.LiveSync{URL: "http://couch.example.com", Database: "notes"}}
	if err := checkRules(config.Grant{Allow: []string{"projects/"}, Deny: []string{"/private"}}, settings); err != nil {
		t.Error(err)
	}
}
