package livesync_test

import (
	"encoding/json"
	"fmt"
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
)

// TestClusterCreateArrivesLate lets a new note reach the third copy only after another server has withdrawn its own note of the same
// name there. The copy does not take the note for a successor of the deletion, which would be a third branch.
func TestClusterCreateArrivesLate(t *testing.T) {
	t.Parallel()
	for text := range 4 { // of some, the first branch wins, and of others, the second one
		t.Run(fmt.Sprint(text), func(t *testing.T) {
			t.Parallel()
			cluster := simulated(t)
			servers := openNodes(t, cluster, livesync.Options{})
			ready, slowWritten, otherDone := make(chan struct{}), make(chan struct{}), make(chan struct{})
			var other, written, late sync.Once
			cluster.Before(func(node, number int, ids []string) {
				if !slices.Contains(ids, "new.md") {
					return
				}
				switch {
				case node == 2 && number == 2:
					other.Do(func() { close(ready) })
				case node == 2:
					written.Do(func() { <-slowWritten })
				case number == 0:
					<-ready
				case number == 2:
					late.Do(func() {
						close(slowWritten)
						<-otherDone
					})
				}
			})
			var slow error
			var all sync.WaitGroup
			all.Go(func() {
				_, slow = servers[0].Commit(t.Context(), []store.Change{{Path: "New.md", Data: []byte("slow\n")}})
			})
			_, quick := servers[2].Commit(t.Context(), []store.Change{{Path: "New.md", Data: fmt.Appendf(nil, "quick %d\n", text)}})
			close(otherDone)
			all.Wait()
			cluster.Settle(t)
			if slow != nil || fault.KindOf(quick) != fault.Conflict {
				t.Errorf("the callers heard %v and %v", slow, quick)
			}
			for i, s := range servers {
				if file := readSettled(t, s, "New.md"); string(file.Data) != "slow\n" || len(file.Conflicts) > 0 {
					t.Errorf("server %d sees %q and the conflicts %v", i, file.Data, file.Conflicts)
				}
			}
		})
	}
}

// TestClusterCreatesTheSame has two nodes take two new notes of the same name and the same text. Both callers have what they wanted.
func TestClusterCreatesTheSame(t *testing.T) {
	t.Parallel()
	cluster := simulated(t)
	servers := openNodes(t, cluster, livesync.Options{})
	meet(cluster, "new.md")
	var all sync.WaitGroup
	for _, i := range []int{0, 2} {
		all.Go(func() {
			if _, err := servers[i].Commit(t.Context(), []store.Change{{Path: "New.md", Data: []byte("the same\n")}}); err != nil {
				t.Errorf("server %d: %v", i, err)
			}
		})
	}
	all.Wait()
	cluster.Settle(t)
	expectEverywhere(t, servers, "New.md", "the same\n")
}

// TestClusterJoinedTwice has two servers join the same two branches. What the slow one has written reaches the other copies only after the
// quick one is done, so that the two joined texts are branches again. Whichever of them wins, both lines are in the note, and no conflict is
// left.
func TestClusterJoinedTwice(t *testing.T) {
	t.Parallel()
	for text := range 4 { // of some, the branch of the slow server wins, and of others, that of the quick one
		t.Run(fmt.Sprint(text), func(t *testing.T) {
			t.Parallel()
			cluster := simulated(t)
			slow := openNodes(t, cluster, livesync.Options{})[0]
			quick := openNodes(t, cluster, livesync.Options{Now: func() time.Time { return time.Now().Add(time.Hour) }})[1]
			base := readSettled(t, slow, "First.md").Rev
			readSettled(t, quick, "First.md")
			plan := newTimetable(cluster, "first.md", map[moment]moment{
				// Both write over the same revision. Two copies take what the slow server writes; the quick one spreads its text.
				{0, 0, 1}: {1, 1, 1},
				{1, 1, 1}: {0, 0, 1},
				{0, 1, 1}: {1, 2, 1},
				{1, 2, 1}: {0, 0, 2},
				// Both join. Two copies take what the quick server writes, and it is done before the slow one spreads its text.
				{0, 0, 2}: {1, 1, 3},
				{1, 1, 3}: {0, 1, 2},
				{0, 1, 2}: done,
			})
			var all sync.WaitGroup
			all.Go(func() {
				if _, err := slow.Commit(t.Context(), []store.Change{{Path: "First.md", Base: base, Data: []byte("first\nslow\n")}}); err != nil {
					t.Errorf("the slow server: %v", err)
				}
			})
			quickText := fmt.Appendf(nil, "first\nquick %d\n", text)
			if _, err := quick.Commit(t.Context(), []store.Change{{Path: "First.md", Base: base, Data: quickText}}); err != nil {
				t.Errorf("the quick server: %v", err)
			}
			plan.reach(done)
			all.Wait()
			cluster.Settle(t)
			for i, s := range []*livesync.Store{slow, quick} {
				file := readSettled(t, s, "First.md")
				for _, line := range []string{"slow\n", fmt.Sprintf("quick %d\n", text)} {
					if strings.Count(string(file.Data), line) != 1 || len(file.Conflicts) > 0 {
						t.Errorf("server %d sees %q and the conflicts %v", i, file.Data, file.Conflicts)
					}
				}
			}
		})
	}
}

