package folder

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
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

// recover finishes the commits that a crash interrupted.
func (f *Folder) recover() error {
	pending, _ := filepath.Glob(filepath.Join(f.state, "journal", "*"))
	if len(pending) == 0 {
		return nil
	}
	unlock, err := f.lock() // another process may be in the midst of one
	if err != nil {
		return err
	}
	defer unlock()
	for _, name := range pending {
		if err := f.rollForward(name); err != nil {
			return fmt.Errorf("an interrupted change of several notes could not be finished: %w", err)
		}
	}
	return nil
}

func (f *Folder) rollForward(name string) error {
	content, err := os.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil // its own process has finished meanwhile
	}
	if err != nil {
		return fault.StoreUnavailable.Errorf("the journal cannot be read: %w", stripPath(err))
	}
	changes, committed := decodeJournal(content)
	if committed {
		if err := f.finish(name, changes); err != nil {
			return err
		}
	}
	return os.Remove(name)
}

// finish makes those changes of a journal that are not made yet. A file that
// others changed since stays theirs; our version of it is kept beside the
// journal.
func (f *Folder) finish(name string, changes []store.Change) error {
	u := &unit{Folder: f, folders: map[string]*os.Root{}}
	defer u.close()
	for _, change := range changes {
		if u.isMade(change) {
			continue
		}
		switch err := u.plan(change); {
		case err == nil:
		case errors.Is(err, fault.StoreUnavailable):
			return err
		default:
			f.log.Warn("a note changed during an interrupted change of several notes, and was left as it is",
				"path", string(change.Path), "reason", err.Error(), "kept", f.keepVersion(name, change))
		}
	}
	if err := u.stageAll(); err != nil {
		return err
	}
	for _, s := range u.steps {
		if err := u.make(s); err != nil {
			return u.failure(s, err)
		}
	}
	u.sweepAll()
	f.log.Info("finished an interrupted change", "notes", len(u.steps))
	return u.syncAll()
}

// sweepAll removes temporary files from the folders of the commit. The lock is
// held, so that nobody is writing any.
func (u *unit) sweepAll() {
	for _, in := range u.folders {
		dir, err := in.Open(".")
		if err != nil {
			continue
		}
		names, _ := dir.Readdirnames(-1)
		dir.Close()
		for _, name := range names {
			if isTemporary(name) {
				in.Remove(name)
			}
		}
	}
}

// isMade reports whether a change was made before the crash. A move whose
// file is still under both names is completed here.
func (u *unit) isMade(change store.Change) bool {
	if change.Op == store.WriteConfig {
		return false
	}
	here := u.revisionAt(change.Path)
	switch change.Op {
	case store.Trash:
		return here == store.Absent
	case store.Move:
		want := change.Base
		if change.Data != nil {
			want = revOf(change.Data)
		}
		if change.Path.Key() == change.To.Key() || u.revisionAt(change.To) != want {
			return false
		}
		if here == change.Base {
			if at, err := u.at(string(change.Path), false); err == nil {
				at.in.Remove(at.name)
			}
		}
		return true
	default:
		return here == revOf(change.Data)
	}
}

func (u *unit) revisionAt(path vpath.Path) store.Rev {
	at, err := u.at(string(path), false)
	if err != nil {
		return store.Absent
	}
	file, err := u.read(at.in, path, at.name, 1<<30)
	if err != nil {
		return store.Absent
	}
	return file.Rev
}

// keepVersion saves what a change would have written.
func (f *Folder) keepVersion(name string, change store.Change) string {
	if change.Data == nil {
		return ""
	}
	kept := filepath.Join(f.state, "conflicts", filepath.Base(name), filepath.FromSlash(string(change.Path)))
	if os.MkdirAll(filepath.Dir(kept), 0o700) != nil || os.WriteFile(kept, change.Data, 0o600) != nil {
		return ""
	}
	return kept
}
