package storetest

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
)

// watch starts to watch, and waits until the feed reports the path of a change.
func watch(t *testing.T, s Subject) <-chan store.Event {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	events := s.Watch(ctx)
	if first := <-events; !first.All {
		t.Errorf("the first event is %+v", first)
	}
	t.Cleanup(func() {
		cancel()
		for range events {
		}
	})
	for n := range 50 {
		path := vpath.Path(fmt.Sprintf("ready %d.md", n))
		s.Outside(path, []byte("x"))
		if event := waitFor(t, events, path); slices.Contains(event.Paths, path) {
			return events
		}
	}
	t.Fatal("the feed asks for scans and reports no path")
	return nil
}

// waitFor reads events until one reports the path or asks for a scan.
func waitFor(t *testing.T, events <-chan store.Event, path vpath.Path) store.Event {
	t.Helper()
	deadline := time.After(60 * time.Second)
	for {
		select {
		case event, ok := <-events:
			if !ok {
				t.Fatal("the feed ended")
			}
			if event.All || slices.Contains(event.Paths, path) {
				return event
			}
		case <-deadline:
			t.Fatalf("nothing was reported for %s", path)
		}
	}
}

func outsideIsReported(t *testing.T, s Subject) {
	write(t, s, "d/A.md", "a")
	events := watch(t, s)
	s.Outside("d/A.md", []byte("b"))
	waitFor(t, events, "d/A.md")
	s.Outside("new/folder/B.md", []byte("b"))
	waitFor(t, events, "new/folder/B.md")
	s.Outside("new/folder/B.md", []byte("c"))
	waitFor(t, events, "new/folder/B.md")
	s.Outside("d/A.md", nil)
	waitFor(t, events, "d/A.md")
}

func ownIsNotReported(t *testing.T, s Subject) {
	events := watch(t, s)
	write(t, s, "A.md", "a")
	write(t, s, "A.md", "b")
	old := write(t, s, "d/B.md", "b")
	if _, err := s.Commit(t.Context(), []store.Change{{Op: store.Move, Path: "d/B.md", To: "d/C.md", Base: old.Rev}}); err != nil {
		t.Fatal(err)
	}
	s.Outside("last.md", []byte("x"))
	for {
		event := <-events
		for _, path := range event.Paths {
			if path == "A.md" || path == "d/B.md" || path == "d/C.md" {
				t.Errorf("our own change of %s was reported", path)
			}
		}
		if slices.Contains(event.Paths, "last.md") {
			return
		}
	}
}
