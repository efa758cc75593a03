package livesync_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
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
	"obsidian-mcp/internal/testkit/mode"
)

// TestUndoneWhileFinished lets a server undo its change while another one, which thinks that the first has crashed,
// finishes it. The note must not be lost.
func TestUndoneWhileFinished(t *testing.T) {
	t.Parallel()
	database := couchtest.New(t)
	owners, others := &network{}, &network{}
	owner := openOn(t, database, owners, livesync.Options{Patience: time.Hour})
	rev := create(t, owner, "Old.md", "the content")
	onItsWay, release := make(chan struct{}), make(chan struct{})
	var landed atomic.Bool
	others.setIntercept(func(r *request) (*http.Response, error) {
		if !r.removes("Old.md") || landed.Load() {
			return r.pass()
		}
		close(onItsWay)
		await(r.http.Context(), release)
		defer landed.Store(true)
		return r.pass()
	})
	var refused sync.Once
	owners.setIntercept(func(r *request) (response *http.Response, err error) {
		if r.removes("Old.md") {
			refused.Do(func() {
				await(r.http.Context(), onItsWay)
				response = r.refuse(http.StatusForbidden)
			})
		}
		if response == nil {
			return r.pass()
		}
		return response, nil
	})
	openOn(t, database, others, livesync.Options{Patience: 50 * time.Millisecond})
	_, err := owner.Commit(t.Context(), []store.Change{moveOldToNew(rev)})
	if fault.KindOf(err) != fault.PermissionDenied {
		t.Errorf("the rename: %v: %v", fault.KindOf(err), err)
	}
	close(release)
	eventually(t, "the other server has finished the change", landed.Load)
	eventuallyContains(t, newDevice(t, database, ""), map[string]string{"Old.md": "the content"})
}

// TestConflictDoesNotStopWriting undoes a change while one of its notes is in conflict. That note waits for a person;
// nothing else does.
func TestConflictDoesNotStopWriting(t *testing.T) {
	t.Parallel()
	database := couchtest.New(t)
	network := &network{}
	s := openOn(t, database, network, livesync.Options{})
	rev := create(t, s, "Old.md", "the content")
	link := create(t, s, "Link.md", "[[Old]]")
	other := open(t, database, livesync.Options{})
	network.runBefore(func(r *request) bool { return r.removes("Old.md") }, func() {
		diverge(t, database, "")("Link.md", []byte("an offline device"))
		outside(t, other)("Old.md", []byte("edited"))
	})
	_, err := s.Commit(t.Context(), []store.Change{moveOldToNew(rev), {Path: "Link.md", Base: link, Data: []byte("[[New]]")}})
	if fault.KindOf(err) != fault.Conflict {
		t.Errorf("the rename: %v: %v", fault.KindOf(err), err)
	}
	commit(t, s, store.Change{Path: "Another.md", Data: []byte("another")})
	d := newDevice(t, database, "")
	for path, want := range map[string]string{"Old.md": "edited", "New.md": "", "Link.md": "[[New]]", "Another.md": "another"} {
		if _, got := d.file(t, path); got != want {
			t.Errorf("%s is %q, want %q", path, got, want)
		}
	}
	if open := d.openJournals(t); len(open) > 0 {
		t.Errorf("open are %v", open)
	}
}

// TestLateServerUndoesNothing cuts the network of a server in the middle of a change. Another server finishes the change,
// someone edits a note, and the database is compacted. When the first server returns, it changes nothing.
func TestLateServerUndoesNothing(t *testing.T) {
	t.Parallel()
	database := couchtest.New(t)
	network, s := interruptedRename(t, database, func(r *request) bool { return r.writes("New.md") })
	other := open(t, database, livesync.Options{Patience: 50 * time.Millisecond})
	d := newDevice(t, database, "")
	eventuallyContains(t, d, map[string]string{"New.md": "the content", "Link.md": "[[New]]"})
	d.settled(t)
	outside(t, other)("New.md", []byte("edited since"))
	compact(t, database)
	network.setIntercept(nil)
	eventuallyWrites(t, s, "After.md", "after")
	eventuallyContains(t, d, map[string]string{"New.md": "edited since", "Link.md": "[[New]]", "After.md": "after"})
}

