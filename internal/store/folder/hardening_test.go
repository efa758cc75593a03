//go:build linux

package folder

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/system/disk"
	"obsidian-mcp/internal/testkit/mode"
)

// TestAttributesAreKept replaces a note that has its own mode, owner and extended attributes.
func TestAttributesAreKept(t *testing.T) {
	dir := t.TempDir()
	f := reopen(t, dir, t.TempDir())
	writeNote(t, dir, "A.md", "old")
	name := filepath.Join(dir, "A.md")
	if err := os.Chmod(name, 0o604); err != nil {
		t.Fatal(err)
	}
	attributes := unix.Setxattr(name, "user.colour", []byte("red"), 0) == nil
	owned := os.Chown(name, 12345, 54321) == nil
	if _, err := f.Commit(t.Context(), []store.Change{{Path: "A.md", Base: revOf([]byte("old")), Data: []byte("new")}}); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(name)
	if err != nil || info.Mode() != 0o604 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if stat := info.Sys().(*syscall.Stat_t); owned && (stat.Uid != 12345 || stat.Gid != 54321) {
		t.Errorf("owner %d:%d", stat.Uid, stat.Gid)
	}
	value := make([]byte, 16)
	if n, err := unix.Getxattr(name, "user.colour", value); attributes && (err != nil || string(value[:n]) != "red") {
		t.Errorf("attribute %q, %v", value[:max(n, 0)], err)
	}
	if !attributes || !owned {
		t.Logf("not everything could be tried here: attributes %v, owner %v", attributes, owned)
	}
}

func TestHardLinkKeepsItsOtherName(t *testing.T) {
	dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "outside.md")
	f := reopen(t, dir, t.TempDir())
	if err := os.WriteFile(outside, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(outside, filepath.Join(dir, "A.md")); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Commit(t.Context(), []store.Change{{Path: "A.md", Base: revOf([]byte("old")), Data: []byte("new")}}); err != nil {
		t.Fatal(err)
	}
	if content, _ := os.ReadFile(outside); string(content) != "old" {
		t.Errorf("the other name holds %q", content)
	}
}

func TestCloudPlaceholderIsNotAMissingNote(t *testing.T) {
	dir := t.TempDir()
	f := reopen(t, dir, t.TempDir())
	writeNote(t, dir, ".Note.md.icloud", "")
	_, err := f.Commit(t.Context(), []store.Change{{Path: "Note.md", Data: []byte("x")}})
	if !errors.Is(err, fault.PermissionDenied) {
		t.Errorf("got %v", err)
	}
}

