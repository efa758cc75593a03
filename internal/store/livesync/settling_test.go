package livesync_test

import (
	"bytes"
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
	"obsidian-mcp/internal/testkit/mode"
)

// TestTakenBackWhileFinished: a server takes its change back while another,
// which took it for gone, sends the rest of it. The note must not be lost
// between the two.
func TestTakenBackWhileFinished(t *testing.T) {
	t.Parallel()
	database := couchtest.New(t)
	owners, others := &wire{}, &wire{}
	owner := openWired(t, database, owners, livesync.Options{Patience: time.Hour})
	rev := create(t, owner, "Old.md", "the content")
	onItsWay, release := make(chan struct{}), make(chan struct{})
	var landed atomic.Bool
	others.meet(func(r *request) (*http.Response, error) {
		if !r.removes("Old.md") || landed.Load() {
			return r.pass()
		}
		close(onItsWay)
		await(r.Context(), release)
		defer landed.Store(true)
		return r.pass()
	})
	var refused sync.Once
	owners.meet(func(r *request) (response *http.Response, err error) {
		if r.removes("Old.md") {
			refused.Do(func() {
				await(r.Context(), onItsWay)
				response = r.refuse(http.StatusForbidden)
			})
		}
		if response == nil {
			return r.pass()
		}
		return response, nil
	})
	openWired(t, database, others, livesync.Options{Patience: 50 * time.Millisecond})
	_, err := owner.Commit(t.Context(), []store.Change{oldToNew(rev)})
	if fault.KindOf(err) != fault.PermissionDenied {
		t.Errorf("the rename: %v: %v", fault.KindOf(err), err)
	}
	close(release)
	eventually(t, "the other server has sent the rest", landed.Load)
	finally(t, newDevice(t, database, ""), map[string]string{"Old.md": "the content"})
}

// TestConflictDoesNotStopWriting: a change has to be taken back, and one of its
// notes was meanwhile changed on two devices at once. That note waits for a
// person; nothing else does.
func TestConflictDoesNotStopWriting(t *testing.T) {
	t.Parallel()
	database := couchtest.New(t)
	network := &wire{}
	s := openWired(t, database, network, livesync.Options{})
	rev := create(t, s, "Old.md", "the content")
	link := create(t, s, "Link.md", "[[Old]]")
	other := open(t, database, livesync.Options{})
	network.before(func(r *request) bool { return r.removes("Old.md") }, func() {
		diverge(t, database, "")("Link.md", []byte("an offline device"))
		outside(t, other)("Old.md", []byte("edited"))
	})
	_, err := s.Commit(t.Context(), []store.Change{oldToNew(rev), {Path: "Link.md", Base: link, Data: []byte("[[New]]")}})
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

// TestLateServerTakesNothingBack: a server loses its network in the middle of a
// change; another finishes it, people go on from there, and the database
// forgets how it came about. The first one comes back, and leaves things as
// they are.
func TestLateServerTakesNothingBack(t *testing.T) {
	t.Parallel()
	database := couchtest.New(t)
	network, s := interruptedRename(t, database, func(r *request) bool { return r.writes("New.md") })
	other := open(t, database, livesync.Options{Patience: 50 * time.Millisecond})
	d := newDevice(t, database, "")
	finally(t, d, map[string]string{"New.md": "the content", "Link.md": "[[New]]"})
	d.settled(t)
	outside(t, other)("New.md", []byte("edited since"))
	compact(t, database)
	network.meet(nil)
	writesAgain(t, s)
	finally(t, d, map[string]string{"New.md": "edited since", "Link.md": "[[New]]", "After.md": "after"})
}

// TestCleanedUpMeanwhile: before anybody finishes a change, a device has
// removed the chunks that nobody named. The change cannot be made any more.
func TestCleanedUpMeanwhile(t *testing.T) {
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
			status, said := database.Do(t, http.MethodDelete, "/"+escapeID(id)+"?rev="+revOf(t, body), nil)
			if status != http.StatusOK {
				t.Fatalf("%d %s", status, said)
			}
			removed++
		}
	}
	if removed != 1 {
		t.Fatalf("%d chunks are of the new text", removed)
	}
	open(t, database, livesync.Options{Patience: 50 * time.Millisecond})
	d := newDevice(t, database, "")
	d.settled(t)
	finally(t, d, map[string]string{"Old.md": "the content", "Link.md": "[[Old]]"})
}

