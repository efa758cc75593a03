package folder

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/vpath"
)

// A journal file holds the changes of one commit: the length of a list in
// JSON, the list, all new bytes one after the other, and the SHA-256 of
// everything before. A file whose sum is right was committed and is rolled
// forward; any other was not, and nothing of it can have reached the vault.
type journal struct{ file string }

// entry is one change in a journal.
type entry struct {
	Op     store.Op  `json:"op"`
	Path   string    `json:"path,omitempty"`
	To     string    `json:"to,omitempty"`
	Config string    `json:"config,omitempty"`
	Base   store.Rev `json:"base,omitempty"`
	Size   int       `json:"size"` // of the new bytes; -1 where there are none
}

// record writes the journal, where one is needed: a single file that is
// written or trashed is a unit by itself.
func (u *unit) record() (*journal, error) {
	if len(u.steps) == 1 && u.steps[0].Op != store.Move {
		return nil, nil
	}
	content, err := encodeJournal(u.steps)
	if err != nil {
		return nil, err
	}
	name := strings.TrimSuffix(strings.TrimPrefix(temporaryName(), temporaryPrefix), ".tmp")
	j := &journal{file: filepath.Join(u.state, "journal", name)}
	if err := u.writeJournal(j.file, content); err != nil {
		os.Remove(j.file)
		return nil, fault.StoreUnavailable.Errorf("the journal cannot be written, so nothing was changed: %w", stripPath(err)).
			WithHint("make room for, or set OBSIDIAN_MCP_STATE_DIR to, a folder that can be written")
	}
	return j, nil
}

func (j *journal) remove() {
	if j != nil {
		os.Remove(j.file)
	}
}

func encodeJournal(steps []*step) ([]byte, error) {
	entries := make([]entry, len(steps))
	total := 0
	for i, s := range steps {
		entries[i] = entry{Op: s.Op, Path: string(s.Path), To: string(s.To), Config: s.Config, Base: s.Base, Size: len(s.Data)}
		if s.Data == nil && s.Op != store.Write {
			entries[i].Size = -1
		}
		total += len(s.Data)
	}
	list, err := json.Marshal(entries)
	if err != nil {
		return nil, err
	}
	content := make([]byte, 0, 8+len(list)+total+sha256.Size)
	content = binary.BigEndian.AppendUint64(content, uint64(len(list)))
	content = append(content, list...)
	for _, s := range steps {
		content = append(content, s.Data...)
	}
	sum := sha256.Sum256(content)
	return append(content, sum[:]...), nil
}

func decodeJournal(content []byte) ([]store.Change, bool) {
	if len(content) < 8+sha256.Size {
		return nil, false
	}
	content, sum := content[:len(content)-sha256.Size], content[len(content)-sha256.Size:]
	if got := sha256.Sum256(content); !bytes.Equal(got[:], sum) {
		return nil, false
	}
	size := binary.BigEndian.Uint64(content)
	content = content[8:]
	if size > uint64(len(content)) {
		return nil, false
	}
	var entries []entry
	if json.Unmarshal(content[:size], &entries) != nil {
		return nil, false
	}
	content = content[size:]
	changes := make([]store.Change, len(entries))
	for i, e := range entries {
		changes[i] = store.Change{Op: e.Op, Path: vpath.Path(e.Path), To: vpath.Path(e.To), Config: e.Config, Base: e.Base}
		if e.Size < 0 {
			continue
		}
		if e.Size > len(content) {
			return nil, false
		}
		changes[i].Data, content = content[:e.Size:e.Size], content[e.Size:]
	}
	return changes, true
}

