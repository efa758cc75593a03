package livesync_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/store/livesync"
	"obsidian-mcp/internal/store/livesync/couch"
	"obsidian-mcp/internal/store/livesync/couchtest"
	"obsidian-mcp/internal/store/livesync/format"
	"obsidian-mcp/internal/store/livesync/formattest"
	"obsidian-mcp/internal/testkit/cases"
	"obsidian-mcp/internal/testkit/mode"
)

// TestFixturesAreServed opens every fixture as a user would, and reads everything.
func TestFixturesAreServed(t *testing.T) {
	t.Parallel()
	for _, fixture := range allFixtures(t) {
		t.Run(fixture.name, func(t *testing.T) {
			t.Parallel()
			database := fixture.load(t)
			addOthers(t, database)
			s := open(t, database, livesync.Options{Passphrase: fixture.pass})
			served := scanAll(t, s)
			fixture.checkConflicts(t, s, served)
			want := maps.Clone(fixture.want.Files)
			for path := range fixture.want.Conflicts {
				delete(served, path)
			}
			if diff := gocmp.Diff(want, hashed(served)); diff != "" {
				t.Error("files (-want +got):", diff)
			}
			fixture.checkAbsent(t, s)
			fixture.checkObfuscationOption(t, database)
			t.Logf("%d files, %d deleted, %d hidden, %d in conflict", len(want), len(fixture.want.Deleted), len(fixture.want.Internal), len(fixture.want.Conflicts))
		})
	}
}

// fixture is a database as devices left it, and the expected files.
type fixture struct {
	name, folder string
	pass         format.Passphrase
	obfuscated   bool
	want         struct {
		Files, Internal map[string]fixtureFile
		Deleted         []string
		Conflicts       map[string]struct {
			Sides []fixtureFile `json:"leaf_contents"`
		}
	}
}

type fixtureFile struct {
	Hash string `json:"sha256"`
	Size int64
}

// allFixtures reads all fixtures of the test data.
func allFixtures(t *testing.T) []fixture {
	t.Helper()
	folder := filepath.Join(os.Getenv("TESTDATA_ROOT"), "fixtures")
	if _, err := os.Stat(folder); os.Getenv("TESTDATA_ROOT") == "" || err != nil {
		folder = cases.Path(t, "livesync/fixtures")
	}
	found, err := filepath.Glob(filepath.Join(folder, "*", "all_docs.json"))
	if err != nil || len(found) == 0 {
		t.Fatalf("no fixture in %s: %v", folder, err)
	}
	var all []fixture
	for _, file := range found {
		all = append(all, readFixture(t, filepath.Dir(file)))
	}
	return all
}

// fixtureNamed returns the fixture of that name.
func fixtureNamed(t *testing.T, name string) fixture {
	t.Helper()
	for _, fixture := range allFixtures(t) {
		if fixture.name == name {
			return fixture
		}
	}
	t.Fatalf("no fixture is called %s", name)
	return fixture{}
}

