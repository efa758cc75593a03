package livesync_test

import (
	"encoding/json"
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

// TestRefusedAccountLosesNothing: a note changes, and from then on the database
// refuses the account. That says nothing of the note: it stays in the index,
// and is read when the account is let in again.
func TestRefusedAccountLosesNothing(t *testing.T) {
	t.Parallel()
	database := couchtest.New(t)
	network := &wire{}
	s := openWired(t, database, network, livesync.Options{})
	create(t, s, "A.md", "ours")
	v := openVault(t, s)
	eventually(t, "the catalogue is there", func() bool { return len(scanAll(t, s)) == 1 })
	var refusing atomic.Bool
	var inVain atomic.Int64
	network.meet(func(r *request) (*http.Response, error) {
		if refusing.Load() {
			if strings.HasSuffix(r.URL.Path, "/a.md") {
				inVain.Add(1)
			}
			return r.refuse(http.StatusUnauthorized), nil
		}
		if r.fetches("a.md") { // for the feed, which then tells of it
			defer refusing.Store(true)
		}
		return r.pass()
	})
	outside(t, open(t, database, livesync.Options{}))("A.md", []byte("theirs"))
	eventuallyNoError(t, "the note is asked for in vain, and again", func() error {
		if n := inVain.Load(); n < 2 {
			return fmt.Errorf("%d times so far", n)
		}
		return nil
	})
	if !v.Ready().Has("A.md") {
		t.Error("the note is taken for gone")
	}
	network.meet(nil)
	indexed(t, v, "A.md", "theirs")
}

// TestEditOfALonelyNote: a folder does not come to an end when its only note is
// changed, so nobody has to look at everything.
func TestEditOfALonelyNote(t *testing.T) {
	t.Parallel()
	database := couchtest.New(t)
	s := open(t, database, livesync.Options{})
	rev := create(t, s, "Alone/Note.md", "1")
	other := open(t, database, livesync.Options{})
	read(t, other, "Alone/Note.md")
	scanAll(t, s)
	events := s.Watch(t.Context())
	if first := told(t, events); !first.All {
		t.Errorf("at first: %+v", first)
	}
	commit(t, s, store.Change{Path: "Alone/Note.md", Base: rev, Data: []byte("2")})
	outside(t, other)("Alone/Note.md", []byte("3"))
	if event := told(t, events); event.All || len(event.Paths) != 1 || event.Paths[0] != "Alone/Note.md" {
		t.Errorf("after two edits: %+v", event)
	}
	outside(t, other)("Alone/Note.md", nil)
	if event := told(t, events); !event.All {
		t.Errorf("when the folder is gone: %+v", event)
	}
}

// told is the next event.
func told(t testing.TB, events <-chan store.Event) store.Event {
	t.Helper()
	select {
	case event := <-events:
		return event
	case <-time.After(10 * time.Second):
		t.Fatal("nothing is told")
		return store.Event{}
	}
}

// TestSlowDatabaseIsReadAgain: a database with other settings is connected to
// anew, however long each answer takes.
func TestSlowDatabaseIsReadAgain(t *testing.T) {
	t.Parallel()
	database := couchtest.New(t)
	create(t, open(t, database, livesync.Options{}), "A.md", "1")
	network := &wire{}
	s := openWired(t, database, network, livesync.Options{})
	if err := s.Probe(t.Context()); err != nil {
		t.Fatal(err)
	}
	network.meet(func(r *request) (*http.Response, error) {
		select {
		case <-time.After(120 * time.Millisecond):
			return r.pass()
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	})
	say(t, database, format.MilestoneID, map[string]any{"created": 1})
	create(t, s, "B.md", "2")
}

// TestTrashOfOtherLetters: two notes whose names differ in their letters' case
// alone have one place in the database, in the trash too.
func TestTrashOfOtherLetters(t *testing.T) {
	t.Parallel()
	database := couchtest.New(t)
	s := open(t, database, livesync.Options{})
	var places []string
	for path, text := range map[vpath.Path]string{"Foo.md": "one", "foo.md": "two"} {
		rev := create(t, s, path, text)
		places = append(places, commit(t, s, store.Change{Op: store.Trash, Path: path, Base: rev})[0].TrashPath)
	}
	kept := map[string]bool{}
	for path, text := range newDevice(t, database, "").contents(t) {
		kept[text] = format.InTrash(path)
	}
	if !kept["one"] || !kept["two"] || strings.EqualFold(places[0], places[1]) {
		t.Errorf("the trash has %v, at %q", kept, places)
	}
}

// TestLostAnswerBeforeAnotherEdit: the answer to a write is lost, and another
// writer is there before anybody looks. What was written has a revision of its
// own, and the index goes on to what is there now.
func TestLostAnswerBeforeAnotherEdit(t *testing.T) {
	t.Parallel()
	database := couchtest.New(t)
	network := &wire{}
	s := openWired(t, database, network, livesync.Options{})
	rev := create(t, s, "A.md", "before")
	v := openVault(t, s)
	other := open(t, database, livesync.Options{})
	read(t, other, "A.md")
	var once sync.Once
	network.meet(func(r *request) (response *http.Response, err error) {
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
		t.Errorf("%q is there as %s; what we wrote over %s is called %s", now.Data, now.Rev, rev, results[0].Rev)
	}
	indexed(t, v, "A.md", "theirs")
}

// TestFailedLookIsMadeUpFor: another writer makes many notes at once, and the
// look at everything that this asks for fails. It is not the last.
func TestFailedLookIsMadeUpFor(t *testing.T) {
	t.Parallel()
	const many = 40
	database := couchtest.New(t)
	network := &wire{}
	s := openWired(t, database, network, livesync.Options{})
	create(t, s, "First.md", "first")
	v := openVault(t, s)
	eventually(t, "the catalogue is there", func() bool { return len(scanAll(t, s)) == 1 })
	looks := failingLooks{most: many, told: map[string]bool{}}
	network.meet(looks.meet)
	files := map[string]string{}
	for i := range many {
		files[fmt.Sprintf("Note %d.md", i)] = fmt.Sprintf("content %d", i)
	}
	newDevice(t, database, "").fill(t, files)
	eventuallyNoError(t, "all notes are in the index", func() error {
		if n := v.Ready().Len(); n != many+1 {
			return fmt.Errorf("%d are", n)
		}
		return nil
	})
	if looks.failed() == 0 {
		t.Error("no look has failed")
	}
}

// failingLooks fails the looks at all notes, for a while from the first on.
type failingLooks struct {
	most int

	mu    sync.Mutex      // guards what follows
	told  map[string]bool // the feed has asked for them
	since time.Time
	fails int
}

func (f *failingLooks) meet(r *request) (*http.Response, error) {
	var asked struct{ Keys []string }
	if r.asksFor() && json.Unmarshal([]byte(r.body), &asked) == nil && f.fail(asked.Keys) {
		return nil, errCut
	}
	return r.pass()
}

// fail reports whether a request is to fail. What is asked for again is not for
// the feed.
func (f *failingLooks) fail(ids []string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	again := 0
	for _, id := range ids {
		if f.told[id] {
			again++
		}
		f.told[id] = true
	}
	if again == 0 {
		return false
	}
	if again == f.most && f.since.IsZero() {
		f.since = time.Now()
	}
	if !f.since.IsZero() && time.Since(f.since) > 500*time.Millisecond {
		return false
	}
	f.fails++
	return true
}

func (f *failingLooks) failed() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.fails
}

// TestEmptiedDatabaseIsLeftAlone: a device empties the database to fill it
// again. A server that has served it does not make a vault of its own of it,
// in which paths are not hidden any more.
func TestEmptiedDatabaseIsLeftAlone(t *testing.T) {
	t.Parallel()
	database := couchtest.New(t)
	create(t, open(t, database, sorts()["encrypted and obfuscated"]), "Secret.md", "1")
	s := open(t, database, livesync.Options{Passphrase: sorts()["encrypted and obfuscated"].Passphrase})
	read(t, s, "Secret.md")
	database.Delete(t)
	database.Create(t)
	eventuallyNoError(t, "the database is seen to be empty", func() error {
		_, err := s.Commit(t.Context(), []store.Change{{Path: "Another secret.md", Data: []byte("2")}})
		if fault.KindOf(err) != fault.StoreUnavailable {
			t.Fatalf("a note is made: %v: %v", fault.KindOf(err), err)
		}
		if !strings.Contains(err.Error(), "emptied") {
			return err
		}
		return nil
	})
	if left := allDocuments(t, database); len(left) > 0 {
		t.Errorf("the database holds %v", left)
	}
	if status, said := database.Do(t, http.MethodGet, "/"+format.MilestoneID, nil); status != http.StatusNotFound {
		t.Errorf("the database says of itself: %s", said)
	}
}

// TestDatabaseOfAnotherProgram: documents that are not LiveSync's are no vault,
// and nothing is put among them.
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
		t.Error("a note is written all the same")
	}
	sameAsBefore(t, before, database)
}

