package crash

import (
	"fmt"
	"strings"
	"sync"
	"syscall"
	"testing"

	"obsidian-mcp/internal/system/disk"
	"obsidian-mcp/internal/testkit/mode"
)

// TestEachCallFails makes the system calls that change files fail: once, or from then on, as on a disk that is full or
// gone. The long form fails every single call.
func TestEachCallFails(t *testing.T) {
	skipShort(t)
	for _, kind := range kinds() {
		t.Run(kind.name, func(t *testing.T) {
			all := failures{kind: kind, calls: countCalls(t, kind), step: mode.Pick(60, 40, 1)}
			t.Run("each", func(t *testing.T) {
				for i, errno := range disk.Errnos {
					t.Run(errno.Error(), func(t *testing.T) {
						t.Parallel()
						all.each(t, errno, 1+i*all.step/len(disk.Errnos))
					})
				}
			})
			all.counts.log(t, fmt.Sprintf("%s: failing calls, of %d kinds", kind.name, size(&all.names)))
		})
	}
}

// failures are the failing calls of one kind of change.
type failures struct {
	kind   kind
	calls  int // how many it makes
	step   int // from one failing call to the next
	counts tally
	names  sync.Map // of the calls that have failed
}

// countCalls counts the system calls of a change that change files.
func countCalls(t *testing.T, kind kind) int {
	t.Helper()
	calls := 0
	var w *world
	w = w.replaced(t, kind, 4, 1)
	w.traced(w.next(kind), func(call sysCall) verdict {
		if !call.answers() {
			calls++
		}
		return verdict{}
	})
	return calls
}

// failure says which calls fail.
type failure struct {
	errno syscall.Errno
	first int  // the first call to fail
	on    bool // and all calls after it
}

// each makes a change repeatedly, and makes one call after the other fail: once, and from then on. (All but the long form
// do either.)
func (all *failures) each(t *testing.T, errno syscall.Errno, first int) {
	var w *world
	made := 0
	for n := first; n <= all.calls; n += all.step {
		for _, on := range []bool{false, true} {
			if !mode.Long() && on != (n%2 == 0) {
				continue
			}
			if made%all.kind.life() == 0 {
				w = w.replaced(t, all.kind, 4, uint64(n))
			}
			made++
			if failing, ok := w.failOne(all.kind, failure{errno, n, on}, &all.counts); ok {
				all.names.Store(failing.name, true)
			}
		}
	}
}

func size(names *sync.Map) (n int) {
	names.Range(func(any, any) bool { n++; return true })
	return n
}

// failOne makes one change with a failing call; ok reports whether the change makes that many calls.
func (w *world) failOne(kind kind, f failure, counts *tally) (failing sysCall, ok bool) {
	w.t.Helper()
	next := w.next(kind)
	seen := 0
	ended := w.traced(next, func(call sysCall) verdict {
		if call.answers() {
			return verdict{}
		}
		seen++
		if seen == f.first {
			failing = call
		}
		if seen == f.first || f.on && seen > f.first {
			return verdict{fail: f.errno}
		}
		return verdict{}
	})
	if seen < f.first {
		w.answered(next, ended, counts)
		return sysCall{}, false
	}
	when := fmt.Sprintf("%s, call %d (%v, and all after it: %v) fails with %v", kind.name, f.first, failing, f.on, f.errno)
	counts.crash()
	if err := w.answeredWell(ended); err != nil {
		w.t.Errorf("%s: %v", when, err)
	}
	if err := w.wholeAtOnce(next); err != nil && !f.on {
		w.t.Errorf("%s: before a restart: %v", when, err)
	}
	if !w.restarted(next, ended, counts, when) {
		w.again(next, when)
	}
	return failing, true
}

// answeredWell fails if the program crashed, gave no useful answer, or revealed a path of the machine.
func (w *world) answeredWell(ended traced) error {
	if !ended.status.Exited() {
		return fmt.Errorf("ended by a signal: %v\n%s", ended.status.Signal(), ended.stderr)
	}
	_, answer, told := strings.Cut("\n"+ended.stderr, "\nobsidian-mcp: ")
	switch status := ended.status.ExitStatus(); {
	case status == 0 && ended.stdout != "":
		return nil
	case status <= 1, !told:
		return fmt.Errorf("status %d: %s", status, ended.stderr)
	case strings.Contains(answer, w.dir):
		return fmt.Errorf("the answer reveals a path of the machine: %s", answer)
	}
	return nil
}

// wholeAtOnce checks, before the program is started again, that the notes are all as before a change or all as after it.
// Temporary files that could not be removed may still be there.
func (w *world) wholeAtOnce(c change) error {
	there, err := w.read()
	if err != nil {
		return err
	}
	before, after := differences(there, w.now, there.trash), differences(there, c.after, there.trash)
	if len(before) > 0 && len(after) > 0 {
		return fmt.Errorf("not as before:\n%s\nnot as after:\n%s", list(before), list(after))
	}
	return nil
}

// again makes a change that failed, now that calls work again.
func (w *world) again(c change, when string) {
	w.t.Helper()
	w.call(c.tool, c.arguments)
	w.made(c)
	if _, err := w.settle(nil); err != nil {
		w.t.Fatalf("%s, then made again: %v", when, err)
	}
}
