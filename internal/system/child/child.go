// Package child runs other programs: without a shell, without input, with an environment that holds no secrets, for a
// limited time and with a limited amount of output. When the time is over, the program ends with everything it started,
// unless the command says otherwise.
package child

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"time"
)

// Command is a program to run.
type Command struct {
	Args        []string // the program and its arguments
	Dir         string
	Environment []string      // all of it; see Environment
	Timeout     time.Duration // 0: only the context ends it
	MaxOutput   int           // bytes that are kept of each stream, its end; default 64 KB
	Leaves      bool          // what the program has started is left running, such as an app with a window
}

// Result is what a program left.
type Result struct {
	Stdout string // its end
	Both   string // the end of standard output and standard error, in the order of writing
	Exit   int    // the exit status; -1 if a signal ended it
	Took   time.Duration
}

// The reasons why a program has no result.
var (
	// ErrNotFound is in the chain of an error if the program does not exist or must not be executed.
	ErrNotFound = errors.New("program not found")
	// ErrTimeout is in the chain of an error if the program was ended because its time was over.
	ErrTimeout = errors.New("time is over")
)

// grace is how long a program has to end after it was told to.
const grace = 2 * time.Second

// Run runs a program until it exits. An exit status other than 0 is not an error. A program that was ended has a result
// too, with what it wrote until then.
func Run(ctx context.Context, command Command) (Result, error) {
	caller := ctx
	if command.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, command.Timeout, ErrTimeout)
		defer cancel()
	}
	limit := command.MaxOutput
	if limit == 0 {
		limit = 64 << 10
	}
	cmd := exec.CommandContext(ctx, command.Args[0], command.Args[1:]...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = command.Dir, command.Environment, grace
	ownGroup(cmd)
	if command.Leaves {
		cmd.Cancel = func() error { return cmd.Process.Kill() }
	}
	// Both streams are read by one goroutine each, so the tail of both needs a lock.
	both := &sharedTail{tail: tail{limit: limit}}
	stdout := &tail{limit: limit}
	cmd.Stdout, cmd.Stderr = writers{stdout, both}, both
	started := time.Now()
	err := cmd.Run()
	if !command.Leaves {
		endGroup(cmd)
	}
	result := Result{Stdout: stdout.String(), Both: both.String(), Exit: exitOf(cmd), Took: time.Since(started)}
	switch _, exited := errors.AsType[*exec.ExitError](err); {
	case caller.Err() != nil:
		return result, caller.Err()
	case ctx.Err() != nil:
		return result, fmt.Errorf("'%s' was ended after %v: %w", command.Args[0], command.Timeout, ErrTimeout)
	case err == nil, exited, errors.Is(err, exec.ErrWaitDelay): // it exited, but something it started kept its output open
		return result, nil
	case cmd.Process == nil:
		return result, fmt.Errorf("'%s' cannot be run (%w): %w", command.Args[0], ErrNotFound, err)
	}
	return result, err
}

func exitOf(cmd *exec.Cmd) int {
	if cmd.ProcessState == nil {
		return -1 // it never ran
	}
	return cmd.ProcessState.ExitCode()
}
