package folder

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/system/disk"
)

// TestSavedInPlace has another program hold a note open while it is changed: what it then writes is never lost.
func TestSavedInPlace(t *testing.T) {
	for name, change := range map[string]store.Change{
		"edited": {Path: "A.md", Base: rev("a"), Data: []byte("ours")},
		"moved":  {Op: store.Move, Path: "A.md", To: "B.md", Base: rev("a"), Data: []byte("ours")},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			writeNote(t, dir, "A.md", "a")
			f := reopen(t, dir, t.TempDir())
			if !beingWrittenIsKnown(t, f) {
				t.Skip("this system does not say which files are open")
			}
			writer, err := os.OpenFile(filepath.Join(dir, "A.md"), os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			synctest.Test(t, func(t *testing.T) { _, err = f.Commit(t.Context(), []store.Change{change}) }) // it waits a little
			if _, writeErr := writer.WriteString("theirs"); writeErr != nil || writer.Close() != nil {
				t.Fatal(writeErr)
			}
			if !errors.Is(err, fault.Conflict) {
				t.Errorf("got %v", err)
			}
			if diff := cmp.Diff(map[string]string{"A.md": "theirs"}, filesIn(t, dir)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func beingWrittenIsKnown(t *testing.T, f *Folder) bool {
	writer, err := os.OpenFile(filepath.Join(f.dir, "A.md"), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	return beingWritten(f.root, "A.md")
}

// TestReadWaitsForASaveInPlace reads a note that is being saved in place.
func TestReadWaitsForASaveInPlace(t *testing.T) {
	dir := t.TempDir()
	writeNote(t, dir, "A.md", "a")
	f := reopen(t, dir, t.TempDir())
	if !beingWrittenIsKnown(t, f) {
		t.Skip("this system does not say which files are open")
	}
	writer, err := os.OpenFile(filepath.Join(dir, "A.md"), os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		t.Fatal(err)
	}
	reads := 0
	hook(f, func(c disk.Call) error {
		if reads++; reads == 3 {
			_, err := writer.WriteString("whole")
			return errors.Join(err, writer.Close())
		}
		return nil
	})
	if file, err := f.Read(t.Context(), "A.md", 100); err != nil || string(file.Data) != "whole" {
		t.Errorf("%q, %v", file.Data, err)
	}
}

// TestSetAside keeps both files when another program has saved two under one name.
func TestSetAside(t *testing.T) {
	dir := t.TempDir()
	writeNote(t, dir, "A.md", "a")
	writeNote(t, dir, "A (conflict 1).md", "of another day")
	f := reopen(t, dir, t.TempDir())
	u := f.newUnit()
	defer u.close()
	at, err := u.locate("A.md")
	if err != nil {
		t.Fatal(err)
	}
	before(f, "link", "", func() error {
		if _, err := os.Lstat(filepath.Join(dir, "A.md")); err != nil {
			return save(dir, "A.md", "their second")
		}
		return nil
	})
	err = u.removeIf(at, func(string) bool { return false })
	if !errors.Is(err, errChanged) {
		t.Errorf("got %v", err)
	}
	want := map[string]string{"A.md": "their second", "A (conflict 1).md": "of another day", "A (conflict 2).md": "a"}
	if diff := cmp.Diff(want, filesIn(t, dir)); diff != "" {
		t.Error(diff)
	}
}

// TestNoMoveBesideAPlaceholder checks that a name is refused if iCloud holds a file of that name.
func TestNoMoveBesideAPlaceholder(t *testing.T) {
	for _, late := range []bool{false, true} {
		for name, change := range map[string]store.Change{
			"made":  {Path: "B.md", Data: []byte("x")},
			"moved": {Op: store.Move, Path: "A.md", To: "B.md", Base: rev("a")},
		} {
			dir := t.TempDir()
			writeNote(t, dir, "A.md", "a")
			f := reopen(t, dir, t.TempDir())
			if late {
				during(f, "write", func() { writeNote(t, dir, ".B.md.icloud", "") })
			} else {
				writeNote(t, dir, ".B.md.icloud", "")
			}
			if _, err := f.Commit(t.Context(), []store.Change{change}); !errors.Is(err, fault.PermissionDenied) {
				t.Errorf("%s: %v", name, err)
			}
			if diff := cmp.Diff(map[string]string{"A.md": "a", ".B.md.icloud": ""}, filesIn(t, dir)); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
		}
	}
}
