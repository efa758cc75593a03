package history

import (
	"bytes"
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/testkit/mode"
)

// noise returns bytes that do not compress, the same every time.
func noise(size int) []byte {
	random := rand.NewChaCha8([32]byte{1})
	data := make([]byte, size)
	random.Read(data)
	return data
}

// undone are the changes that some changes of TestRoundTrip undo.
var undone = map[string][]string{
	"moved": {"mwispe3u-66i0"}, "nothing": {"mwispe3g-lmj3"}, "several": {"mwispe3u-66i0", "mwispe3g-lmj3", "mwispe3a-x0y1"},
	"made": {"mwispe3u-66i0", "mwispe3g-lmj3"},
}

// sessionOf returns the session of a change of TestRoundTrip; some have none.
func sessionOf(name string) string {
	if name == "made" || name == "moved" || name == "written" {
		return ""
	}
	return "session of " + name
}

// TestRoundTrip: every kind of change comes back as it was recorded, in the same
// process and in a later one.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	drafts := map[string][]DraftFile{
		"made":         {{Op: Write, Path: "new.md", After: []byte("text")}},
		"made empty":   {{Op: Write, Path: "empty.md", After: []byte{}}},
		"written":      {{Op: Write, Path: "a.md", Before: []byte("old"), After: []byte("new")}},
		"moved":        {{Op: Move, Path: "a.md", To: "sub/b.md", Before: []byte("same"), After: []byte("same")}},
		"moved edited": {{Op: Move, Path: "a.md", To: "b.md", Before: []byte("[[a]]"), After: []byte("[[b]]")}},
		"trashed":      {{Op: Trash, Path: "gone.md", Before: []byte("text")}},
		"settings":     {{Op: Config, Path: "app.json", Before: []byte("{}"), After: []byte(`{"a":1}`)}},
		"noise":        {{Op: Trash, Path: "noise.bin", Before: noise(100_000)}},
		"too large":    {{Op: Trash, Path: "film.mp4", Before: make([]byte, MaxKept+1)}},
		"no text":      {{Op: Write, Path: "odd\xff\x00.md", Before: noise(999), After: []byte("\xff\xfe\r\n\x00")}},
		"several": {
			{Op: Write, Path: "1.md", Before: []byte("1"), After: []byte("2")},
			{Op: Trash, Path: "2.md", Before: []byte("2")},
			{Op: Trash, Path: "3.md", Before: []byte("1")},
		},
		"nothing": nil,
	}
	onBoth(t, func(t *testing.T, o Options) {
		o.Now = func() time.Time { return someTime }
		h := quick(o)
		want := map[string]string{} // the draft's name by id
		for name, files := range drafts {
			p := begin(t, h, Draft{Tool: name, Client: "client of " + name, Token: "token of " + name, Session: sessionOf(name), Undoes: undone[name], Files: files})
			want[p.ID()] = name
			trash := map[string]string{}
			for _, file := range files {
				if file.Op == Trash {
					trash[file.Path] = ".trash/" + file.Path
				}
			}
			if err := p.Made(trash); err != nil {
				t.Fatal(err)
			}
		}
		if err := h.Close(); err != nil {
			t.Fatal(err)
		}
		for _, h := range []*History{h, quick(o)} {
			got := map[string]string{}
			for _, c := range all(t, h) {
				got[c.ID] = c.Tool
				checkChange(t, h, c, drafts[c.Tool])
				found, err := h.Find(background, c.ID)
				if diff := cmp.Diff(c, found, cmp.AllowUnexported(Change{}, Content{}, location{}), cmpopts.EquateEmpty()); diff != "" || err != nil {
					t.Errorf("found %s: %v\n%s", c.Tool, err, diff)
				}
			}
			if !maps.Equal(got, want) {
				t.Errorf("changes: got %v, want %v", got, want)
			}
		}
	})
}

