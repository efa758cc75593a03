package livesync_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/store/livesync"
)

// alone lets every node reach the first copy alone.
func alone(_, number int) bool { return number == 0 }

// TestClusterLostAnswer loses the answer to a note that a single copy took. The note is on most copies once its writer has found it.
func TestClusterLostAnswer(t *testing.T) {
	t.Parallel()
	cluster, network := simulated(t), &network{}
	s := openOn(t, cluster.Database, network, livesync.Options{})
	other := openNodes(t, cluster, livesync.Options{})[1]
	readSettled(t, other, "First.md")
	var lost atomic.Bool
	network.setIntercept(func(r *request) (*http.Response, error) {
		if !r.sends("new.md") || !lost.CompareAndSwap(false, true) {
			return r.pass()
		}
		cluster.Reach(alone)
		defer cluster.Reach(nil)
		response, err := r.pass()
		if err == nil {
			response.Body.Close()
		}
		return nil, errCut
	})
	create(t, s, "New.md", "new\n")
	cluster.Reach(func(_, number int) bool { return number != 0 })
	if file, err := other.Read(t.Context(), "New.md", 1<<20); err != nil || string(file.Data) != "new\n" {
		t.Errorf("the other copies have %q: %v", file.Data, err)
	}
}

// TestClusterMoveUnconfirmed moves a note while too few nodes confirm that the old one is removed. The caller is told that it is not certain
// yet, although the change has been written; once the nodes respond, the note is moved.
func TestClusterMoveUnconfirmed(t *testing.T) {
	t.Parallel()
	cluster, network := simulated(t), &network{}
	s := openOn(t, cluster.Database, network, livesync.Options{Confirm: 2 * time.Second}) // it waits in vain
	base := create(t, s, "Old.md", "the content\n")
	var removed atomic.Bool
	network.setIntercept(func(r *request) (*http.Response, error) {
		switch {
		case r.removes("Old.md") && removed.CompareAndSwap(false, true):
			cluster.Reach(alone)
		case strings.Contains(r.http.URL.Path, "obsidian-mcp-journal-") && removed.Load():
			cluster.Reach(nil) // in time to find the change written
		}
		return r.pass()
	})
	_, err := s.Commit(t.Context(), []store.Change{{Op: store.Move, Path: "Old.md", To: "New.md", Base: base}})
	if fault.KindOf(err) != fault.StoreUnavailable || !strings.Contains(err.Error(), "not certain yet") {
		t.Errorf("the move: %v", err)
	}
	cluster.Settle(t)
	for _, path := range []vpath.Path{"Another.md", "One more.md"} {
		eventuallyWrites(t, s, path, "text\n")
	}
	if err := sees(t, openNodes(t, cluster, livesync.Options{})[1], "New.md", "Old.md"); err != nil {
		t.Error(err)
	}
}
