package folder

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/system/disk"
)

// before runs a function before each call of a kind on a file; an empty name means any file.
func before(f *Folder, kind, name string, do func() error) {
	hook(f, func(c disk.Call) error {
		if c.Kind == kind && (c.Name == name || name == "") {
			return do()
		}
		return nil
	})
}

func save(dir, name, text string) error {
	draft := filepath.Join(dir, ".draft")
	return errors.Join(os.WriteFile(draft, []byte(text), 0o644), os.Rename(draft, filepath.Join(dir, name)))
}

// TestOthersBetweenTwoNames has another program act while a note that is being moved has both names.
func TestOthersBetweenTwoNames(t *testing.T) {
	moved := store.Change{Op: store.Move, Path: "A.md", To: "sub/B.md", Base: rev("a")}
	changed := moved
	changed.Data = []byte("ours")
	trashed := store.Change{Op: store.Trash, Path: "A.md", Base: rev("a")}
	inPlace := func(dir string) error { return os.WriteFile(filepath.Join(dir, "A.md"), []byte("theirs"), 0o644) }
	saved := func(dir string) error { return save(dir, "A.md", "theirs") }
	deleted := func(dir string) error { return os.Remove(filepath.Join(dir, "A.md")) }
	theirs := map[string]string{"A.md": "theirs"}
	for name, test := range map[string]struct {
		change store.Change
		act    func(dir string) error
		kind   fault.Kind
		want   map[string]string
	}{
		"saved, moved":       {moved, saved, fault.Conflict, theirs},
		"saved, changed":     {changed, saved, fault.Conflict, theirs},
		"saved, trashed":     {trashed, saved, fault.Conflict, theirs},
		"in place, changed":  {changed, inPlace, fault.Conflict, theirs},
		"in place, moved":    {moved, inPlace, fault.Internal, map[string]string{"sub/B.md": "theirs"}},
		"in place, trashed":  {trashed, inPlace, fault.Internal, map[string]string{".trash/A.md": "theirs"}},
		"deleted by others":  {moved, deleted, fault.Conflict, map[string]string{}},
		"deleted, and trash": {trashed, deleted, fault.Conflict, map[string]string{}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			writeNote(t, dir, "A.md", "a")
			f := reopen(t, dir, t.TempDir())
			linked, acted := false, false
			hook(f, func(c disk.Call) error {
				linked = linked || c.Kind == "link"
				if c.Kind == "syncdir" && linked && !acted {
					acted = true
					return test.act(dir)
				}
				return nil
			})
			if _, err := f.Commit(t.Context(), []store.Change{test.change}); fault.KindOf(err) != test.kind || (err == nil) != (test.kind == fault.Internal) {
				t.Errorf("got %v", err)
			}
			if diff := cmp.Diff(test.want, filesIn(t, dir)); diff != "" {
				t.Error(diff)
			}
			if journals(t, f) > 0 {
				t.Error("a journal is left")
			}
		})
	}
}

// TestTheirVersionIsNeverLost has another program save a note just before it is replaced, and the disk fail when that
// version should be restored.
func TestTheirVersionIsNeverLost(t *testing.T) {
	for name, broken := range map[string][]string{
		"no exchange":                     {"exchange"},
		"no rename either":                {"exchange", "rename"},
		"and no room in the state folder": {"exchange", "rename", "write"},
		"and it cannot be read":           {"exchange", "rename", "open"},
		"and the rollback has no journal": {"exchange", "rename", "create"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			writeNote(t, dir, "A.md", "a")
			f := reopen(t, dir, t.TempDir())
			exchanged := false
			hook(f, func(c disk.Call) error {
				if exchanged && slices.Contains(broken, c.Kind) {
					return syscall.EIO
				}
				if c.Kind == "exchange" {
					exchanged = true
					return save(dir, "A.md", "theirs")
				}
				return nil
			})
			if _, err := f.Commit(t.Context(), []store.Change{{Path: "A.md", Base: rev("a"), Data: []byte("ours")}}); err == nil {
				t.Error("no error")
			}
			texts := slices.AppendSeq(slices.Collect(maps.Values(filesIn(t, dir))), maps.Values(filesIn(t, f.state)))
			if !slices.Contains(texts, "theirs") {
				t.Errorf("their version is lost: %v", filesIn(t, dir))
			}
		})
	}
}

// TestNoHardLinks has another program take a name at the last moment, on a file system without hard links.
func TestNoHardLinks(t *testing.T) {
	for name, test := range map[string]struct {
		change store.Change
		taken  string
		want   map[string]string
	}{
		"create": {store.Change{Path: "N.md", Data: []byte("ours")}, "N.md", map[string]string{"A.md": "a", "N.md": "theirs"}},
		"move":   {store.Change{Op: store.Move, Path: "A.md", To: "N.md", Base: rev("a")}, "N.md", map[string]string{"A.md": "a", "N.md": "theirs"}},
		"moved and changed": {store.Change{Op: store.Move, Path: "A.md", To: "N.md", Base: rev("a"), Data: []byte("x")}, "N.md",
			map[string]string{"A.md": "a", "N.md": "theirs"}},
		"trash": {store.Change{Op: store.Trash, Path: "A.md", Base: rev("a")}, ".trash/A.md", map[string]string{".trash/A.md": "theirs", ".trash/A 2.md": "a"}},
	} {
		for _, taken := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				dir := t.TempDir()
				writeNote(t, dir, "A.md", "a")
				f := reopen(t, dir, t.TempDir())
				before(f, "link", "", func() error {
					if taken {
						writeNote(t, dir, test.taken, "theirs")
					}
					return syscall.EOPNOTSUPP
				})
				_, err := f.Commit(t.Context(), []store.Change{test.change})
				if taken && test.change.Op != store.Trash && !errors.Is(err, fault.AlreadyExists) || !taken && err != nil {
					t.Errorf("got %v", err)
				}
				if diff := cmp.Diff(test.want, filesIn(t, dir)); taken && diff != "" {
					t.Error(diff)
				}
			})
		}
	}
}

