package livesync_test

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/store/livesync"
	"obsidian-mcp/internal/store/livesync/couchtest"
)

// TestWriteThatHasBegunFinishes: a caller that gives up while its document is being written gets the outcome, which is
// certain; one that gives up before writes nothing.
func TestWriteThatHasBegunFinishes(t *testing.T) {
	t.Parallel()
	network := &network{}
	s := openOn(t, couchtest.New(t), network, livesync.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	network.setIntercept(func(r *request) (*http.Response, error) {
		if r.writes("A.md") {
			cancel()
		}
		return r.pass()
	})
	if _, err := s.Commit(ctx, []store.Change{{Path: "A.md", Data: []byte("text")}}); err != nil {
		t.Errorf("the write that had begun: %v", err)
	}
	if file, err := s.Read(t.Context(), "A.md", 100); err != nil || string(file.Data) != "text" {
		t.Errorf("%q, %v", file.Data, err)
	}
	if _, err := s.Commit(ctx, []store.Change{{Path: "B.md", Data: []byte("text")}}); !errors.Is(err, context.Canceled) {
		t.Errorf("the write that had not begun: %v", err)
	}
}
