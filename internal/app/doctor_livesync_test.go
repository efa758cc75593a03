package app

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"obsidian-mcp/internal/store/livesync/couchtest"
)

// TestDoctorOfFixtures: doctor prints a line for each check.
func TestDoctorOfFixtures(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][]string{
		"plain": {
			"ok +server: http://.* answers, CouchDB [0-9.]+$", "ok +login: '.*' may log in$", "ok +database: '.*' holds a LiveSync vault of [0-9]+ files$",
			`ok +format: not encrypted, paths in clear, case-insensitive names \(as its milestone states\)$`, "ok +passphrase: not needed$",
			"ok +versions: the database has version 12$", `ok +devices: .* \(plugin [0-9.]+\)$`,
			"ok +writing: notes can be written$", "ok +cache: off; nothing of the vault is kept on this machine", "ok +state: ", "ok +index: [0-9]+ notes of [0-9]+ files in ",
		},
		"e2ee-v2-obfuscated": {
			`ok +format: end-to-end encrypted, V2, paths obfuscated, case-insensitive names \(as its milestone states\)$`, "ok +passphrase: opens the vault$",
		},
		"e2ee-v1-obfuscated-dynamic-compressed":    {"ok +format: end-to-end encrypted, V1, paths obfuscated, case-insensitive names, compressed "},
		"obfuscated":                               {"ok +format: not encrypted, paths obfuscated, ", "ok +passphrase: opens the vault$"},
		"plain-case-sensitive-v2splitter-xxhash32": {"ok +format: not encrypted, paths in clear, case-sensitive names, compressed "},
		"legacy-plain":                             {`ok +format: not encrypted, .*\(as its documents show; it has no milestone\)$`},
		"plain-conflict":                           {"look +[0-9]+ notes?: changed on several devices at once, .*conflict is resolved: .*md; the tool resolve_conflict"},
		"e2ee-v2-obfuscated-conflict":              {"look +[0-9]+ notes?: changed on several devices at once, .*conflict is resolved: .*md; the tool resolve_conflict"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			skipUnlessFull(t, name, someFixtures...)
			_, settings := fixtureNamed(t, name).load(t)
			wantLines(t, runProgram(t, settings, "doctor"), 0, want...)
		})
	}
}

// wantLines checks that the output of doctor has lines that match the patterns.
func wantLines(t *testing.T, got ended, status int, patterns ...string) {
	t.Helper()
	wantAdvice(t, got.out)
	if got.status != status || got.errors != "" {
		t.Errorf("status %d: %s", got.status, got.errors)
	}
	if failed := strings.Contains(got.out, "FAILED"); failed != (status != 0) {
		t.Errorf("status %d, but the output has FAILED: %t", got.status, failed)
	}
	for _, pattern := range patterns {
		line := regexp.MustCompile("^" + pattern)
		if !slices.ContainsFunc(lines(got.out), line.MatchString) {
			t.Errorf("no line matches %q:\n%s", pattern, got.out)
		}
	}
}

