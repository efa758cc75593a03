package app

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"testing"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store/folder"
)

// TestWhyAFolderCannotBeOpened: each reason in words, and what to do about it.
func TestWhyAFolderCannotBeOpened(t *testing.T) {
	at := func(err error) error { return &fs.PathError{Op: "stat", Path: "/mnt/x", Err: err} }
	for name, c := range map[string]struct {
		err  error
		kind fault.Kind
		want string
	}{
		"missing":     {at(syscall.ENOENT), fault.VaultNotFound, "there is no such folder"},
		"closed":      {at(syscall.EACCES), fault.VaultNotFound, "this user may not open the folder"},
		"dead FUSE":   {at(syscall.ENOTCONN), fault.StoreUnavailable, "the vault's folder cannot be reached: transport endpoint is not connected"},
		"dead NFS":    {at(syscall.ESTALE), fault.StoreUnavailable, "the vault's folder cannot be reached: " + syscall.ESTALE.Error()},
		"pulled disk": {at(syscall.EIO), fault.StoreUnavailable, "the vault's folder cannot be reached: input/output error"},
		"other":       {at(syscall.EMFILE), fault.VaultNotFound, "the vault's folder cannot be opened: too many open files"},
		"a file":      {fault.VaultNotFound.Errorf("x is not a folder"), fault.VaultNotFound, "x is not a folder"},
	} {
		err := explainFolder(c.err)
		if fault.KindOf(err) != c.kind || err.Error() != c.want || fault.HintOf(err) == "" {
			t.Errorf("%s: %v: %v (%s)", name, fault.KindOf(err), err, fault.HintOf(err))
		}
	}
}

// TestAwayOnEachSystem: Windows has its own numbers, which mean other things
// elsewhere.
func TestAwayOnEachSystem(t *testing.T) {
	for _, c := range []struct {
		system string
		err    error
		want   bool
	}{
		{"linux", syscall.ENOTCONN, true}, {"darwin", syscall.ETIMEDOUT, true}, {"linux", syscall.ENOENT, false},
		{"windows", syscall.Errno(53), true}, {"windows", syscall.Errno(21), true}, {"linux", syscall.Errno(21), false},
		{"linux", errors.New("x"), false}, {"linux", fmt.Errorf("a: %w", syscall.EHOSTDOWN), true},
	} {
		if got := isAwayOn(c.system, c.err); got != c.want {
			t.Errorf("%s, %v: %t", c.system, c.err, got)
		}
	}
}

// TestOneDamagedFileIsNotTheDrive: a call's failure is put into other words only
// where the drive is gone.
func TestOneDamagedFileIsNotTheDrive(t *testing.T) {
	gone := fault.StoreUnavailable.Errorf(`"": %w`, syscall.ENOTCONN)
	if err := explainCall(gone); err.Error() != "the vault's folder cannot be reached: transport endpoint is not connected" || fault.HintOf(err) != driveHint {
		t.Errorf("%v", err)
	}
	for _, err := range []error{fault.StoreUnavailable.Errorf(`"A.md": %w`, syscall.EIO), fault.NotFound.Errorf("none")} {
		if explainCall(err) != err {
			t.Errorf("%v", explainCall(err))
		}
	}
}

// TestDriveMountedAnew: a vault is opened again where it was, and the folder
// beneath its mount never is.
func TestDriveMountedAnew(t *testing.T) {
	base := t.TempDir()
	dir := filepath.Join(base, "mnt")
	fill := func(names ...string) {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			writeFiles(t, dir, map[string]string{name: "text"})
		}
	}
	away := 0
	unmount := func() {
		away++
		if err := os.Rename(dir, filepath.Join(base, fmt.Sprint("away", away))); err != nil {
			t.Fatal(err)
		}
	}
	opener := &folderOpener{dir: dir, options: folder.Options{State: filepath.Join(base, "state")}}
	if _, err := opener.open(); !errors.Is(err, fault.VaultNotFound) {
		t.Errorf("there is no folder: %v", err)
	}
	for i, c := range []struct {
		names []string
		lost  bool
	}{
		{[]string{"A.md", "B.md", "C.md"}, true}, {nil, false}, {[]string{"A.md", "new.md", "C.md"}, true},
		{[]string{"A.md", "other.md"}, false}, {[]string{"other.md"}, false}, {[]string{"C.md", "A.md"}, true},
	} {
		if i > 0 {
			unmount()
		}
		fill(c.names...)
		if lost := opener.lost(); lost != c.lost {
			t.Errorf("%d: lost is %t", i, lost)
		}
		in, err := opener.open()
		if (err == nil) != c.lost || err != nil && !errors.Is(err, fault.StoreUnavailable) {
			t.Errorf("%d: %v", i, err)
		}
		if err == nil {
			in.Close()
		}
	}
}

func TestRealFolder(t *testing.T) {
	base := realFolder(t.TempDir())
	writeFiles(t, base, map[string]string{"real/vault/A.md": ""})
	if err := os.Symlink(filepath.Join(base, "real"), filepath.Join(base, "link")); err != nil {
		t.Fatal(err)
	}
	for given, want := range map[string]string{
		"real/vault": "real/vault", "link/vault": "real/vault", "link/vault/": "real/vault", "link/none/below": "real/none/below", "none/below": "none/below", ".": ".",
	} {
		if got := realFolder(filepath.Join(base, given)); got != filepath.Join(base, want) {
			t.Errorf("%s is %s", given, got)
		}
	}
	if got := realFolder("/"); got != "/" {
		t.Errorf("/ is %s", got)
	}
}

// TestStartedNowhere: a client may start the program in a folder that is gone.
func TestStartedNowhere(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there, a folder that somebody is in cannot go")
	}
	vault, gone := vaultWith(t, map[string]string{"a.md": "a"}), filepath.Join(t.TempDir(), "gone")
	if err := os.Mkdir(gone, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"call", "list_notes"}, {"doctor", "--port", "0"}} {
		cmd := command(t, vault, args...)
		cmd.Args = slices.Concat([]string{"sh", "-c", `cd "$0" && rmdir "$0" && exec "$@"`, gone}, cmd.Args)
		cmd.Path = "/bin/sh"
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", args[0], err, out)
		}
		if err := os.Mkdir(gone, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}
