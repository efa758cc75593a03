package folder

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/system/disk"
)

// sealed returns a journal with a correct sum and any content.
func sealed(length uint64, rest string) []byte {
	content := append(binary.BigEndian.AppendUint64(nil, length), rest...)
	sum := sha256.Sum256(content)
	return append(content, sum[:]...)
}

func TestInvalidJournalsAreIgnored(t *testing.T) {
	for name, content := range map[string][]byte{
		"an empty file":                 nil,
		"a length beyond the end":       sealed(99, "[]"),
		"invalid JSON":                  sealed(2, "{]"),
		"fewer bytes than listed":       sealed(12, `[{"size":5}]four`),
		"a length that is not possible": sealed(1<<63, ""),
		"half a magic":                  []byte(journalMagic[:5]),
		"a magic alone":                 []byte(journalMagic),
		"a head alone":                  []byte(journalMagic + "\x00\x00\x00\x02"),
		"a head and a false sum":        append([]byte(journalMagic+"\x00\x00\x00\x02"), sealed(2, "[]")...),
	} {
		if changes, committed, err := decodeJournal(content); committed || err != nil {
			t.Errorf("%s: %v %v", name, changes, err)
		}
	}
}

// FuzzJournal checks that decoding survives any input, and returns what was encoded.
func FuzzJournal(f *testing.F) {
	f.Add([]byte(nil), "", "", []byte(nil), false)
	f.Add(sealed(12, `[{"size":1}]x`), "A.md", "b/C.md", []byte("text"), true)
	f.Fuzz(func(t *testing.T, content []byte, path, to string, data []byte, moves bool) {
		decodeJournal(content)
		if len(content) > 8 {
			decodeJournal(sealed(binary.BigEndian.Uint64(content), string(content[8:])))
		}
		want := []store.Change{{Path: vpathOf(path), Base: rev(to), Data: append([]byte{}, data...)}, {Op: store.Trash, Path: "T.md"}}
		if moves {
			want[0].Op, want[0].To = store.Move, vpathOf(to)
		}
		written, err := encodeJournal([]*step{{Change: want[0]}, {Change: want[1]}})
		if err != nil {
			t.Fatal(err)
		}
		got, committed, err := decodeJournal(written)
		if err != nil || !committed || string(got[0].Data) != string(data) || got[1].Data != nil || len(got) != 2 {
			t.Errorf("%v became %v", want, got)
		}
	})
}

// TestUnusableStateFolder breaks the state folder in ways that prevent journals: the vault can be read, and writes are
// refused with a hint.
func TestUnusableStateFolder(t *testing.T) {
	changes := []store.Change{{Path: "A.md", Base: rev("a"), Data: []byte("x")}, {Path: "B.md", Data: []byte("x")}}
	for name, spoil := range map[string]func(f *Folder) error{
		"the state folder is a file": func(f *Folder) error { return os.WriteFile(f.state, nil, 0o600) },
		"the folder above it is a file": func(f *Folder) error {
			return errors.Join(os.Remove(filepath.Dir(f.state)), os.WriteFile(filepath.Dir(f.state), nil, 0o600))
		},
		"the lock is a folder": func(f *Folder) error { return os.MkdirAll(filepath.Join(f.state, "lock"), 0o700) },
		"the folder of journals is a file": func(f *Folder) error {
			return errors.Join(os.Mkdir(f.state, 0o700), os.WriteFile(filepath.Join(f.state, journalFolder), nil, 0o600))
		},
		"a journal cannot be read":  func(f *Folder) error { return os.MkdirAll(filepath.Join(f.state, journalFolder, "one", "two"), 0o700) },
		"a draft cannot be removed": func(f *Folder) error { return os.MkdirAll(filepath.Join(f.state, journalFolder, ".one", "two"), 0o700) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			writeNote(t, dir, "A.md", "a")
			f := reopen(t, dir, t.TempDir())
			if err := spoil(f); err != nil {
				t.Fatal(err)
			}
			f = reopen(t, dir, filepath.Dir(f.state))
			for range 2 {
				_, err := f.Commit(t.Context(), changes)
				if !errors.Is(err, fault.StoreUnavailable) || fault.HintOf(err) == "" {
					t.Errorf("got %v", err)
				}
			}
			if diff := cmp.Diff(map[string]string{"A.md": "a"}, filesIn(t, dir)); diff != "" {
				t.Error(diff)
			}
			if _, err := f.Read(t.Context(), "A.md", 10); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestJournalThatCannotBeRemoved checks that a commit succeeds although its journal cannot be removed. The commit is not
// repeated, and the next one is refused until the journal is gone.
func TestJournalThatCannotBeRemoved(t *testing.T) {
	dir, state := t.TempDir(), t.TempDir()
	writeNote(t, dir, "A.md", "a")
	f := reopen(t, dir, state)
	failing(f, func(c disk.Call) bool { return c.Kind == "remove" && ofJournal(f, c) })
	if _, err := f.Commit(t.Context(), []store.Change{{Op: store.Move, Path: "A.md", To: "B.md", Base: rev("a")}}); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(dir, "B.md"), filepath.Join(dir, "A.md")); err != nil { // the user undoes it
		t.Fatal(err)
	}
	next := []store.Change{{Path: "X.md", Data: []byte("x")}}
	if _, err := f.Commit(t.Context(), next); !errors.Is(err, fault.StoreUnavailable) {
		t.Errorf("got %v", err)
	}
	f.disk.calls.Around = nil
	if _, err := f.Commit(t.Context(), next); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(map[string]string{"A.md": "a", "X.md": "x"}, filesIn(t, dir)); diff != "" {
		t.Error(diff)
	}
	if left := journals(t, f); left > 0 {
		t.Errorf("%d journals are left", left)
	}
}

// TestJournalStaysUntilOurVersionIsSaved: another program has changed a note of an interrupted commit. The journal stays
// as long as our version of the note cannot be saved in the state folder.
func TestJournalStaysUntilOurVersionIsSaved(t *testing.T) {
	dir, state, old := manyNotes(t)
	pendingRename(t, reopen(t, dir, state), old)
	writeNote(t, dir, "f0/0.md", "edited by a person")
	isKept := func(f *Folder) []string {
		kept, _ := filepath.Glob(filepath.Join(f.state, "conflicts", "*", "f0", "0.md"))
		return kept
	}
	for _, kind := range []string{"mkdir", "create", "write", "sync", "remove", "syncdir"} {
		var broken Folder
		hook(&broken, func(c disk.Call) error {
			if c.Kind == kind && filepath.Base(filepath.Dir(callPath(c))) != journalFolder && ofConflicts(c) {
				return syscall.ENOSPC
			}
			return nil
		})
		f, err := open(dir, Options{State: state}, broken.disk)
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
		if journals(t, f) != 1 {
			t.Fatalf("with %s failing, the journal is gone", kind)
		}
	}
	f := reopen(t, dir, state)
	if kept := isKept(f); len(kept) != 1 || journals(t, f) != 0 {
		t.Errorf("kept %v, %d journals", kept, journals(t, f))
	}
}

func ofConflicts(c disk.Call) bool {
	for path := callPath(c); filepath.Dir(path) != path; path = filepath.Dir(path) {
		if filepath.Base(path) == "conflicts" {
			return true
		}
	}
	return false
}
