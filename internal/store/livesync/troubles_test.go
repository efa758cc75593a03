package livesync_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/store/livesync"
	"obsidian-mcp/internal/store/livesync/couchtest"
	"obsidian-mcp/internal/store/livesync/format"
	"obsidian-mcp/internal/vault"
)

// TestRefusedAccountKeepsNotes: a note changes, and then the database refuses the account. The note stays in the index,
// and is read when the account is accepted again.
func TestRefusedAccountKeepsNotes(t *testing.T) {
	t.Parallel()
	database := couchtest.New(t)
	network := &network{}
	var armed, refusing atomic.Bool
	var inVain atomic.Int64
	network.setIntercept(func(r *request) (*http.Response, error) { // from the start, to meet the request that the feed waits for
		if refusing.Load() {
			if strings.HasSuffix(r.http.URL.Path, "/a.md") || r.fetches("a.md") {
				inVain.Add(1)
			}
			return r.refuse(http.StatusUnauthorized), nil
		}
		if armed.Load() && r.fetches("a.md") { // for the feed, which then reports the change
			defer refusing.Store(true)
		}
		response, delivered, err := r.passAndSee("a.md") // CouchDB itself sends it with the feed
		if delivered && armed.Load() {
			refusing.Store(true)
		}
		return response, err
	})
	s := openOn(t, database, network, livesync.Options{})
	create(t, s, "A.md", "ours")
	v := openVault(t, s)
	eventually(t, "the catalogue is complete", func() bool { return len(scanAll(t, s)) == 1 })
	armed.Store(true)
	outside(t, open(t, database, livesync.Options{}))("A.md", []byte("theirs"))
	eventuallyNoError(t, "the note is requested in vain twice", func() error {
		if n := inVain.Load(); n < 2 {
			return fmt.Errorf("requested %d times", n)
		}
		return nil
	})
	if !v.Ready().Has("A.md") {
		t.Error("the note is missing from the index")
	}
	network.setIntercept(nil)
	eventuallyIndexed(t, v, "A.md", "theirs")
}

// TestEditOfTheOnlyNoteInAFolder: a folder does not vanish when its only note changes, so only that note is reported.
func TestEditOfTheOnlyNoteInAFolder(t *testing.T) {
	t.Parallel()
	database := couchtest.New(t)
	s := open(t, database, livesync.Options{})
	rev := create(t, s, "Alone/Note.md", "1")
	other := open(t, database, livesync.Options{})
	read(t, other, "Alone/Note.md")
	scanAll(t, s)
	events := s.Watch(t.Context())
	if first := nextEvent(t, events); !first.All {
		t.Errorf("at first: %+v", first)
	}
	commit(t, s, store.Change{Path: "Alone/Note.md", Base: rev, Data: []byte("2")})
	outside(t, other)("Alone/Note.md", []byte("3"))
	if event := nextEvent(t, events); event.All || len(event.Paths) != 1 || event.Paths[0] != "Alone/Note.md" {
		t.Errorf("after two edits: %+v", event)
	}
	outside(t, other)("Alone/Note.md", nil)
	if event := nextEvent(t, events); !event.All {
		t.Errorf("when the folder is gone: %+v", event)
	}
}

// nextEvent waits for the next event.
func nextEvent(t testing.TB, events <-chan store.Event) store.Event {
	t.Helper()
	select {
	case event := <-events:
		return event
	case <-time.After(patience):
		t.Fatal("no event arrived")
		return store.Event{}
	}
}

// TestReconnectToASlowDatabase changes the settings of a database whose responses are slow. The store reconnects.
func TestReconnectToASlowDatabase(t *testing.T) {
	t.Parallel()
	database := couchtest.New(t)
	create(t, open(t, database, livesync.Options{}), "A.md", "1")
	network := &network{}
	s := openOn(t, database, network, livesync.Options{})
	if err := s.Probe(t.Context()); err != nil {
		t.Fatal(err)
	}
	network.setIntercept(func(r *request) (*http.Response, error) {
		select {
		case <-time.After(120 * time.Millisecond):
			return r.pass()
		case <-r.http.Context().Done():
			return nil, r.http.Context().Err()
		}
	})
	setMetadata(t, database, format.MilestoneID, map[string]any{"created": 1})
	create(t, s, "B.md", "2")
}

