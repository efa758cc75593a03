package folder

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/system/disk"
)

// The tests of failing disks and power cuts make these commits.

// example is a commit on a vault of a few notes.
type example struct {
	name    string
	changes []store.Change
	now     map[string]string // files that the commit changes; it removes those with an empty text
	spoilt  map[string]string // files that another program writes when the first name changes, so that the commit fails
}

func exampleNotes() map[string]string {
	return map[string]string{
		"A.md": "the note", "f0/B.md": "B links to [[A]]", "f0/C.md": "C links to [[A]]", "f1/D.md": "D links to [[A]]",
		".obsidian/app.json": `{"a":1}`,
	}
}

func examples() []example {
	links := func() (changes []store.Change) {
		for _, name := range []string{"f0/B.md", "f0/C.md", "f1/D.md"} {
			changes = append(changes, edit(name, exampleNotes()[name]+", now [[sub/New]]"))
		}
		return changes
	}
	linked := func(more map[string]string) map[string]string {
		now := maps.Clone(more)
		for _, change := range links() {
			now[string(change.Path)] = string(change.Data)
		}
		return now
	}
	move := store.Change{Op: store.Move, Path: "A.md", To: "sub/deep/New.md", Base: rev("the note")}
	moveChanged := move
	moveChanged.Data = []byte("the note, moved")
	trash := store.Change{Op: store.Trash, Path: "f0/B.md", Base: rev(exampleNotes()["f0/B.md"])}
	trashed := map[string]string{"f0/B.md": "", ".trash/f0/B.md": exampleNotes()["f0/B.md"]}
	spoilt := map[string]string{"f1/D.md": "edited by others"}
	return []example{
		{name: "create", changes: []store.Change{{Path: "new/deep/N.md", Data: []byte("new"), Modified: time.Unix(1e9, 0)}}, now: map[string]string{"new/deep/N.md": "new"}},
		{name: "edit", changes: []store.Change{edit("A.md", "edited")}, now: map[string]string{"A.md": "edited"}},
		{name: "settings", changes: []store.Change{{Op: store.WriteConfig, Config: "app.json", Base: rev(`{"a":1}`), Data: []byte("{}")}}, now: map[string]string{".obsidian/app.json": "{}"}},
		{name: "move", changes: []store.Change{move}, now: map[string]string{"A.md": "", "sub/deep/New.md": "the note"}},
		{name: "delete", changes: []store.Change{trash}, now: trashed},
		{name: "delete with links", changes: []store.Change{trash, edit("A.md", "no link"), edit("f1/D.md", "no link")},
			now: map[string]string{"f0/B.md": "", ".trash/f0/B.md": exampleNotes()["f0/B.md"], "A.md": "no link", "f1/D.md": "no link"}},
		{name: "rename with links", changes: append(links(), moveChanged), now: linked(map[string]string{"A.md": "", "sub/deep/New.md": "the note, moved"})},
		{name: "move of many", changes: []store.Change{move, trash,
			{Op: store.Move, Path: "f0/C.md", To: "f1/C.md", Base: rev(exampleNotes()["f0/C.md"]), Data: []byte("C, moved")},
			{Op: store.Move, Path: "f1/D.md", To: "f0/D.md", Base: rev(exampleNotes()["f1/D.md"])}},
			now: map[string]string{"A.md": "", "sub/deep/New.md": "the note", "f0/B.md": "", ".trash/f0/B.md": exampleNotes()["f0/B.md"],
				"f0/C.md": "", "f1/C.md": "C, moved", "f1/D.md": "", "f0/D.md": exampleNotes()["f1/D.md"]}},
		{name: "rollback of a rename", changes: append([]store.Change{moveChanged}, links()...), spoilt: spoilt},
		{name: "rollback of a delete", changes: append([]store.Change{{Path: "new/N.md", Data: []byte("new")}, {Op: store.Trash, Path: "A.md", Base: rev("the note")}}, links()[2]), spoilt: spoilt},
	}
}

// examplesOfRun are the examples that this run tries on failing disks.
func examplesOfRun() []example {
	if !testing.Short() {
		return examples()
	}
	return slices.DeleteFunc(examples(), func(e example) bool {
		return e.name != "edit" && e.name != "delete with links" && e.name != "rollback of a delete"
	})
}

func edit(name, text string) store.Change {
	return store.Change{Path: vpathOf(name), Base: rev(exampleNotes()[name]), Data: []byte(text)}
}

// before and after are the vault's files before and after the commit.
func (e example) before() map[string]string { return changed(exampleNotes(), e.spoilt) }
func (e example) after() map[string]string  { return changed(e.before(), e.now) }

func changed(files, by map[string]string) map[string]string {
	files = maps.Clone(files)
	for name, text := range by {
		if files[name] = text; text == "" {
			delete(files, name)
		}
	}
	return files
}

// forward is the vault after a commit that another program spoilt, if it could only be finished because its rollback was
// not journalled yet.
func (e example) forward(spoilt map[string]string) map[string]string {
	files := exampleNotes()
	for _, change := range e.changes {
		switch change.Op {
		case store.Move:
			delete(files, string(change.Path))
			files[string(change.To)] = string(change.Data)
		case store.Trash:
			files[".trash/"+string(change.Path)] = files[string(change.Path)]
			delete(files, string(change.Path))
		default:
			files[string(change.Path)] = string(change.Data)
		}
	}
	return changed(files, spoilt)
}

// commit makes the commit. Another program writes its notes once, when a name is about to change or, if that does not
// happen, afterwards; then done is called.
func (e example) commit(t *testing.T, f *Folder, done func()) error {
	around := f.disk.calls.Around
	var once sync.Once
	spoil := func() {
		for name, text := range e.spoilt {
			writeNote(t, f.dir, name, text)
		}
		done()
	}
	f.disk.calls.Around = func(c disk.Call, run func() error) error {
		if c.Kind == "exchange" || c.Kind == "link" {
			once.Do(spoil)
		}
		if around == nil {
			return run()
		}
		return around(c, run)
	}
	_, err := f.Commit(t.Context(), e.changes)
	f.disk.calls.Around = around
	once.Do(spoil)
	return err
}

// layNotes writes the vault of the examples into a folder.
func layNotes(t *testing.T, dir string) {
	t.Helper()
	for name, text := range exampleNotes() {
		writeNote(t, dir, name, text)
	}
}

// quickDir is a folder in memory, if the machine has one, so that thousands of attempts do not wait for a disk.
func quickDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "vault")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// emptyDir removes everything in a folder.
func emptyDir(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if err := os.RemoveAll(filepath.Join(dir, entry.Name())); err != nil {
			t.Fatal(err)
		}
	}
}

// foldersIn returns every folder below a folder.
func foldersIn(t *testing.T, dir string) (folders []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && name != dir {
			folders = append(folders, strings.TrimPrefix(name, dir))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return folders
}

// notesIn returns every file below a folder, except temporary ones.
func notesIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := filesIn(t, dir)
	maps.DeleteFunc(files, func(name, _ string) bool { return isTemporary(filepath.Base(name)) })
	return files
}