// checkChange compares a change with its draft.
func checkChange(t *testing.T, h *History, c Change, files []DraftFile) {
	t.Helper()
	sameCaller := c.Client == "client of "+c.Tool && c.Token == "token of "+c.Tool && c.Session == sessionOf(c.Tool)
	if !c.Made || !c.Time.Equal(someTime) || !sameCaller || !slices.Equal(c.Undoes, undone[c.Tool]) || len(c.Files) != len(files) {
		t.Fatalf("%s is %+v", c.Tool, c)
	}
	for i, want := range files {
		got := c.Files[i]
		if got.Op != want.Op || got.Path != want.Path || got.To != want.To || (want.Op == Trash) != (got.Trash == ".trash/"+want.Path) {
			t.Errorf("%s: %+v, not %+v", c.Tool, got, want)
		}
		for _, side := range []struct {
			name string
			is   Content
			data []byte
		}{{"before", got.Before, want.Before}, {"after", got.After, want.After}} {
			if side.is.Exists() != (side.data != nil) || side.is.Size != int64(len(side.data)) {
				t.Errorf("%s, %s: %+v", c.Tool, side.name, side.is)
			}
			data, err := h.Content(background, c, side.is)
			if keeps := side.data != nil && len(side.data) <= MaxKept; keeps != (err == nil) || keeps != side.is.Kept || keeps && !bytes.Equal(data, side.data) {
				t.Errorf("%s, %s: %d bytes, %v", c.Tool, side.name, len(data), err)
			}
			if err != nil && !errors.Is(err, fault.NotFound) {
				t.Error(err)
			}
		}
	}
}

func TestLargestContentIsKept(t *testing.T) {
	t.Parallel()
	h := quick(inFolder(t))
	largest := make([]byte, MaxKept)
	if !mode.Full() {
		largest = largest[:MaxKept/10] // the full size takes seconds with the race detector
	}
	record(t, h, Draft{Files: []DraftFile{{Op: Trash, Path: "large.bin", Before: largest}}})
	c := all(t, h)[0]
	if data, err := h.Content(background, c, c.Files[0].Before); err != nil || !bytes.Equal(data, largest) {
		t.Errorf("%d bytes, %v", len(data), err)
	}
}

// TestOrderAndOutcomes: changes come newest first, without dropped ones; changes
// without an outcome are listed as unsettled until they are settled.
func TestOrderAndOutcomes(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, o Options) {
		now := clock{someTime}
		o.Now = now.time
		h, other := quick(o), quick(o)
		first := record(t, h, write("a.md", "", "1"))
		dropped := begin(t, other, write("a.md", "1", "2"))
		open := begin(t, h, write("b.md", "", "1"))
		now.now = now.now.Add(time.Minute)
		later := begin(t, other, write("c.md", "", "1"))
		if err := dropped.Dropped(); err != nil {
			t.Fatal(err)
		}
		if err := dropped.Made(nil); err != nil {
			t.Fatal(err)
		}
		last := record(t, h, write("d.md", "", "1"))
		if got, want := idsOf(all(t, other)), []string{first, open.ID(), later.ID(), last}; !slices.Equal(got, want) {
			t.Errorf("changes: got %v, want %v", got, want)
		}
		left, err := quick(o).Unsettled(background)
		if err != nil || len(left) != 2 || left[0].ID != later.ID() || left[1].ID != open.ID() || left[1].Made {
			t.Errorf("unsettled are %+v, %v", left, err)
		}
		for id, made := range map[string]bool{open.ID(): true, later.ID(): false} {
			if err := quick(o).Settle(background, id, made); err != nil {
				t.Error(err)
			}
		}
		if got, want := idsOf(all(t, h)), []string{first, open.ID(), last}; !slices.Equal(got, want) {
			t.Errorf("settled, the changes are %v, not %v", got, want)
		}
		if c, err := h.Find(background, open.ID()); err != nil || !c.Made {
			t.Errorf("%+v, %v", c, err)
		}
		count := 0
		if err := h.Each(background, func(Change) bool { count++; return false }); err != nil || count != 1 {
			t.Errorf("stopped after %d, %v", count, err)
		}
		if len(segmentsIn(t, o.Dir)) != 1 {
			t.Errorf("segments: %v", segmentsIn(t, o.Dir))
		}
	})
}