// TestKnownFileBecomesUnreadable: the document of a note that is known changes
// into one that not even tells its path. The note is there all the same.
func TestKnownFileBecomesUnreadable(t *testing.T) {
	t.Parallel()
	database := couchtest.New(t)
	create(t, open(t, database, sorts()["encrypted and obfuscated"]), "Secret.md", "1")
	pass := sorts()["encrypted and obfuscated"].Passphrase
	s := open(t, database, livesync.Options{Passphrase: pass})
	create(t, s, "Good.md", "2")
	scanAll(t, s)
	noteWith("path", `/\:`+foreignText())(t, victim{database, readRaw(t, database, pass), "Secret.md"})
	eventually(t, "the note cannot be read", func() bool { _, broken := scanFound(t, s); return len(broken) > 0 })
	files, broken := scanFound(t, s)
	if len(files) != 1 || fault.KindOf(broken["Secret.md"]) != fault.PermissionDenied {
		t.Errorf("%d good ones, and %v", len(files), broken)
	}
	if info, err := s.Stat(t.Context(), "Secret.md"); err != nil || info.Path != "Secret.md" {
		t.Errorf("it is taken for absent: %v", err)
	}
	eventually(t, "the reason is told", func() bool {
		about, err := s.About(t.Context())
		return err == nil && about.Files == 2 && len(about.Damaged) == 1 && about.Damaged[0].Path == "Secret.md" && about.Damaged[0].Kind == livesync.Undecryptable
	})
	if _, broken := scanFound(t, s); broken["Secret.md"] == nil {
		t.Error("it is not listed any more")
	}
}

// indexed waits until the index has a note's text.
func indexed(t testing.TB, v *vault.Vault, path vpath.Path, text string) {
	t.Helper()
	eventuallyNoError(t, string(path)+" is in the index as it is", func() error {
		if now := v.Ready(); !now.Has(path) || now.Entry(path).Hash() != store.Hash([]byte(text)) {
			return fmt.Errorf("it is there: %t", now.Has(path))
		}
		return nil
	})
}