// TestChunksCleanedUp removes unused chunks, as a device's clean-up does, before an interrupted change is finished. The
// change cannot be made any more.
func TestChunksCleanedUp(t *testing.T) {
	t.Parallel()
	database := couchtest.New(t)
	_, s := interruptedRename(t, database, (*request).isRecord)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	raw := readRaw(t, database, "")
	removed := 0
	for id, body := range raw.bodies {
		if strings.HasPrefix(id, "h:") && bytes.Contains(body, []byte("[[New]]")) {
			status, response := database.Do(t, http.MethodDelete, "/"+escapeID(id)+"?rev="+revOf(t, body), nil)
			if status != http.StatusOK {
				t.Fatalf("%d %s", status, response)
			}
			removed++
		}
	}
	if removed != 1 {
		t.Fatalf("%d chunks contain the new text, want 1", removed)
	}
	open(t, database, livesync.Options{Patience: 50 * time.Millisecond})
	d := newDevice(t, database, "")
	d.settled(t)
	eventuallyContains(t, d, map[string]string{"Old.md": "the content", "Link.md": "[[Old]]"})
}

// TestNoRecoveryWhenWritingIsNotAllowed: an interrupted change of another server is not finished while a device has locked
// the database, and never by a read-only server.
func TestNoRecoveryWhenWritingIsNotAllowed(t *testing.T) {
	t.Parallel()
	database := couchtest.New(t)
	_, s := interruptedRename(t, database, (*request).isRecord)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	locked(nil)(t, database)
	var looks, idle journalCount
	reading := openOn(t, database, idle.wire(), livesync.Options{Patience: 20 * time.Millisecond, ReadOnly: true})
	if _, err := reading.Commit(t.Context(), []store.Change{{Path: "X.md"}}); fault.KindOf(err) != fault.PermissionDenied {
		t.Errorf("a read-only server writes: %v", err)
	}
	openOn(t, database, looks.wire(), livesync.Options{Patience: 20 * time.Millisecond})
	eventually(t, "the server has looked at the journals often enough to recover", func() bool { return looks.journals.Load() > 20 })
	d := newDevice(t, database, "")
	if got := difference(d.contents(t), map[string]string{"Old.md": "the content", "Link.md": "[[Old]]"}); got != "" {
		t.Errorf("while the database is locked: %s", got)
	}
	setMetadata(t, database, format.MilestoneID, map[string]any{"locked": false})
	eventuallyContains(t, d, map[string]string{"New.md": "the content", "Link.md": "[[New]]"})
	if n := idle.journals.Load(); n > 0 {
		t.Errorf("a read-only server has read journals %d times", n)
	}
}

// TestConflictLosesNothing: a file that a change removed cannot be restored, because a device has put it in conflict. The
// file that the change created in its place stays.
func TestConflictLosesNothing(t *testing.T) {
	t.Parallel()
	t.Run("the responses are lost", func(t *testing.T) {
		t.Parallel()
		database := couchtest.New(t)
		network := &network{}
		s := openOn(t, database, network, livesync.Options{})
		rev := create(t, s, "Old.md", "the content")
		network.cutAfter(func(r *request) bool { return r.removes("Old.md") })
		if _, err := s.Commit(t.Context(), []store.Change{moveOldToNew(rev)}); fault.KindOf(err) != fault.StoreUnavailable {
			t.Errorf("the rename: %v: %v", fault.KindOf(err), err)
		}
		diverge(t, database, "")("Old.md", []byte("an offline device"))
		network.setIntercept(nil)
		eventuallyWrites(t, s, "After.md", "after")
		if _, got := newDevice(t, database, "").file(t, "New.md"); got != "the content" {
			t.Errorf("New.md is %q", got)
		}
	})
	t.Run("the change is undone", func(t *testing.T) {
		t.Parallel()
		database := couchtest.New(t)
		network := &network{}
		s := openOn(t, database, network, livesync.Options{})
		rev, second := create(t, s, "Old.md", "the content"), create(t, s, "Second.md", "the second")
		other := open(t, database, livesync.Options{})
		network.runBefore(func(r *request) bool { return r.removes("Old.md") }, func() {
			diverge(t, database, "")("Old.md", []byte("an offline device"))
			outside(t, other)("Second.md", []byte("edited"))
		})
		_, err := s.Commit(t.Context(), []store.Change{moveOldToNew(rev), {Op: store.Move, Path: "Second.md", To: "Moved.md", Base: second}})
		if fault.KindOf(err) != fault.Conflict {
			t.Errorf("the rename: %v: %v", fault.KindOf(err), err)
		}
		d := newDevice(t, database, "")
		_, old := d.file(t, "Old.md")
		_, made := d.file(t, "New.md")
		if old != "the content" && made != "the content" {
			t.Errorf("the content is lost: Old.md is %q, and New.md is %q", old, made)
		}
		if _, got := d.file(t, "Second.md"); got != "edited" {
			t.Errorf("Second.md is %q", got)
		}
	})
}

