package folder

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/fsnotify/fsnotify"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
)

// TestScanIsCancelled cancels a scan while it visits a folder, and while it visits a file.
func TestScanIsCancelled(t *testing.T) {
	dir := t.TempDir()
	for i := range 3 {
		writeNote(t, dir, fmt.Sprintf("Files/%d.md", i), "x")
	}
	writeNote(t, dir, "Folders/Below/Note.md", "x")
	f := reopen(t, dir, t.TempDir())
	for _, last := range []vpath.Path{"Folders", "Files/0.md"} {
		ctx, cancel := context.WithCancel(t.Context())
		var mu sync.Mutex
		seen := map[vpath.Path]bool{}
		err := f.Scan(ctx, func(store.Info) bool { return true }, func(found store.Found) {
			mu.Lock()
			defer mu.Unlock()
			seen[found.Path] = true
			if found.Path == last {
				cancel()
			}
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled at %s: %v", last, err)
		}
		if last == "Folders" && seen["Folders/Below"] {
			t.Error("the scan went on below the folder at which it was cancelled")
		}
		cancel()
	}
}

// TestFoldersChangeDuringScan replaces listed folders before the scan reaches them: one by a file, one by nothing.
func TestFoldersChangeDuringScan(t *testing.T) {
	dir := t.TempDir()
	writeNote(t, dir, "Top/Replaced/A.md", "x")
	writeNote(t, dir, "Top/Removed/B.md", "x")
	f := reopen(t, dir, t.TempDir())
	var mu sync.Mutex
	failed := map[vpath.Path]error{}
	err := f.Scan(t.Context(), func(store.Info) bool { return true }, func(found store.Found) {
		mu.Lock()
		defer mu.Unlock()
		if found.Path == "Top" { // its entries are listed by now
			for _, name := range []string{"Replaced", "Removed"} {
				if err := os.RemoveAll(filepath.Join(dir, "Top", name)); err != nil {
					t.Error(err)
				}
			}
			writeNote(t, dir, "Top/Replaced", "a file")
		}
		if found.Err != nil {
			failed[found.Path] = found.Err
		}
	})
	if err != nil {
		t.Error(err)
	}
	if got := failed["Top/Replaced"]; !errors.Is(got, fault.PermissionDenied) {
		t.Errorf("the folder that is a file now: %v", got)
	}
	if got := failed["Top/Removed"]; !errors.Is(got, fault.NotFound) {
		t.Errorf("the folder that is gone: %v", got)
	}
	if len(failed) != 2 {
		t.Error(failed)
	}
}

// TestReadManyInterrupted reads from a folder that is missing, and for a caller who has given up.
func TestReadManyInterrupted(t *testing.T) {
	dir := t.TempDir()
	writeNote(t, dir, "Here/A.md", "a")
	f := reopen(t, dir, t.TempDir())
	all := f.ReadMany(t.Context(), []vpath.Path{"Gone/A.md", "Here/A.md"}, 100)
	if !errors.Is(all[0].Err, fault.NotFound) || all[1].Err != nil || string(all[1].Data) != "a" {
		t.Errorf("%+v", all)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if all := f.ReadMany(gone, []vpath.Path{"Here/A.md"}, 100); !errors.Is(all[0].Err, context.Canceled) {
		t.Error(all[0].Err)
	}
}

// TestWatchCannotBegin starts to watch with a watcher that is closed, and for nobody.
func TestWatchCannotBegin(t *testing.T) {
	f := reopen(t, t.TempDir(), t.TempDir())
	watcher, err := newNotifier(f.dir)
	if err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := (&watch{vault: f, watcher: watcher}).run(gone); err != nil {
		t.Error("watching for nobody:", err)
	}
	if err := watcher.close(); err != nil {
		t.Fatal(err)
	}
	if err := (&watch{vault: f, watcher: watcher}).run(t.Context()); !errors.Is(err, fsnotify.ErrClosed) {
		t.Error("watching with a closed watcher:", err)
	}
}

// TestEmptyFileIsReported creates a file that stays empty: the watch waits for its text once, then reports it.
func TestEmptyFileIsReported(t *testing.T) {
	dir := t.TempDir()
	feed := watching(t, reopen(t, dir, t.TempDir()))
	writeNote(t, dir, "Empty.md", "")
	feed.until(names("Empty.md"))
}
