//go:build linux

package folder

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/system/disk"
)

func TestOnlyAFolderIsOpened(t *testing.T) {
	dir := t.TempDir()
	writeNote(t, dir, "A.md", "a")
	for _, name := range []string{"A.md", "missing", "A.md/below"} {
		if _, err := Open(filepath.Join(dir, name), Options{State: t.TempDir()}); !errors.Is(err, fault.VaultNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
	t.Chdir(dir)
	if err := os.Remove(dir + "/A.md"); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(".", Options{State: t.TempDir()}); !errors.Is(err, fault.VaultNotFound) {
		t.Errorf("a folder that was removed: %v", err)
	}
}

// TestOnlyPlainFilesAreRead asks for things that exist but are not files of the vault.
func TestOnlyPlainFilesAreRead(t *testing.T) {
	dir := t.TempDir()
	writeNote(t, dir, "A.md", "a")
	writeNote(t, dir, ".obsidian/app.json", "{}")
	if err := unix.Mkfifo(filepath.Join(dir, "fifo.md"), 0o644); err != nil {
		t.Fatal(err)
	}
	f := reopen(t, dir, t.TempDir())
	long := vpath.Path(strings.Repeat("n", 300) + ".md")
	for path, kind := range map[vpath.Path]fault.Kind{
		"fifo.md": fault.PermissionDenied, "fifo.md/x.md": fault.PermissionDenied, "no/x.md": fault.NotFound,
		"A.md/x.md": fault.PermissionDenied, long: fault.InvalidArgument,
	} {
		if _, err := f.Stat(t.Context(), path); !errors.Is(err, kind) {
			t.Errorf("stat of %.20s: %v", path, err)
		}
		if _, err := f.Read(t.Context(), path, 100); !errors.Is(err, kind) {
			t.Errorf("read of %.20s: %v", path, err)
		}
	}
	for _, change := range []store.Change{{Path: long, Data: []byte("x")}, {Op: store.Move, Path: "A.md", To: long, Base: rev("a")}} {
		if _, err := f.Commit(t.Context(), []store.Change{change}); !errors.Is(err, fault.InvalidArgument) {
			t.Errorf("a name that is too long: %v", err)
		}
	}
	if file, err := f.Config(t.Context(), "app.json"); err != nil || string(file.Data) != "{}" {
		t.Errorf("settings: %q, %v", file.Data, err)
	}
	writeNote(t, dir, ".obsidian/plugins/calendar/data.json", "[]")
	if err := os.Symlink("calendar", filepath.Join(dir, ".obsidian/plugins/linked")); err != nil {
		t.Fatal(err)
	}
	if file, err := f.Config(t.Context(), "plugins/calendar/data.json"); err != nil || string(file.Data) != "[]" {
		t.Errorf("settings of a plugin: %q, %v", file.Data, err)
	}
	for name, kind := range map[string]fault.Kind{
		"plugins/linked/data.json": fault.PermissionDenied, "plugins/calendar": fault.PermissionDenied, "plugins/none/data.json": fault.NotFound,
	} {
		if file, err := f.Config(t.Context(), name); !errors.Is(err, kind) {
			t.Errorf("settings %s: %q, %v", name, file.Data, err)
		}
	}
	if file, err := f.Config(t.Context(), "../A.md"); err == nil {
		t.Errorf("a note was read as settings: %q", file.Data)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.Read(ended, "A.md", 100); !errors.Is(err, context.Canceled) {
		t.Errorf("read: %v", err)
	}
	if err := f.Scan(ended, func(store.Info) bool { return true }, func(store.Found) {}); !errors.Is(err, context.Canceled) {
		t.Errorf("scan: %v", err)
	}
}

// TestExchangedWhileOpened has another program replace a note between the look at it and its opening, or just after. A scan that opens it
// first finds what is there then.
func TestExchangedWhileOpened(t *testing.T) {
	saved := func(dir string) error {
		return errors.Join(os.WriteFile(dir+"/new", []byte("saved"), 0o644), os.Rename(dir+"/new", dir+"/A.md"))
	}
	for name, test := range map[string]struct {
		before, after func(dir string) error
		want          string
		kind          fault.Kind
	}{
		"saved before":    {before: saved, want: "saved"},
		"saved after":     {before: saved, after: saved, kind: fault.PermissionDenied},
		"a FIFO":          {before: func(dir string) error { return errors.Join(os.Remove(dir+"/A.md"), unix.Mkfifo(dir+"/A.md", 0o600)) }, kind: fault.PermissionDenied},
		"a link":          {before: func(dir string) error { return errors.Join(os.Remove(dir+"/A.md"), os.Symlink("B.md", dir+"/A.md")) }, kind: fault.PermissionDenied},
		"deleted":         {before: func(dir string) error { return os.Remove(dir + "/A.md") }, kind: fault.NotFound},
		"grown too large": {before: func(dir string) error { return os.Truncate(dir+"/A.md", store.MaxScan+1) }, kind: fault.InvalidArgument},
	} {
		t.Run(name, func(t *testing.T) {
			for _, how := range []string{"read", "compared", "scanned"} {
				dir := t.TempDir()
				writeNote(t, dir, "A.md", "a")
				writeNote(t, dir, "B.md", "b")
				f := reopen(t, dir, t.TempDir())
				f.disk.calls.Around = func(c disk.Call, open func() error) error {
					if c.Name != "A.md" {
						return open()
					}
					err := errors.Join(test.before(dir), open())
					if test.after != nil {
						err = errors.Join(err, test.after(dir))
					}
					return err
				}
				if how != "read" {
					got, err := scanOne(t, f, "A.md", how == "compared")
					fails := how == "compared" && test.want == ""
					if test.after == nil && (string(got) != test.want || (err != nil) != fails) {
						t.Errorf("%s %q, %v", how, got, err)
					}
					continue
				}
				file, err := f.Read(t.Context(), "A.md", store.MaxScan)
				if string(file.Data) != test.want || err != nil && !errors.Is(err, test.kind) {
					t.Errorf("read %q, %v", file.Data, err)
				}
			}
		})
	}
}

// scanOne returns what a scan finds for a note, compared with what is known or not.
func scanOne(t *testing.T, f *Folder, path vpath.Path, compared bool) (data []byte, err error) {
	t.Helper()
	visit := func(found store.Found) {
		if found.Path == path {
			data, err = bytes.Clone(found.Data), found.Err
		}
	}
	want := func(info store.Info) bool { return info.Path == path }
	var scanErr error
	if compared {
		scanErr = f.ScanUnknown(t.Context(), func() func(path, mark []byte) bool { return func(path, mark []byte) bool { return false } }, want, visit)
	} else {
		scanErr = f.Scan(t.Context(), want, visit)
	}
	return data, errors.Join(scanErr, err)
}

// TestScanSkipsOtherEntries checks that a scan skips entries that turn out not to be files.
func TestScanSkipsOtherEntries(t *testing.T) {
	dir := t.TempDir()
	writeNote(t, dir, "A.md", "a")
	writeNote(t, dir, "bad\nname.md", "x")
	if err := os.Symlink("A.md", filepath.Join(dir, "link.md")); err != nil {
		t.Fatal(err)
	}
	f := reopen(t, dir, t.TempDir())
	top, err := f.openTop()
	if err != nil {
		t.Fatal(err)
	}
	in := &openFolder{handle: top}
	in.users.Add(1)
	var visited []store.Found
	names := []string{"bad\nname.md", "link.md", "gone.md", strings.Repeat("n", 250) + ".txt.txt", "A.md"}
	visitor := visitor{visits: visits{
		vault: f,
		want:  func(store.Info) bool { return false },
		visit: func(found store.Found) { visited = append(visited, found) },
	}}
	visitor.batch(t.Context(), batch{in, names})
	if len(visited) != 1 || visited[0].Path != "A.md" {
		t.Errorf("%+v", visited)
	}
}

// TestReadFilesOfUnexpectedSize reads files whose size is not what stat said.
func TestReadFilesOfUnexpectedSize(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	text := bytes.Repeat([]byte("0123456789"), 500)
	if err := os.WriteFile(name, text, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		size, limit int64
		refused     bool
	}{{5000, 9000, false}, {10, 9000, false}, {9000, 9000, false}, {10, 600, true}} {
		file, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		got, err := readSized(file, test.size, test.limit, nil)
		if errors.Is(err, syscall.EFBIG) != test.refused || !test.refused && !bytes.HasPrefix(text, got) {
			t.Errorf("size %d, limit %d: %d bytes, %v", test.size, test.limit, len(got), err)
		}
		if _, err := file.Seek(0, 0); err != nil {
			t.Fatal(err)
		}
		if got, err := readAll(int(file.Fd()), make([]byte, 16), test.size); err != nil || test.size >= 5000 && !bytes.Equal(got, text) {
			t.Errorf("size %d: %d bytes, %v", test.size, len(got), err)
		}
		file.Close()
		if _, err := readSized(file, test.size, test.limit, nil); err == nil {
			t.Error("a closed file was read")
		}
	}
	if _, err := readAll(-1, make([]byte, 16), 5); err == nil {
		t.Error("no file was read")
	}
}

// TestEveryErrorHasAKind checks the kinds of errors, and that their messages contain no paths of the machine.
func TestEveryErrorHasAKind(t *testing.T) {
	f := reopen(t, t.TempDir(), t.TempDir())
	for cause, kind := range map[error]fault.Kind{
		syscall.ENOENT: fault.NotFound, syscall.ENOTDIR: fault.NotFound, syscall.EACCES: fault.PermissionDenied, syscall.EPERM: fault.PermissionDenied,
		syscall.ELOOP: fault.PermissionDenied, syscall.ENAMETOOLONG: fault.InvalidArgument, syscall.EROFS: fault.PermissionDenied,
		syscall.EFBIG: fault.InvalidArgument, syscall.EIO: fault.StoreUnavailable, syscall.ENOSPC: fault.StoreUnavailable,
		errors.New("path escapes from parent"): fault.PermissionDenied, fault.Conflict.Errorf("theirs"): fault.Conflict,
	} {
		for _, err := range []error{cause, &fs.PathError{Op: "open", Path: "/home/me/A.md", Err: cause}, &os.LinkError{Op: "link", Old: "/home/me/A.md", New: "/home/me/B.md", Err: cause}} {
			if got := f.explain("A.md", err); !errors.Is(got, kind) || strings.Contains(got.Error(), "/home") {
				t.Errorf("%v becomes %v", err, got)
			}
		}
	}
}

// bare is the description of a file on a system that says next to nothing.
type bare struct{ fs.FileInfo }

func (bare) Sys() any           { return nil }
func (bare) Size() int64        { return 1 }
func (bare) ModTime() time.Time { return time.Unix(0, 2) }

// TestSystemsThatReportLittle describes a file on a system that says next to nothing.
func TestSystemsThatReportLittle(t *testing.T) {
	want := string(appendMark(nil, 1, 2, 0, 0))
	if deviceOf(bare{}) != 0 || markOf(bare{}) != want {
		t.Errorf("device %d, mark %q, want %q", deviceOf(bare{}), markOf(bare{}), want)
	}
	if kind := remoteType(filepath.Join(t.TempDir(), "missing")); kind != "" {
		t.Errorf("a missing folder is on %s", kind)
	}
}

// TestClosedFolder makes calls in a folder that has been closed.
func TestClosedFolder(t *testing.T) {
	dir := t.TempDir()
	f := reopen(t, dir, t.TempDir())
	in, err := f.enter("")
	if err != nil {
		t.Fatal(err)
	}
	in.Close()
	if f.disk.syncNames(in) == nil || f.disk.exchange(in, "a", "b") == nil || namesIn(in) != nil {
		t.Error("a closed folder was used")
	}
	f.Close()
	if _, err := f.Read(t.Context(), "A.md", 10); fault.KindOf(err) == fault.Internal {
		t.Errorf("got %v", err)
	}
}

// TestNamesThatWindowsShortens checks that a name which Windows would take for another one leads nowhere.
func TestNamesThatWindowsShortens(t *testing.T) {
	dir := t.TempDir()
	writeNote(t, dir, "private/A.md", "a")
	for _, alias := range []string{"private/A.md.", "private/A.md ", "private./A.md", "private /A.md"} {
		writeNote(t, dir, alias, "the same file, on Windows")
	}
	f := reopen(t, dir, t.TempDir())
	f.dropsEnds = true
	for _, path := range []vpath.Path{"private/A.md.", "private/A.md ", "private./A.md", "private /A.md"} {
		_, statErr := f.Stat(t.Context(), path)
		_, readErr := f.Read(t.Context(), path, 100)
		_, commitErr := f.Commit(t.Context(), []store.Change{{Path: path, Base: revOf([]byte("the same file, on Windows")), Data: []byte("b")}})
		for _, err := range []error{statErr, readErr} {
			if !errors.Is(err, fault.NotFound) {
				t.Errorf("%q: %v", path, err)
			}
		}
		if !errors.Is(commitErr, fault.Conflict) {
			t.Errorf("%q: %v", path, commitErr)
		}
	}
	for _, changes := range [][]store.Change{
		{{Path: "B.md.", Base: store.Absent, Data: []byte("b")}},
		{{Op: store.Move, Path: "private/A.md", To: "private/B.md ", Base: revOf([]byte("a"))}},
	} {
		if _, err := f.Commit(t.Context(), changes); !errors.Is(err, fault.InvalidArgument) {
			t.Errorf("%+v: %v", changes, err)
		}
	}
	if file, err := f.Read(t.Context(), "private/A.md", 100); err != nil || string(file.Data) != "a" {
		t.Errorf("%q, %v", file.Data, err)
	}
}
