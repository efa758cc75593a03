// Package vaultsync runs the user's own sync program on the folder of a vault: git, rclone, Obsidian Headless, or the
// commands of the config file. Nothing about a command comes from a caller.
//
// One sync runs at a time, also among several servers of the same vault. A sync belongs to the Syncer and not to the call
// that asked for it: it goes on if the caller does not wait, so that it is never left half done. Its outcome is kept on
// disk, for the next status, doctor and the page.
package vaultsync

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/system/child"
	"obsidian-mcp/internal/text/amount"
)

// State says how the vault and what it is synced with relate.
type State string

// The states.
const (
	UpToDate State = "up_to_date" // there is nothing to send or receive
	Pending  State = "pending"    // there is something to send or receive
	Conflict State = "conflict"   // changes on both sides could not be joined
	Running  State = "running"    // a sync has not ended yet
	Failed   State = "failed"
	Unknown  State = "unknown" // the commands of the config file do not say
)

// Outcome is what a sync or a look at its state has found.
type Outcome struct {
	State     State
	Ahead     *int     // changes that only this machine has, as far as the program counts them
	Behind    *int     // changes that only the other side has, as far as is known here
	Output    string   // what happened, and the end of what the program printed; without secrets
	Conflicts []string // files with conflicts, by their paths in the vault
	Took      time.Duration
	Advice    string // what to do next; "" if there is nothing to say
}

// Options describe a sync.
type Options struct {
	Dir     string // the vault's folder
	Preset  string // git, rclone or obsidian-headless; "" for the commands
	Remote  string // of rclone
	Pull    []string
	Push    []string
	Status  []string
	Timeout time.Duration

	Environment []string // of the commands
	Secrets     []string // values that are never shown

	StateDir string // keeps the lock and the last outcome
	Vault    Vault
	Log      *slog.Logger
}

// Vault is what a sync needs to know about the vault.
type Vault interface {
	// Changes lists the recorded changes from a time on, oldest first, with the paths of the files of each.
	Changes(ctx context.Context, since time.Time) ([]Change, error)
	// Exclusively runs a function while no tool changes a file.
	Exclusively(ctx context.Context, run func() error) error
	// Watch returns a function that brings the index up to date, and lists the files with conflicts among those that
	// have changed since Watch was called.
	Watch(ctx context.Context) (settle func(context.Context) (conflicts []string, err error), err error)
}

// Change is a change that a tool has made.
type Change struct {
	ID    string
	Paths []string
}

// program is a way to sync. Both methods return what the program said even if they fail.
type program interface {
	// status looks, and changes nothing.
	status(ctx context.Context) (Outcome, error)
	// sync makes both sides equal.
	sync(ctx context.Context) (Outcome, error)
	// check finds out whether the program could run, for doctor. It changes nothing.
	check(ctx context.Context) (found string, err error)
}

// Syncer syncs a vault.
type Syncer struct {
	options Options
	program program
	turn    chan struct{} // holds a value while a sync runs
	ended   context.Context
	stop    context.CancelFunc
	running sync.WaitGroup

	mu    sync.Mutex // guards since, and that no sync begins once Close waits
	since time.Time  // when the running sync began; zero if none is running
}

// New makes a Syncer. Close it.
func New(options Options) *Syncer {
	ended, stop := context.WithCancel(context.Background())
	s := &Syncer{options: options, turn: make(chan struct{}, 1), ended: ended, stop: stop}
	run := runner{options: options}
	switch options.Preset {
	case "git":
		s.program = &git{run: run, vault: options.Vault}
	default:
		s.program = commandsOf(run)
	}
	return s
}

// Close ends a running sync and waits for it.
func (s *Syncer) Close() {
	s.mu.Lock()
	s.stop()
	s.mu.Unlock()
	s.running.Wait()
}

// begin runs a sync that Close waits for. It reports false if the Syncer is closed.
func (s *Syncer) begin(run func()) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended.Err() != nil {
		return false
	}
	s.running.Go(run)
	return true
}

// Status tells how things stand. It changes nothing.
func (s *Syncer) Status(ctx context.Context) (Outcome, error) {
	started := time.Now()
	if since := s.runningSince(); !since.IsZero() {
		return Outcome{State: Running, Took: time.Since(since), Output: "a sync is running"}, nil
	}
	outcome, err := s.program.status(ctx)
	outcome.Took = time.Since(started)
	outcome.Output = s.shown(outcome.Output)
	return outcome, s.explain(err)
}

