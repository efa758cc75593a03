package folder

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"

	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
)

// feed waits for what a watch tells.
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
	one := feed{t, events}
	one.until(func(event store.Event) bool { return event.All })
	return one
}

func (f feed) until(is func(store.Event) bool) {
	f.Helper()
	deadline := time.After(60 * time.Second)
	for {
		select {
		case event := <-f.events:
			if is(event) {
				return
			}
		case <-deadline:
			f.Fatal("nothing came")
		}
	}
}

func names(path vpath.Path) func(store.Event) bool {
	return func(event store.Event) bool { return slices.Contains(event.Paths, path) }
}

// TestWatchFollowsFolders renames a folder: what changes in it is reported
// under its new name.
func TestWatchFollowsFolders(t *testing.T) {
	dir := t.TempDir()
	writeNote(t, dir, "a/b/N.md", "n")
	writeNote(t, dir, ".obsidian/app.json", "{}")
	writeNote(t, dir, ".hidden", "x")
	one := watching(t, reopen(t, dir, t.TempDir()))
	if err := os.Rename(filepath.Join(dir, "a"), filepath.Join(dir, "c")); err != nil {
		t.Fatal(err)
	}
	all, found := false, false
	one.until(func(event store.Event) bool {
		all = all || event.All
		found = found || names("c/b/N.md")(event)
		return all && found
	})
	writeNote(t, dir, "c/b/N.md", "changed")
	one.until(names("c/b/N.md"))
}

// TestWatchSurvivesLostEvents looks at everything when the system has told of
// more than could be kept.
func TestWatchSurvivesLostEvents(t *testing.T) {
	dir := t.TempDir()
	f := reopen(t, dir, t.TempDir())
	watcher, err := fsnotify.NewBufferedWatcher(16)
	if err != nil {
		t.Fatal(err)
	}
	defer watcher.Close()
	events := make(chan store.Event)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- (&watch{vault: f, watcher: watcher, out: events}).run(ctx) }()
	one := feed{t, events}
	one.until(func(event store.Event) bool { return event.All })
	watcher.Errors <- fsnotify.ErrEventOverflow
	one.until(func(event store.Event) bool { return event.All })
	writeNote(t, dir, "A.md", "a")
	time.AfterFunc(4*patience, cancel) // with an event that nobody takes
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestWatchedFolderIsMoved tells of it, so that the vault is looked for.
func TestWatchedFolderIsMoved(t *testing.T) {
	base := t.TempDir()
	dir := filepath.Join(base, "vault")
	writeNote(t, dir, "A.md", "a")
	f := reopen(t, dir, t.TempDir())
	one := watching(t, f)
	if err := os.Rename(dir, dir+" away"); err != nil {
		t.Fatal(err)
	}
	one.until(func(event store.Event) bool { return event.All }) // it is polled by now
	if err := os.Rename(dir+" away", dir); err != nil {
		t.Fatal(err)
	}
	one.until(func(event store.Event) bool { // told of everything first, then of the note
		if event.All {
			writeNote(t, dir, "A.md", time.Now().String())
		}
		return names("A.md")(event)
	})
}

// TestPollingEnds as soon as watching works again, or nobody listens.
func TestPollingEnds(t *testing.T) {
	for name, listens := range map[string]bool{"watching works": true, "nobody listens": false} {
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
				(&Folder{}).pollLoop(ctx, events, func() bool { asked++; return asked == 3 })
				close(events)
				synctest.Wait()
				if listens && (asked != 3 || taken != 3) || !listens && asked != 0 {
					t.Errorf("asked %d times, told %d times", asked, taken)
				}
			})
		})
	}
}
