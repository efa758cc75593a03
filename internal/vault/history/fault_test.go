package history

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/system/disk"
	"obsidian-mcp/internal/testkit/mode"
)

// scenes are the states of a history into which a change is recorded.
var scenes = map[string]func(t *testing.T, o Options) (h *History, ids []string){
	"nothing": func(t *testing.T, o Options) (*History, []string) { return quick(o), nil },
	"a segment": func(t *testing.T, o Options) (*History, []string) {
		h := quick(o)
		return h, number(t, h, 0, 2)
	},
	"a torn end": func(t *testing.T, o Options) (*History, []string) {
		h := quick(o)
		ids := number(t, h, 0, 2)
		name := segmentsIn(t, o.Dir)[0]
		overwrite(t, name, append(read(t, name), "torn"...))
		return h, ids
	},
	"an old segment": func(t *testing.T, o Options) (*History, []string) {
		now := clock{someTime}
		o.Now = now.time
		h := quick(o)
		ids := number(t, h, 0, 2)
		now.now = now.now.Add(25 * time.Hour)
		return h, ids
	},
}

// optional are the calls that may fail without preventing a change from being
// recorded: a segment that cannot be read is left alone, and a new one is created.
var optional = []string{"read", "remove"}

// failing makes count calls fail, starting with call number from, and returns the
// calls that were made.
func failing(h *History, from, count int, err error) (calls *[]string) {
	calls = new([]string)
	h.disk.calls.Before(func(call disk.Call) error {
		*calls = append(*calls, call.Kind)
		if n := len(*calls); n >= from && n < from+count {
			return err
		}
		return nil
	})
	return calls
}

// TestEverySystemCallFails makes each system call fail in turn, alone and with those
// after it: the change is not recorded, earlier ones are intact, and the next attempt
// succeeds. Plain runs try every error on one scene; full runs try all combinations.
func TestEverySystemCallFails(t *testing.T) {
	t.Parallel()
	for scene, set := range scenes {
		t.Run(scene, func(t *testing.T) {
			t.Parallel()
			for _, errno := range disk.Errnos {
				if errno != syscall.EIO && scene != "a segment" && !mode.Full() {
					continue
				}
				for _, count := range []int{1, 2, 100} {
					if count > 1 && errno != syscall.EIO && !mode.Full() {
						continue
					}
					for n := 1; failsOnce(t, set, errno, n, count); n++ {
					}
				}
			}
		})
	}
}

// failsOnce makes the nth call fail; it returns false if there were fewer calls.
func failsOnce(t *testing.T, set func(*testing.T, Options) (*History, []string), errno error, n, count int) bool {
	t.Helper()
	o := inFolder(t)
	h, ids := set(t, o)
	calls := failing(h, n, count, errno)
	p, err := h.Begin(background, numbered(len(ids)))
	h.disk.calls.Around = nil
	if len(*calls) < n {
		if err != nil {
			t.Fatal(err)
		}
		return false
	}
	what := fmt.Sprintf("%v from call %d of %v, %d times", errno, n, *calls, count)
	if err == nil {
		failed := (*calls)[n-1 : min(n-1+count, len(*calls))]
		if slices.ContainsFunc(failed, func(call string) bool { return !slices.Contains(optional, call) }) {
			t.Fatalf("%s: the change is recorded as %v", what, p.ID())
		}
		p.Made(nil)
		holds(t, what, quick(o), append(ids, p.ID()))
		return true
	}
	if !errors.Is(err, fault.StoreUnavailable) || !errors.Is(err, errno) || fault.HintOf(err) == "" ||
		!strings.HasPrefix(err.Error(), "the change cannot be recorded, so nothing was changed: ") || strings.Contains(err.Error(), o.Dir) {
		t.Fatalf("%s: %v", what, err)
	}
	for _, other := range holds(t, what, quick(o), ids) {
		if count == 1 || other.Made { // if cutting it off failed too, the change is there, unsettled
			t.Fatalf("%s: unexpected change %+v", what, other)
		}
	}
	ids = append(ids, record(t, h, numbered(len(ids))))
	holds(t, what, h, ids)
	holds(t, what, quick(o), ids)
	return true
}

