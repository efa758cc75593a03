package livesync_test

import (
	"encoding/json"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/store/livesync"
	"obsidian-mcp/internal/store/livesync/couch"
	"obsidian-mcp/internal/store/livesync/couchtest"
	"obsidian-mcp/internal/store/livesync/format"
	"obsidian-mcp/internal/testkit/mode"
)

// TestWrongSettings opens databases with settings that are wrong. Each error is permanent and names the setting in one
// line.
func TestWrongSettings(t *testing.T) {
	t.Parallel()
	loaded := newLoadedFixtures(t)
	for name, c := range map[string]struct {
		fixture string
		change  func(*testing.T, *livesync.Options)
		kind    fault.Kind
		says    string
		slow    bool
	}{
		"a wrong passphrase, paths hidden":      {"e2ee-v2-obfuscated-conflict", wrongPassphrase, fault.PermissionDenied, "VAULT_PASSPHRASE", false},
		"a wrong passphrase, paths shown":       {"e2ee-v2-compressed", wrongPassphrase, fault.PermissionDenied, "VAULT_PASSPHRASE", false},
		"a wrong passphrase, V1":                {"e2ee-v1-obfuscated-dynamic-compressed", wrongPassphrase, fault.PermissionDenied, "VAULT_PASSPHRASE", true},
		"a wrong passphrase, no milestone":      {"legacy-e2ee-v1-mixed", wrongPassphrase, fault.PermissionDenied, "VAULT_PASSPHRASE", false},
		"a wrong passphrase, only paths hidden": {"obfuscated", wrongPassphrase, fault.PermissionDenied, "VAULT_PASSPHRASE", false},
		"no passphrase, paths hidden":           {"e2ee-v2-obfuscated-conflict", noPassphrase, fault.PermissionDenied, "passphrase", false},
		"no passphrase, paths shown":            {"e2ee-v2-compressed", noPassphrase, fault.PermissionDenied, "passphrase", false},
		"no passphrase, no milestone":           {"legacy-e2ee-v1-mixed", noPassphrase, fault.PermissionDenied, "passphrase", false},
		"no passphrase, only paths hidden":      {"obfuscated", noPassphrase, fault.PermissionDenied, "passphrase", false},
		"a passphrase for a plain database":     {"plain-conflict", wrongPassphrase, fault.InvalidArgument, "VAULT_PASSPHRASE", false},
		"a passphrase for an old plain one":     {"legacy-plain", wrongPassphrase, fault.InvalidArgument, "VAULT_PASSPHRASE", false},
		"a wrong password": {"plain-conflict", func(t *testing.T, o *livesync.Options) {
			o.Couch.User, _ = couchtest.New(t).Account(t) // CouchDB locks it after a few failed logins
			o.Couch.Password = "wrong"
		}, fault.PermissionDenied, "wrong user or password", false},
		"a wrong user": {"plain-conflict", func(t *testing.T, o *livesync.Options) {
			o.Couch.User = "nobody in " + couchtest.New(t).Name
		}, fault.PermissionDenied, "wrong user or password", false},
		"a wrong database": {"plain-conflict", func(_ *testing.T, o *livesync.Options) {
			o.Couch.Database = "no-such-database"
		}, fault.VaultNotFound, "no-such-database", false},
		"a wrong certificate": {"plain-conflict", behindTLS, fault.StoreUnavailable, "certificate", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.slow && !mode.Full() {
				t.Skip("deriving the wrong keys is slow; the full form does")
			}
			data := fixtureNamed(t, c.fixture)
			database, before := loaded.get(t, data)
			options := livesync.Options{Passphrase: data.pass, Couch: couch.Options{URL: database.URL}}
			c.change(t, &options)
			s := openAs(t, database, options)
			err := s.Probe(t.Context())
			if fault.KindOf(err) != c.kind || !livesync.Permanent(err) || !strings.Contains(err.Error()+fault.HintOf(err), c.says) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%v: %v (permanent: %t; hint: %s)", fault.KindOf(err), err, livesync.Permanent(err), fault.HintOf(err))
			}
			if _, err := s.Read(t.Context(), "CRLF and tabs.md", 1<<20); err == nil {
				t.Error("a note can be read in spite of the error")
			}
			if _, err := s.Commit(t.Context(), []store.Change{{Path: "New.md", Data: []byte("new")}}); err == nil {
				t.Error("a note can be written in spite of the error")
			}
			sameAsBefore(t, before, database)
		})
	}
}

