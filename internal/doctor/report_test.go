package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"testing"
	"time"

	"obsidian-mcp/internal/fault"
)

// lines are the findings of checks as the command line prints them.
func lines(check func(*Report)) string {
	var out strings.Builder
	check(&Report{
		interrupted: func() bool { return false },
		found:       func(found Finding) { fmt.Fprintf(&out, "%-6s  %s\n", found.Mark, found) },
	})
	return out.String()
}

// These findings cannot be forced by settings alone.
func TestFindings(t *testing.T) {
	now := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	limit := func(text string, err error) func(string) ([]byte, error) {
		return func(string) ([]byte, error) { return []byte(text), err }
	}
	for name, c := range map[string]struct {
		check func(*Report)
		want  string
	}{
		"too many folders":   {func(r *Report) { r.watches(9000, limit("8192\n", nil)) }, "look    watching: .*9,001 folders.*8,192 at most.*; raise it: sysctl fs.inotify.max_user_watches=524288\n"},
		"few folders":        {func(r *Report) { r.watches(9, limit("8192\n", nil)) }, "ok      watching: 10 of at most 8,192 folders\n"},
		"no such limit":      {func(r *Report) { r.watches(9, limit("", fs.ErrNotExist)) }, "^$"},
		"an old clock":       {func(r *Report) { r.clock(contents{}, now.AddDate(-10, 0, 0)) }, "look    clock: this machine says 2017-01-01, which is long ago; set the clocks"},
		"a good clock":       {func(r *Report) { r.clock(contents{}, now) }, "^$"},
		"notes from ahead":   {func(r *Report) { r.clock(contents{ahead: []string{"A.md"}}, now) }, "look    1 note: changed in the future: A.md; set the clocks"},
		"no hint":            {func(r *Report) { r.Failure("index", errors.New("broken\nin two")) }, "FAILED  index: broken in two; run LOG_LEVEL=debug"},
		"a hint":             {func(r *Report) { r.Failure("index", fault.Timeout.Errorf("slow").WithHint("wait")) }, "FAILED  index: slow; wait\n"},
		"control characters": {func(r *Report) { r.ok("vault: a\x1b[31m\rb\nc") }, "^ok      vault: a␛\\[31m␍b c\n$"},
		"interrupted": {func(r *Report) {
			r.interrupted = func() bool { return true }
			r.Failure("server", context.Canceled)
		}, "^$"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := lines(c.check); !regexp.MustCompile(c.want).MatchString(got) {
				t.Errorf("got %q, want %s", got, c.want)
			}
		})
	}
}
