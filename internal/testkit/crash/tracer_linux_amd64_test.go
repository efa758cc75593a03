package crash

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

// A traced program stops before each system call that changes files, in all of its threads, so that the nth call of the
// whole program can be found. (strace counts the calls of each thread separately.) A filter in the kernel picks the calls,
// so that all others cost nothing.

// sysCall is a system call that is about to be made.
type sysCall struct {
	name string
	file string // the file or folder of its first argument
}

func (c sysCall) String() string { return c.name + " at " + c.file }

// answers reports whether the call writes the answer.
func (c sysCall) answers() bool { return strings.HasPrefix(filepath.Base(c.file), "stdout") }

// verdict says what happens to a call.
type verdict struct {
	kill bool          // kill the program instead
	fail syscall.Errno // do not make the call, and fail it with this error; 0: make it
}

// traced is how a traced program ended.
type traced struct {
	status         syscall.WaitStatus
	stdout, stderr string
}

// trace runs a program and asks about each call that changes files.
func trace(cmd *exec.Cmd, dir string, ask func(sysCall) verdict) (traced, error) {
	runtime.LockOSThread() // the thread that starts the program traces it
	defer runtime.UnlockOSThread()
	out, err := os.CreateTemp(dir, "stdout")
	if err != nil {
		return traced{}, err
	}
	defer out.Close()
	problems, err := os.CreateTemp(dir, "stderr")
	if err != nil {
		return traced{}, err
	}
	defer problems.Close()
	defer os.Remove(out.Name())
	defer os.Remove(problems.Name())
	self, err := os.Executable()
	if err != nil {
		return traced{}, err
	}
	pid, err := syscall.ForkExec(self, append([]string{self}, cmd.Args...), &syscall.ProcAttr{
		Env: append(cmd.Env, filtered+"=1"), Files: []uintptr{0, out.Fd(), problems.Fd()}, Sys: &syscall.SysProcAttr{Ptrace: true, Setpgid: true},
	})
	if err != nil {
		return traced{}, err
	}
	tr := &tracer{pid: pid, ask: ask, known: map[int]bool{pid: true}}
	if err := tr.follow(); err != nil {
		syscall.Kill(pid, syscall.SIGKILL)
		return traced{}, err
	}
	stdout, _ := os.ReadFile(out.Name())
	stderr, _ := os.ReadFile(problems.Name())
	return traced{tr.status, string(stdout), string(stderr)}, nil
}

type tracer struct {
	pid    int
	ask    func(sysCall) verdict
	known  map[int]bool // threads
	status syscall.WaitStatus
}

// What package syscall does not name.
const (
	stopAtFilter  = 0x80     // PTRACE_O_TRACESECCOMP: stop where the filter says so
	atFilter      = 7        // PTRACE_EVENT_SECCOMP: such a stop
	endWithTracer = 0x100000 // PTRACE_O_EXITKILL
)

// follow traces the program to its end.
func (tr *tracer) follow() error {
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(tr.pid, &status, syscall.WALL, nil); err != nil {
		return err
	}
	if err := syscall.PtraceSetOptions(tr.pid, stopAtFilter|syscall.PTRACE_O_TRACECLONE|endWithTracer); err != nil {
		return err
	}
	thread := tr.pid
	for signal := 0; ; {
		if err := syscall.PtraceCont(thread, signal); err != nil && !errors.Is(err, syscall.ESRCH) {
			return err
		}
		var err error
		if thread, signal, err = tr.nextStop(); err != nil || thread == 0 {
			return err
		}
	}
}

// nextStop waits for a thread to stop, and returns it with the signal to pass on; thread 0: the program has ended.
func (tr *tracer) nextStop() (thread, signal int, err error) {
	for {
		var status syscall.WaitStatus
		thread, err := syscall.Wait4(-tr.pid, &status, syscall.WALL, nil)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if errors.Is(err, syscall.ECHILD) {
			return 0, 0, nil
		}
		if err != nil {
			return 0, 0, err
		}
		first := !tr.known[thread]
		tr.known[thread] = true
		switch {
		case status.Exited(), status.Signaled():
			if thread == tr.pid {
				tr.status = status
			}
		case status.StopSignal() == syscall.SIGTRAP && status.TrapCause() == atFilter:
			return thread, 0, notGone(tr.meet(thread))
		case status.StopSignal() == syscall.SIGTRAP, first && status.StopSignal() == syscall.SIGSTOP:
			return thread, 0, nil // a program or a thread starts
		default:
			return thread, int(status.StopSignal()), nil
		}
	}
}

// meet handles a thread that is about to make a call.
func (tr *tracer) meet(thread int) error {
	var regs syscall.PtraceRegs
	if err := syscall.PtraceGetRegs(thread, &regs); err != nil {
		return err
	}
	call, changes := tr.describe(thread, &regs)
	if !changes {
		return nil
	}
	switch verdict := tr.ask(call); {
	case verdict.kill:
		return syscall.Kill(tr.pid, syscall.SIGKILL)
	case verdict.fail != 0:
		regs.Orig_rax = ^uint64(0) // no call
		regs.Rax = uint64(-int64(verdict.fail))
		return syscall.PtraceSetRegs(thread, &regs)
	}
	return nil
}

// notGone ignores the error of a thread that was killed meanwhile.
func notGone(err error) error {
	if errors.Is(err, syscall.ESRCH) {
		return nil
	}
	return err
}

// describe reports whether a call changes files. Writing the answer to stdout counts too; writing to other pipes and to
// the runtime's event descriptors does not.
func (tr *tracer) describe(thread int, regs *syscall.PtraceRegs) (sysCall, bool) {
	name, changes := changing[regs.Orig_rax]
	if !changes {
		return sysCall{}, false
	}
	call := sysCall{name: name}
	if int32(regs.Rdi) >= 0 {
		call.file, _ = os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", tr.pid, int32(regs.Rdi)))
	} else {
		call.file = pathAt(thread, uintptr(regs.Rsi))
	}
	if regs.Orig_rax == syscall.SYS_WRITE {
		return call, filepath.IsAbs(call.file) && regs.Rdi != 2
	}
	return call, true
}

// pathAt reads a path from the memory of the program.
func pathAt(thread int, at uintptr) string {
	buffer := make([]byte, 4096)
	n, _ := syscall.PtracePeekData(thread, at, buffer)
	path, _, _ := bytes.Cut(buffer[:n], []byte{0})
	return string(path)
}