func readFixture(t *testing.T, folder string) fixture {
	t.Helper()
	f := fixture{name: filepath.Base(folder), folder: folder}
	var config struct {
		Settings struct {
			Passphrase format.Passphrase
			Obfuscated bool `json:"usePathObfuscation"`
		}
	}
	for name, into := range map[string]any{"config.json": &config, "expected.json": &f.want} {
		raw, err := os.ReadFile(filepath.Join(folder, name))
		if err == nil {
			err = json.Unmarshal(raw, into)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	f.pass, f.obfuscated = config.Settings.Passphrase, config.Settings.Obfuscated
	if f.name == slowFixture && !mode.Full() {
		delete(f.want.Files, longNote)
	}
	return f
}

// In slowFixture each chunk of the long note has its own key, which is slow to derive. Only the full form reads it.
const slowFixture, longNote = "e2ee-v1", "Long note.md"

// load makes a database with the fixture's documents.
func (f fixture) load(t *testing.T) *couchtest.Database {
	t.Helper()
	database := couchtest.New(t)
	database.Load(t, f.folder)
	if _, ok := f.want.Files[longNote]; f.name == slowFixture && !ok {
		id := "/long%20note.md"
		var document map[string]any
		_, body := database.Do(t, http.MethodGet, id, nil)
		if err := json.Unmarshal(body, &document); err != nil {
			t.Fatal(err)
		}
		database.Do(t, http.MethodDelete, id+"?rev="+fmt.Sprint(document["_rev"]), nil)
	}
	return database
}

// addOthers adds documents that are not files of the vault.
func addOthers(t *testing.T, database *couchtest.Database) {
	t.Helper()
	for id, document := range map[string]map[string]any{
		"ix:phone/CONFIG/app.md":       {"type": "plain", "path": "ix:phone/CONFIG/app.md"},
		"ix:f:0123456789":              {"type": "plain", "path": "ix:phone/THEME/theme.md"},
		"ps:old plugin":                {"type": "newnote", "path": "ps:old plugin"},
		"syncinfo":                     {"type": "syncinfo", "data": "anything"},
		"_design/chunks":               {"views": map[string]any{}},
		"something of another program": {"type": "invoice", "path": "Invoice.md"},
	} {
		document["ctime"], document["mtime"], document["size"] = 1, 1, 0
		document["children"], document["eden"] = []string{}, map[string]any{}
		database.Do(t, http.MethodPut, "/"+couchtest.Escape(id), document) // some fixtures already have some of them
	}
}

// checkConflicts expects one revision of each conflict to be served, and the others to be listed and readable.
func (f fixture) checkConflicts(t *testing.T, s *livesync.Store, served map[string]store.File) {
	t.Helper()
	for path, file := range served {
		if _, want := f.want.Conflicts[path]; want != (len(file.Conflicts) > 0) {
			t.Errorf("conflicts of %s: %v", path, file.Conflicts)
		}
	}
	for path, conflict := range f.want.Conflicts {
		winner := served[path]
		got := []string{store.Hash(winner.Data)}
		for _, rev := range winner.Conflicts {
			side, err := s.Branch(t.Context(), vpath.Path(path), rev, 1<<20)
			if err != nil || side.Rev != rev {
				t.Errorf("reading revision %[2]s of %[1]s: %[3]v", path, rev, err)
			}
			got = append(got, store.Hash(side.Data))
		}
		var want []string
		for _, side := range conflict.Sides {
			want = append(want, side.Hash)
		}
		slices.Sort(want)
		slices.Sort(got)
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("%s, all revisions (-want +got): %s", path, diff)
		}
		read, err := s.Read(t.Context(), vpath.Path(path), 1<<20)
		if err != nil || !slices.Equal(read.Conflicts, winner.Conflicts) || string(read.Data) != string(winner.Data) {
			t.Errorf("reading %s: revision %v with conflicts %v, %v", path, read.Rev, read.Conflicts, err)
		}
	}
}

// checkAbsent expects deleted files not to be found, and Obsidian's own files to be settings.
func (f fixture) checkAbsent(t *testing.T, s *livesync.Store) {
	t.Helper()
	for _, path := range f.want.Deleted {
		if _, err := s.Stat(t.Context(), vpath.Path(path)); !errors.Is(err, fault.NotFound) {
			t.Errorf("Stat of the deleted %s: %v", path, err)
		}
		if _, err := s.Read(t.Context(), vpath.Path(path), 1<<20); !errors.Is(err, fault.NotFound) {
			t.Errorf("Read of the deleted %s: %v", path, err)
		}
	}
	for path, want := range f.want.Internal {
		read, err := s.Config(t.Context(), strings.TrimPrefix(path, "i:.obsidian/"))
		if err != nil || store.Hash(read.Data) != want.Hash {
			t.Errorf("%s: %d bytes, %v", path, len(read.Data), err)
		}
	}
}

// checkObfuscationOption opens the fixture with the wrong option for obfuscated paths. Other tests use the right one.
func (f fixture) checkObfuscationOption(t *testing.T, database *couchtest.Database) {
	t.Helper()
	wrong := !f.obfuscated
	s := open(t, database, livesync.Options{Passphrase: f.pass, Obfuscated: &wrong})
	err := s.Probe(t.Context())
	if !errors.Is(err, fault.InvalidArgument) || !livesync.Permanent(err) || !strings.Contains(err.Error(), "USE_PATH_OBFUSCATION") {
		t.Errorf("USE_PATH_OBFUSCATION=%t: %v", wrong, err)
	}
}

// openAs opens a store. Options for the connection override those of the database. Tests share derived keys.
func openAs(t testing.TB, database *couchtest.Database, options livesync.Options) *livesync.Store {
	t.Helper()
	options.Couch.URL = cmp.Or(options.Couch.URL, database.URL)
	options.Couch.Database = cmp.Or(options.Couch.Database, database.Name)
	options.Couch.User = cmp.Or(options.Couch.User, database.User)
	options.Couch.Password = cmp.Or(options.Couch.Password, couch.Secret(database.Password))
	options.Couch.Logins = cmp.Or(options.Couch.Logins, couch.NewLogins(time.Millisecond))
	options.DeriveKey = formattest.DeriveKey
	s, err := livesync.Open(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// scanAll reads every file, and fails for each that cannot be read.
func scanAll(t testing.TB, s store.Store) map[string]store.File {
	t.Helper()
	files, broken := scanFound(t, s)
	for path, err := range broken {
		t.Errorf("%s cannot be read: %v", path, err)
	}
	return files
}

// scanFound reads every file, and returns the errors of those that cannot be read.
func scanFound(t testing.TB, s store.Store) (files map[string]store.File, broken map[string]error) {
	t.Helper()
	var mu sync.Mutex
	files, broken = map[string]store.File{}, map[string]error{}
	err := s.Scan(t.Context(), func(store.Info) bool { return true }, func(found store.Found) {
		mu.Lock()
		defer mu.Unlock()
		path := string(found.Path)
		if _, twice := files[path]; twice {
			t.Errorf("the scan visits %s twice", path)
		}
		switch {
		case found.Folder:
		case found.Err != nil:
			broken[path] = found.Err
		default:
			files[path] = store.File{Info: found.Info, Data: slices.Clone(found.Data)}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return files, broken
}

// hashed returns the hashes and sizes of files.
func hashed(files map[string]store.File) map[string]fixtureFile {
	all := map[string]fixtureFile{}
	for path, file := range files {
		all[path] = fixtureFile{Hash: store.Hash(file.Data), Size: file.Size}
	}
	return all
}