// TestOthersRemovedTheNote: while a server removes a note, others remove it in another way. The server gets a conflict and
// leaves no copy of the note behind, however often others changed it. But if the database no longer shows whether the
// server itself removed the note, the copy stays.
func TestOthersRemovedTheNote(t *testing.T) {
	t.Parallel()
	move := func(to vpath.Path) func(rev store.Rev) store.Change {
		return func(rev store.Rev) store.Change {
			return store.Change{Op: store.Move, Path: "Old.md", To: to, Base: rev}
		}
	}
	trash := func(rev store.Rev) store.Change { return store.Change{Op: store.Trash, Path: "Old.md", Base: rev} }
	inTrash := func(name string) string { return format.TrashFolder + "/" + name }
	once := map[string]string{"First.md": "the content"}
	twice := map[string]string{"First.md": "the content", "Second.md": "made again"}
	unsure := map[string]string{"First.md": "the content", "Second.md": "made again", inTrash("Old.md"): "the content"}
	type settling struct {
		late, first func(rev store.Rev) store.Change
		again       bool // the file is created and moved once more
		forgotten   bool // by the database
		want        map[string]string
	}
	all := map[string]settling{
		"moved while moved":             {move("Late.md"), move("First.md"), false, false, once},
		"moved while trashed":           {trash, move("First.md"), false, false, once},
		"trashed while moved":           {move("Late.md"), trash, false, false, map[string]string{inTrash("Old.md"): "the content"}},
		"trashed while trashed":         {trash, trash, false, false, map[string]string{inTrash("Old 2.md"): "the content"}},
		"and created and moved again":   {trash, move("First.md"), true, false, twice},
		"and the database is compacted": {trash, move("First.md"), true, true, unsure},
	}
	if !mode.Full() {
		maps.DeleteFunc(all, func(name string, c settling) bool { return !c.again && name != "moved while trashed" })
	}
	for name, c := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			database := couchtest.New(t)
			network := &network{}
			s := openOn(t, database, network, livesync.Options{})
			rev := create(t, s, "Old.md", "the content")
			other := open(t, database, livesync.Options{})
			network.runBefore(func(r *request) bool { return r.removes("Old.md") }, func() {
				eventuallyNoError(t, "the others are first", func() error { // once they know the copy in the trash
					_, err := other.Commit(t.Context(), []store.Change{c.first(rev)})
					return err
				})
				if c.again {
					commit(t, other, move("Second.md")(create(t, other, "Old.md", "made again")))
				}
				if c.forgotten {
					compact(t, database)
				}
			})
			if _, err := s.Commit(t.Context(), []store.Change{c.late(rev)}); fault.KindOf(err) != fault.Conflict {
				t.Errorf("%v: %v", fault.KindOf(err), err)
			}
			d := newDevice(t, database, "")
			if wrong := difference(d.contents(t), c.want); wrong != "" {
				t.Error(wrong)
			}
			if open := d.openJournals(t); len(open) > 0 {
				t.Errorf("open are %v", open)
			}
		})
	}
}

// TestReservedPaths: a file must not get a path that hides it, nor hide another file.
func TestReservedPaths(t *testing.T) {
	t.Parallel()
	database := couchtest.New(t)
	s := open(t, database, livesync.Options{})
	rev := create(t, s, "Old.md", "the content")
	database.Put(t, "another id", map[string]any{"path": "Taken.md", "type": "plain", "ctime": 1, "mtime": 1, "size": 0, "children": []string{}, "eden": map[string]any{}})
	eventually(t, "the other note is known", func() bool { _, err := s.Stat(t.Context(), "Taken.md"); return err == nil })
	before := fingerprint(t, database)
	for path, kind := range map[vpath.Path]fault.Kind{format.TrashFolder + "/Hidden.md": fault.InvalidArgument, "Taken.md": fault.AlreadyExists} {
		for how, change := range map[string]store.Change{
			"made":  {Path: path, Data: []byte("new")},
			"moved": {Op: store.Move, Path: "Old.md", To: path, Base: rev},
		} {
			if _, err := s.Commit(t.Context(), []store.Change{change}); fault.KindOf(err) != kind {
				t.Errorf("%s is %s: %v: %v", path, how, fault.KindOf(err), err)
			}
		}
	}
	sameAsBefore(t, before, database)
}

