package history

import (
	"encoding/binary"
	"hash/crc32"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"obsidian-mcp/internal/testkit/formats"
)

// TestHistoriesOfAllVersions reads and continues the history of each version, open and sealed.
func TestHistoriesOfAllVersions(t *testing.T) {
	open := func(dir, name string) *History {
		return Open(Options{Dir: filepath.Join(dir, name), Secret: secrets[name], Keep: 250 * 365 * 24 * time.Hour})
	}
	formats.Check(t, formats.Format{Name: "history", Oldest: 1, Newest: version}, func(t *testing.T, dir string) {
		for name := range secrets {
			h := open(dir, name)
			record(t, h, write("Plan.md", "", "# Plan\n"))
			trashed := begin(t, h, Draft{Tool: "delete_note", Session: "s1", Undoes: []string{"mhz3k2p1-4f9c"}, Files: []DraftFile{{Op: Trash, Path: "Plan.md", Before: []byte("# Plan\n")}}})
			if err := trashed.Made(map[string]string{"Plan.md": ".trash/Plan.md"}); err != nil {
				t.Fatal(err)
			}
			_ = os.Remove(filepath.Join(dir, name, lockName))
		}
	}, func(t *testing.T, dir string, _ int) {
		for name := range secrets {
			h := open(dir, name)
			changes := all(t, h)
			if len(changes) != 2 || changes[0].Tool != "update_note" || changes[1].Session != "s1" || changes[1].Files[0].Path != "Plan.md" {
				t.Fatalf("%s: %+v", name, changes)
			}
			if before, err := h.Content(background, changes[1], changes[1].Files[0].Before); err != nil || string(before) != "# Plan\n" {
				t.Errorf("%s: %q, %v", name, before, err)
			}
			record(t, h, write("New.md", "", "new"))
			if state, err := h.State(background); err != nil || state.Changes != 3 || state.Damaged+state.Foreign+state.Newer > 0 {
				t.Errorf("%s: %+v, %v", name, state, err)
			}
		}
	})
}

// TestNewerHistoryIsLeftAlone checks that changes which a newer version has recorded are reported and kept as they are,
// and that new ones are recorded beside them.
func TestNewerHistoryIsLeftAlone(t *testing.T) {
	onBoth(t, func(t *testing.T, o Options) {
		var log strings.Builder
		o.Log = slog.New(slog.NewTextHandler(&log, nil))
		record(t, quick(o), write("A.md", "", "a"))
		files, _ := filepath.Glob(filepath.Join(o.Dir, "*.*"))
		if len(files) != 1 {
			t.Fatalf("%d segments", len(files))
		}
		newer, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		binary.LittleEndian.PutUint32(newer[versionAt:], version+1)
		sum := crc32.Update(crc32.Checksum([]byte(filepath.Base(files[0])), castagnoli), castagnoli, newer[:headerSumAt])
		binary.LittleEndian.PutUint32(newer[headerSumAt:], sum)
		if err := os.WriteFile(files[0], newer, 0o600); err != nil {
			t.Fatal(err)
		}
		h := quick(o)
		record(t, h, write("B.md", "", "b"))
		state, err := h.State(background)
		if err != nil || state.Changes != 1 || state.Newer != 1 || state.Foreign+state.Damaged > 0 || !strings.Contains(log.String(), "newer version") {
			t.Errorf("%+v, %v, log: %s", state, err, &log)
		}
		if now, err := os.ReadFile(files[0]); err != nil || string(now) != string(newer) {
			t.Errorf("the newer part was changed (%v)", err)
		}
	})
}
