package cli

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A tally is shortened to fit the terminal.
func TestTallyFits(t *testing.T) {
	for _, c := range []struct {
		tally   tally
		columns int
		want    string
	}{
		{tally{200, 400, "files", 5 * time.Second}, 80, "[###############...............] 200 of 400 files (50%), 40/s, 5s left"},
		{tally{200, 400, "files", 5 * time.Second}, 60, "[#########..........] 200 of 400 files (50%), 40/s, 5s left"},
		{tally{200, 400, "files", 5 * time.Second}, 45, "200 of 400 files (50%), 40/s, 5s left"},
		{tally{200, 400, "files", 5 * time.Second}, 20, "50%"},
		{tally{200, 400, "files", 5 * time.Second}, 4, "50%"},
		{tally{200, 400, "files", 5 * time.Second}, 3, ""},
		{tally{200, 400, "files", 5 * time.Second}, 0, ""},
		{tally{400, 400, "files", 100 * time.Millisecond}, 80, "[##############################] 400 of 400 files (100%)"},
		{tally{401, 400, "files", 0}, 80, "[##############################] 401 of 400 files (100%)"},
		{tally{0, 400, "files", time.Minute}, 80, "[..............................] 0 of 400 files (0%)"},
		{tally{1, 10000, "files", time.Second}, 80, "[..............................] 1 of 10,000 files (0%), 1.0/s, 2h 46m left"},
		{tally{100, 1000, "files", 10 * time.Second}, 80, "[###...........................] 100 of 1,000 files (10%), 10/s, 1m 30s left"},
		{tally{1234, 0, "files", 2 * time.Second}, 80, "1,234 files so far, 617/s"},
		{tally{1234, 0, "files", 2 * time.Second}, 20, "1,234 files"},
		{tally{1234, 0, "files", 2 * time.Second}, 8, "1,234"},
		{tally{0, 0, "files", 0}, 80, "0 files so far"},
	} {
		if got := c.tally.draw(c.columns); got != c.want || c.columns > 0 && len(got) >= c.columns {
			t.Errorf("%+v in %d columns: %q, want %q", c.tally, c.columns, got, c.want)
		}
	}
}

// work simulates one second of work at 100 files a second.
func work(l *progress, total int) {
	for i := range 100 {
		time.Sleep(10 * time.Millisecond)
		l.show(i+1, total)
	}
	l.clear()
}

// The bar is drawn ten times a second and disappears at the end. It never hides the cursor, and is never wider than the
// terminal, which may shrink.
func TestBar(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		columns := 80
		l := &progress{out: &out, bar: true, what: "files", now: time.Now, width: func() int { columns -= 7; return columns }}
		work(l, 100)
		drawn := strings.Split(strings.TrimSuffix(out.String(), erase), erase)[1:]
		if len(drawn) < 10 || len(drawn) > 12 || !strings.HasSuffix(out.String(), "\r"+erase) || strings.Contains(out.String(), "\x1b[?25l") {
			t.Errorf("drawn %d times: %q", len(drawn), out.String())
		}
		for i, line := range drawn {
			if room := 80 - 7*(i+1); len(strings.TrimSuffix(line, "\r")) >= max(room, 1) {
				t.Errorf("%q is longer than %d columns", line, room)
			}
		}
	})
}

func TestOutputReplacesBar(t *testing.T) {
	var out bytes.Buffer
	l := &progress{out: &out, bar: true, what: "files", now: time.Now}
	l.show(1, 2)
	l.print(&out, "a line")
	fmt.Fprintln(l.over(&out), "an answer")
	l.show(2, 2)
	fmt.Fprintln(l.over(&out), "the end")
	bar := "[###############...............] 1 of 2 files (50%)\r"
	if want := erase + bar + erase + "a line\nan answer\n" + erase + "[##############################] 2 of 2 files (100%)\r" + erase + "the end\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}

// A bar that is not updated disappears by itself.
func TestBarFades(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		l := &progress{out: &out, bar: true, what: "files", now: time.Now, fades: time.Second}
		for range 3 {
			l.show(1, 0)
			time.Sleep(900 * time.Millisecond)
		}
		l.mu.Lock()
		before := out.String()
		l.mu.Unlock()
		time.Sleep(time.Second)
		synctest.Wait()
		l.mu.Lock()
		defer l.mu.Unlock()
		if strings.Count(before, erase) != 3 || out.String() != before+erase {
			t.Errorf("%q, then %q", before, out.String())
		}
	})
}

// In a pipe short work prints nothing, and long work prints a line every few seconds.
func TestPlainProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		l := &progress{out: &out, what: "files", now: time.Now}
		work(l, 100)
		if out.Len() > 0 {
			t.Errorf("%q", out.String())
		}
		for range 14 {
			work(l, 0)
		}
		if got := out.String(); strings.Count(got, "\n") != 2 || !strings.HasPrefix(got, "obsidian-mcp: ") || strings.ContainsAny(got, "\r\x1b") {
			t.Errorf("%q", got)
		}
	})
}

// With --quiet no progress is written.
func TestQuietProgress(t *testing.T) {
	var out bytes.Buffer
	l := &progress{what: "files", now: time.Now}
	l.show(1, 2)
	l.print(&out, "a line")
	l.clear()
	if out.String() != "a line\n" {
		t.Errorf("%q", out.String())
	}
}
