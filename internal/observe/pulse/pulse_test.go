package pulse

import (
	"testing"
	"time"
)

// clock moves only when a test moves it.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func TestLastHourIsSummedUpByMinute(t *testing.T) {
	c := &clock{time.Date(2026, 11, 1, 12, 0, 30, 0, time.UTC)}
	p := New(c.now)
	for range 18 {
		p.Call("read_note", "ok", time.Millisecond)
	}
	p.Call("read_note", "NOTE_NOT_FOUND", 40*time.Millisecond)
	p.Call("read_note", "ok", 40*time.Millisecond)
	c.at = c.at.Add(10 * time.Minute)
	p.Call("read_note", "ok", time.Hour)
	last := p.Last()
	if len(last) != Minutes {
		t.Fatalf("got %d minutes, want %d", len(last), Minutes)
	}
	first := last[Minutes-11]
	if first.Calls != 20 || first.Failed != 1 {
		t.Errorf("minute of 20 calls: %+v", first)
	}
	within(t, "median", first.Median, time.Millisecond)
	within(t, "p95", first.P95, 40*time.Millisecond)
	if now := last[Minutes-1]; now.Calls != 1 || !now.Start.Equal(time.Date(2026, 11, 1, 12, 10, 0, 0, time.UTC)) {
		t.Errorf("this minute: %+v", now)
	}
	if quiet := last[Minutes-2]; quiet.Calls != 0 || quiet.Median != 0 || quiet.P95 != 0 {
		t.Errorf("minute without calls: %+v", quiet)
	}
}

// TestOldMinutesAreForgotten: a slot of the ring that still holds a minute of the hour before is not shown.
func TestOldMinutesAreForgotten(t *testing.T) {
	c := &clock{time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)}
	p := New(c.now)
	p.Call("read_note", "ok", 0)
	c.at = c.at.Add(time.Hour)
	for _, minute := range p.Last() {
		if minute.Calls != 0 {
			t.Errorf("an hour later: %+v", minute)
		}
	}
	p.Call("read_note", "ok", 0)
	if last := p.Last()[Minutes-1]; last.Calls != 1 {
		t.Errorf("after a new call: %+v", last)
	}
}

// within checks got against the bucket that want falls into: its bound is at most 1.5 times as long.
func within(t *testing.T, what string, got, want time.Duration) {
	t.Helper()
	if got < want || got > want*3/2 {
		t.Errorf("%s: %v, want %v or up to half more", what, got, want)
	}
}
