package audit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/system/disk"
)

// TestOnlyRegularFilesAreOpened puts other things at the log's path. Changes are refused at once, without
// touching what is there, until it is removed.
func TestOnlyRegularFilesAreOpened(t *testing.T) {
	tests := []struct {
		name, because string
		create        func(path string) error
	}{
		{"a folder", "not a regular file (d", func(path string) error { return os.Mkdir(path, 0o700) }},
		{"a pipe", "not a regular file (p", func(path string) error { return unix.Mkfifo(path, 0o600) }},
		{"a link to a device", "not a regular file (L", func(path string) error { return os.Symlink("/dev/full", path) }},
		{"a link to a file", "not a regular file (L", func(path string) error {
			if err := os.WriteFile(path+".victim", []byte("mine"), 0o600); err != nil {
				return err
			}
			return os.Symlink(path+".victim", path)
		}},
		{"a link to nothing", "not a regular file (L", func(path string) error { return os.Symlink(path+".absent", path) }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			l, logged := newLog(t)
			if err := test.create(l.path); err != nil {
				t.Fatal(err)
			}
			mustRefuse(t, l, test.because)
			if err := l.Write(t.Context(), auditLine(1), true); fault.KindOf(err) != fault.StoreUnavailable {
				t.Errorf("Write: %v", err)
			}
			if kept, err := os.ReadFile(l.path + ".victim"); err == nil && string(kept) != "mine" {
				t.Errorf("the link's target was overwritten with %q", kept)
			}
			if strings.Count(logged.String(), l.path) != 1 {
				t.Errorf("the server's log does not name the file exactly once: %s", logged)
			}
			if err := os.Remove(l.path); err != nil {
				t.Fatal(err)
			}
			mustBeReady(t, l)
			if got := tools(t, l.path); got != "tool1" {
				t.Errorf("the file has %s", got)
			}
		})
	}
}

func TestDevicesAreRefused(t *testing.T) {
	for _, name := range []string{"/dev/full", "/dev/null", "/dev/tty"} {
		l, _ := newLog(t)
		l.path = name
		mustRefuse(t, l, "not a regular file")
	}
}

// TestFileSwappedBeforeOpen replaces the file between the check and the open.
func TestFileSwappedBeforeOpen(t *testing.T) {
	l, _ := newLog(t)
	if err := os.WriteFile(l.path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	l.disk.Before(func(call disk.Call) error {
		if call.Kind != "open" {
			return nil
		}
		os.Remove(l.path)
		return unix.Mkfifo(l.path, 0o600)
	})
	mustRefuse(t, l, "not a regular file")
	l.disk.Before(func(call disk.Call) error {
		if call.Kind != "open" {
			return nil
		}
		os.Remove(l.path)
		return os.Symlink("/dev/null", l.path)
	})
	os.Remove(l.path)
	mustRefuse(t, l, "too many levels of symbolic links")
}

func TestParentIsNotAFolder(t *testing.T) {
	l, _ := newLog(t)
	parent := filepath.Join(filepath.Dir(l.path), "parent")
	l.path = filepath.Join(parent, "audit.jsonl")
	if err := os.WriteFile(parent, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	mustRefuse(t, l, "not a directory")
	if err := os.Remove(parent); err != nil {
		t.Fatal(err)
	}
	mustBeReady(t, l)
	if err := os.Rename(parent, parent+".old"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(parent, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	mustRefuse(t, l, "not a directory")
}

// TestReadOnlyFile makes the file read-only: by its mode, or for root, which
// ignores modes, by the immutable flag.
func TestReadOnlyFile(t *testing.T) {
	l, _ := newLog(t)
	if err := os.WriteFile(l.path, nil, 0o400); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 {
		if err := immutable(l.path, true); err != nil {
			t.Logf("not tested: this file system has no immutable flag: %v", err)
			return
		}
		defer immutable(l.path, false)
	}
	mustRefuse(t, l, "permi") // not permitted, or permission denied
	if err := immutable(l.path, false); err != nil && os.Geteuid() == 0 {
		t.Fatal(err)
	}
	if err := os.Chmod(l.path, 0o600); err != nil {
		t.Fatal(err)
	}
	mustBeReady(t, l)
}

func immutable(path string, on bool) error {
	const flagImmutable = 0x10
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	flags, err := unix.IoctlGetInt(int(file.Fd()), unix.FS_IOC_GETFLAGS)
	if err != nil {
		return err
	}
	flags &^= flagImmutable
	if on {
		flags |= flagImmutable
	}
	return unix.IoctlSetPointerInt(int(file.Fd()), unix.FS_IOC_SETFLAGS, flags)
}

// TestFullDisk fills a file system of 256 KB: the next change is refused before it starts, the last line is
// intact, and reserved space can still be written.
func TestFullDisk(t *testing.T) {
	l, _ := newLog(t)
	dir := filepath.Dir(l.path)
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=256k"); err != nil {
		t.Logf("not tested: cannot mount a file system here: %v", err)
		return
	}
	defer unix.Unmount(dir, unix.MNT_DETACH)
	defer l.Close()
	mustBeReady(t, l)
	filler := filepath.Join(dir, "filler")
	if err := os.WriteFile(filler, make([]byte, 1<<20), 0o600); err == nil {
		t.Fatal("the disk is not full")
	}
	mustWrite(t, l, auditLine(1)) // into the reserved space
	large := auditLine(2)
	large.Paths = []string{strings.Repeat("x", 2*reserved)}
	if err := l.Write(t.Context(), large, true); fault.KindOf(err) != fault.StoreUnavailable {
		t.Fatalf("line that does not fit: %v", err)
	}
	if got := tools(t, l.path); got != "tool1" {
		t.Errorf("the file has %s", got)
	}
	mustRefuse(t, l, "no space left on device")
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	mustBeReady(t, l)
	if got := tools(t, l.path); got != "tool1 tool2" {
		t.Errorf("the file has %s", got)
	}
}
