package audit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"obsidian-mcp/internal/fault"
)

// TestWrongPlaces has something in the file's place that is no file of ours.
// Changes are refused, without waiting and without touching it, until it is gone.
func TestWrongPlaces(t *testing.T) {
	tests := []struct {
		name, because string
		put           func(path string) error
		away          func(path string) error
	}{
		{"a folder", "not a regular file (d", func(path string) error { return os.Mkdir(path, 0o700) }, os.Remove},
		{"a pipe", "not a regular file (p", func(path string) error { return unix.Mkfifo(path, 0o600) }, os.Remove},
		{"a link to a device", "not a regular file (L", func(path string) error { return os.Symlink("/dev/full", path) }, os.Remove},
		{"a link to a file", "not a regular file (L", func(path string) error {
			if err := os.WriteFile(path+".victim", []byte("mine"), 0o600); err != nil {
				return err
			}
			return os.Symlink(path+".victim", path)
		}, os.Remove},
		{"a link to nothing", "not a regular file (L", func(path string) error { return os.Symlink(path+".absent", path) }, os.Remove},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			l, told := newLog(t)
			if err := test.put(l.path); err != nil {
				t.Fatal(err)
			}
			mustRefuse(t, l, test.because)
			if err := l.Write(t.Context(), auditLine(1), true); fault.KindOf(err) != fault.StoreUnavailable {
				t.Errorf("Write: %v", err)
			}
			if kept, err := os.ReadFile(l.path + ".victim"); err == nil && string(kept) != "mine" {
				t.Errorf("a file of somebody else has %q", kept)
			}
			if strings.Count(told.String(), l.path) != 1 {
				t.Errorf("the log does not name the file once: %s", told)
			}
			if err := test.away(l.path); err != nil {
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

// TestSwappedAfterTheLook has a device come into the place between looking at
// the file and opening it.
func TestSwappedAfterTheLook(t *testing.T) {
	l, _ := newLog(t)
	if err := os.WriteFile(l.path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	l.fault = func(name string) error {
		if name != "open" {
			return nil
		}
		os.Remove(l.path)
		return unix.Mkfifo(l.path, 0o600)
	}
	mustRefuse(t, l, "not a regular file")
	l.fault = func(name string) error {
		if name != "open" {
			return nil
		}
		os.Remove(l.path)
		return os.Symlink("/dev/null", l.path)
	}
	os.Remove(l.path)
	mustRefuse(t, l, "too many levels of symbolic links")
}

func TestAFileInPlaceOfAFolder(t *testing.T) {
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

// TestReadOnly closes the file to writing: by its mode, or for root, who is
// not bound by modes, by the flag that binds even him.
func TestReadOnly(t *testing.T) {
	l, _ := newLog(t)
	if err := os.WriteFile(l.path, nil, 0o400); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 {
		if err := immutable(l.path, true); err != nil {
			t.Logf("left out: this file system has no flag that binds root: %v", err)
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

// TestFullDisk fills a file system of 256 KB: the change is refused before it
// is made, and the line of the one before is whole. Room that was set aside is there.
func TestFullDisk(t *testing.T) {
	l, _ := newLog(t)
	dir := filepath.Dir(l.path)
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=256k"); err != nil {
		t.Logf("left out: no file system can be mounted here: %v", err)
		return
	}
	defer unix.Unmount(dir, unix.MNT_DETACH)
	defer l.Close()
	mustBeReady(t, l)
	filler := filepath.Join(dir, "filler")
	if err := os.WriteFile(filler, make([]byte, 1<<20), 0o600); err == nil {
		t.Fatal("the disk is not full")
	}
	mustWrite(t, l, auditLine(1)) // in the room that was set aside
	large := auditLine(2)
	large.Paths = []string{strings.Repeat("x", 2*reserved)}
	if err := l.Write(t.Context(), large, true); fault.KindOf(err) != fault.StoreUnavailable {
		t.Fatalf("a line that does not fit: %v", err)
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
