package livesync_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"

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
	for i, s := range servers {
		if file := readSettled(t, s, "New.md"); string(file.Data) != "the same\n" || len(file.Conflicts) > 0 {
			t.Errorf("server %d sees %q and the conflicts %v", i, file.Data, file.Conflicts)
		}
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
