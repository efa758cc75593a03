package crash

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"syscall"
	"testing"
	"time"

	"obsidian-mcp/internal/testkit/mode"
)

// TestKilledBeforeEachCall kills the program before the system calls that change files, for each kind of change: before
// every single call in the long form, before some otherwise.
func TestKilledBeforeEachCall(t *testing.T) {
	skipShort(t)
	for _, kind := range kinds() {
		t.Run(kind.name, func(t *testing.T) {
			const workers = 2
			var counts tally
			t.Run("each", func(t *testing.T) {
				for worker := range workers {
					t.Run(fmt.Sprint(worker), func(t *testing.T) {
						t.Parallel()
						step := mode.Pick(18, 3, 1) * workers
						killBeforeEach(t, kind, worker+1, step, &counts)
					})
				}
			})
			counts.log(t, kind.name+": kills before a call")
		})
	}
}

// killBeforeEach makes a change repeatedly and kills the program before call number first, first+step and so on, until a
// change completes.
func killBeforeEach(t *testing.T, kind kind, first, step int, counts *tally) {
	var w *world
	for n := first; ; n += step {
		if (n-first)/step%kind.life() == 0 {
			w = w.replaced(t, kind, mode.Pick(4, 4, 500), uint64(n))
		}
		next := w.next(kind)
		var at sysCall
		seen := 0
		ended := w.traced(next, func(call sysCall) verdict {
			if seen == n || slices.Contains(passedOver, call.name) {
				return verdict{}
			}
			seen, at = seen+1, call
			return verdict{kill: seen == n}
		})
		if seen < n {
			w.answered(next, ended, counts)
			return
		}
		counts.crash()
		w.restarted(next, ended, counts, fmt.Sprintf("%s, killed before call %d, %v", kind.name, n, at))
	}
}

// replaced removes a world, which may be nil, and returns a new one that is ready for a kind of change.
func (w *world) replaced(t *testing.T, kind kind, backlinks int, seed uint64) *world {
	t.Helper()
	if w != nil {
		os.RemoveAll(w.dir)
	}
	next := newWorld(t, fastDir(t), backlinks, seed)
	if kind.after != nil {
		first := kind.after(next)
		next.call(first.tool, first.arguments)
		next.made(first)
	}
	return next
}

// next is the next change of a kind.
func (w *world) next(kind kind) change {
	w.t.Helper()
	made, err := kind.next(w, w.ask)
	if err != nil {
		w.t.Fatal(err)
	}
	return made
}

// traced runs a change under a tracer.
func (w *world) traced(c change, ask func(sysCall) verdict) traced {
	w.t.Helper()
	ended, err := trace(w.command(callArgs(c.tool, c.arguments)...), w.dir, ask)
	if errors.Is(err, syscall.EPERM) && os.Getenv("CI") == "" {
		w.t.Skip("this machine does not allow tracing")
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return ended
}

// passedOver are calls that a kill need not precede: the disk looks the same before the next call.
var passedOver = []string{"openat", "flock", "fchmod", "fchown", "utimensat", "fsetxattr"}

// answered checks a change that was not interrupted.
func (w *world) answered(c change, ended traced, counts *tally) {
	w.t.Helper()
	if !ended.status.Exited() || ended.status.ExitStatus() != 0 {
		w.t.Fatalf("%s %v: status %d\n%s", c.tool, c.arguments, ended.status, ended.stderr)
	}
	w.made(c)
	counts.answers(1)
	if _, err := w.settle(nil); err != nil {
		w.t.Fatalf("after %s: %v", c.tool, err)
	}
}

// restarted starts the program again after a crash and checks the vault. It reports whether the change was made.
func (w *world) restarted(c change, ended traced, counts *tally, when string) (made bool) {
	w.t.Helper()
	began := time.Now()
	w.call("read_note", map[string]any{"name": "Work/Long 0"})
	took := time.Since(began)
	made, err := w.settle(&c)
	if err == nil {
		err = w.remembered(w.ask)
	}
	if err == nil && !made && ended.stdout != "" {
		err = fmt.Errorf("answered with %q, but not made", ended.stdout)
	}
	counts.restart(made, err, took)
	if err != nil {
		w.t.Fatalf("%s: %v", when, err)
	}
	if took > hangs {
		w.t.Errorf("%s: the first answer took %v", when, took)
	}
	return made
}

// fastDir is a folder in memory, if the machine has one. What a killed process has written is there on any file system.
func fastDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "obsidian-mcp-crash-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}