// interruptedRename starts a rename and cuts the network after a certain request.
func interruptedRename(t *testing.T, database *couchtest.Database, after func(*request) bool) (*network, *livesync.Store) {
	t.Helper()
	network := &network{}
	s := openOn(t, database, network, livesync.Options{})
	rev := create(t, s, "Old.md", "the content")
	link := create(t, s, "Link.md", "[[Old]]")
	network.cutAfter(after)
	_, err := s.Commit(t.Context(), []store.Change{moveOldToNew(rev), {Path: "Link.md", Base: link, Data: []byte("[[New]]")}})
	if fault.KindOf(err) != fault.StoreUnavailable {
		t.Fatalf("the rename: %v: %v", fault.KindOf(err), err)
	}
	return network, s
}

// moveOldToNew moves Old.md to New.md.
func moveOldToNew(base store.Rev) store.Change {
	return store.Change{Op: store.Move, Path: "Old.md", To: "New.md", Base: base}
}

// create creates a note.
func create(t testing.TB, s store.Store, path vpath.Path, text string) store.Rev {
	t.Helper()
	return commit(t, s, store.Change{Path: path, Data: []byte(text)})[0].Rev
}

// eventuallyWrites waits until a server writes a new file. Before that, it settles its open change. A commit that is given
// up may succeed later: then the next one finds the file.
func eventuallyWrites(t testing.TB, s store.Store, path vpath.Path, text string) {
	t.Helper()
	eventuallyNoError(t, "the server writes again", func() error {
		_, err := s.Commit(t.Context(), []store.Change{{Path: path, Data: []byte(text)}})
		if fault.KindOf(err) != fault.AlreadyExists {
			return err
		}
		file, err := s.Read(t.Context(), path, int64(len(text)))
		if err == nil && string(file.Data) != text {
			t.Fatalf("%s holds %q", path, file.Data)
		}
		return err
	})
}

// eventuallyContains waits until the vault contains exactly these files.
func eventuallyContains(t testing.TB, d device, want map[string]string) {
	t.Helper()
	eventuallyNoError(t, "the vault is as it should be", func() error {
		if wrong := difference(d.contents(t), want); wrong != "" {
			return fmt.Errorf("%s", wrong)
		}
		return nil
	})
}

// compact removes old revisions from all copies of the database, also from one that gets the last write only meanwhile.
func compact(t testing.TB, database *couchtest.Database) {
	t.Helper()
	eventually(t, "the database is compact", func() bool {
		if status, response := database.Do(t, http.MethodPost, "/_compact", map[string]any{}); status >= 300 {
			t.Fatalf("%d %s", status, response)
		}
		eventually(t, "compacting ends", func() bool {
			_, response := database.Do(t, http.MethodGet, "", nil)
			return !strings.Contains(string(response), `"compact_running":true`)
		})
		return database.Copies(t) < 2 || !hasOldRevisions(t, database)
	})
}

// hasOldRevisions reports whether a copy of the database still has earlier revisions of a document.
func hasOldRevisions(t testing.TB, database *couchtest.Database) bool {
	t.Helper()
	for id := range allDocuments(t, database) {
		_, response := database.Do(t, http.MethodGet, "/"+escapeID(id)+"?revs=true", nil)
		var document struct {
			Revisions struct {
				Start int
				IDs   []string
			} `json:"_revisions"`
		}
		if err := json.Unmarshal(response, &document); err != nil {
			t.Fatal(err)
		}
		for i, hash := range document.Revisions.IDs {
			rev := fmt.Sprintf("%d-%s", document.Revisions.Start-i, hash)
			if status, _ := database.Do(t, http.MethodGet, "/"+escapeID(id)+"?rev="+rev, nil); i > 0 && status == http.StatusOK {
				return true
			}
		}
	}
	return false
}

func revOf(t testing.TB, body []byte) string {
	t.Helper()
	_, rest, found := strings.Cut(string(body), `"_rev":"`)
	rev, _, ended := strings.Cut(rest, `"`)
	if !found || !ended {
		t.Fatalf("no revision: %s", body)
	}
	return rev
}
