package system

import (
	"os"
	"path/filepath"
	"testing"
)

func openTwice(t *testing.T) (first, second *os.File) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "lock")
	for _, file := range []**os.File{&first, &second} {
		var err error
		if *file, err = os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { (*file).Close() })
	}
	return first, second
}

// TestLock checks that one open file holds the lock until it releases it or is closed.
func TestLock(t *testing.T) {
	first, second := openTwice(t)
	try := func(file *os.File, want bool) {
		t.Helper()
		if held, err := TryLock(file); held != want || err != nil {
			t.Errorf("held %v, want %v (%v)", held, want, err)
		}
	}
	try(first, true)
	try(second, false)
	Unlock(first)
	try(second, true)
	try(first, false)
	second.Close()
	try(first, true)
	first.Close()
	if held, err := TryLock(first); held || err == nil {
		t.Errorf("locked a closed file: %v", err)
	}
}

func TestSyncFolder(t *testing.T) {
	if err := SyncFolder(t.TempDir()); err != nil {
		t.Error(err)
	}
	if err := SyncFolder(filepath.Join(t.TempDir(), "missing")); err == nil {
		t.Error("synced a missing folder")
	}
	if _, err := os.Stat("/proc/self"); err == nil {
		if err := SyncFolder("/proc/self"); err != nil {
			t.Errorf("a file system without syncing: %v", err)
		}
	}
}
