package folder

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"obsidian-mcp/internal/store"
)

// TestBirth checks that both a scan and a read return when a note was created, whatever its modification time.
func TestBirth(t *testing.T) {
	dir := t.TempDir()
	writeNote(t, dir, "A.md", "a")
	writeNote(t, dir, "B.md", "b")
	var stat unix.Statx_t
	if err := unix.Statx(unix.AT_FDCWD, filepath.Join(dir, "A.md"), 0, unix.STATX_BTIME, &stat); err != nil || stat.Mask&unix.STATX_BTIME == 0 {
		t.Skipf("this file system does not say when a file was created: %v", err)
	}
	changed := time.Now().Add(-time.Hour)
	if err := os.Chtimes(filepath.Join(dir, "A.md"), changed, changed); err != nil {
		t.Fatal(err)
	}
	f := reopen(t, dir, t.TempDir())
	var mu sync.Mutex // guards scanned
	scanned := map[string]store.Info{}
	err := f.Scan(t.Context(), func(store.Info) bool { return true }, func(found store.Found) {
		mu.Lock()
		defer mu.Unlock()
		scanned[string(found.Path)] = found.Info
	})
	if err != nil {
		t.Fatal(err)
	}
	born := scanned["A.md"].Created
	if !born.Equal(time.Unix(stat.Btime.Sec, int64(stat.Btime.Nsec))) || born.After(scanned["B.md"].Created) {
		t.Errorf("A was made at %v, and B at %v", born, scanned["B.md"].Created)
	}
	read, err := f.Read(t.Context(), "A.md", 100)
	if err != nil || !read.Created.Equal(born) || !read.Modified.Equal(scanned["A.md"].Modified) {
		t.Errorf("read: %v and %v, scanned: %v and %v: %v", read.Created, read.Modified, born, scanned["A.md"].Modified, err)
	}
}
