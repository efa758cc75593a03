package livesync_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/store/livesync"
	"obsidian-mcp/internal/store/livesync/couchtest"
	"obsidian-mcp/internal/testkit/mode"
)

// TestRacing lets two servers and a device change the same few notes as fast as they can. At the end, every line that was
// reported as written is in exactly one note, unless a rename had to be undone. The full form makes 600 edits.
func TestRacing(t *testing.T) {
	t.Parallel()
	edits := mode.Pick(60, 600, 10_000)
	options := sorts()["encrypted"]
	database := couchtest.New(t)
	race := &race{device: startVault(t, database, options), acknowledged: map[string]bool{}, undoneRenames: map[string]bool{}}
	racers := []func(t *testing.T, random *rand.Rand){race.byDevice}
	for range 2 {
		s := open(t, database, options)
		racers = append(racers, func(t *testing.T, random *rand.Rand) { race.byServer(t, s, random) })
	}
	var all sync.WaitGroup
	for number, racer := range racers {
		all.Go(func() {
			random := mode.Rand(uint64(number))
			for !t.Failed() && race.next(edits) {
				racer(t, random)
			}
		})
	}
	all.Wait()
	t.Logf("%d edits: %v; %d were made again", edits, race.kinds, race.retries)
	race.device.settled(t)
	race.check(t)
}

const racedNotes = 20

// race is the state that the racers share.
type race struct {
	device device

	mu            sync.Mutex // guards the fields below
	edits         int
	acknowledged  map[string]bool // lines
	kinds         [4]int          // appended by servers and the device, renamed, trashed
	retries       int             // edits that were repeated after a conflict
	undoneRenames map[string]bool // numbers of the notes whose rename was undone
}

// The kinds of edit.
const (
	appended = iota
	appendedByDevice
	renamed
	trashed
)

func (r *race) next(most int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.edits++
	return r.edits <= most
}

func (r *race) record(kind int, line string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kinds[kind]++
	if line != "" {
		r.acknowledged[line] = true
	}
}

// newLine returns a line that nobody else writes.
func (r *race) newLine() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return fmt.Sprintf("line %d of %d\n", r.edits, time.Now().UnixNano())
}

// racedNames returns the two names between which a note is renamed.
func racedNames(note int) [2]string {
	return [2]string{fmt.Sprintf("Notes/%d.md", note), fmt.Sprintf("Others/%d.md", note)}
}

// byDevice adds a line to a note as a device does.
func (r *race) byDevice(t *testing.T, random *rand.Rand) {
	line := r.newLine()
	for {
		path := racedNames(random.IntN(racedNotes))[random.IntN(2)]
		file, content := r.device.file(t, path)
		if file == nil || file.Deleted {
			continue // it has the other name, or does not exist yet
		}
		if r.device.write(t, file, path, content+line) {
			r.record(appendedByDevice, line)
			return
		}
		r.countRetry()
	}
}

func (r *race) countRetry() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.retries++
}

func (r *race) countUndoneRename(path string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.undoneRenames[racedNumber(path)] = true
}

// byServer makes an edit through a store, and repeats it after conflicts.
func (r *race) byServer(t *testing.T, s *livesync.Store, random *rand.Rand) {
	line, dice := r.newLine(), random.IntN(100)
	for attempt := 0; ; attempt++ {
		kind, err := r.edit(t, s, random, dice, line)
		switch {
		case err == nil:
			if kind != appended {
				line = ""
			}
			r.record(kind, line)
			return
		case attempt > 200:
			t.Errorf("an edit failed 200 times: %v", err)
			return
		case !errors.Is(err, fault.Conflict) && !errors.Is(err, fault.AlreadyExists) && !errors.Is(err, fault.NotFound):
			t.Errorf("an edit failed for another reason than a conflict: %v", err)
			return
		}
		r.countRetry()
	}
}

