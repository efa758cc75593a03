package livesync_test

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/store/livesync"
	"obsidian-mcp/internal/store/livesync/couch"
	"obsidian-mcp/internal/store/livesync/couchtest"
)

// still stops the clock that dates notes, so that a text always gets the same revision.
func still() livesync.Options {
	begun := time.Now()
	return livesync.Options{Now: func() time.Time { return begun }}
}

// ranked sorts texts of a new note by which of them wins.
func ranked(t *testing.T, options livesync.Options, texts ...string) []string {
	t.Helper()
	revs := map[string]string{}
	for _, text := range texts {
		scratch := couchtest.New(t)
		startVault(t, scratch, livesync.Options{})
		revs[text] = string(create(t, openAs(t, scratch, options), "New.md", text))
	}
	slices.SortFunc(texts, func(a, b string) int { return -cmp.Compare(revs[a], revs[b]) })
	return texts
}

// TestClusterClaimMeetsEdit lets a server claim a new note of another one, because it has created one of that name too, while the other
// server adds a line to its own. The claim reaches a single copy. No conflict is left, and the line is in the note.
func TestClusterClaimMeetsEdit(t *testing.T) {
	t.Parallel()
	options := still()
	texts := ranked(t, options, "one\n", "two\n")
	cluster := simulated(t)
	servers := openNodes(t, cluster, options)
	plan := newTimetable(cluster, "new.md", map[moment]moment{
		{0, 0, 1}: {2, 0, 1}, // the losing note is on copy 2
		{2, 0, 1}: {0, 0, 2}, // the winning one is on the others, and its server is about to add a line
		{0, 0, 2}: {2, 0, 3}, // the claim is on copy 2
		{2, 0, 3}: done,      // the line is on the others
	})
	plan.meanwhile = map[moment]func(){{2, 2, 3}: func() { cluster.Settle(t) }} // or copy 2 would not take the claim
	var other error
	var all sync.WaitGroup
	all.Go(func() {
		_, other = servers[2].Commit(t.Context(), []store.Change{{Path: "New.md", Data: []byte(texts[1])}})
	})
	result, err := servers[0].Commit(t.Context(), []store.Change{{Path: "New.md", Data: []byte(texts[0])}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := servers[0].Commit(t.Context(), []store.Change{{Path: "New.md", Base: result[0].Rev, Data: []byte(texts[0] + "line\n")}}); err != nil {
		t.Error(err)
	}
	plan.reach(done)
	all.Wait()
	if fault.KindOf(other) != fault.Conflict {
		t.Errorf("the other server: %v", other)
	}
	cluster.Settle(t)
	expectEverywhere(t, servers, "New.md", texts[0]+"line\n")
}

// TestClusterThreeCreate lets three servers create a note of the same name. One withdraws its note. Another one has claimed that, too late,
// and takes the claim back; the third does not claim it meanwhile. Whoever's note stays has not heard of a conflict, and the others have.
func TestClusterThreeCreate(t *testing.T) {
	t.Parallel()
	options := still()
	texts := ranked(t, options, "one\n", "two\n", "three\n")
	cluster := simulated(t)
	servers := openNodes(t, cluster, options)
	plan := newTimetable(cluster, "new.md", map[moment]moment{
		// Each copy takes the note of its own server, and then all notes are spread.
		{0, 0, 1}: {1, 1, 1}, {1, 1, 1}: {2, 2, 1}, {2, 2, 1}: {0, 0, 1},
		{0, 1, 1}: {1, 2, 1}, {1, 2, 1}: {2, 0, 1}, {2, 0, 1}: {0, 1, 1},
		{0, 2, 1}: {2, 0, 1}, {1, 0, 1}: {0, 1, 1}, {2, 1, 1}: {1, 2, 1},
		{0, 2, 2}: {2, 1, 2}, {2, 1, 2}: {1, 0, 2},
		{1, 0, 2}: {2, 1, 4}, // server 1 looks once the late claim is on two copies
		// Server 2 claims the winner on copy 2, and server 0 withdraws it on the other two.
		{2, 2, 3}: {0, 0, 4}, {0, 0, 4}: {2, 0, 3}, {2, 0, 3}: {0, 2, 4},
		{2, 1, 4}: done, // server 2 goes on once server 1 has looked twice
	})
	plan.meanwhile = map[moment]func(){ // nor does any server write before both others have found no note
		{0, 0, 1}: func() { plan.await(moment{2, 2, 1}) },
		{1, 1, 1}: func() { plan.await(moment{0, 0, 1}) },
		{2, 2, 1}: func() { plan.await(moment{1, 1, 1}) },
	}
	network := &network{}
	options.Couch = couch.Options{URL: cluster.Nodes[1], Transport: network}
	options.Confirm = 2 * time.Minute
	servers[1] = openAs(t, cluster.Database, options)
	var looks atomic.Int32
	network.setIntercept(func(r *request) (*http.Response, error) {
		if r.looksAt("new.md") && looks.Add(1) == 2 {
			plan.reach(done)
		}
		return r.pass()
	})
	heard := make([]error, len(servers))
	var all sync.WaitGroup
	for i, s := range servers {
		all.Go(func() {
			_, heard[i] = s.Commit(t.Context(), []store.Change{{Path: "New.md", Data: []byte(texts[i])}})
		})
	}
	all.Wait()
	cluster.Settle(t)
	stays := slices.Index(heard, nil)
	if stays < 0 {
		t.Fatalf("the callers heard %v", heard)
	}
	for i, err := range heard {
		if i != stays && fault.KindOf(err) != fault.Conflict {
			t.Errorf("server %d, whose note does not stay: %v", i, err)
		}
	}
	expectEverywhere(t, servers, "New.md", texts[stays])
}

// TestClusterCreateOverWithdrawn creates a note on a copy that only has the deletion with which a server has withdrawn its own note of that
// name. The server does not take the new note for an edit of its own, but reports a conflict.
func TestClusterCreateOverWithdrawn(t *testing.T) {
	t.Parallel()
	cluster, network := simulated(t), &network{}
	s := openOn(t, cluster.Database, network, livesync.Options{})
	older := deviceNote(t, cluster.Database, "older\nadded\n", "3-"+hash("c"), hash("b"), hash("a"))
	var writes atomic.Int32
	cluster.Before(func(node, number int, ids []string) {
		if node == 0 && number == 1 && slices.Contains(ids, "new.md") && writes.Add(1) == 1 {
			cluster.Reach(func(_, number int) bool { return number != 0 })
			cluster.Database.Branches(t, older)
			cluster.Reach(nil)
		}
	})
	var revs []string // of our note, and of its successors
	network.setIntercept(func(r *request) (*http.Response, error) {
		if !r.sends("new.md") {
			return r.pass()
		}
		response, answer, err := r.passAndRead()
		var rows []struct{ Rev string }
		if err != nil || json.Unmarshal(answer, &rows) != nil || len(rows) == 0 {
			return response, err
		}
		if revs = append(revs, rows[0].Rev[2:]); strings.Contains(r.body, `"_deleted":true`) {
			cluster.Reach(func(_, number int) bool { return number == 0 })
			cluster.Database.Branches(t, deviceNote(t, cluster.Database, "created\n", "3-"+hash("0"), rows[0].Rev[2:], revs[0]))
			cluster.Reach(nil)
		}
		return response, nil
	})
	if _, err := s.Commit(t.Context(), []store.Change{{Path: "New.md", Data: []byte("newer\n")}}); fault.KindOf(err) != fault.Conflict {
		t.Errorf("the caller heard %v", err)
	}
	if file := read(t, s, "New.md"); string(file.Data) != "older\nadded\n" || !slices.Equal(file.Conflicts, []store.Rev{store.Rev("3-" + hash("0"))}) {
		t.Errorf("the file is %q, with the conflicts %v", file.Data, file.Conflicts)
	}
}