func (u *unit) writeJournal(name string, content []byte) error {
	dir := filepath.Dir(name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := u.fault("journal", name); err != nil {
		return err
	}
	if _, err := file.Write(content); err != nil {
		return err
	}
	if err := file.Sync(); err != nil {
		return err
	}
	folder, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer folder.Close()
	return syncFolder(folder)
}

// finishPending finishes the commits that a crash interrupted. The lock is
// held, so that none of them is another process' own.
func (f *Folder) finishPending() error {
	pending, err := os.ReadDir(filepath.Join(f.state, "journal"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return stateProblem(err)
	}
	for _, entry := range pending {
		if err := f.rollForward(filepath.Join(f.state, "journal", entry.Name())); err != nil {
			return fault.StoreUnavailable.Errorf("an interrupted change of several notes could not be finished: %w", err).
				WithHint("make the vault's folder writable; the notes are changed again after that")
		}
	}
	return nil
}

// recover finishes at the start what an earlier process could not. A vault
// that cannot be written can still be read.
func (f *Folder) recover() {
	if _, err := os.Stat(filepath.Join(f.state, "journal")); err != nil {
		return
	}
	unlock, err := f.lock(context.Background())
	if err == nil {
		err = f.finishPending()
		unlock()
	}
	if err != nil {
		f.log.Warn("writes are refused for now", "error", err.Error())
	}
}

func (f *Folder) rollForward(name string) error {
	content, err := os.ReadFile(name)
	if err != nil {
		return stripPath(err)
	}
	if changes, committed := decodeJournal(content); committed {
		u := f.newUnit()
		defer u.close()
		if err := u.finish(name, changes); err != nil {
			return err
		}
		f.log.Info("finished an interrupted change", "notes", len(changes))
	}
	return os.Remove(name)
}

// finish makes those of a commit's changes that are not made yet. A file that
// others changed since stays theirs; our version of it is kept beside the
// journal.
func (u *unit) finish(name string, changes []store.Change) error {
	for _, change := range changes {
		made, err := u.isMade(change)
		if err != nil {
			return err
		}
		if made {
			continue
		}
		switch err := u.plan(change); {
		case err == nil:
		case errors.Is(err, fault.Conflict), errors.Is(err, fault.AlreadyExists):
			u.log.Warn("a note changed during an interrupted change of several notes, and was left as it is",
				"path", string(change.Path), "kept", u.keepVersion(name, change))
		default:
			return err
		}
	}
	if err := u.stageAll(); err != nil {
		return err
	}
	for _, s := range u.steps {
		if err := u.make(s); err != nil {
			u.discardAll()
			return u.failure(s, err)
		}
	}
	u.sweepAll()
	return u.syncAll()
}

// sweepAll removes temporary files from the folders of the commit. The lock is
// held, so that nobody is writing any.
func (u *unit) sweepAll() {
	for _, in := range u.folders {
		sweepFolder(in, 0)
	}
}

// isMade reports whether a change was made before the crash. A move whose
// file is still under both names is completed here. That a file cannot be read
// does not mean that it is gone.
func (u *unit) isMade(change store.Change) (bool, error) {
	here, err := u.revisionAt(u.pathOf(change))
	if err != nil {
		return false, err
	}
	switch change.Op {
	case store.Trash, opRemove:
		return here == store.Absent, nil
	case store.Move:
		return u.isMoved(change, here)
	}
	return here == revOf(change.Data), nil
}

// pathOf is where the file that a change is about is found.
func (u *unit) pathOf(change store.Change) string {
	if change.Op == store.WriteConfig {
		return configFolder + "/" + change.Config
	}
	return string(change.Path)
}

func (u *unit) isMoved(change store.Change, here store.Rev) (bool, error) {
	want := change.Base
	if change.Data != nil {
		want = revOf(change.Data)
	}
	there, err := u.revisionAt(string(change.To))
	if err != nil || there != want {
		return false, err
	}
	if here != change.Base {
		return true, nil
	}
	from, err := u.root.Lstat(string(change.Path))
	if err != nil {
		return false, u.explain(change.Path, err)
	}
	to, err := u.root.Lstat(string(change.To))
	if err != nil {
		return false, u.explain(change.To, err)
	}
	if os.SameFile(from, to) && change.Path.Key() == change.To.Key() && !u.bothListed(change) {
		return false, nil // one name that has yet to be spelt anew
	}
	return true, u.root.Remove(string(change.Path))
}

// bothListed reports that two spellings are two names, and not one on a disk
// that takes both.
func (u *unit) bothListed(change store.Change) bool {
	if change.Path.Dir() != change.To.Dir() {
		return true
	}
	at, err := u.at(string(change.Path), false)
	if err != nil {
		return false
	}
	dir, err := at.in.Open(".")
	if err != nil {
		return false
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	return slices.Contains(names, change.Path.Base()) && slices.Contains(names, change.To.Base())
}

// revisionAt is the revision of the file at a path; Absent if there is none.
func (u *unit) revisionAt(path string) (store.Rev, error) {
	at, err := u.at(path, false)
	if errors.Is(err, fault.NotFound) {
		return store.Absent, nil
	}
	if err != nil {
		return "", err
	}
	file, err := u.read(at.in, vpath.Path(path), at.name, maxWhole)
	if errors.Is(err, fault.NotFound) {
		return store.Absent, nil
	}
	return file.Rev, err
}

// keepVersion saves what a change would have written.
func (u *unit) keepVersion(name string, change store.Change) string {
	if change.Data == nil || name == "" {
		return ""
	}
	path := u.pathOf(change)
	if change.Op == store.Move {
		path = string(change.To)
	}
	kept := filepath.Join(u.state, "conflicts", filepath.Base(name), filepath.FromSlash(path))
	if os.MkdirAll(filepath.Dir(kept), 0o700) != nil || os.WriteFile(kept, change.Data, 0o600) != nil {
		return ""
	}
	return kept
}
