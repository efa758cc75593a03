package audit

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/system"
	"obsidian-mcp/internal/system/disk"
)

// TestEverySystemCallFails makes each system call fail in turn, with each error: the change is refused or its
// line is queued, no torn line stays, and once the call works again every line is written once.
func TestEverySystemCallFails(t *testing.T) {
	errnos := disk.Errnos
	if testing.Short() {
		errnos = errnos[:1]
	}
	for _, errno := range errnos {
		for n := 1; ; n++ {
			l, logged := newLog(t)
			calls, failed := 0, ""
			l.disk.Before(func(call disk.Call) error {
				if calls++; calls == n {
					failed = call.Kind
					return errno
				}
				return nil
			})
			refused := l.Ready(t.Context())
			written := l.Write(t.Context(), auditLine(1), true)
			if calls < n {
				if refused != nil || written != nil {
					t.Fatal(refused, written)
				}
				t.Logf("%v: made %d calls fail in turn", errno, n-1)
				break
			}
			if (refused == nil) == (written == nil) {
				t.Errorf("call %d (%s) fails with %v: want one error from Ready and Write, got %v, %v", n, failed, errno, refused, written)
			}
			for _, err := range []error{refused, written} {
				if err != nil && fault.KindOf(err) != fault.StoreUnavailable {
					t.Errorf("call %d (%s): %v", n, failed, err)
				}
			}
			mustBeReady(t, l)
			mustWrite(t, l, auditLine(2))
			if got := tools(t, l.path); got != "tool1 tool2" {
				t.Errorf("call %d (%s) failed once: the file has %s", n, failed, got)
			}
			for _, words := range []string{"cannot be written: changes are refused", "can be written again"} {
				if strings.Count(logged.String(), words) != 1 {
					t.Errorf("call %d (%s): %q is not in the log exactly once: %s", n, failed, words, logged)
				}
			}
		}
	}
}

// TestTornWrite lets the disk fill up in the middle of a line.
func TestTornWrite(t *testing.T) {
	for _, test := range []struct {
		name, want string
		truncates  error
	}{
		{"the torn line is cut off", "intact", nil},
		{"the torn line cannot be cut off", "torn", syscall.EIO},
	} {
		t.Run(test.name, func(t *testing.T) {
			l, _ := newLog(t)
			mustWrite(t, l, auditLine(1))
			l.disk.Before(func(call disk.Call) error {
				switch call.Kind {
				case "write":
					_, _ = l.file.Write(call.Data[:len(call.Data)/2])
					return syscall.ENOSPC
				case "truncate":
					return test.truncates
				}
				return nil
			})
			if err := l.Write(t.Context(), auditLine(2), true); fault.KindOf(err) != fault.StoreUnavailable || !strings.Contains(err.Error(), "no space left") {
				t.Fatalf("torn write: %v", err)
			}
			l.disk.Around = nil
			mustBeReady(t, l) // writes the queued line
			content, err := os.ReadFile(l.path)
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(strings.TrimSuffix(string(content), "\n"), "\n")
			if test.want == "torn" {
				if len(lines) != 3 || strings.HasSuffix(lines[1], "}") {
					t.Fatalf("the file is %q", content)
				}
				lines = append(lines[:1], lines[2])
			}
			if len(lines) != 2 || !strings.Contains(lines[0], `"tool1"`) || !strings.Contains(lines[1], `"tool2"`) || !strings.HasSuffix(lines[1], "}") {
				t.Errorf("the file is %q", content)
			}
		})
	}
}