// TestTrashIgnoresCase: two notes whose names differ only in case have the same id, in the trash too.
func TestTrashIgnoresCase(t *testing.T) {
	t.Parallel()
	database := couchtest.New(t)
	s := open(t, database, livesync.Options{})
	var trashPaths []string
	for path, text := range map[vpath.Path]string{"Foo.md": "one", "foo.md": "two"} {
		rev := create(t, s, path, text)
		trashPaths = append(trashPaths, commit(t, s, store.Change{Op: store.Trash, Path: path, Base: rev})[0].TrashPath)
	}
	inTrash := map[string]bool{}
	for path, text := range newDevice(t, database, "").contents(t) {
		inTrash[text] = format.InTrash(path)
	}
	if !inTrash["one"] || !inTrash["two"] || strings.EqualFold(trashPaths[0], trashPaths[1]) {
		t.Errorf("the trash contains %v, at %q", inTrash, trashPaths)
	}
}

// TestLostResponseBeforeAnotherEdit: the response to a write is lost, and someone else edits the note before the store
// checks. The write has its own revision, and the index has the later content.
func TestLostResponseBeforeAnotherEdit(t *testing.T) {
	t.Parallel()
	database := couchtest.New(t)
	network := &network{}
	s := openOn(t, database, network, livesync.Options{})
	rev := create(t, s, "A.md", "before")
	v := openVault(t, s)
	other := open(t, database, livesync.Options{})
	read(t, other, "A.md")
	var once sync.Once
	network.setIntercept(func(r *request) (response *http.Response, err error) {
		response, err = r.pass()
		if err == nil && r.writes("A.md") {
			once.Do(func() {
				response.Body.Close()
				outside(t, other)("A.md", []byte("theirs"))
				response, err = nil, errCut
			})
		}
		return response, err
	})
	results, err := v.Commit(t.Context(), []store.Change{{Path: "A.md", Base: rev, Data: []byte("ours")}})
	if err != nil {
		t.Fatal(err)
	}
	if now := read(t, s, "A.md"); string(now.Data) != "theirs" || results[0].Rev == now.Rev || results[0].Rev == rev {
		t.Errorf("the note is %q at revision %s; our write over %s got revision %s", now.Data, now.Rev, rev, results[0].Rev)
	}
	eventuallyIndexed(t, v, "A.md", "theirs")
}

// TestFailedScanIsRepeated: someone else creates many notes at once, and the scan that this causes fails. It is repeated.
func TestFailedScanIsRepeated(t *testing.T) {
	t.Parallel()
	const many = 40
	database := couchtest.New(t)
	network := &network{}
	s := openOn(t, database, network, livesync.Options{})
	create(t, s, "First.md", "first")
	v := openVault(t, s)
	eventually(t, "the catalogue is complete", func() bool { return len(scanAll(t, s)) == 1 })
	fetches := failingFetches{}
	network.setIntercept(fetches.meet)
	files := map[string]string{}
	for i := range many {
		files[fmt.Sprintf("Note %d.md", i)] = fmt.Sprintf("content %d", i)
	}
	newDevice(t, database, "").fill(t, files)
	eventuallyNoError(t, "all notes are in the index", func() error {
		if n := v.Ready().Len(); n != many+1 {
			return fmt.Errorf("the index has %d", n)
		}
		return nil
	})
	if fetches.failed() == 0 {
		t.Error("no scan has failed")
	}
}

// failingFetches lets requests for notes fail for half a second after the first one. They come from the scan: the feed has the
// documents itself.
type failingFetches struct {
	mu    sync.Mutex // guards the fields below
	since time.Time
	fails int
}

func (f *failingFetches) meet(r *request) (*http.Response, error) {
	if r.asksFor() && f.fail() {
		return nil, errCut
	}
	return r.pass()
}

// fail reports whether a request must fail.
func (f *failingFetches) fail() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.since.IsZero() {
		f.since = time.Now()
	}
	if time.Since(f.since) > 500*time.Millisecond {
		return false
	}
	f.fails++
	return true
}

func (f *failingFetches) failed() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.fails
}

