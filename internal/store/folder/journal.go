package folder

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
)

// A journal file holds the changes of one commit: the length of a list in
// JSON, the list, all new bytes one after the other, and the SHA-256 of
// everything before. A file whose sum is right was committed and is rolled
// forward; any other was not, and nothing of it can have reached the vault.
// It is known by its name in the state folder.

// entry is one change in a journal.
type entry struct {
	Op     store.Op  `json:"op"`
	Path   string    `json:"path,omitempty"`
	To     string    `json:"to,omitempty"`
	Config string    `json:"config,omitempty"`
	Base   store.Rev `json:"base,omitempty"`
	Size   int       `json:"size"` // of the new bytes; -1 where there are none
}

// record writes the journal, where one is needed, and gives its name: a single
// file that is written is a unit by itself.
func (u *unit) record() (string, error) {
	if len(u.steps) == 1 && u.steps[0].Op != store.Move && u.steps[0].Op != store.Trash {
		return "", nil
	}
	name := newJournal()
	if err := u.writeJournal(name, u.steps); err != nil {
		return name, fault.StoreUnavailable.Errorf("the journal cannot be written, so nothing was changed: %w", err).
			WithHint("make room for, or set OBSIDIAN_MCP_STATE_DIR to, a folder that can be written")
	}
	return name, nil
}

func newJournal() string { return randomName() }

// turn replaces the journal of a commit by that of the way back, in one step:
// there is always one of them.
func (u *unit) turn(forward string, back []store.Change) (string, error) {
	steps := make([]*step, len(back))
	for i := range back {
		steps[i] = &step{Change: back[i]}
	}
	if forward == "" {
		forward = newJournal()
	}
	draft := "." + forward
	err := u.writeJournal(draft, steps)
	if err == nil {
		err = u.inJournals(func(in *os.Root) error {
			return errors.Join(u.disk.rename(in, draft, forward), u.disk.syncNames(in))
		})
	}
	if err != nil {
		u.settle(draft)
	}
	return forward, err
}

func (f *Folder) writeJournal(name string, steps []*step) error {
	content, err := encodeJournal(steps)
	if err != nil {
		return err
	}
	return f.inJournals(func(in *os.Root) error {
		if _, err := f.disk.write(in, name, 0o600, content, nil); err != nil {
			return err
		}
		return f.disk.syncNames(in)
	})
}

func (f *Folder) inJournals(do func(in *os.Root) error) error {
	in, err := f.disk.openMade(filepath.Join(f.state, journalFolder))
	if err != nil {
		return err
	}
	defer in.Close()
	return do(in)
}

// journalFolder is where journals are in the state folder.
const journalFolder = "journal"

// settle takes away a journal of which nothing is to be done any more; one
// that came back after a power cut would be applied to whatever the notes are
// by then. One that cannot be removed now is before the next commit.
func (f *Folder) settle(name string) {
	f.keepSettled(name)
	if err := f.removeSettled(); err != nil {
		f.log.Warn("a journal cannot be removed", "error", err.Error())
	}
}

// keepSettled keeps the journal of a commit that is made, but may be lost by a
// power cut. This process must not make it again.
func (f *Folder) keepSettled(name string) {
	if name != "" {
		f.settled[name] = true
	}
}

func (f *Folder) removeSettled() error {
	if len(f.settled) == 0 {
		return nil
	}
	return f.inJournals(func(in *os.Root) error {
		for name := range f.settled {
			if err := f.disk.remove(in, name); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		err := f.disk.syncNames(in)
		if err == nil {
			clear(f.settled)
		}
		return err
	})
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
