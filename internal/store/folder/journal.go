package folder

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
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
	j := u.newJournal()
	if err := u.writeJournal(j.file, content); err != nil {
		os.Remove(j.file)
		return nil, fault.StoreUnavailable.Errorf("the journal cannot be written, so nothing was changed: %w", stripPath(err)).
			WithHint("make room for, or set OBSIDIAN_MCP_STATE_DIR to, a folder that can be written")
	}
	return j, nil
}

func (f *Folder) newJournal() *journal {
	name := strings.TrimSuffix(strings.TrimPrefix(temporaryName(), temporaryPrefix), ".tmp")
	return &journal{file: filepath.Join(f.state, "journal", name)}
}

// turn replaces the journal of a commit by that of the way back, in one step:
// there is always one of them.
func (u *unit) turn(forward *journal, back []store.Change) (*journal, error) {
	steps := make([]*step, len(back))
	for i := range back {
		steps[i] = &step{Change: back[i]}
	}
	content, err := encodeJournal(steps)
	if err != nil {
		return nil, err
	}
	if forward == nil {
		forward = u.newJournal()
	}
	dir, name := filepath.Split(forward.file)
	draft := filepath.Join(dir, "."+name)
	if err := u.writeJournal(draft, content); err != nil {
		os.Remove(draft)
		return nil, err
	}
	if err := os.Rename(draft, forward.file); err != nil {
		os.Remove(draft)
		return nil, err
	}
	return forward, syncPath(filepath.Dir(forward.file))
}

// remove takes the journal away for good: one that came back after a power cut
// would be applied to whatever the notes are by then.
func (j *journal) remove() {
	if j != nil {
		_ = removeDurably(j.file)
	}
}

func removeDurably(name string) error {
	if err := os.Remove(name); err != nil {
		return err
	}
	return syncPath(filepath.Dir(name))
}

func syncPath(dir string) error {
	folder, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer folder.Close()
	return syncFolder(folder)
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
	return syncPath(dir)
}