// TestEmptyHistory: a history that was never written to, and unknown ids.
func TestEmptyHistory(t *testing.T) {
	t.Parallel()
	h := Open(inFolder(t))
	gone := Change{ID: "nix", at: location{segment: newName("", someTime, newSalt())}}
	for _, exists := range []bool{false, true} {
		if exists {
			if err := begin(t, h, Draft{}).Dropped(); err != nil {
				t.Error(err)
			}
		}
		if err := h.Prune(background); err != nil {
			t.Error(err)
		}
		if s, err := h.State(background); err != nil || s.Changes != 0 || s.Bytes > 0 != exists {
			t.Errorf("%+v, %v", s, err)
		}
		_, err := h.Find(background, "nix")
		if !errors.Is(err, fault.NotFound) || err.Error() != "no change has the id 'nix'" || fault.HintOf(err) != "list_changes lists them" {
			t.Error(err)
		}
		if err := h.Settle(background, "nix", true); !errors.Is(err, fault.NotFound) {
			t.Error(err)
		}
		if _, err := h.Content(background, gone, Content{Hash: "00", Kept: true}); !errors.Is(err, fault.NotFound) {
			t.Error(err)
		}
	}
}

func TestFilesArePrivate(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		return // it has no modes
	}
	o := inFolder(t)
	number(t, quick(o), 0, 2)
	for _, name := range append(segmentsIn(t, o.Dir), o.Dir, filepath.Dir(o.Dir), filepath.Join(o.Dir, lockName)) {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		want := os.FileMode(0o600)
		if info.IsDir() {
			want = 0o700
		}
		if info.Mode().Perm() != want {
			t.Errorf("%s has %v", name, info.Mode())
		}
	}
}

// TestContentIsWrittenOnce: a content that is in the segment is not written again, no
// matter which process wrote it.
func TestContentIsWrittenOnce(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, o Options) {
		text := string(noise(10_000))
		h := quick(o)
		record(t, h, write("a.md", "", text))
		for i, h := range []*History{h, quick(o), h, quick(o)} {
			record(t, h, write("a.md", text, text+"more"))
			if size := len(read(t, segmentsIn(t, o.Dir)[0])); size > 22_000 {
				t.Errorf("after %d changes there are %d bytes", i+2, size)
			}
		}
		for _, c := range all(t, quick(o))[1:] {
			if got := bytesOf(t, h, c); !slices.Equal(got, []string{text, text + "more"}) {
				t.Errorf("%d bytes", len(strings.Join(got, "")))
			}
		}
	})
}

// TestOwnOutcomeBeatsGuess: the outcome that a process records for its own change takes
// precedence over the guess of another, whichever comes first.
func TestOwnOutcomeBeatsGuess(t *testing.T) {
	t.Parallel()
	o := inFolder(t)
	h, other := quick(o), quick(o)
	for _, guessed := range []bool{false, true} {
		early, late := begin(t, h, write("a.md", "", "1")), begin(t, h, write("b.md", "", "1"))
		for _, err := range []error{
			other.Settle(background, early.ID(), guessed), settle(early, !guessed), // corrected
			settle(late, !guessed), other.Settle(background, late.ID(), guessed), // too late
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		for _, id := range []string{early.ID(), late.ID()} {
			c, err := quick(o).Find(background, id)
			if errors.Is(err, fault.NotFound) != guessed || c.Made == guessed {
				t.Errorf("guessed %v: %+v, %v", guessed, c, err)
			}
		}
	}
}

func settle(p *Pending, made bool) error {
	if made {
		return p.Made(nil)
	}
	return p.Dropped()
}