// TestMendingKeepsOut: what another server left is not finished while a device
// has locked the database, and never by a server that only reads.
func TestMendingKeepsOut(t *testing.T) {
	t.Parallel()
	database := couchtest.New(t)
	_, s := interruptedRename(t, database, (*request).isRecord)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	locked(nil)(t, database)
	var looks, idle wireCount
	reading := openWired(t, database, idle.wire(), livesync.Options{Patience: 20 * time.Millisecond, ReadOnly: true})
	if _, err := reading.Commit(t.Context(), []store.Change{{Path: "X.md"}}); fault.KindOf(err) != fault.PermissionDenied {
		t.Errorf("a server that only reads writes: %v", err)
	}
	openWired(t, database, looks.wire(), livesync.Options{Patience: 20 * time.Millisecond})
	eventually(t, "the journals have been looked at for longer than it takes to mend", func() bool { return looks.journals.Load() > 20 })
	d := newDevice(t, database, "")
	if got := difference(d.contents(t), map[string]string{"Old.md": "the content", "Link.md": "[[Old]]"}); got != "" {
		t.Errorf("while the database is locked: %s", got)
	}
	say(t, database, format.MilestoneID, map[string]any{"locked": false})
	finally(t, d, map[string]string{"New.md": "the content", "Link.md": "[[New]]"})
	if n := idle.journals.Load(); n > 0 {
		t.Errorf("a server that only reads has asked for journals %d times", n)
	}
}

// TestConflictLosesNothing: what a change took away cannot come back, because a
// device has made a conflict of it. What the change made in its place stays.
func TestConflictLosesNothing(t *testing.T) {
	t.Parallel()
	t.Run("the answers are lost", func(t *testing.T) {
		database := couchtest.New(t)
		network := &wire{}
		s := openWired(t, database, network, livesync.Options{})
		rev := create(t, s, "Old.md", "the content")
		network.cutAfter(func(r *request) bool { return r.removes("Old.md") })
		if _, err := s.Commit(t.Context(), []store.Change{oldToNew(rev)}); fault.KindOf(err) != fault.StoreUnavailable {
			t.Errorf("the rename: %v: %v", fault.KindOf(err), err)
		}
		diverge(t, database, "")("Old.md", []byte("an offline device"))
		network.meet(nil)
		writesAgain(t, s)
		if _, got := newDevice(t, database, "").file(t, "New.md"); got != "the content" {
			t.Errorf("New.md is %q", got)
		}
	})
	t.Run("the change is taken back", func(t *testing.T) {
		database := couchtest.New(t)
		network := &wire{}
		s := openWired(t, database, network, livesync.Options{})
		rev, second := create(t, s, "Old.md", "the content"), create(t, s, "Second.md", "the second")
		other := open(t, database, livesync.Options{})
		network.before(func(r *request) bool { return r.removes("Old.md") }, func() {
			diverge(t, database, "")("Old.md", []byte("an offline device"))
			outside(t, other)("Second.md", []byte("edited"))
		})
		_, err := s.Commit(t.Context(), []store.Change{oldToNew(rev), {Op: store.Move, Path: "Second.md", To: "Moved.md", Base: second}})
		if fault.KindOf(err) != fault.Conflict {
			t.Errorf("the rename: %v: %v", fault.KindOf(err), err)
		}
		d := newDevice(t, database, "")
		_, old := d.file(t, "Old.md")
		_, made := d.file(t, "New.md")
		if old != "the content" && made != "the content" {
			t.Errorf("Old.md is %q, and New.md is %q", old, made)
		}
		if _, got := d.file(t, "Second.md"); got != "edited" {
			t.Errorf("Second.md is %q", got)
		}
	})
}