// Now syncs. If a sync is running, it waits for its end first: that one may have begun before the caller's changes. A
// sync that takes longer than the caller can wait goes on, and the outcome says that it is running.
func (s *Syncer) Now(ctx context.Context) (Outcome, error) {
	started := time.Now()
	patience := ctx
	if deadline, ok := ctx.Deadline(); ok { // leave time to answer
		var cancel context.CancelFunc
		patience, cancel = context.WithDeadline(ctx, deadline.Add(-min(time.Second, time.Until(deadline)/10)))
		defer cancel()
	}
	goesOn := func() (Outcome, error) {
		if ctx.Err() != nil {
			return Outcome{}, ctx.Err()
		}
		return Outcome{
			State: Running, Took: time.Since(started), Output: "the sync is still running, and goes on",
			Advice: "Call vault_sync with action='status' later for its result.",
		}, nil
	}
	select {
	case s.turn <- struct{}{}:
	case <-patience.Done():
		return goesOn()
	case <-s.ended.Done():
		return Outcome{}, errStopping
	}
	type result struct {
		outcome Outcome
		err     error
	}
	done := make(chan result, 1)
	begun := s.begin(func() {
		defer func() { <-s.turn }()
		outcome, err := s.once(s.ended)
		done <- result{outcome, err}
	})
	if !begun {
		return Outcome{}, errStopping
	}
	select {
	case ended := <-done:
		return ended.outcome, ended.err
	case <-patience.Done():
		return goesOn()
	}
}

var errStopping = fault.StoreUnavailable.Errorf("the server is stopping")

// once runs one sync and keeps its outcome.
func (s *Syncer) once(ctx context.Context) (Outcome, error) {
	started := time.Now()
	s.mark(started)
	defer s.mark(time.Time{})
	unlock, err := s.lock(ctx)
	if err != nil {
		return Outcome{}, err
	}
	defer unlock()
	outcome, err := s.syncAndSettle(ctx)
	outcome.Took = time.Since(started)
	outcome.Output = s.shown(outcome.Output)
	err = s.explain(err)
	s.keep(outcome, err)
	if err != nil {
		s.options.Log.Warn("syncing the vault failed", "error", err.Error())
	} else {
		s.options.Log.Info("the vault was synced", "state", string(outcome.State), "took", outcome.Took.Round(time.Millisecond).String())
	}
	return outcome, err
}

func (s *Syncer) syncAndSettle(ctx context.Context) (Outcome, error) {
	settle, err := s.options.Vault.Watch(ctx)
	if err != nil {
		return Outcome{}, err
	}
	limited, cancel := context.WithTimeoutCause(ctx, s.options.Timeout, child.ErrTimeout)
	defer cancel()
	outcome, failed := s.program.sync(limited)
	conflicts, err := settle(ctx)
	if len(conflicts) > 0 {
		outcome.Conflicts = append(outcome.Conflicts, conflicts...)
	}
	if len(outcome.Conflicts) > 0 && failed == nil {
		outcome.State = Conflict
		outcome.Output = "conflicts in: " + strings.Join(outcome.Conflicts, ", ") + "\n" + outcome.Output
		if outcome.Advice == "" {
			outcome.Advice = fmt.Sprintf("Tell the user: the sync left conflicts in %s.", amount.Few(outcome.Conflicts, 5))
		}
	}
	return outcome, errors.Join(failed, err)
}

// explain makes an error of a program one that names the setting.
func (s *Syncer) explain(err error) error {
	if err == nil {
		return nil
	}
	if fault.KindOf(err) != fault.Internal {
		return hidden(err, s.options.Secrets)
	}
	switch {
	case errors.Is(err, child.ErrNotFound):
		return fault.InvalidArgument.Errorf("sync: %s", child.Hide(err.Error(), s.options.Secrets)).
			WithHint("install the program, or correct `sync` in the config file")
	case errors.Is(err, child.ErrTimeout), errors.Is(err, context.DeadlineExceeded):
		return fault.Timeout.Errorf("sync: it took longer than sync.timeout (%v)", s.options.Timeout).
			WithHint("raise sync.timeout in the config file")
	case errors.Is(err, context.Canceled):
		return fault.StoreUnavailable.Errorf("the sync was ended because the server is stopping")
	}
	return fault.StoreUnavailable.Errorf("sync: %s", child.Hide(err.Error(), s.options.Secrets))
}

// hidden removes secrets from an error that a program's output is part of.
func hidden(err error, secrets []string) error {
	return &fault.Error{
		Kind: fault.KindOf(err), Message: child.Hide(err.Error(), secrets), Hint: child.Hide(fault.HintOf(err), secrets), Err: err,
	}
}

// maxShown is how much of the output callers see.
const maxShown = 2 << 10

// shown returns the end of an output without secrets.
func (s *Syncer) shown(output string) string {
	output = strings.TrimSpace(child.Hide(output, s.options.Secrets))
	if len(output) <= maxShown {
		return output
	}
	cut := output[len(output)-maxShown:]
	if end := strings.IndexByte(cut, '\n'); end >= 0 && end < maxShown/2 {
		cut = cut[end+1:]
	}
	return strings.ToValidUTF8(cut, "")
}

func (s *Syncer) mark(since time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.since = since
}

func (s *Syncer) runningSince() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.since
}

// Check finds out whether a sync could run, without changing anything, and says what it found.
func (s *Syncer) Check(ctx context.Context) (found string, err error) {
	limited, cancel := context.WithTimeoutCause(ctx, s.options.Timeout, child.ErrTimeout)
	defer cancel()
	found, err = s.program.check(limited)
	return child.Hide(found, s.options.Secrets), s.explain(err)
}
