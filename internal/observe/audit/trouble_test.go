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
)

// TestEveryCallFails has each system call fail in turn, with each error: the
// change is refused or its line is kept; nothing torn is left, and once the call
// works again every line is there once.
func TestEveryCallFails(t *testing.T) {
	for _, errno := range []syscall.Errno{syscall.EIO, syscall.ENOSPC, syscall.EROFS, syscall.EDQUOT, syscall.EACCES} {
		for n := 1; ; n++ {
			l, told := newLog(t)
			calls, failed := 0, ""
			l.fault = func(name string) error {
				if calls++; calls == n {
					failed = name
					return errno
				}
				return nil
			}
			refused := l.Ready(t.Context())
			written := l.Write(t.Context(), auditLine(1), true)
			if calls < n {
				if refused != nil || written != nil {
					t.Fatal(refused, written)
				}
				t.Logf("%v: %d calls failed in turn", errno, n-1)
				break
			}
			if (refused == nil) == (written == nil) {
				t.Errorf("call %d (%s) fails with %v, and of two steps not one failed: %v, %v", n, failed, errno, refused, written)
			}
			for _, err := range []error{refused, written} {
				if err != nil && fault.KindOf(err) != fault.StoreUnavailable {
					t.Errorf("call %d (%s): %v", n, failed, err)
				}
			}
			mustBeReady(t, l)
			mustWrite(t, l, auditLine(2))
			if got := tools(t, l.path); got != "tool1 tool2" {
				t.Errorf("call %d (%s) failed once, and the file has %s", n, failed, got)
			}
			for _, words := range []string{"cannot be written: changes are refused", "is written again"} {
				if strings.Count(told.String(), words) != 1 {
					t.Errorf("call %d (%s): the log does not tell once that it %s: %s", n, failed, words, told)
				}
			}
		}
	}
}

// TestTornWrite has the disk become full within a line.
func TestTornWrite(t *testing.T) {
	for _, test := range []struct {
		name, want string
		truncates  error
	}{
		{"and what is torn is cut off", "whole", nil},
		{"and what is torn has to stay", "torn", syscall.EIO},
	} {
		t.Run(test.name, func(t *testing.T) {
			l, _ := newLog(t)
			mustWrite(t, l, auditLine(1))
			l.write = func(file *os.File, text []byte) (int, error) {
				n, _ := file.Write(text[:len(text)/2])
				return n, syscall.ENOSPC
			}
			l.fault = func(name string) error {
				if name == "truncate" {
					return test.truncates
				}
				return nil
			}
			if err := l.Write(t.Context(), auditLine(2), true); fault.KindOf(err) != fault.StoreUnavailable || !strings.Contains(err.Error(), "no space left") {
				t.Fatalf("a torn write: %v", err)
			}
			l.write = (*os.File).Write
			mustBeReady(t, l) // which writes what is kept
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

// TestLinesThatCannotBeKeptAreCounted writes far more than is kept while the
// file is not to be had. What changed something is kept all the same.
func TestLinesThatCannotBeKeptAreCounted(t *testing.T) {
	l, _ := newLog(t)
	l.fault = func(string) error { return syscall.EIO }
	const calls = 40
	large := Line{Tool: "read", Kind: OK, Paths: []string{strings.Repeat("x", mostKept/16)}}
	for range calls {
		if l.Write(t.Context(), large, false) == nil {
			t.Fatal("written?")
		}
	}
	if l.Write(t.Context(), auditLine(1), true) == nil {
		t.Fatal("written?")
	}
	if l.size > mostKept+1000 {
		t.Errorf("%d bytes are kept", l.size)
	}
	l.fault = func(string) error { return nil }
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
		t.Errorf("%d calls and %d changes are accounted for, %d bytes kept", counted, changes, l.size)
	}
}

// TestWhatIsKeptIsWrittenAtTheEnd closes a log that is behind.
func TestWhatIsKeptIsWrittenAtTheEnd(t *testing.T) {
	l, _ := newLog(t)
	l.fault = func(string) error { return syscall.EIO }
	if l.Write(t.Context(), auditLine(1), true) == nil || l.Close() == nil {
		t.Error("nobody was told")
	}
	l.fault = func(string) error { return nil }
	if err := l.Close(); err != nil || tools(t, l.path) != "tool1" {
		t.Errorf("Close: %v", err)
	}
}

// TestAnotherHoldsTheLock has another process hold the lock for too long. A
// change is refused, and the line of one that was running is not lost.
func TestAnotherHoldsTheLock(t *testing.T) {
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
			t.Error("written?")
		}
		system.Unlock(other.file)
		mustBeReady(t, l)
		if got := tools(t, l.path); got != "tool1" {
			t.Errorf("the file has %s", got)
		}
	})
}

// TestWaitingForATurn has another call use the file for too long.
func TestWaitingForATurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, _ := newLog(t)
		l.turn <- struct{}{}
		mustRefuse(t, l, errBusy.Error())
		if l.Write(t.Context(), auditLine(1), true) == nil || !l.behind() {
			t.Error("the line is not kept")
		}
		<-l.turn
		mustBeReady(t, l)
		if got := tools(t, l.path); got != "tool1" {
			t.Errorf("the file has %s", got)
		}
		l.Close()
	})
}

// TestMovedAwayWhileWaiting has the file rotated between two tries to lock it.
func TestMovedAwayWhileWaiting(t *testing.T) {
	l, _ := newLog(t)
	mustWrite(t, l, auditLine(1))
	moves := 0
	l.fault = func(name string) error {
		if name == "lstat" && moves < 3 {
			moves++
			return os.Rename(l.path, filepath.Join(filepath.Dir(l.path), strings.Repeat("old", moves)))
		}
		return nil
	}
	mustWrite(t, l, auditLine(2))
	if got := tools(t, l.path); got != "tool2" || moves != 3 {
		t.Errorf("after %d moves the file has %s", moves, got)
	}
}

// TestMovedAwayForEver ends even so.
func TestMovedAwayForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, _ := newLog(t)
		l.fault = func(name string) error {
			if name == "lstat" {
				time.Sleep(time.Second)
				return os.Remove(l.path)
			}
			return nil
		}
		mustRefuse(t, l, errBusy.Error())
	})
}
