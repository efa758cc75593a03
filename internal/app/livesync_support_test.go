package app

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/store/livesync/couchtest"
	"obsidian-mcp/internal/testkit/cases"
	"obsidian-mcp/internal/testkit/mode"
)

// databaseSettings are the variables that name a database.
func databaseSettings(d *couchtest.Database, more ...string) []string {
	return append([]string{
		"COUCHDB_BASE_URL=" + d.URL, "COUCHDB_DATABASE_NAME=" + d.Name, "COUCHDB_USER=" + d.User, "COUCHDB_PASSWORD=" + d.Password,
	}, more...)
}

// wrongPassword are settings with a wrong password, for an account of its own: CouchDB locks an account after a few failed logins.
func wrongPassword(t *testing.T, d *couchtest.Database, password string) []string {
	t.Helper()
	user, _ := d.Account(t)
	return []string{"COUCHDB_USER=" + user, "COUCHDB_PASSWORD=" + password}
}

// fixture is a database as devices have written it, with the files that it contains.
type fixture struct {
	folder     string
	passphrase string
	Files      map[string]struct{ SHA256 string }
	Conflicts  map[string]json.RawMessage
}

func fixtureNamed(t *testing.T, name string) fixture {
	t.Helper()
	f := fixture{folder: filepath.Join(cases.Path(t, "livesync/fixtures"), name)}
	var config struct{ Settings struct{ Passphrase string } }
	for file, into := range map[string]any{"config.json": &config, "expected.json": &f} {
		content, err := os.ReadFile(filepath.Join(f.folder, file))
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(content, into); err != nil {
			t.Fatal(err)
		}
	}
	f.passphrase = config.Settings.Passphrase
	return f
}

// someFixtures are those that differ most. The full form uses all.
var someFixtures = []string{"plain", "e2ee-v2-obfuscated", "plain-conflict"}

// skipUnlessFull skips a case that only the full form runs, unless it is one of those that always run.
func skipUnlessFull(t *testing.T, name string, always ...string) {
	t.Helper()
	if !mode.Full() && !slices.Contains(always, name) {
		t.Skip("only the full form runs this case")
	}
}

// allFixtures names the fixtures of this run: all in the full form, otherwise one of each kind of format.
func allFixtures(t *testing.T) []string {
	t.Helper()
	if !mode.Full() {
		return someFixtures
	}
	found, err := filepath.Glob(filepath.Join(cases.Path(t, "livesync/fixtures"), "*", "config.json"))
	if err != nil || len(found) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	for i, file := range found {
		found[i] = filepath.Base(filepath.Dir(file))
	}
	return found
}

// load puts a fixture into a new database, and returns the settings for it.
func (f fixture) load(t *testing.T) (*couchtest.Database, []string) {
	t.Helper()
	d := couchtest.New(t)
	d.Load(t, f.folder)
	return d, databaseSettings(d, "VAULT_PASSPHRASE="+f.passphrase)
}

// ended is the outcome of a command.
type ended struct {
	status      int
	out, errors string
}

// lines splits a text into lines.
func lines(text string) []string { return strings.Split(strings.TrimSuffix(text, "\n"), "\n") }

// runProgram runs the program with these settings only, and an empty input.
func runProgram(t *testing.T, settings []string, args ...string) ended {
	t.Helper()
	cmd := command(t, "", args...)
	cmd.Env = append(cmd.Env, settings...)
	var out, messages bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &messages
	return finish(t, cmd, cmd.Run(), &out, &messages)
}

func finish(t *testing.T, cmd *exec.Cmd, err error, out, messages *bytes.Buffer) ended {
	t.Helper()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		t.Fatal(err)
	}
	return ended{status: cmd.ProcessState.ExitCode(), out: out.String(), errors: messages.String()}
}

// filesOf are the hashes of all files below a folder, by their paths.
func filesOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	for name, content := range readAll(t, dir) {
		files[name] = store.Hash(content)
	}
	return files
}

// readAll reads all files below a folder.
func readAll(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	root := os.DirFS(dir)
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		files[name], err = fs.ReadFile(root, name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// eventually waits until a condition holds. Otherwise the test fails with the problem.
func eventually(t *testing.T, problem string, within time.Duration, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(within); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("after %v: %s", within, problem)
		}
	}
}

// getDocument reads a document as it is.
func getDocument(t *testing.T, d *couchtest.Database, id string) map[string]any {
	t.Helper()
	status, answer := d.Do(t, "GET", "/"+id, nil)
	var document map[string]any
	if err := json.Unmarshal(answer, &document); status != 200 || err != nil {
		t.Fatalf("%s: %d %v", id, status, err)
	}
	return document
}

// spoilPath damages the ciphertext of a path, and returns the document's id.
func spoilPath(t *testing.T, d *couchtest.Database) string {
	t.Helper()
	status, answer := d.Do(t, "GET", `/_all_docs?include_docs=true&limit=1&startkey="f:"`, nil)
	var list struct {
		Rows []struct{ Doc map[string]any }
	}
	if err := json.Unmarshal(answer, &list); status != 200 || err != nil || len(list.Rows) != 1 {
		t.Fatalf("%d %v", status, err)
	}
	document := list.Rows[0].Doc
	id, path := document["_id"].(string), document["path"].(string)
	document["path"] = path[:len(path)-8] + "AAAAAAA="
	d.Put(t, id, document)
	return id
}
