package livesync_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/store/livesync/couch"
	"obsidian-mcp/internal/store/livesync/couchtest"
)

// A request whose connection was reset may still arrive, after the store has found nothing written and has sent the change again.
// The second request then gets a conflict with the first one. The change was made, and is reported as made.
func TestOvertakenWrite(t *testing.T) {
	t.Parallel()
	for _, at := range []int{1, 2} { // chunks, then the document
		database := couchtest.New(t)
		options := sorts()["plain"]
		startVault(t, database, options)
		proxy := couchtest.NewProxy(t, database.URL, "")
		options.Couch = couch.Options{Timeout: 5 * time.Second, Total: 20 * time.Second, Retries: 2}
		s := openThrough(t, proxy, database, options)
		eventuallyNoError(t, "the store connects", func() error { return s.Probe(t.Context()) })
		file, err := s.Read(t.Context(), "First.md", 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		first, second := couchtest.Overtaken()
		writes := 0
		proxy.Script(func(r *http.Request) couchtest.Fault {
			if !strings.HasSuffix(r.URL.Path, "/_bulk_docs") {
				return nil
			}
			writes++
			switch writes {
			case at:
				return first
			case at + 1:
				return second
			}
			return nil
		})
		const text = "first\nand a line that nobody else has\n"
		if _, err := s.Commit(t.Context(), []store.Change{{Op: store.Write, Path: "First.md", Base: file.Rev, Data: []byte(text)}}); err != nil {
			t.Errorf("write %d arrived late: %v", at, err)
		}
		proxy.Script(nil)
		if after, err := s.Read(t.Context(), "First.md", 1<<20); err != nil || string(after.Data) != text {
			t.Errorf("write %d arrived late: %q, %v", at, after.Data, err)
		}
		if writes <= at {
			t.Errorf("only %d requests wrote", writes)
		}
	}
}
