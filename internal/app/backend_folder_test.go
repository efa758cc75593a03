package app

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store/folder"
)

// A vault is opened again when its drive is mounted again, but the empty folder beneath the mount is not.
func TestVaultIsOpenedAgainAfterRemount(t *testing.T) {
	t.Parallel()
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
	t.Parallel()
	base := realFolder(t.TempDir())
	writeFiles(t, base, map[string]string{"real/vault/A.md": ""})
	if err := os.Symlink(filepath.Join(base, "real"), filepath.Join(base, "link")); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"real/vault": "real/vault", "link/vault": "real/vault", "link/vault/": "real/vault", "link/none/below": "real/none/below", "none/below": "none/below", ".": ".",
	} {
		if got := realFolder(filepath.Join(base, path)); got != filepath.Join(base, want) {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
	if got := realFolder("/"); got != "/" {
		t.Errorf("/ is %s", got)
	}
}

// A client may start the program in a folder that has been removed.
func TestStartInRemovedFolder(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not remove the working folder of a process")
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