// TestSegmentIsAbandonedAfterFailedSync: the disk may have lost a part of the file.
func TestSegmentIsAbandonedAfterFailedSync(t *testing.T) {
	t.Parallel()
	o := inFolder(t)
	h := quick(o)
	ids := number(t, h, 0, 2)
	h.disk.calls.Before(func(call disk.Call) error {
		if call.Kind == "sync" {
			return syscall.EIO
		}
		return nil
	})
	if _, err := h.Begin(background, numbered(2)); !errors.Is(err, syscall.EIO) {
		t.Fatal(err)
	}
	h.disk.calls.Around = nil
	old := segmentsIn(t, o.Dir)
	before := read(t, old[0])
	ids = append(ids, number(t, h, 2, 4)...)
	if got := segmentsIn(t, o.Dir); len(got) != 2 || !slices.Equal(read(t, old[0]), before) {
		t.Errorf("segments: %v", got)
	}
	if others := holds(t, "afterwards", quick(o), ids); len(others) > 0 {
		t.Errorf("unexpected changes %+v", others)
	}
}

// TestOutcomeCanBeRetried: an outcome that could not be recorded can be recorded again.
func TestOutcomeCanBeRetried(t *testing.T) {
	t.Parallel()
	o := inFolder(t)
	for n := 1; ; n++ {
		h := quick(o)
		p := begin(t, h, write("a.md", "", "x"))
		calls := failing(h, n, 2, syscall.ENOSPC)
		err := p.Made(nil)
		h.disk.calls.Around = nil
		if len(*calls) < n {
			break
		}
		if !errors.Is(err, fault.StoreUnavailable) || !errors.Is(err, syscall.ENOSPC) || strings.Contains(err.Error(), o.Dir) {
			t.Fatalf("call %d of %v: %v", n, *calls, err)
		}
		if c, err := quick(o).Find(background, p.ID()); err != nil || c.Made {
			t.Fatalf("call %d of %v: %+v, %v", n, *calls, c, err)
		}
		if err := p.Made(nil); err != nil {
			t.Fatal(err)
		}
		if c, err := quick(o).Find(background, p.ID()); err != nil || !c.Made {
			t.Fatalf("call %d of %v: %+v, %v", n, *calls, c, err)
		}
	}
}

// TestFailedPruneDoesNotBlockChanges: Prune reports segments that it cannot remove;
// recording goes on.
func TestFailedPruneDoesNotBlockChanges(t *testing.T) {
	t.Parallel()
	o := inFolder(t)
	now := clock{someTime}
	o.Now = now.time
	h := quick(o)
	number(t, h, 0, 1)
	now.now = now.now.Add(40 * 24 * time.Hour)
	h.disk.calls.Before(func(call disk.Call) error {
		if call.Kind == "remove" {
			return syscall.EACCES
		}
		return nil
	})
	number(t, h, 1, 2)
	if err := h.Prune(background); !errors.Is(err, fault.StoreUnavailable) || !errors.Is(err, syscall.EACCES) {
		t.Error(err)
	}
	if got := len(all(t, h)); got != 2 {
		t.Errorf("%d changes", got)
	}
	h.disk.calls.Around = nil
	if err := h.Prune(background); err != nil || len(all(t, h)) != 1 {
		t.Errorf("%v, %d changes", err, len(all(t, h)))
	}
}

// TestForeignFilesInFolder puts other things where the folder or a segment would be.
func TestForeignFilesInFolder(t *testing.T) {
	t.Parallel()
	o := inFolder(t)
	if err := os.MkdirAll(filepath.Dir(o.Dir), 0o700); err != nil {
		t.Fatal(err)
	}
	overwrite(t, o.Dir, nil)
	h := quick(o)
	if _, err := h.Begin(background, Draft{}); !errors.Is(err, fault.StoreUnavailable) {
		t.Error(err)
	}
	_, stateErr := h.State(background)
	_, unsettledErr := h.Unsettled(background)
	_, contentErr := h.Content(background, Change{}, Content{Hash: "00", Kept: true})
	for _, err := range []error{stateErr, unsettledErr, contentErr, h.Prune(background), h.Settle(background, "x", true)} {
		if !errors.Is(err, fault.StoreUnavailable) || strings.Contains(err.Error(), o.Dir) {
			t.Error(err)
		}
	}
	if err := os.Remove(o.Dir); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(o.Dir, newName("", someTime.AddDate(99, 0, 0), newSalt())), 0o700); err != nil {
		t.Fatal(err)
	}
	overwrite(t, filepath.Join(o.Dir, "20261399T000000-"+newSalt()+extension), []byte("no time"))
	overwrite(t, filepath.Join(o.Dir, "notes.log"), []byte("no segment"))
	if err := os.Symlink("/dev/zero", filepath.Join(o.Dir, newName("", someTime, newSalt()))); err != nil {
		t.Log(err)
	}
	holds(t, "in the way", h, number(t, h, 0, 2))
}