func TestDoctorOfOtherDatabases(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		prepare func(t *testing.T, d *couchtest.Database) []string
		status  int
		want    string
	}{
		"an empty database": {func(*testing.T, *couchtest.Database) []string { return nil }, 0,
			`look +database: '.*' is empty; the first note, or obsidian-mcp livesync push, makes it a LiveSync vault$`},
		"an empty database, to be encrypted": {func(*testing.T, *couchtest.Database) []string { return []string{"VAULT_PASSPHRASE=x"} }, 0,
			`ok +format: end-to-end encrypted, V2, paths in clear, case-insensitive names \(as the settings say\)$`},
		"a locked database": {func(t *testing.T, d *couchtest.Database) []string {
			d.Load(t, fixtureNamed(t, "plain").folder)
			_, _ = d.Do(t, "PUT", "/_local/obsydian_livesync_milestone", changed(getDocument(t, d, "_local/obsydian_livesync_milestone"), "locked", true))
			return nil
		}, 1, "FAILED +writing: .*lock"},
		"a locked database, read-only": {func(t *testing.T, d *couchtest.Database) []string {
			d.Load(t, fixtureNamed(t, "plain").folder)
			_, _ = d.Do(t, "PUT", "/_local/obsydian_livesync_milestone", changed(getDocument(t, d, "_local/obsydian_livesync_milestone"), "locked", true))
			return []string{"OBSIDIAN_MCP_READ_ONLY=true"}
		}, 0, "ok +writing: read-only, as set$"},
		"a database with a validator": {func(t *testing.T, d *couchtest.Database) []string {
			d.Load(t, fixtureNamed(t, "plain").folder)
			d.Put(t, "_design/guard", map[string]any{"validate_doc_update": "function () {}"})
			return nil
		}, 0, "look +writing: only an attempt will show whether notes can be written"},
		"a cache that is on": {func(t *testing.T, _ *couchtest.Database) []string {
			return []string{"OBSIDIAN_MCP_LIVESYNC_CACHE=on", "OBSIDIAN_MCP_CACHE_DIR=" + t.TempDir()}
		}, 0, "ok +cache: notes are kept, encrypted, in "},
		"a cache without a folder": {func(*testing.T, *couchtest.Database) []string {
			return []string{"OBSIDIAN_MCP_LIVESYNC_CACHE=on", "OBSIDIAN_MCP_CACHE_DIR=off"}
		}, 0, "look +cache: OBSIDIAN_MCP_LIVESYNC_CACHE is on, but OBSIDIAN_MCP_CACHE_DIR is off"},
		"a server that is away": {func(*testing.T, *couchtest.Database) []string { return []string{"COUCHDB_BASE_URL=http://127.0.0.1:1"} }, 1,
			"FAILED +server: CouchDB at 127.0.0.1:1 cannot be reached: nothing listens there; start CouchDB, or correct the port in COUCHDB_BASE_URL$"},
		"no such server": {func(*testing.T, *couchtest.Database) []string {
			return []string{"COUCHDB_BASE_URL=http://nosuch.invalid:5984"}
		}, 1, "FAILED +server: CouchDB at nosuch.invalid:5984 cannot be reached: .*; .*COUCHDB_BASE_URL"},
		"another server": {func(t *testing.T, _ *couchtest.Database) []string {
			other := httptest.NewServer(http.NotFoundHandler())
			t.Cleanup(other.Close)
			return []string{"COUCHDB_BASE_URL=" + other.URL}
		}, 1, "FAILED +server: there is no CouchDB at .*; correct COUCHDB_BASE_URL: the address may lack a path"},
		"another server that answers JSON": {func(t *testing.T, _ *couchtest.Database) []string {
			other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				say(w, http.StatusNotFound, `{"error":"not_found","error_description":"elsewhere"}`)
			}))
			t.Cleanup(other.Close)
			return []string{"COUCHDB_BASE_URL=" + other.URL}
		}, 1, "FAILED +server: there is no CouchDB at .*; correct COUCHDB_BASE_URL"},
		"a wrong password": {func(t *testing.T, d *couchtest.Database) []string { return wrongPassword(t, d, "x") }, 1,
			"FAILED +login: .*wrong user or password; check COUCHDB_USER and COUCHDB_PASSWORD$"},
		"a wrong name": {func(*testing.T, *couchtest.Database) []string { return []string{"COUCHDB_DATABASE_NAME=nowhere"} }, 1,
			"FAILED +database: .*no database 'nowhere'; check COUCHDB_DATABASE_NAME$"},
		"a wrong passphrase": {func(t *testing.T, d *couchtest.Database) []string {
			d.Load(t, fixtureNamed(t, "e2ee-v2-obfuscated").folder)
			return []string{"VAULT_PASSPHRASE=x"}
		}, 1, "FAILED +passphrase: VAULT_PASSPHRASE does not open the vault"},
		"a folder too": {func(t *testing.T, _ *couchtest.Database) []string {
			return []string{"OBSIDIAN_VAULT_PATH=" + t.TempDir()}
		}, 1,
			"FAILED +vault: a folder .* and a CouchDB .* are both configured"},
		"no name": {func(*testing.T, *couchtest.Database) []string { return []string{"COUCHDB_DATABASE_NAME="} }, 1,
			"FAILED +vault: COUCHDB_DATABASE_NAME not set"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := couchtest.New(t)
			more := c.prepare(t, d)
			wantLines(t, runProgram(t, databaseSettings(d, more...), "doctor"), c.status, c.want)
		})
	}
}

// changed sets a value in a document.
func changed(document map[string]any, key string, value any) map[string]any {
	document[key] = value
	return document
}

// TestDoctorNamesDamage: a damaged document whose path cannot be read is reported by its id.
func TestDoctorNamesDamage(t *testing.T) {
	t.Parallel()
	f := fixtureNamed(t, "e2ee-v2-obfuscated")
	d, settings := f.load(t)
	id := spoilPath(t, d)
	wantLines(t, runProgram(t, settings, "doctor"), 0, "look +1 note: cannot be read: "+id+` \(not decryptable\); obsidian-mcp livesync verify says why$`)
}
