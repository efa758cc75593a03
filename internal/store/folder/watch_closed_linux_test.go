package folder

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"obsidian-mcp/internal/store"
)

// TestWatchBesideClosedFolder checks that a folder that this user may not read does not keep the others from being
// watched, and that it is watched once it becomes readable.
func TestWatchBesideClosedFolder(t *testing.T) {
	dir := t.TempDir()
	closed := filepath.Join(dir, "Closed")
	writeNote(t, dir, "Closed/In.md", "in")
	for name, mode := range map[string]os.FileMode{filepath.Dir(dir): 0o755, closed: 0} {
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
	}
	f := reopen(t, dir, t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	events, ended := make(chan store.Event), make(chan error)
	go func() {
		if os.Geteuid() == 0 { // root can read every folder
			runtime.LockOSThread() // the thread ends with this goroutine
			_ = unix.Setfsuid(65534)
		}
		err := f.watchOnce(ctx, events)
		close(events)
		ended <- err
	}()
	t.Cleanup(func() {
		cancel()
		for range events {
		}
		if err := <-ended; err != nil {
			t.Errorf("watching ended: %v", err)
		}
	})
	reported := feed{t, events}
	reported.until(func(event store.Event) bool { return event.All })
	writeNote(t, dir, "Beside.md", "beside")
	reported.until(names("Beside.md"))
	if err := os.Chmod(closed, 0o755); err != nil {
		t.Fatal(err)
	}
	reported.until(names("Closed/In.md"))
	writeNote(t, dir, "Closed/New.md", "new")
	reported.until(names("Closed/New.md"))
}