// brokenReader fails at its nth call.
type brokenReader struct {
	*bytes.Reader
	left int
}

func (r *brokenReader) ReadAt(p []byte, at int64) (int, error) {
	if r.left--; r.left == 0 {
		return 0, syscall.EIO
	}
	return r.Reader.ReadAt(p, at)
}

// TestReadIsResumedAfterError: a segment that cannot be read to its end is not taken
// for a shorter one; reading continues when it is possible again.
func TestReadIsResumedAfterError(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, o Options) {
		h := quick(o)
		record(t, h, Draft{Files: []DraftFile{{Op: Trash, Path: "a", Before: noise(3 * windowSize)}}})
		ids := number(t, h, 0, 4)
		name := segmentsIn(t, o.Dir)[0]
		data := read(t, name)
		data[3]++ // damages the header, so that the whole segment is scanned
		copy(data[headerSize+5000:], frameMark)
		data[headerSize]++
		for n := 1; ; n++ {
			h := quick(o)
			s := &segment{name: filepath.Base(name)}
			file := &brokenReader{bytes.NewReader(data), n}
			err := h.catchUp(s, file, int64(len(data)))
			if file.left > 0 {
				break
			}
			if !errors.Is(err, syscall.EIO) {
				t.Fatalf("read %d: %v", n, err)
			}
			if err := h.catchUp(s, file, int64(len(data))); err != nil || len(s.changes) != 1+len(ids) {
				t.Fatalf("read %d: then %d changes, %v", n, len(s.changes), err)
			}
			if err := h.catchUp(&segment{name: s.name}, bytes.NewReader(data[:len(data)-5]), int64(len(data))); !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Fatalf("file that was cut meanwhile: %v", err)
			}
		}
	})
}

// TestUnreadableSegment: a segment that cannot be opened does not affect the others.
func TestUnreadableSegment(t *testing.T) {
	t.Parallel()
	o := inFolder(t)
	now := clock{someTime}
	o.Now = now.time
	h := quick(o)
	number(t, h, 0, 1)
	old := all(t, h)[0]
	now.now = now.now.Add(2 * day)
	pending := begin(t, h, numbered(1))
	reads := 0
	h.disk.calls.Before(func(call disk.Call) error {
		if call.Kind == "read" {
			if reads++; reads%2 == 0 { // the newest is read first
				return syscall.EACCES
			}
		}
		return nil
	})
	if got := idsOf(all(t, h)); !slices.Equal(got, []string{pending.ID()}) {
		t.Errorf("found %v", got)
	}
	if s, err := h.State(background); err != nil || s.Changes != 1 || s.Damaged != 1 {
		t.Errorf("%+v, %v", s, err)
	}
	h.disk.calls.Before(func(call disk.Call) error {
		if call.Kind == "read" {
			return syscall.EACCES
		}
		return nil
	})
	if _, err := h.Content(background, old, old.Files[0].After); !errors.Is(err, fault.StoreUnavailable) {
		t.Error(err)
	}
	if err := pending.Made(nil); !errors.Is(err, fault.StoreUnavailable) {
		t.Error(err)
	}
	h.disk.calls.Around = nil
	damaged := old.Files[0].After
	for _, offset := range []int64{-1, 0, 1 << 40, damaged.offset + 1, old.at.offset} {
		damaged.offset = offset
		if _, err := h.Content(background, old, damaged); !errors.Is(err, fault.StoreUnavailable) {
			t.Error(err)
		}
	}
	damaged = old.Files[0].After
	damaged.offset = old.Files[0].Before.offset // another content
	if _, err := h.Content(background, old, damaged); !errors.Is(err, fault.StoreUnavailable) {
		t.Error(err)
	}
}