// TestLostLinesAreCounted writes far more lines than the queue holds while the file cannot be written. Lines
// of changes are queued all the same.
func TestLostLinesAreCounted(t *testing.T) {
	l, _ := newLog(t)
	l.disk.Before(func(disk.Call) error { return syscall.EIO })
	const calls = 40
	large := Line{Tool: "read", Kind: OK, Paths: []string{strings.Repeat("x", maxQueue/16)}}
	for range calls {
		if l.Write(t.Context(), large, false) == nil {
			t.Fatal("Write succeeded without a file")
		}
	}
	if l.Write(t.Context(), auditLine(1), true) == nil {
		t.Fatal("Write succeeded without a file")
	}
	if l.size > maxQueue+1000 {
		t.Errorf("%d bytes are queued", l.size)
	}
	l.disk.Around = nil
	mustBeReady(t, l)
	lines, counted, changes := read(t, l.path), 0, 0
	for _, line := range lines {
		switch {
		case line.Kind == lost && line.Tool == "" && !line.Time.IsZero():
			counted += line.Lost
		case line.Tool == "tool1":
			changes++
		default:
			counted++
		}
	}
	if counted != calls || changes != 1 || l.size != 0 || l.behind() {
		t.Errorf("%d calls and %d changes accounted for, want %d and 1; %d bytes queued", counted, changes, calls, l.size)
	}
}

func TestCloseWritesQueuedLines(t *testing.T) {
	l, _ := newLog(t)
	l.disk.Before(func(disk.Call) error { return syscall.EIO })
	if l.Write(t.Context(), auditLine(1), true) == nil || l.Close() == nil {
		t.Error("Write or Close hid the failure")
	}
	l.disk.Around = nil
	if err := l.Close(); err != nil || tools(t, l.path) != "tool1" {
		t.Errorf("Close: %v", err)
	}
}

// TestLockHeldTooLong lets another process hold the lock for too long: a change is refused, and the line of a
// call that was running is not lost.
func TestLockHeldTooLong(t *testing.T) {
	l, _ := newLog(t)
	other, _ := newLog(t)
	other.path = l.path
	synctest.Test(t, func(t *testing.T) {
		if err := other.hold(t.Context()); err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		mustRefuse(t, l, errBusy.Error())
		if took := time.Since(begin); took < patience || took > 2*patience {
			t.Errorf("refused after %v", took)
		}
		if l.Write(t.Context(), auditLine(1), true) == nil {
			t.Error("Write succeeded without the lock")
		}
		system.Unlock(other.file)
		mustBeReady(t, l)
		if got := tools(t, l.path); got != "tool1" {
			t.Errorf("the file has %s", got)
		}
	})
}

// TestFileInUseTooLong lets another call use the file for too long.
func TestFileInUseTooLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, _ := newLog(t)
		l.turn <- struct{}{}
		mustRefuse(t, l, errBusy.Error())
		if l.Write(t.Context(), auditLine(1), true) == nil || !l.behind() {
			t.Error("the line is not queued")
		}
		<-l.turn
		mustBeReady(t, l)
		if got := tools(t, l.path); got != "tool1" {
			t.Errorf("the file has %s", got)
		}
		l.Close()
	})
}

// TestRotationWhileLocking rotates the file between two attempts to lock it.
func TestRotationWhileLocking(t *testing.T) {
	l, _ := newLog(t)
	mustWrite(t, l, auditLine(1))
	moves := 0
	l.disk.Before(func(call disk.Call) error {
		if call.Kind == "lstat" && moves < 3 {
			moves++
			return os.Rename(l.path, filepath.Join(filepath.Dir(l.path), strings.Repeat("old", moves)))
		}
		return nil
	})
	mustWrite(t, l, auditLine(2))
	if got := tools(t, l.path); got != "tool2" || moves != 3 {
		t.Errorf("after %d moves the file has %s", moves, got)
	}
}

// TestEndlessRotationTimesOut removes the file after every attempt to lock it.
func TestEndlessRotationTimesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, _ := newLog(t)
		l.disk.Before(func(call disk.Call) error {
			if call.Kind == "lstat" {
				time.Sleep(time.Second)
				return os.Remove(l.path)
			}
			return nil
		})
		mustRefuse(t, l, errBusy.Error())
	})
}