// loadedFixtures loads each fixture once, for subtests that must not change it.
type loadedFixtures struct {
	parent *testing.T

	mu        sync.Mutex // guards the fields below
	databases map[string]*loadedFixture
}

type loadedFixture struct {
	database *couchtest.Database
	before   map[string]string // fingerprint
	store    *livesync.Store   // opened when first used
}

func newLoadedFixtures(parent *testing.T) *loadedFixtures {
	parent.Helper()
	couchtest.Start(parent) // skips the test if there is no server; a subtest cannot skip its parent
	return &loadedFixtures{parent: parent, databases: map[string]*loadedFixture{}}
}

func (l *loadedFixtures) get(t *testing.T, f fixture) (*couchtest.Database, map[string]string) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	loaded := l.load(t, f)
	return loaded.database, loaded.before
}

// open returns a store that all subtests share.
func (l *loadedFixtures) open(t *testing.T, f fixture) *livesync.Store {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	loaded := l.load(t, f)
	if loaded.store == nil {
		loaded.store = open(l.parent, loaded.database, livesync.Options{Passphrase: f.pass})
	}
	return loaded.store
}

func (l *loadedFixtures) load(t *testing.T, f fixture) *loadedFixture {
	t.Helper()
	if l.databases[f.name] == nil {
		database := f.load(l.parent)
		l.databases[f.name] = &loadedFixture{database: database, before: fingerprint(t, database)}
	}
	return l.databases[f.name]
}

func wrongPassphrase(_ *testing.T, o *livesync.Options) { o.Passphrase = "not the right one" }
func noPassphrase(_ *testing.T, o *livesync.Options)    { o.Passphrase = "" }

// behindTLS puts a proxy with an untrusted certificate in front of the database.
func behindTLS(t *testing.T, o *livesync.Options) {
	to, err := url.Parse(o.Couch.URL)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(httputil.NewSingleHostReverseProxy(to))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	o.Couch.URL = server.URL
}

// TestStoreRecoversWhenTheDatabaseStarts opens a store before the database is reachable.
func TestStoreRecoversWhenTheDatabaseStarts(t *testing.T) {
	t.Parallel()
	data := fixtureNamed(t, "plain-conflict")
	database := data.load(t)
	proxy := couchtest.NewProxy(t, database.URL, "")
	proxy.Always(couchtest.Reset())
	s := openAs(t, database, livesync.Options{Couch: couch.Options{URL: proxy.URL, Retries: -1}})
	for call, err := range map[string]error{
		"Probe": s.Probe(t.Context()), "Read": errorOf(s.Read(t.Context(), "CRLF and tabs.md", 1<<20)), "Stat": errorOf(s.Stat(t.Context(), "CRLF and tabs.md")),
		"Scan":   s.Scan(t.Context(), func(store.Info) bool { return true }, func(store.Found) { t.Error("a scan finds a file") }),
		"Commit": errorOf(s.Commit(t.Context(), []store.Change{{Path: "New.md"}})),
	} {
		if fault.KindOf(err) != fault.StoreUnavailable || livesync.Permanent(err) {
			t.Errorf("%s: %v: %v", call, fault.KindOf(err), err)
		}
	}
	proxy.Script(nil)
	eventually(t, "the store recovers", func() bool { return s.Probe(t.Context()) == nil })
	if files := scanAll(t, s); len(files) != len(data.want.Files)+len(data.want.Conflicts) {
		t.Errorf("%d files", len(files))
	}
}

func errorOf[T any](_ T, err error) error { return err }

// refusal is a change that must be refused.
type refusal struct {
	fixture string
	prepare func(*testing.T, *couchtest.Database)
	change  store.Change // without Base
	kind    fault.Kind
	says    string // the error or its hint
}