// TestEmptiedDatabaseIsNotInitialized: a device empties the database in order to fill it again. A server that has used the
// database does not initialize it as a new vault, whose paths would not be obfuscated.
func TestEmptiedDatabaseIsNotInitialized(t *testing.T) {
	t.Parallel()
	database := couchtest.New(t)
	create(t, open(t, database, sorts()["encrypted and obfuscated"]), "Secret.md", "1")
	s := open(t, database, livesync.Options{Passphrase: sorts()["encrypted and obfuscated"].Passphrase})
	read(t, s, "Secret.md")
	database.Delete(t)
	database.Create(t)
	eventuallyNoError(t, "the server notices that the database is empty", func() error {
		_, err := s.Commit(t.Context(), []store.Change{{Path: "Another secret.md", Data: []byte("2")}})
		if fault.KindOf(err) != fault.StoreUnavailable {
			t.Fatalf("creating a note: %v: %v", fault.KindOf(err), err)
		}
		if !strings.Contains(err.Error(), "emptied") {
			return err
		}
		return nil
	})
	if left := allDocuments(t, database); len(left) > 0 {
		t.Errorf("the database contains %v", left)
	}
	if status, response := database.Do(t, http.MethodGet, "/"+format.MilestoneID, nil); status != http.StatusNotFound {
		t.Errorf("the database has a milestone: %s", response)
	}
}

// TestDatabaseOfAnotherProgram: a database with other documents is not a vault, and stays unchanged.
func TestDatabaseOfAnotherProgram(t *testing.T) {
	t.Parallel()
	database := couchtest.New(t)
	database.Put(t, "customer 1", map[string]any{"name": "somebody", "type": "customer"})
	database.Put(t, "order 1", map[string]any{"customer": 1, "total": 20})
	before := fingerprint(t, database)
	s := open(t, database, livesync.Options{})
	err := s.Probe(t.Context())
	if fault.KindOf(err) != fault.VaultNotFound || !livesync.Permanent(err) || !strings.Contains(fault.HintOf(err), "COUCHDB_DATABASE_NAME") {
		t.Errorf("%v: %v (permanent: %t; hint: %s)", fault.KindOf(err), err, livesync.Permanent(err), fault.HintOf(err))
	}
	if _, err := s.Commit(t.Context(), []store.Change{{Path: "New.md", Data: []byte("new")}}); err == nil {
		t.Error("a note can be written in spite of the error")
	}
	sameAsBefore(t, before, database)
}

// TestKnownFileBecomesUnreadable damages the document of a known note so that even its path cannot be read. The note is
// still listed.
func TestKnownFileBecomesUnreadable(t *testing.T) {
	t.Parallel()
	database := couchtest.New(t)
	create(t, open(t, database, sorts()["encrypted and obfuscated"]), "Secret.md", "1")
	pass := sorts()["encrypted and obfuscated"].Passphrase
	s := open(t, database, livesync.Options{Passphrase: pass})
	create(t, s, "Good.md", "2")
	scanAll(t, s)
	setInNote("path", `/\:`+foreignText())(t, damagedNote{database, readRaw(t, database, pass), "Secret.md"})
	eventually(t, "the note is unreadable", func() bool { _, broken := scanFound(t, s); return len(broken) > 0 })
	files, broken := scanFound(t, s)
	if len(files) != 1 || fault.KindOf(broken["Secret.md"]) != fault.PermissionDenied {
		t.Errorf("%d readable files, and the errors %v", len(files), broken)
	}
	if info, err := s.Stat(t.Context(), "Secret.md"); err != nil || info.Path != "Secret.md" {
		t.Errorf("Stat does not find the note: %v", err)
	}
	eventually(t, "About reports the reason", func() bool {
		about, err := s.About(t.Context())
		return err == nil && about.Files == 2 && len(about.Damaged) == 1 && about.Damaged[0].Path == "Secret.md" && about.Damaged[0].Kind == livesync.Undecryptable
	})
	if _, broken := scanFound(t, s); broken["Secret.md"] == nil {
		t.Error("the note is no longer listed")
	}
}

// eventuallyIndexed waits until the index has a note's text.
func eventuallyIndexed(t testing.TB, v *vault.Vault, path vpath.Path, text string) {
	t.Helper()
	eventuallyNoError(t, string(path)+" is in the index with its current text", func() error {
		if now := v.Ready(); !now.Has(path) || now.Hash(path) != store.Hash([]byte(text)) {
			return fmt.Errorf("in the index: %t", now.Has(path))
		}
		return nil
	})
}