// edit adds a line to a note, or creates the note with it. Sometimes it renames or trashes the note instead.
func (r *race) edit(t *testing.T, s *livesync.Store, random *rand.Rand, dice int, line string) (kind int, err error) {
	names := racedNames(random.IntN(racedNotes))
	from := random.IntN(2)
	file, err := s.Read(t.Context(), vpath.Path(names[from]), 1<<20)
	if errors.Is(err, fault.NotFound) {
		from = 1 - from
		file, err = s.Read(t.Context(), vpath.Path(names[from]), 1<<20)
	}
	change := store.Change{Path: vpath.Path(names[from]), Base: file.Rev, Data: append(file.Data, line...)}
	switch {
	case errors.Is(err, fault.NotFound):
		change = store.Change{Path: vpath.Path(names[0]), Data: []byte(line)}
	case err != nil:
		return 0, err
	case dice < 10:
		kind, change = renamed, store.Change{Op: store.Move, Path: change.Path, To: vpath.Path(names[1-from]), Base: file.Rev}
	case dice < 15:
		kind, change = trashed, store.Change{Op: store.Trash, Path: change.Path, Base: file.Rev}
	}
	_, err = s.Commit(t.Context(), []store.Change{change})
	if err != nil && kind == renamed {
		r.countUndoneRename(names[from])
	}
	return kind, err
}

// check searches for every line.
func (r *race) check(t *testing.T) {
	t.Helper()
	found := map[string][]string{}
	for path, content := range r.device.contents(t) {
		for line := range strings.Lines(content) {
			found[line] = append(found[line], path)
		}
	}
	doubled := map[string]bool{} // notes that exist under two names
	for line := range r.acknowledged {
		switch at := found[line]; {
		case len(at) == 0:
			t.Errorf("%q is lost", line)
		case len(at) == 2 && r.mayBeTwice(at[0], at[1]):
			slices.Sort(at)
			doubled[strings.Join(at, " and ")] = true
		case len(at) > 1:
			t.Errorf("%q is in %v", line, at)
		}
	}
	t.Logf("of %d renames %d left a note under two names", r.kinds[renamed], len(doubled))
	if len(doubled) > 2+r.kinds[renamed]/100 {
		t.Errorf("%d notes exist under two names", len(doubled))
	}
	for line, at := range found {
		if !r.acknowledged[line] && line != "first\n" {
			t.Errorf("%q is in %v, but was not reported as written", line, at)
		}
	}
}

// mayBeTwice reports whether two paths belong to a note whose rename was undone. If others have edited the note under both
// names in the meantime, both remain: removing one would lose an edit.
func (r *race) mayBeTwice(a, b string) bool {
	return racedNumber(a) == racedNumber(b) && r.undoneRenames[racedNumber(a)]
}

// racedNumber returns the number of a note, in the trash or not.
func racedNumber(name string) string {
	number, _, _ := strings.Cut(strings.TrimSuffix(path.Base(name), ".md"), " ")
	return number
}

// TestSameChangeTwice makes the same change on two servers at the same time. Since their clocks are slow, they make
// identical documents. One of them succeeds, and the other does not undo the change.
func TestSameChangeTwice(t *testing.T) {
	t.Parallel()
	database := couchtest.New(t)
	device := startVault(t, database, livesync.Options{})
	slow := livesync.Options{Now: func() time.Time { return time.Now().Add(-24 * time.Hour) }}
	servers := []*livesync.Store{open(t, database, slow), open(t, database, slow)}
	for round := range mode.Pick(4, 20, 20) {
		from, to := fmt.Sprintf("From/%d.md", round), fmt.Sprintf("To/%d.md", round)
		text := fmt.Sprintf("text %d\n", round)
		base := device.fill(t, map[string]string{from: text})[from]
		var all sync.WaitGroup
		failed := make([]error, len(servers))
		for i, s := range servers {
			all.Go(func() {
				_, failed[i] = s.Commit(t.Context(), []store.Change{{Op: store.Move, Path: vpath.Path(from), To: vpath.Path(to), Base: base}})
			})
		}
		all.Wait()
		device.settled(t)
		contents := device.contents(t)
		if _, back := contents[from]; contents[to] != text || back {
			t.Errorf("after the results %v, %s is %q (exists: %v), and %s is %q", failed, from, contents[from], back, to, contents[to])
		}
	}
}
