package livesync_test

import (
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/store/livesync"
	"obsidian-mcp/internal/store/livesync/couchtest"
)

// TestUndoneMoveMeetsCreate undoes a move after somebody has made a new note under the old name. That note does not have what the moved one
// said, so the copy under the new name stays.
func TestUndoneMoveMeetsCreate(t *testing.T) {
	t.Parallel()
	database, network := couchtest.New(t), &network{}
	startVault(t, database, livesync.Options{})
	s, other := openOn(t, database, network, livesync.Options{}), openAs(t, database, livesync.Options{})
	changes := []store.Change{
		{Op: store.Move, Path: "Old.md", To: "New.md", Base: create(t, s, "Old.md", "the content")},
		{Op: store.Move, Path: "Second.md", To: "Moved.md", Base: create(t, s, "Second.md", "the second")},
	}
	var edited, created sync.Once
	var removed atomic.Bool
	network.setIntercept(func(r *request) (*http.Response, error) {
		switch {
		case r.removes("Old.md"):
			edited.Do(func() { outside(t, other)("Second.md", []byte("edited")) })
			response, err := r.pass()
			removed.Store(true)
			return response, err
		case removed.Load() && r.isRecord():
			created.Do(func() {
				if _, err := other.Commit(t.Context(), []store.Change{{Path: "Old.md", Data: []byte("something else")}}); err != nil {
					t.Errorf("the new note: %v", err)
				}
			})
		}
		return r.pass()
	})
	if _, err := s.Commit(t.Context(), changes); fault.KindOf(err) != fault.Conflict {
		t.Errorf("the move: %v", err)
	}
	for path, want := range map[string]string{"New.md": "the content", "Old.md": "something else", "Second.md": "edited"} {
		if file := read(t, other, path); string(file.Data) != want {
			t.Errorf("%s holds %q", path, file.Data)
		}
	}
}
