package history

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"obsidian-mcp/internal/testkit/mode"
)

var (
	background = context.Background()
	someTime   = time.Date(2026, 11, 15, 21, 30, 0, 0, time.UTC)
	secrets    = map[string]string{"plain": "", "sealed": "correct horse"}
)

// quick is Open with a key derivation that takes no time.
func quick(o Options) *History { return open(o, 1) }

func inFolder(t testing.TB) Options {
	return Options{Dir: filepath.Join(memory(t), "state", "vault")}
}

// memory returns a temporary folder, in memory where possible: no test can tell
// whether a sync reached a disk.
func memory(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "history-test-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// stride is the distance between the positions that a test damages: 1 in the full
// form, which tries every position.
func stride(plain int) int {
	switch {
	case mode.Full():
		return 1
	case testing.Short():
		return 7 * plain
	}
	return plain
}

// onBoth runs a test with and without a secret, in parallel.
func onBoth(t *testing.T, test func(t *testing.T, o Options)) {
	for name, secret := range secrets {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := inFolder(t)
			o.Secret = secret
			test(t, o)
		})
	}
}

// write returns a draft that writes a note.
func write(path, before, after string) Draft {
	d := Draft{Tool: "update_note", Client: "a client", Token: "a token"}
	d.Files = []DraftFile{{Op: Write, Path: path, Before: []byte(before), After: []byte(after)}}
	if before == "" {
		d.Files[0].Before = nil
	}
	return d
}

func begin(t testing.TB, h *History, d Draft) *Pending {
	t.Helper()
	p, err := h.Begin(background, d)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// record records a change that was made, and returns its id.
func record(t testing.TB, h *History, d Draft) string {
	t.Helper()
	p := begin(t, h, d)
	if err := p.Made(nil); err != nil {
		t.Fatal(err)
	}
	return p.ID()
}

// number records the numbered changes from <= i < to.
func number(t testing.TB, h *History, from, to int) (ids []string) {
	t.Helper()
	for i := from; i < to; i++ {
		ids = append(ids, record(t, h, numbered(i)))
	}
	return ids
}

func numbered(i int) Draft {
	return write(fmt.Sprintf("note %d.md", i), strings.Repeat(fmt.Sprintf("before %d ", i), 5), fmt.Sprintf("after %d", i))
}

// all returns the changes of a history, oldest first.
func all(t testing.TB, h *History) (changes []Change) {
	t.Helper()
	if err := h.Each(background, func(c Change) bool { changes = append(changes, c); return true }); err != nil {
		t.Fatal(err)
	}
	slices.Reverse(changes)
	return changes
}

func idsOf(changes []Change) (ids []string) {
	for _, c := range changes {
		ids = append(ids, c.ID)
	}
	return ids
}

// bytesOf returns the contents of a change's files, each before and after.
func bytesOf(t testing.TB, h *History, c Change) (contents []string) {
	t.Helper()
	for _, file := range c.Files {
		for _, content := range []Content{file.Before, file.After} {
			if !content.Exists() {
				contents = append(contents, "-")
				continue
			}
			data, err := h.Content(background, c, content)
			if err != nil {
				t.Errorf("%s %s: %v", c.ID, file.Path, err)
			}
			contents = append(contents, string(data))
		}
	}
	return contents
}

// segmentsIn lists the segment files, oldest first.
func segmentsIn(t testing.TB, dir string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "*.log"))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func overwrite(t testing.TB, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// clock is a clock that the test sets.
type clock struct{ now time.Time }

func (c *clock) time() time.Time { return c.now }
