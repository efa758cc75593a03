package folder

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"

	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/testkit/mode"
)

// feed waits for the events of a watch.
type feed struct {
	*testing.T
	events <-chan store.Event
}

func watching(t *testing.T, f *Folder) feed {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	events := f.Watch(ctx)
	t.Cleanup(func() {
		cancel()
		for range events {
		}
	})
	feed := feed{t, events}
	feed.until(asksForScan)
	return feed
}

func asksForScan(event store.Event) bool { return event.All }

func (f feed) until(is func(store.Event) bool) {
	f.Helper()
	deadline := time.After(mode.Patience)
	for {
		select {
		case event := <-f.events:
			if is(event) {
				return
			}
		case <-deadline:
			f.Fatal("no such event came")
		}
	}
}

func names(path vpath.Path) func(store.Event) bool {
	return func(event store.Event) bool { return slices.Contains(event.Paths, path) }
}

// TestWatchFollowsFolders renames a folder: later changes in it are reported under its new name.
func TestWatchFollowsFolders(t *testing.T) {
	dir := t.TempDir()
	writeNote(t, dir, "a/b/N.md", "n")
	writeNote(t, dir, ".obsidian/app.json", "{}")
	writeNote(t, dir, ".hidden", "x")
	feed := watching(t, reopen(t, dir, t.TempDir()))
	if err := os.Rename(filepath.Join(dir, "a"), filepath.Join(dir, "c")); err != nil {
		t.Fatal(err)
	}
	all, found := false, false
	feed.until(func(event store.Event) bool {
		all = all || event.All
		found = found || names("c/b/N.md")(event)
		return all && found
	})
	writeNote(t, dir, "c/b/N.md", "changed")
	feed.until(names("c/b/N.md"))
}

// TestWatchSurvivesLostEvents overflows the system's queue of events: the watch asks for a scan and goes on.
func TestWatchSurvivesLostEvents(t *testing.T) {
	dir := t.TempDir()
	f := reopen(t, dir, t.TempDir())
	watcher, err := newNotifier(f.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer watcher.close()
	events := make(chan store.Event)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- (&watch{vault: f, watcher: watcher, out: events}).run(ctx) }()
	feed := feed{t, events}
	feed.until(asksForScan)
	watcher.errors <- fsnotify.ErrEventOverflow
	feed.until(asksForScan)
	writeNote(t, dir, "A.md", "a")
	feed.until(names("A.md"))
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestWatchEndsWithAnEventThatNobodyTakes cancels a watch that is about to report a change.
func TestWatchEndsWithAnEventThatNobodyTakes(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	f := reopen(t, t.TempDir(), t.TempDir())
	w := &watch{vault: f, out: make(chan store.Event), changed: map[vpath.Path]struct{}{"A.md": {}}}
	if w.flush(ctx) {
		t.Error("the watch goes on")
	}
}

// TestWatchedFolderIsMoved moves the vault away and back: the watch polls meanwhile, and then watches again.
func TestWatchedFolderIsMoved(t *testing.T) {
	base := t.TempDir()
	dir := filepath.Join(base, "vault")
	writeNote(t, dir, "A.md", "a")
	f := reopen(t, dir, t.TempDir())
	f.fallbackPoll = 10 * time.Millisecond
	feed := watching(t, f)
	if err := os.Rename(dir, dir+" away"); err != nil {
		t.Fatal(err)
	}
	feed.until(asksForScan) // it polls by now
	if err := os.Rename(dir+" away", dir); err != nil {
		t.Fatal(err)
	}
	writes := 0
	feed.until(func(event store.Event) bool { // the watch asks for scans until it works again
		if event.All {
			writes++
			writeNote(t, dir, "A.md", fmt.Sprint("written ", writes, " times"))
		}
		return names("A.md")(event)
	})
}

// TestPollingEnds ends polling when watching works again, or when the caller has left.
func TestPollingEnds(t *testing.T) {
	for name, listens := range map[string]bool{"watching works": true, "the caller has left": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				events := make(chan store.Event)
				asked, taken := 0, 0
				if listens {
					go func() {
						for range events {
							taken++
						}
					}()
				}
				(&Folder{fallbackPoll: time.Second}).pollLoop(ctx, events, func() bool { asked++; return asked == 3 })
				close(events)
				synctest.Wait()
				if listens && (asked != 3 || taken != 3) || !listens && asked != 0 {
					t.Errorf("checked %d times whether watching works, %d events", asked, taken)
				}
			})
		})
	}
}

// Many programs empty a file before they write it: a single empty file is waited for, a file with text is not.
func TestWatchWaitsForEmptyFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{"Empty.md": "", "Full.md": "text", "folder/N.md": "text"} {
		writeNote(t, dir, name, text)
	}
	f := reopen(t, dir, t.TempDir())
	changed := func(paths ...vpath.Path) *watch {
		w := &watch{vault: f, changed: map[vpath.Path]struct{}{}}
		for _, path := range paths {
			w.changed[path] = struct{}{}
		}
		return w
	}
	many := []vpath.Path{"Empty.md"}
	for i := range handful {
		many = append(many, vpath.Path(fmt.Sprintf("%d.md", i)))
	}
	for _, test := range []struct {
		name string
		w    *watch
		want bool
	}{
		{"empty", changed("Full.md", "Empty.md"), true},
		{"written", changed("Full.md"), false},
		{"gone", changed("Gone.md"), false},
		{"folder", changed("folder"), false},
		{"many", changed(many...), false},
	} {
		if got := test.w.isBeingWritten(t.Context()); got != test.want {
			t.Errorf("%s: being written %v, want %v", test.name, got, test.want)
		}
	}
}
