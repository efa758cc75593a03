package folder

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// TestKindOfEntry asks for the kinds of entries as on a file system whose folders hold them, and as on one whose folders
// do not.
func TestKindOfEntry(t *testing.T) {
	dir := t.TempDir()
	writeNote(t, dir, "Folder/Note.md", "x")
	writeNote(t, dir, "Note.md", "x")
	if err := os.Symlink("Note.md", filepath.Join(dir, "Link")); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mkfifo(filepath.Join(dir, "Pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	top, err := reopen(t, dir, t.TempDir()).openTop()
	if err != nil {
		t.Fatal(err)
	}
	defer top.close()
	for _, entry := range []struct {
		name          string
		kind          byte
		listed, asked fs.FileMode
	}{
		{"Note.md", unix.DT_REG, 0, 0},
		{"Folder", unix.DT_DIR, fs.ModeDir, fs.ModeDir},
		{"Link", unix.DT_LNK, fs.ModeSymlink, fs.ModeDevice},
		{"Pipe", unix.DT_FIFO, fs.ModeDevice, fs.ModeDevice},
	} {
		if got, err := top.kindOf(entry.name, entry.kind); got != entry.listed || err != nil {
			t.Errorf("%s as listed: %v, %v", entry.name, got, err)
		}
		if got, err := top.kindOf(entry.name, unix.DT_UNKNOWN); got != entry.asked || err != nil {
			t.Errorf("%s as asked for: %v, %v", entry.name, got, err)
		}
	}
	if _, err := top.kindOf("Gone.md", unix.DT_UNKNOWN); err == nil {
		t.Error("an entry that is gone has a kind")
	}
}