// TestClusterAppendMeetsCreate lets a server add a line to a new note of one server while another one takes another new note of that name.
// The line and the note that it was added to stay.
func TestClusterAppendMeetsCreate(t *testing.T) {
	t.Parallel()
	cluster := simulated(t)
	servers := openNodes(t, cluster, livesync.Options{})
	plan := newTimetable(cluster, "new.md", map[moment]moment{
		{2, 2, 1}: {1, 1, 1}, // the other note is about to be written
		{1, 1, 1}: {0, 1, 1}, // the line is on a copy that has the first note
		{0, 1, 1}: {1, 2, 1}, // the other note is on one copy
		{1, 2, 1}: done,
		{2, 1, 1}: done,
	})
	var first, other error
	var all sync.WaitGroup
	all.Go(func() {
		_, first = servers[2].Commit(t.Context(), []store.Change{{Path: "New.md", Data: []byte("first\n")}})
	})
	all.Go(func() {
		_, other = servers[1].Commit(t.Context(), []store.Change{{Path: "New.md", Data: []byte("other\n")}})
	})
	plan.await(moment{2, 1, 1})
	if err := appendLine(t, servers[0], "New.md", "line\n"); err != nil {
		t.Error(err)
	}
	plan.reach(done)
	all.Wait()
	cluster.Settle(t)
	if first != nil || fault.KindOf(other) != fault.Conflict {
		t.Errorf("the callers heard %v and %v", first, other)
	}
	expectEverywhere(t, servers, "New.md", "first\nline\n")
}

// TestClusterCreateMeetsJoined creates a note while the other copies take an older one of that name, from which somebody has removed a
// branch. Nobody takes that for the withdrawal of the older note, which stays with all that was added to it.
func TestClusterCreateMeetsJoined(t *testing.T) {
	t.Parallel()
	cluster := simulated(t)
	servers := openNodes(t, cluster, livesync.Options{})
	live := deviceNote(t, cluster.Database, "older\nadded\n", "3-"+hash("c"), hash("b"), hash("a"))
	removed := map[string]any{
		"_id": live["_id"], "_deleted": true, "_rev": "3-" + hash("d"),
		"_revisions": map[string]any{"start": 3, "ids": []string{hash("d"), hash("e"), hash("a")}},
	}
	var writes [3]atomic.Int32
	cluster.Before(func(node, number int, ids []string) {
		if node != 0 || !slices.Contains(ids, "new.md") {
			return
		}
		switch [2]int{number, int(writes[number].Add(1))} {
		case [2]int{1, 1}: // the newer note is on one copy
			cluster.Reach(func(_, number int) bool { return number != 0 })
			cluster.Database.Branches(t, live, removed)
			cluster.Reach(nil)
		case [2]int{2, 3}: // the newer note is spread, and its server is about to claim the older one, at first on one copy
			cluster.Reach(func(_, number int) bool { return number == 1 })
		case [2]int{1, 4}:
			cluster.Reach(nil)
		}
	})
	_, err := servers[0].Commit(t.Context(), []store.Change{{Path: "New.md", Data: []byte("newer\n")}})
	if fault.KindOf(err) != fault.Conflict {
		t.Errorf("the caller heard %v", err)
	}
	cluster.Settle(t)
	expectEverywhere(t, servers, "New.md", "older\nadded\n")
}

// TestClusterClaimedMeetsEdit creates a note that another server claims in order to withdraw its own note of that name. It can no longer do
// so, because others have added to its note. So the new note is withdrawn, and no conflict is left.
func TestClusterClaimedMeetsEdit(t *testing.T) {
	t.Parallel()
	cluster := simulated(t)
	servers := openNodes(t, cluster, livesync.Options{})
	older := deviceNote(t, cluster.Database, "older\n", "1-"+hash("a"))
	edited := deviceNote(t, cluster.Database, "older\nadded\n", "2-"+hash("b"), hash("a"))
	var arrived atomic.Bool
	cluster.Before(func(node, number int, ids []string) {
		if node == 0 && number == 1 && slices.Contains(ids, "new.md") && arrived.CompareAndSwap(false, true) {
			var claim map[string]any
			if _, answer := cluster.Database.Do(t, http.MethodGet, "/new.md", nil); json.Unmarshal(answer, &claim) != nil {
				t.Errorf("the new note: %s", answer)
			}
			newer := strings.TrimPrefix(claim["_rev"].(string), "1-")
			claim["_rev"], claim["_revisions"] = "2-"+hash("c"), map[string]any{"start": 2, "ids": []string{hash("c"), newer}}
			cluster.Reach(func(_, number int) bool { return number != 0 })
			cluster.Database.Branches(t, older)
			cluster.Database.Branches(t, edited, claim)
			cluster.Reach(nil)
		}
	})
	_, err := servers[0].Commit(t.Context(), []store.Change{{Path: "New.md", Data: []byte("newer\n")}})
	if fault.KindOf(err) != fault.Conflict {
		t.Errorf("the caller heard %v", err)
	}
	cluster.Settle(t)
	expectEverywhere(t, servers, "New.md", "older\nadded\n")
}

