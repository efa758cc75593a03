package app

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"obsidian-mcp/internal/store/livesync/couchtest"
	"obsidian-mcp/internal/store/livesync/format"
	"obsidian-mcp/internal/store/livesync/format/setuplink"
)

// linkTo makes a setup link to a database with the passphrase pw. shared are the settings that a device states.
func linkTo(t *testing.T, d *couchtest.Database, passphrase string, shared map[string]any) string {
	t.Helper()
	link, err := setuplink.Make(setuplink.Device{
		URL: d.URL, Database: d.Name, User: d.User, Password: format.Passphrase(d.Password), Passphrase: format.Passphrase(passphrase), Shared: shared,
	}, setuplink.Options{Passphrase: "pw"}, strings.NewReader(strings.Repeat("0123456789", 10)))
	if err != nil {
		t.Fatal(err)
	}
	return link
}

// passphraseOfLinks is a file that holds pw.
func passphraseOfLinks(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "pw")
	if err := os.WriteFile(file, []byte("pw\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestSetupFromLink: a link leads to a config file with which the vault can be served, or to a finding that says why not.
func TestSetupFromLink(t *testing.T) {
	t.Parallel()
	pw := passphraseOfLinks(t)
	encrypted := map[string]any{"encrypt": true, "usePathObfuscation": true, "E2EEAlgorithm": "v2", "handleFilenameCaseSensitive": false}
	for name, c := range map[string]struct {
		fixture    string
		passphrase string // "": that of the fixture
		shared     map[string]any
		status     int
		files      string // what verify says afterwards
		want       []string
	}{
		"encrypted": {fixture: "e2ee-v2-obfuscated", shared: encrypted, files: "14 files", want: []string{
			"ok +link: it names the database '.*' at http://.*, as user '.*'", "ok +server: http://.* answers, CouchDB [0-9.]+$",
			"ok +format: end-to-end encrypted, V2, paths obfuscated", "ok +passphrase: opens the vault$", "ok +versions: the database has version 12$",
			`ok +devices: .* \(plugin [0-9.]+\)$`, "ok +link: its settings are those of the database$",
		}},
		"plain": {fixture: "plain", passphrase: "unused", files: "14 files", want: []string{"ok +link: its settings are those of the database$"}},
		"a link that does not say that the database is encrypted": {fixture: "e2ee-v2-obfuscated", files: "14 files", want: []string{
			"look +link: its settings differ from those of the database: the link says not encrypted, the database is encrypted; " +
				"the link says that paths are in clear, in the database they are obfuscated; this server uses the settings of the database; "}},
		"a link that says too much": {fixture: "plain", passphrase: "x", shared: map[string]any{"encrypt": true, "handleFilenameCaseSensitive": true}, files: "14 files",
			want: []string{"look +link: its settings differ from those of the database: the link says encrypted, the database is not encrypted; " +
				"the link says case-sensitive names, the database has case-insensitive ones; "}},
		"another version of encryption": {fixture: "e2ee-v2-obfuscated", shared: map[string]any{"encrypt": true, "usePathObfuscation": true, "E2EEAlgorithm": ""}, files: "14 files",
			want: []string{"look +link: .*: the link says encryption V1, the database has V2; "}},
		"an empty database": {shared: encrypted, passphrase: "x", files: "0 files", want: []string{
			"look +database: '.*' is empty; ", "ok +format: end-to-end encrypted, V2, paths obfuscated, .*as the settings say",
			"look +link: the database is still empty; whoever writes first determines its settings; "}},
		"an empty database, not to be encrypted": {passphrase: "x", files: "0 files", want: []string{"ok +format: not encrypted, paths in clear"}},
		"a wrong passphrase of the vault": {fixture: "e2ee-v2-obfuscated", passphrase: "hunter2", shared: encrypted, status: 7, want: []string{
			"FAILED +passphrase: the vault's passphrase in the link does not open the database; check on the device"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := couchtest.New(t)
			passphrase := c.passphrase
			if c.fixture != "" {
				f := fixtureNamed(t, c.fixture)
				d.Load(t, f.folder)
				if passphrase == "" {
					passphrase = f.passphrase
				}
			}
			before := revisions(t, d)
			file := filepath.Join(t.TempDir(), "c.yaml")
			got := runProgram(t, nil, "--config", file, "livesync", "setup", linkTo(t, d, passphrase, c.shared), "--passphrase-file", pw)
			setUp := got.status == 0
			wantFindings(t, got, c.status, c.want...)
			if !slices.Equal(revisions(t, d), before) {
				t.Error("the database was changed")
			}
			if said := got.out + got.errors; strings.Contains(said, passphrase) && len(passphrase) > 1 || strings.Contains(said, d.Password) {
				t.Errorf("a secret is shown: %s", said)
			}
			if _, err := os.Stat(file); (err == nil) != setUp {
				t.Errorf("the config file: %v", err)
			}
			if verified := runProgram(t, nil, "--config", file, "livesync", "verify"); setUp && (verified.status != 0 || !strings.HasPrefix(verified.out, c.files)) {
				t.Errorf("verify: %+v", verified)
			}
		})
	}
}

// wantFindings checks the findings of a test, and what follows them.
func wantFindings(t *testing.T, got ended, status int, patterns ...string) {
	t.Helper()
	findings, after, _ := strings.Cut(got.out, "written: ")
	refused := got.errors == "obsidian-mcp: the database cannot be used with this link\nnothing was written\n"
	if refused != (status == 7) || !refused && !strings.Contains(after, "\nnext: obsidian-mcp --config ") {
		t.Errorf("%s%s", after, got.errors)
	}
	wantLines(t, ended{status: got.status, out: findings}, status, patterns...)
}

// revisions lists the revisions of all documents, in a form that is the same whichever node of a cluster responds.
func revisions(t *testing.T, d *couchtest.Database) []string {
	t.Helper()
	var changes struct {
		Results []struct {
			ID      string
			Changes []struct{ Rev string }
		}
	}
	if status, answer := d.Do(t, "GET", "/_changes?style=all_docs", nil); status != 200 || json.Unmarshal(answer, &changes) != nil {
		t.Fatal(status)
	}
	var all []string
	for _, row := range changes.Results {
		for _, change := range row.Changes {
			all = append(all, row.ID+" "+change.Rev)
		}
	}
	slices.Sort(all)
	return all
}

// TestSetupReportsProblems: each problem on the way to the database is a line, and nothing is written.
func TestSetupReportsProblems(t *testing.T) {
	t.Parallel()
	pw := passphraseOfLinks(t)
	for name, c := range map[string]struct {
		change func(*couchtest.Database)
		want   string
	}{
		"a wrong password":      {func(d *couchtest.Database) { d.User, _ = d.Account(t); d.Password = "x" }, "FAILED +login: .*wrong user or password; check on the device that made the link"},
		"another name":          {func(d *couchtest.Database) { d.Name = "nowhere" }, "FAILED +database: .*no database 'nowhere'; check on the device"},
		"a server that is away": {func(d *couchtest.Database) { d.URL = "http://127.0.0.1:1" }, "FAILED +server: CouchDB at 127.0.0.1:1 cannot be reached: .*; check on the device"},
		"not a vault":           {func(d *couchtest.Database) { d.Name = "_users" }, "FAILED +link: couchdb_database_name must be the name of a vault's database"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := *couchtest.New(t)
			c.change(&d)
			file := filepath.Join(t.TempDir(), "c.yaml")
			got := runProgram(t, nil, "--config", file, "livesync", "setup", linkTo(t, &d, "", nil), "--passphrase-file", pw)
			wantFindings(t, got, 7, c.want)
			if _, err := os.Stat(file); err == nil {
				t.Error("a config file was written")
			}
		})
	}
}

// TestLinkForNewDevice: a device that uses the printed link joins the database with its settings.
func TestLinkForNewDevice(t *testing.T) {
	t.Parallel()
	pw := passphraseOfLinks(t)
	for name, c := range map[string]string{
		"e2ee-v2-obfuscated": `"customChunkSize":0`, "plain-case-sensitive-v2splitter-xxhash32": `"hashAlg":"xxhash32"`, "legacy-plain": `"encrypt":false`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			skipUnlessFull(t, name, "e2ee-v2-obfuscated", "plain-case-sensitive-v2splitter-xxhash32")
			d, settings := fixtureNamed(t, name).load(t)
			made := runProgram(t, settings, "livesync", "setup", "--new-device", "--passphrase-file", pw)
			if made.status != 0 || strings.Contains(made.errors, d.Password) {
				t.Fatalf("%+v", made)
			}
			plain, err := format.NewCipher(format.CipherOptions{Passphrase: "pw"}).Open(unescapeLink(made.out))
			if err != nil || !strings.Contains(plain, c) {
				t.Errorf("%s, %v", plain, err)
			}
			file := filepath.Join(t.TempDir(), "c.yaml")
			joined := runProgram(t, nil, "--config", file, "livesync", "setup", strings.TrimSpace(made.out), "--passphrase-file", pw)
			wantFindings(t, joined, 0, "ok +link: its settings are those of the database$")
		})
	}
}

// A person learns before they set up a device that it could not sync.
func TestLinkOfLockedDatabase(t *testing.T) {
	t.Parallel()
	d, settings := fixtureNamed(t, "plain").load(t)
	_, _ = d.Do(t, "PUT", "/_local/obsydian_livesync_milestone", changed(getDocument(t, d, "_local/obsydian_livesync_milestone"), "locked", true))
	made := runProgram(t, settings, "livesync", "setup", "--new-device", "--passphrase-file", passphraseOfLinks(t))
	if made.status != 0 || !strings.HasPrefix(made.out, "obsidian://") || !strings.Contains(made.errors, "devices cannot sync with it yet: the database is locked: ") {
		t.Errorf("%+v", made)
	}
}

func unescapeLink(link string) string {
	_, sealed, _ := strings.Cut(strings.TrimSpace(link), "settings=")
	return strings.NewReplacer("%25", "%", "%24", "$", "%2B", "+", "%2F", "/", "%3D", "=").Replace(sealed)
}