// TestRefusedWrites tries every reason for which a write is refused. The database stays unchanged, byte for byte.
func TestRefusedWrites(t *testing.T) {
	t.Parallel()
	loaded := newLoadedFixtures(t)
	const existing = "CRLF and tabs.md"
	newNote := store.Change{Path: "New.md", Data: []byte("new")}
	edit := store.Change{Path: existing, Data: []byte("edited")}
	move := func(from, to vpath.Path) store.Change { return store.Change{Op: store.Move, Path: from, To: to} }
	trash := store.Change{Op: store.Trash, Path: existing}
	create := func(path vpath.Path) store.Change { return store.Change{Path: path, Data: []byte("new")} }
	conflicted := vpath.Path("Daily/2024-02-29.md")
	deep := vpath.Path("Projects/deep/er/folder/Note.md")
	for name, refusal := range map[string]refusal{
		"locked, new":              {"plain-conflict", locked(nil), newNote, fault.PermissionDenied, "locked"},
		"locked, edit":             {"e2ee-v1-obfuscated-dynamic-compressed", locked(nil), edit, fault.PermissionDenied, "locked"},
		"locked, move":             {"plain-conflict", locked(nil), move(existing, "Moved.md"), fault.PermissionDenied, "locked"},
		"locked, trash":            {"plain-conflict", locked(nil), trash, fault.PermissionDenied, "locked"},
		"cleaned up":               {"plain-conflict", locked(map[string]any{"cleaned": true}), edit, fault.PermissionDenied, "cleaned"},
		"version 13":               {"plain-conflict", version(map[string]any{"version": 13}), edit, fault.PermissionDenied, "13"},
		"version of another type":  {"plain-conflict", version(map[string]any{"type": "other"}), edit, fault.PermissionDenied, "version"},
		"no salt":                  {"e2ee-v2-compressed", withoutSalt, newNote, fault.StoreUnavailable, "salt"},
		"no salt, paths hidden":    {"e2ee-v2-obfuscated-conflict", withoutSalt, newNote, fault.StoreUnavailable, "salt"},
		"in conflict, edit":        {"plain-conflict", nil, store.Change{Path: conflicted, Data: []byte("x")}, fault.Conflict, "two devices"},
		"in conflict, move":        {"plain-conflict", nil, move(conflicted, "Moved.md"), fault.Conflict, "two devices"},
		"in conflict, trash":       {"e2ee-v2-obfuscated-conflict", nil, store.Change{Op: store.Trash, Path: conflicted}, fault.Conflict, "two devices"},
		"folder's letters, new":    {"plain-conflict", nil, create("projects/New.md"), fault.InvalidArgument, "Projects/"},
		"folder's letters, deep":   {"e2ee-v1-obfuscated-dynamic-compressed", nil, create("Projects/Deep/New.md"), fault.InvalidArgument, "Projects/deep/"},
		"folder's letters, move":   {"plain-conflict", nil, move(existing, "PROJECTS/New.md"), fault.InvalidArgument, "Projects/"},
		"folder's letters, rename": {"plain-conflict", nil, move(deep, "projects/deep/er/folder/Note.md"), fault.InvalidArgument, "Projects/"},
		"a colon":                  {"plain-conflict", nil, create("a:b.md"), fault.InvalidArgument, "colon"},
		"a colon, move":            {"plain-conflict", nil, move(existing, "a:b.md"), fault.InvalidArgument, "colon"},
		"a name of the plugin":     {"plain-conflict", nil, create("redflag.md"), fault.InvalidArgument, "LiveSync reserves"},
		"a log of the plugin":      {"plain-conflict", nil, create("d/livesync_log_1.md"), fault.InvalidArgument, "LiveSync reserves"},
		"not UTF-8":                {"plain-conflict", nil, store.Change{Path: existing, Data: []byte("a\xffb")}, fault.InvalidArgument, "UTF-8"},
		"not UTF-8, encrypted":     {"e2ee-v1-obfuscated-dynamic-compressed", nil, store.Change{Path: "New.md", Data: []byte("a\xffb")}, fault.InvalidArgument, "UTF-8"},
		"a folder in the way":      {"plain-conflict", nil, create("Projects"), fault.PermissionDenied, "folder"},
		"a file in the way":        {"plain-conflict", nil, create(existing + "/New.md"), fault.PermissionDenied, "file"},
		"taken":                    {"plain-conflict", nil, move(existing, "Empty.md"), fault.AlreadyExists, "Empty.md"},
		"taken, other letters":     {"plain-conflict", nil, create("empty.md"), fault.AlreadyExists, "Empty.md"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refusal.check(t, loaded)
		})
	}
}

