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

// A journal file holds the changes of one commit: a magic and the version of the format, the length of a JSON list, the
// list, the new bytes of all files one after the other, and the SHA-256 of everything before it. If the sum is right, the
// commit was begun and is rolled forward. If it is not, the journal was never complete, so nothing of the commit has
// reached the vault. Version 1 had neither magic nor version.
const (
	journalMagic   = "OBJRNL\r\n"
	journalVersion = 2
)

// errNewerJournal means that a newer version of this program was interrupted. Only that one can finish its commit.
var errNewerJournal = errors.New("a newer version of obsidian-mcp has left it")

// entry is one change in a journal.
type entry struct {
	Op     store.Op  `json:"op"`
	Path   string    `json:"path,omitempty"`
	To     string    `json:"to,omitempty"`
	Config string    `json:"config,omitempty"`
	Base   store.Rev `json:"base,omitempty"`
	Size   int       `json:"size"` // of the new bytes; -1: the content does not change
}

// record writes the journal and returns its name. Writing a single file is atomic by itself and needs no journal.
func (u *unit) record() (string, error) {
	if len(u.steps) == 1 && u.steps[0].Op != store.Move && u.steps[0].Op != store.Trash {
		return "", nil
	}
	name := newJournal()
	if err := u.vault.writeJournal(name, u.steps); err != nil {
		return name, fault.StoreUnavailable.Errorf("the journal cannot be written, so nothing was changed: %w", err).
			WithHint("make room for, or set OBSIDIAN_MCP_STATE_DIR to, a folder that can be written")
	}
	return name, nil
}

func newJournal() string { return randomName() }

// replaceJournal replaces the journal of a commit by that of its rollback, in one step, so that one of the two always
// exists.
func (u *unit) replaceJournal(forward string, back []store.Change) (string, error) {
	steps := make([]*step, len(back))
	for i := range back {
		steps[i] = &step{Change: back[i]}
	}
	if forward == "" {
		forward = newJournal()
	}
	draft := "." + forward
	err := u.vault.writeJournal(draft, steps)
	if err == nil {
		err = u.vault.inJournals(func(in *os.Root) error {
			return errors.Join(u.vault.disk.rename(in, draft, forward), u.vault.disk.syncNames(in))
		})
	}
	if err != nil {
		u.vault.removeJournal(draft)
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
	in, err := f.disk.openOrMake(filepath.Join(f.state, journalFolder))
	if err != nil {
		return err
	}
	defer in.Close()
	return do(in)
}

// journalFolder is where journals are in the state folder.
const journalFolder = "journal"

// removeJournal removes a journal that is applied or rolled back, durably: if it came back after a power cut, it would
// be applied to later versions of the notes. If that fails, the next commit tries again before it starts.
func (f *Folder) removeJournal(name string) {
	f.markDone(name)
	if err := f.removeDone(); err != nil {
		f.log.Warn("a journal cannot be removed", "error", err.Error())
	}
}

// markDone keeps this process from applying a journal again. The file may stay for now: if the changes of its commit do
// not survive a power cut, the next process applies it.
func (f *Folder) markDone(name string) {
	if name != "" {
		f.done[name] = true
	}
}

func (f *Folder) removeDone() error {
	if len(f.done) == 0 {
		return nil
	}
	return f.inJournals(func(in *os.Root) error {
		for name := range f.done {
			if err := f.disk.remove(in, name); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		err := f.disk.syncNames(in)
		if err == nil {
			clear(f.done)
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
	content := make([]byte, 0, len(journalMagic)+4+8+len(list)+total+sha256.Size)
	content = append(content, journalMagic...)
	content = binary.BigEndian.AppendUint32(content, journalVersion)
	content = binary.BigEndian.AppendUint64(content, uint64(len(list)))
	content = append(content, list...)
	for _, s := range steps {
		content = append(content, s.Data...)
	}
	sum := sha256.Sum256(content)
	return append(content, sum[:]...), nil
}

// decodeJournal returns the changes of a journal; committed is false if it was never complete.
func decodeJournal(content []byte) (changes []store.Change, committed bool, err error) {
	head := 0
	if bytes.HasPrefix(content, []byte(journalMagic)) {
		head = len(journalMagic) + 4
		if len(content) >= head && binary.BigEndian.Uint32(content[len(journalMagic):]) > journalVersion {
			return nil, false, errNewerJournal
		}
	}
	changes, committed = decodeChanges(content, head)
	return changes, committed, nil
}

// decodeChanges reads what follows the head of a journal.
func decodeChanges(content []byte, head int) ([]store.Change, bool) {
	if len(content) < head+8+sha256.Size {
		return nil, false
	}
	content, sum := content[:len(content)-sha256.Size], content[len(content)-sha256.Size:]
	if got := sha256.Sum256(content); !bytes.Equal(got[:], sum) {
		return nil, false
	}
	size := binary.BigEndian.Uint64(content[head:])
	content = content[head+8:]
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
