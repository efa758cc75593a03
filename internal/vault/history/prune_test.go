package history

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"obsidian-mcp/internal/fault"
)

const day = 24 * time.Hour

// TestPruneByAge: a segment is removed when its newest change is too old; the newest
// change of all stays.
func TestPruneByAge(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, o Options) {
		now := clock{someTime}
		o.Now = now.time
		h, other := quick(o), quick(o)
		var ids []string
		for i := range 40 {
			ids = append(ids, record(t, h, numbered(i)))
			now.now = now.now.Add(day)
		}
		if err := h.Prune(background); err != nil {
			t.Fatal(err)
		}
		if got := idsOf(all(t, h)); !slices.Equal(got, ids[10:]) {
			t.Errorf("%d changes are left", len(got))
		}
		if got := idsOf(all(t, other)); !slices.Equal(got, ids[10:]) {
			t.Errorf("another process sees %d", len(got))
		}
		now.now = now.now.Add(365 * day)
		if err := other.Prune(background); err != nil {
			t.Fatal(err)
		}
		if got := idsOf(all(t, h)); !slices.Equal(got, ids[39:]) {
			t.Errorf("after a year: %v", got)
		}
		s, err := h.State(background)
		if err != nil || s.Changes != 1 || !s.Newest.Equal(someTime.Add(39*day)) || !s.Oldest.Equal(s.Newest) {
			t.Errorf("%+v, %v", s, err)
		}
	})
}

// TestPruneBySize: recording removes the oldest changes when the history is full.
func TestPruneBySize(t *testing.T) {
	t.Parallel()
	o := inFolder(t)
	o.MaxBytes = 1 << 20
	h := quick(o)
	var ids []string
	for i := range 60 {
		ids = append(ids, record(t, h, Draft{Tool: fmt.Sprint(i), Files: []DraftFile{{Op: Trash, Path: "a", Before: append(noise(40_000), byte(i))}}}))
	}
	left := idsOf(all(t, h))
	if !slices.Equal(left, ids[len(ids)-len(left):]) || len(left) < 20 || len(left) > 27 {
		t.Errorf("%d are left", len(left))
	}
	if s, err := h.State(background); err != nil || s.Bytes > o.MaxBytes+o.MaxBytes/minSegments || s.Changes != len(left) {
		t.Errorf("%+v, %v", s, err)
	}
	if _, err := h.Find(background, ids[0]); !errors.Is(err, fault.NotFound) {
		t.Error(err)
	}
}

// TestSegmentRemovedByOthers: a process whose segment another one removes goes on in a
// new one; outcomes of removed changes are ignored.
func TestSegmentRemovedByOthers(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, o Options) {
		h := quick(o)
		gone := begin(t, h, numbered(0))
		c := all(t, h)[0]
		if err := os.Remove(segmentsIn(t, o.Dir)[0]); err != nil {
			t.Fatal(err)
		}
		if err := gone.Made(nil); err != nil {
			t.Error(err)
		}
		if _, err := h.Content(background, c, c.Files[0].After); !errors.Is(err, fault.NotFound) {
			t.Error(err)
		}
		ids := number(t, h, 0, 2)
		holds(t, "removed", quick(o), ids)
		if err := os.RemoveAll(o.Dir); err != nil {
			t.Fatal(err)
		}
		holds(t, "all removed", quick(o), number(t, h, 0, 2))
	})
}

// TestOversizedChangeIsRefused: a change larger than the whole history may be is
// refused, and nothing is written.
func TestOversizedChangeIsRefused(t *testing.T) {
	t.Parallel()
	o := inFolder(t)
	o.MaxBytes = 100_000
	h := quick(o)
	ids := number(t, h, 0, 1)
	before := read(t, segmentsIn(t, o.Dir)[0])
	_, err := h.Begin(background, Draft{Files: []DraftFile{{Op: Trash, Path: "a", Before: noise(100_000)}}})
	if !errors.Is(err, fault.StoreUnavailable) || !strings.Contains(fault.HintOf(err), "OBSIDIAN_MCP_HISTORY_MB") {
		t.Errorf("%v (%s)", err, fault.HintOf(err))
	}
	if got := segmentsIn(t, o.Dir); len(got) != 1 || !slices.Equal(read(t, got[0]), before) {
		t.Errorf("segments: %v", got)
	}
	huge := make([]File, 65)
	for i := range huge {
		huge[i].Path = strings.Repeat("a", 1<<20)
	}
	if _, err := encodeChange(Change{Files: huge}); !errors.Is(err, errTooLarge) {
		t.Error(err)
	}
	holds(t, "refused", h, append(ids, number(t, h, 1, 2)...))
}

// TestClockSetBack: a clock that is set back changes neither the order of changes nor
// that of ids.
func TestClockSetBack(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, o Options) {
		now := clock{someTime}
		o.Now = now.time
		var ids []string
		for i, jump := range []time.Duration{0, 0, -time.Hour, 48 * time.Hour, -96 * time.Hour, time.Millisecond, 500 * time.Hour, -500 * time.Hour, 0} {
			now.now = now.now.Add(jump)
			ids = append(ids, record(t, quick(o), numbered(i)))
		}
		if !slices.IsSorted(ids) || len(slices.Compact(slices.Clone(ids))) != len(ids) {
			t.Errorf("ids are %v", ids)
		}
		if got := idsOf(all(t, quick(o))); !slices.Equal(got, ids) {
			t.Errorf("found %v, not %v", got, ids)
		}
		holds(t, "jumped", quick(o), ids)
	})
}