func (r refusal) check(t *testing.T, loaded *loadedFixtures) {
	data := fixtureNamed(t, r.fixture)
	if r.prepare == nil {
		database, before := loaded.get(t, data)
		s := loaded.open(t, data)
		r.checkStore(t, "on an unchanged database", s, r.base(t, s, data))
		sameAsBefore(t, before, database)
		return
	}
	database := data.load(t)
	early := open(t, database, livesync.Options{Passphrase: data.pass})
	base := r.base(t, early, data)
	r.prepare(t, database)
	before := fingerprint(t, database)
	r.checkStore(t, "opened before", early, base)
	r.checkStore(t, "opened afterwards", open(t, database, livesync.Options{Passphrase: data.pass}), base)
	sameAsBefore(t, before, database)
}

// base returns the revision of the file to change; it is absent for a new file.
func (r refusal) base(t *testing.T, s *livesync.Store, data fixture) store.Rev {
	t.Helper()
	_, exists := data.want.Files[string(r.change.Path)]
	if _, conflict := data.want.Conflicts[string(r.change.Path)]; exists || conflict {
		return read(t, s, string(r.change.Path)).Rev
	}
	return store.Absent
}

// checkStore makes the change alone, and together with another one.
func (r refusal) checkStore(t *testing.T, when string, s *livesync.Store, base store.Rev) {
	t.Helper()
	change := r.change
	change.Base = base
	_, err := s.Commit(t.Context(), []store.Change{change})
	if fault.KindOf(err) != r.kind || !strings.Contains(err.Error()+fault.HintOf(err), r.says) {
		t.Errorf("%s: %v: %v (hint: %s)", when, fault.KindOf(err), err, fault.HintOf(err))
	}
	if errors.Is(err, store.ErrUnresolved) != (r.kind == fault.Conflict) {
		t.Errorf("%s: ErrUnresolved is %t in the chain of %v", when, errors.Is(err, store.ErrUnresolved), err)
	}
	both := []store.Change{{Path: "Another.md", Data: []byte("another")}, change}
	if _, err := s.Commit(t.Context(), both); fault.KindOf(err) != r.kind {
		t.Errorf("%s, with another note: %v: %v", when, fault.KindOf(err), err)
	}
}

// locked returns a function that locks a database as a device does, and sets more fields of the milestone.
func locked(more map[string]any) func(*testing.T, *couchtest.Database) {
	return func(t *testing.T, database *couchtest.Database) {
		setMetadata(t, database, format.MilestoneID, map[string]any{"locked": true})
		setMetadata(t, database, format.MilestoneID, more)
	}
}

func version(fields map[string]any) func(*testing.T, *couchtest.Database) {
	return func(t *testing.T, database *couchtest.Database) { setMetadata(t, database, format.VersionID, fields) }
}

func withoutSalt(t *testing.T, database *couchtest.Database) {
	setMetadata(t, database, format.SyncParametersID, map[string]any{"pbkdf2salt": ""})
}

// setMetadata changes fields of a document that describes the database.
func setMetadata(t testing.TB, database *couchtest.Database, id string, fields map[string]any) {
	t.Helper()
	document := map[string]any{}
	status, body := database.Do(t, http.MethodGet, "/"+id, nil)
	if err := json.Unmarshal(body, &document); err != nil || status != http.StatusOK {
		t.Fatalf("%s: %d %s", id, status, body)
	}
	for key, value := range fields {
		document[key] = value
	}
	if status, response := database.Do(t, http.MethodPut, "/"+id, document); status != http.StatusCreated {
		t.Fatalf("%s: %d %s", id, status, response)
	}
}