// TestOthersTookItAway: while a server takes a note away, others have done so
// otherwise. It comes too late, and leaves no copy of the note behind, however
// often others changed the note; but where nobody knows any more whether it was
// the server's own doing, the copy stays.
func TestOthersTookItAway(t *testing.T) {
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
	for name, one := range map[string]struct {
		late, first func(rev store.Rev) store.Change
		again       bool // the file is created and moved once more
		forgotten   bool // by the database
		want        map[string]string
	}{
		"moved while moved":        {move("Late.md"), move("First.md"), false, false, once},
		"moved while trashed":      {trash, move("First.md"), false, false, once},
		"trashed while moved":      {move("Late.md"), trash, false, false, map[string]string{inTrash("Old.md"): "the content"}},
		"trashed while trashed":    {trash, trash, false, false, map[string]string{inTrash("Old 2.md"): "the content"}},
		"and made and moved again": {trash, move("First.md"), true, false, twice},
		"and nobody knows":         {trash, move("First.md"), true, true, unsure},
	} {
		t.Run(name, func(t *testing.T) {
			if !one.again && name != "moved while trashed" && !mode.Full() {
				t.Skip("full form")
			}
			t.Parallel()
			database := couchtest.New(t)
			network := &wire{}
			s := openWired(t, database, network, livesync.Options{})
			rev := create(t, s, "Old.md", "the content")
			other := open(t, database, livesync.Options{})
			network.before(func(r *request) bool { return r.removes("Old.md") }, func() {
				eventuallyNoError(t, "the others are first", func() error { // once they know of the copy in the trash
					_, err := other.Commit(t.Context(), []store.Change{one.first(rev)})
					return err
				})
				if one.again {
					commit(t, other, move("Second.md")(create(t, other, "Old.md", "made again")))
				}
				if one.forgotten {
					compact(t, database)
				}
			})
			if _, err := s.Commit(t.Context(), []store.Change{one.late(rev)}); fault.KindOf(err) != fault.Conflict {
				t.Errorf("%v: %v", fault.KindOf(err), err)
			}
			d := newDevice(t, database, "")
			if wrong := difference(d.contents(t), one.want); wrong != "" {
				t.Error(wrong)
			}
			if open := d.openJournals(t); len(open) > 0 {
				t.Errorf("open are %v", open)
			}
		})
	}
}

// TestPlacesThatAreNotFree: a file must not come to where nobody sees it, nor
// hide one that is served.
func TestPlacesThatAreNotFree(t *testing.T) {
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

// interruptedRename gives a server whose network was cut after a certain
// request of a rename.
func interruptedRename(t *testing.T, database *couchtest.Database, after func(*request) bool) (*wire, *livesync.Store) {
	t.Helper()
	network := &wire{}
	s := openWired(t, database, network, livesync.Options{})
	rev := create(t, s, "Old.md", "the content")
	link := create(t, s, "Link.md", "[[Old]]")
	network.cutAfter(after)
	_, err := s.Commit(t.Context(), []store.Change{oldToNew(rev), {Path: "Link.md", Base: link, Data: []byte("[[New]]")}})
	if fault.KindOf(err) != fault.StoreUnavailable {
		t.Fatalf("the rename: %v: %v", fault.KindOf(err), err)
	}
	return network, s
}

// oldToNew moves the note that these tests are about.
func oldToNew(base store.Rev) store.Change {
	return store.Change{Op: store.Move, Path: "Old.md", To: "New.md", Base: base}
}

// create makes a new note.
func create(t testing.TB, s store.Store, path vpath.Path, text string) store.Rev {
	t.Helper()
	return commit(t, s, store.Change{Path: path, Data: []byte(text)})[0].Rev
}

// writesAgain waits until a server writes, before which it settles what it
// left.
func writesAgain(t testing.TB, s store.Store) {
	t.Helper()
	eventuallyNoError(t, "the server writes again", func() error {
		_, err := s.Commit(t.Context(), []store.Change{{Path: "After.md", Data: []byte("after")}})
		return err
	})
}

// finally waits until the vault holds some files, and no others.
func finally(t testing.TB, d device, want map[string]string) {
	t.Helper()
	eventuallyNoError(t, "the vault is as it should be", func() error {
		if wrong := difference(d.contents(t), want); wrong != "" {
			return fmt.Errorf("%s", wrong)
		}
		return nil
	})
}

// compact makes the database forget what documents said before.
func compact(t testing.TB, database *couchtest.Database) {
	t.Helper()
	if status, said := database.Do(t, http.MethodPost, "/_compact", map[string]any{}); status >= 300 {
		t.Fatalf("%d %s", status, said)
	}
	eventually(t, "the database is compact", func() bool {
		_, said := database.Do(t, http.MethodGet, "", nil)
		return !strings.Contains(string(said), `"compact_running":true`)
	})
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
