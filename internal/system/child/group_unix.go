//go:build unix

package child

import (
	"os/exec"
	"syscall"
)

// ownGroup starts a program in a session of its own, where it has no terminal to ask for a password, and ends the whole
// session when the context ends. Programs such as git remove their lock files when they are asked to end.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
}

// endGroup ends what a program has left running.
func endGroup(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
}