// TestReadOnlyAccount reads all files, and gets an error that explains why it cannot write.
func TestReadOnlyAccount(t *testing.T) {
	t.Parallel()
	data := fixtureNamed(t, "e2ee-v2-obfuscated-conflict")
	database := data.load(t)
	user, password := database.Member(t)
	database.RefuseWrites(t)
	before := fingerprint(t, database)
	options := livesync.Options{Passphrase: data.pass}
	options.Couch.User, options.Couch.Password = user, couch.Secret(password)
	s := openAs(t, database, options)
	if files := scanAll(t, s); len(files) != len(data.want.Files)+len(data.want.Conflicts) {
		t.Errorf("%d files", len(files))
	}
	note := read(t, s, "CRLF and tabs.md")
	for name, change := range map[string]store.Change{
		"new": {Path: "New.md", Data: []byte("new")}, "edit": {Path: note.Path, Base: note.Rev, Data: []byte("edited")},
		"move": {Op: store.Move, Path: note.Path, To: "Moved.md", Base: note.Rev}, "trash": {Op: store.Trash, Path: note.Path, Base: note.Rev},
	} {
		_, err := s.Commit(t.Context(), []store.Change{change})
		if fault.KindOf(err) != fault.PermissionDenied || !strings.Contains(err.Error(), "write") || !strings.Contains(fault.HintOf(err), "READ_ONLY") {
			t.Errorf("%s: %v: %v (hint: %s)", name, fault.KindOf(err), err, fault.HintOf(err))
		}
	}
	sameAsBefore(t, before, database)
	if again := read(t, s, "CRLF and tabs.md"); again.Rev != note.Rev {
		t.Errorf("the note's revision is %s, want %s", again.Rev, note.Rev)
	}
}

// TestNoteBeyondTheDatabasesLimit writes a note that is too large for the database.
func TestNoteBeyondTheDatabasesLimit(t *testing.T) {
	t.Parallel()
	data := fixtureNamed(t, "plain-conflict")
	database := data.load(t)
	proxy := couchtest.NewProxy(t, database.URL, "")
	proxy.Script(func(request *http.Request) couchtest.Fault {
		if strings.HasSuffix(request.URL.Path, "/_bulk_docs") && request.ContentLength > 100_000 {
			return couchtest.Status(http.StatusRequestEntityTooLarge, "too_large")
		}
		return nil
	})
	s := openAs(t, database, livesync.Options{Couch: couch.Options{URL: proxy.URL}})
	before := fingerprint(t, database)
	text := strings.Repeat("all the same words\n", 100_000)
	_, err := s.Commit(t.Context(), []store.Change{{Path: "Large.md", Data: []byte(text)}})
	if fault.KindOf(err) != fault.InvalidArgument || !strings.Contains(fault.HintOf(err), "max_document_size") {
		t.Errorf("%v: %v (hint: %s)", fault.KindOf(err), err, fault.HintOf(err))
	}
	sameAsBefore(t, before, database)
	commit(t, s, store.Change{Path: "Small.md", Data: []byte("small")})
}

// fingerprint returns all documents of a database.
func fingerprint(t testing.TB, database *couchtest.Database) map[string]string {
	t.Helper()
	all := map[string]string{}
	for id, body := range allDocuments(t, database) {
		all[id] = string(body)
	}
	for _, id := range []string{format.MilestoneID, format.SyncParametersID} {
		status, body := database.Do(t, http.MethodGet, "/"+id, nil)
		all[id] = http.StatusText(status) + string(body)
	}
	return all
}

func sameAsBefore(t testing.TB, before map[string]string, database *couchtest.Database) {
	t.Helper()
	if diff := gocmp.Diff(before, fingerprint(t, database)); diff != "" {
		t.Error("the database has changed (-before +after):", diff)
	}
}