// TestClusterCreateAfterJoin creates a note on a copy that only has a branch which was joined with another and deleted. The note is not
// merged with the other branch as if its writer had removed what both come from.
func TestClusterCreateAfterJoin(t *testing.T) {
	t.Parallel()
	cluster := simulated(t)
	servers := openNodes(t, cluster, livesync.Options{})
	first := deviceNote(t, cluster.Database, "older\n", "1-"+hash("a"))
	joined := deviceNote(t, cluster.Database, "older\nadded\n", "3-"+hash("c"), hash("b"), hash("a"))
	ended := map[string]any{
		"_id": first["_id"], "_deleted": true, "_rev": "3-" + hash("d"),
		"_revisions": map[string]any{"start": 3, "ids": []string{hash("d"), hash("e"), hash("a")}},
	}
	var begun atomic.Bool
	cluster.Before(func(node, number int, ids []string) {
		if node == 2 && slices.Contains(ids, "new.md") && begun.CompareAndSwap(false, true) {
			cluster.Database.Branches(t, first)
			cluster.Reach(func(_, number int) bool { return number == 0 })
			cluster.Database.Branches(t, ended)
			cluster.Reach(func(_, number int) bool { return number != 0 })
			cluster.Database.Branches(t, joined)
			cluster.Reach(nil)
		}
	})
	_, err := servers[2].Commit(t.Context(), []store.Change{{Path: "New.md", Data: []byte("newer\n")}})
	if fault.KindOf(err) != fault.Conflict {
		t.Errorf("the caller heard %v", err)
	}
	cluster.Settle(t)
	expectEverywhere(t, servers, "New.md", "older\nadded\n")
}

// TestClusterResolutionMeetsDevice resolves the conflict of a file that cannot be merged, while a device writes another version of the side
// that wins to the other copies. The resolution is withdrawn then, and the side that it chose stays.
func TestClusterResolutionMeetsDevice(t *testing.T) {
	t.Parallel()
	cluster := simulated(t)
	s := openNodes(t, cluster, livesync.Options{})[0]
	base := create(t, s, "File.bin", "\xff the first side")
	chosen := diverge(t, cluster.Database, "")("File.bin", []byte("\xff the chosen side"))
	edited := deviceFile(t, cluster.Database, "File.bin", "\xff of a device", "2-"+hash("b"), strings.TrimPrefix(string(base), "1-"))
	var arrived atomic.Bool
	cluster.Before(func(node, number int, ids []string) {
		if node == 0 && number == 1 && slices.Contains(ids, "file.bin") && arrived.CompareAndSwap(false, true) {
			cluster.Reach(func(_, number int) bool { return number != 0 })
			cluster.Database.Branches(t, edited)
			cluster.Reach(nil)
		}
	})
	change := store.Change{Path: "File.bin", Base: base, Data: []byte("\xff the chosen side"), Resolves: []store.Rev{chosen}}
	if _, err := s.Commit(t.Context(), []store.Change{change}); fault.KindOf(err) != fault.Conflict {
		t.Errorf("the caller heard %v", err)
	}
	cluster.Settle(t)
	if file := readSettled(t, s, "File.bin"); string(file.Data) != "\xff of a device" || !slices.Equal(file.Conflicts, []store.Rev{chosen}) {
		t.Errorf("the file is %q, with the conflicts %v", file.Data, file.Conflicts)
	}
}

// TestClusterMoveMeetsDevice moves a note while a device sends a branch that was not made from the version that is moved. Both texts are
// in the vault afterwards, also if the move is one of several changes that are undone.
func TestClusterMoveMeetsDevice(t *testing.T) {
	t.Parallel()
	for name, undone := range map[string]bool{"moved": false, "undone": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cluster, network := simulated(t), &network{}
			s, other := openOn(t, cluster.Database, network, livesync.Options{}), openNodes(t, cluster, livesync.Options{})[1]
			changes := []store.Change{{Op: store.Move, Path: "Old.md", To: "New.md", Base: create(t, s, "Old.md", "the content")}}
			if undone {
				changes = append(changes, store.Change{Op: store.Move, Path: "Second.md", To: "Moved.md", Base: create(t, s, "Second.md", "the second")})
			}
			network.runBefore(func(r *request) bool { return r.removes("Old.md") }, func() {
				diverge(t, cluster.Database, "")("Old.md", []byte("an offline device"))
				if undone {
					outside(t, other)("Second.md", []byte("edited"))
				}
			})
			if _, err := s.Commit(t.Context(), changes); undone && fault.KindOf(err) != fault.Conflict || !undone && err != nil {
				t.Errorf("the move: %v", err)
			}
			cluster.Settle(t)
			for path, want := range map[string]string{"New.md": "the content", "Old.md": "an offline device"} {
				if file := read(t, other, path); string(file.Data) != want || len(file.Conflicts) > 0 {
					t.Errorf("%s holds %q, with the conflicts %v", path, file.Data, file.Conflicts)
				}
			}
		})
	}
}