// TestFileRemovedRightAfterCommit checks that a note that another program removes right after it was written has no mark.
func TestFileRemovedRightAfterCommit(t *testing.T) {
	dir := t.TempDir()
	f := reopen(t, dir, t.TempDir())
	hook(f, func(c disk.Call) error {
		if c.Kind == "syncdir" && !ofState(f, c) {
			return os.Remove(filepath.Join(dir, "A.md"))
		}
		return nil
	})
	results, err := f.Commit(t.Context(), []store.Change{{Path: "A.md", Data: []byte("a")}})
	if err != nil || results[0].Mark != "" {
		t.Errorf("%+v, %v", results, err)
	}
}

// TestTrashMustNotBeALink checks that a trash that is a symbolic link is refused, even if it becomes one at the last
// moment.
func TestTrashMustNotBeALink(t *testing.T) {
	for _, late := range []bool{false, true} {
		dir, outside := t.TempDir(), t.TempDir()
		writeNote(t, dir, "A.md", "a")
		f := reopen(t, dir, t.TempDir())
		spoil := func() error {
			trash := filepath.Join(dir, ".trash")
			return errors.Join(os.RemoveAll(trash), os.Symlink(outside, trash))
		}
		if late {
			before(f, "link", "", func() error { return errors.Join(spoil(), syscall.EEXIST) })
		} else if err := spoil(); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Commit(t.Context(), []store.Change{{Op: store.Trash, Path: "A.md", Base: rev("a")}}); !errors.Is(err, fault.PermissionDenied) {
			t.Errorf("got %v", err)
		}
		if text, err := os.ReadFile(filepath.Join(dir, "A.md")); len(filesIn(t, outside)) > 0 || string(text) != "a" {
			t.Errorf("%q (%v), and outside %v", text, err, filesIn(t, outside))
		}
	}
}

// TestTwoSpellingsOfOneFile checks that on a disk that respects case, two spellings are two names, and neither replaces
// the other.
func TestTwoSpellingsOfOneFile(t *testing.T) {
	dir := t.TempDir()
	writeNote(t, dir, "note.md", "text")
	if err := os.Link(filepath.Join(dir, "note.md"), filepath.Join(dir, "Note.md")); err != nil {
		cannot(t, err)
	}
	f := reopen(t, dir, t.TempDir())
	if _, err := f.Commit(t.Context(), []store.Change{{Op: store.Move, Path: "note.md", To: "Note.md", Base: rev("text")}}); !errors.Is(err, fault.AlreadyExists) {
		t.Errorf("got %v", err)
	}
}

// TestRespelling renames as on a disk that ignores case.
func TestRespelling(t *testing.T) {
	for _, fails := range []bool{false, true} {
		dir := t.TempDir()
		writeNote(t, dir, "note.md", "text")
		f := reopen(t, dir, t.TempDir())
		u := f.newUnit()
		defer u.close()
		if err := u.plan(store.Change{Op: store.Move, Path: "note.md", To: "Note.md", Base: rev("text"), Data: []byte("new")}); err != nil {
			t.Fatal(err)
		}
		if err := u.stageAll(); err != nil {
			t.Fatal(err)
		}
		failing(f, func(c disk.Call) bool { return fails && c.Kind == "rename" })
		err := u.respell(u.steps[0])
		f.disk.calls.Around = nil
		u.discardAll()
		want := map[string]string{"Note.md": "new"}
		if fails {
			want = map[string]string{"note.md": "text"}
		}
		if diff := cmp.Diff(want, filesIn(t, dir)); diff != "" || (err != nil) != fails {
			t.Error(err, diff)
		}
	}
}

// TestRespellingFolders renames folders as on a disk that ignores case.
func TestRespellingFolders(t *testing.T) {
	dir := t.TempDir()
	writeNote(t, dir, "d/e/note.md", "text")
	f := reopen(t, dir, t.TempDir())
	u := f.newUnit()
	defer u.close()
	if err := u.respellPath("d/e/note.md", "D/E/Note.md"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"D/E/Note.md": "text"}, filesIn(t, dir)); diff != "" {
		t.Error(diff)
	}
	from, err := u.locate("D/E/Note.md")
	if err != nil {
		t.Fatal(err)
	}
	same := from
	same.dir = "d/e" // what another spelling of the folder opens on such a disk
	if bothListed(&step{from: from, to: same}) {
		t.Error("one name is taken for two")
	}
}

// TestOldEchoesAreForgotten keeps the memory of commits small.
func TestOldEchoesAreForgotten(t *testing.T) {
	var own echoes
	for i := range 5000 {
		own.wrote(vpath.Path(time.Duration(i).String()), "mark")
	}
	for path := range own.marks {
		own.marks[path] = echo{"mark", time.Now().Add(-2 * echoLife)}
	}
	own.wrote("A.md", "mark")
	if len(own.marks) != 1 || !own.is("A.md", "mark") {
		t.Errorf("%d echoes are remembered", len(own.marks))
	}
}