// TestVanishedFolder moves the vault away: its notes must not look deleted.
func TestVanishedFolder(t *testing.T) {
	base := t.TempDir()
	dir := filepath.Join(base, "vault")
	writeNote(t, dir, "A.md", "x")
	f := reopen(t, dir, t.TempDir())
	if err := os.Rename(dir, filepath.Join(base, "away")); err != nil {
		t.Fatal(err)
	}
	for _, replaced := range []bool{false, true} {
		if replaced {
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := f.Scan(t.Context(), func(store.Info) bool { return true }, func(store.Found) {}); !errors.Is(err, fault.StoreUnavailable) {
			t.Errorf("scan: %v", err)
		}
		if _, err := f.Stat(t.Context(), "B.md"); !errors.Is(err, fault.StoreUnavailable) {
			t.Errorf("stat: %v", err)
		}
		if _, err := f.Commit(t.Context(), []store.Change{{Path: "N.md", Data: []byte("x")}}); !errors.Is(err, fault.StoreUnavailable) {
			t.Errorf("commit: %v", err)
		}
	}
}

// TestUnreadableFileIsReported scans a vault with a file that cannot be read.
func TestUnreadableFileIsReported(t *testing.T) {
	dir := t.TempDir()
	writeNote(t, dir, "A.md", "x")
	writeNote(t, dir, "closed/B.md", "x")
	f := reopen(t, dir, t.TempDir())
	hook(f, func(c disk.Call) error {
		if c.Kind == "open" && c.Name == "A.md" {
			return syscall.EIO
		}
		return nil
	})
	var mu sync.Mutex
	var failed []vpath.Path
	err := f.Scan(t.Context(), func(store.Info) bool { return true }, func(found store.Found) {
		mu.Lock()
		defer mu.Unlock()
		if found.Err != nil {
			failed = append(failed, found.Path)
		}
	})
	if err != nil || !slices.Equal(failed, []vpath.Path{"A.md"}) {
		t.Errorf("failed %v, %v", failed, err)
	}
}

func TestPollingAsksForScans(t *testing.T) {
	f, err := Open(t.TempDir(), Options{State: t.TempDir(), Poll: 10 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	select {
	case event := <-f.Watch(t.Context()):
		if !event.All {
			t.Errorf("%+v", event)
		}
	case <-time.After(mode.Patience):
		t.Error("no event came")
	}
}

// TestTemporaryFilesAreSwept checks that a scan removes our temporary files, unless a commit is running, those of other
// machines when they are old, and those of other programs never.
func TestTemporaryFilesAreSwept(t *testing.T) {
	dir := t.TempDir()
	f := reopen(t, dir, t.TempDir())
	far := &Folder{tag: tagOf("far away")}
	ours, inTrash, inConfig := f.temporaryName(), ".trash/"+f.temporaryName(), ".obsidian/"+f.temporaryName()
	old, fresh, other := far.temporaryName(), far.temporaryName(), ".other.tmp"
	for _, name := range []string{ours, inTrash, inConfig, old, fresh, other} {
		writeNote(t, dir, name, "x")
	}
	yesterday := time.Now().Add(-24 * time.Hour)
	for _, name := range []string{old, other} {
		if err := os.Chtimes(filepath.Join(dir, name), yesterday, yesterday); err != nil {
			t.Fatal(err)
		}
	}
	scan := func() map[string]string {
		if err := f.Scan(t.Context(), func(store.Info) bool { return false }, func(store.Found) {}); err != nil {
			t.Fatal(err)
		}
		return filesIn(t, dir)
	}
	unlock, err := f.lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{ours: "x", inTrash: "x", inConfig: "x", fresh: "x", other: "x"}, scan()); diff != "" {
		t.Errorf("while a commit is being made: %s", diff)
	}
	unlock()
	if diff := cmp.Diff(map[string]string{fresh: "x", other: "x"}, scan()); diff != "" {
		t.Error(diff)
	}
}

// TestMountsAreClosed mounts another file system into the vault, if the machine allows it.
func TestMountsAreClosed(t *testing.T) {
	dir := t.TempDir()
	writeNote(t, dir, "A.md", "a")
	if err := os.Mkdir(filepath.Join(dir, "mnt"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("tmpfs", filepath.Join(dir, "mnt"), "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("mounting is not allowed here: %v", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(filepath.Join(dir, "mnt"), unix.MNT_DETACH) })
	writeNote(t, dir, "mnt/B.md", "b")
	f := reopen(t, dir, t.TempDir())
	var mu sync.Mutex
	var seen []vpath.Path
	err := f.Scan(t.Context(), func(store.Info) bool { return true }, func(found store.Found) {
		mu.Lock()
		defer mu.Unlock()
		if !found.Folder {
			seen = append(seen, found.Path)
		}
	})
	if err != nil || !slices.Equal(seen, []vpath.Path{"A.md"}) {
		t.Errorf("seen %v, %v", seen, err)
	}
	if _, err := f.Read(t.Context(), "mnt/B.md", 100); !errors.Is(err, fault.PermissionDenied) {
		t.Errorf("read: %v", err)
	}
	if _, err := f.Commit(t.Context(), []store.Change{{Path: "mnt/C.md", Data: []byte("c")}}); !errors.Is(err, fault.PermissionDenied) {
		t.Errorf("write: %v", err)
	}
}
