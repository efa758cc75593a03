//go:build unix

package child

import (
	"os/exec"
	"syscall"
)

// ownGroup starts a program in a process group of its own, and ends the whole group when the context ends. Programs such
// as git remove their lock files when they are asked to end.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
}

// endGroup ends what a program has left running.
func endGroup(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
}
