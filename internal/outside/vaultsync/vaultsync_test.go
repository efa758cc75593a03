//go:build unix

package vaultsync

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"obsidian-mcp/internal/fault"
)

// script makes a program for a test, and the options of a sync that may run it.
func script(t *testing.T, name, body string) (program string, options Options) {
	t.Helper()
	dir := t.TempDir()
	program = filepath.Join(dir, name)
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"+body), 0o700); err != nil {
		t.Fatal(err)
	}
	return program, Options{
		Dir: t.TempDir(), Timeout: time.Minute, Environment: environment(t.TempDir()), StateDir: t.TempDir(), Vault: &fakeVault{},
		Log: slog.New(slog.DiscardHandler),
	}
}

func TestCommandsRunInTheFolder(t *testing.T) {
	t.Parallel()
	program, options := script(t, "mysync", `echo "$1 in $(pwd) with '$2'"; [ "$1" != status ] || exit 3`)
	options.Pull, options.Push = []string{program, "pull", "$HOME; a b"}, []string{program, "push"}
	options.Status = []string{program, "status"}
	s := open(t, options)
	got, err := s.Now(t.Context())
	if err != nil || got.State != UpToDate || !strings.Contains(got.Output, "pull in "+options.Dir+" with '$HOME; a b'\npush in") {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := s.Status(t.Context()); !errors.Is(err, fault.StoreUnavailable) || !strings.Contains(err.Error(), "sync.status: 'mysync status' failed with exit status 3: status in") {
		t.Error(err)
	}
	options.Status = nil
	if got, err := open(t, options).Status(t.Context()); err != nil || got.State != Unknown {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestFailedPullDoesNotPush(t *testing.T) {
	t.Parallel()
	program, options := script(t, "mysync", `echo "$1" >> ran; echo "the password is swordfish" >&2; exit 1`)
	options.Pull, options.Push = []string{program, "pull"}, []string{program, "push"}
	options.Secrets = []string{"swordfish"}
	s := open(t, options)
	_, err := s.Now(t.Context())
	if !errors.Is(err, fault.StoreUnavailable) || err.Error() != "sync.pull: 'mysync pull' failed with exit status 1: the password is ***" {
		t.Error(err)
	}
	if ran, _ := os.ReadFile(filepath.Join(options.Dir, "ran")); string(ran) != "pull\n" {
		t.Errorf("%q", ran)
	}
	if last, ok := s.Last(); !ok || last.State != Failed || !strings.Contains(last.Error, "sync.pull") || strings.Contains(last.Error, "swordfish") {
		t.Errorf("%+v", last)
	}
}

func TestMissingProgram(t *testing.T) {
	t.Parallel()
	_, options := script(t, "x", "")
	options.Pull, options.Status = []string{"obsidian-mcp-has-no-such-program", "pull"}, []string{"obsidian-mcp-has-no-such-program"}
	s := open(t, options)
	_, now := s.Now(t.Context())
	_, status := s.Status(t.Context())
	_, check := s.Check(t.Context())
	for _, err := range []error{now, status, check} {
		if !errors.Is(err, fault.InvalidArgument) || !strings.Contains(err.Error(), "obsidian-mcp-has-no-such-program") || !strings.Contains(err.Error(), "sync.") {
			t.Error(err)
		}
	}
}

func TestTimeoutEndsTheCommand(t *testing.T) {
	t.Parallel()
	program, options := script(t, "mysync", `sleep 600`)
	options.Pull, options.Timeout = []string{program}, 200*time.Millisecond
	if _, err := open(t, options).Now(t.Context()); !errors.Is(err, fault.Timeout) || !strings.Contains(err.Error(), "sync.timeout") {
		t.Error(err)
	}
}

// TestSyncGoesOnWithoutItsCaller lets a caller give up, and then the sync end.
func TestSyncGoesOnWithoutItsCaller(t *testing.T) {
	_, options := script(t, "x", "")
	synctest.Test(t, func(t *testing.T) {
		s := New(options)
		defer s.Close()
		synced := make(chan time.Time)
		s.program = scripted{synced}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		got, err := s.Now(ctx)
		if err != nil || got.State != Running || got.Advice == "" {
			t.Fatalf("%+v, %v", got, err)
		}
		if status, err := s.Status(t.Context()); err != nil || status.State != Running {
			t.Errorf("%+v, %v", status, err)
		}
		go func() { <-synced; <-synced }()
		if got, err = s.Now(t.Context()); err != nil || got.State != UpToDate { // after the first
			t.Errorf("%+v, %v", got, err)
		}
	})
}

func TestCloseEndsARunningSync(t *testing.T) {
	t.Parallel()
	program, options := script(t, "mysync", `touch began; sleep 600`)
	options.Pull = []string{program}
	s := New(options)
	ended := make(chan error, 1)
	go func() { _, err := s.Now(context.Background()); ended <- err }()
	for {
		if _, err := os.Stat(filepath.Join(options.Dir, "began")); err == nil {
			break
		}
		time.Sleep(time.Millisecond)
	}
	s.Close()
	if err := <-ended; !errors.Is(err, fault.StoreUnavailable) {
		t.Error(err)
	}
	if _, err := s.Now(t.Context()); !errors.Is(err, fault.StoreUnavailable) {
		t.Error("a closed sync ran:", err)
	}
}

// TestServersTakeTurns syncs the same vault by two servers at once: the second begins when the first has ended.
func TestServersTakeTurns(t *testing.T) {
	t.Parallel()
	program, options := script(t, "mysync", `[ ! -e busy ] || touch overlap; touch busy; sleep 0.05; rm busy`)
	options.Pull = []string{program}
	done := make(chan error)
	for range 4 {
		s := open(t, options)
		go func() { _, err := s.Now(t.Context()); done <- err }()
	}
	for range 4 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(filepath.Join(options.Dir, "overlap")); err == nil {
		t.Error("two syncs ran at once")
	}
}

func TestOutputIsCut(t *testing.T) {
	t.Parallel()
	program, options := script(t, "mysync", `i=0; while [ $i -lt 1000 ]; do echo "copied file $i"; i=$((i+1)); done`)
	options.Pull = []string{program}
	got, err := open(t, options).Now(t.Context())
	if err != nil || len(got.Output) > 2<<10 || !strings.HasSuffix(got.Output, "copied file 999") || !strings.HasPrefix(got.Output, "copied file") {
		t.Errorf("%d %q, %v", len(got.Output), got.Output, err)
	}
}

func TestConflictsAreReported(t *testing.T) {
	t.Parallel()
	program, options := script(t, "mysync", `echo fine`)
	options.Pull, options.Vault = []string{program}, &fakeVault{conflicts: []string{"Plan.sync-conflict-20261116-101010-ABCDEFG.md"}}
	got, err := open(t, options).Now(t.Context())
	if err != nil || got.State != Conflict || !strings.Contains(got.Output, "Plan.sync-conflict") || !strings.Contains(got.Advice, "Plan.sync-conflict") {
		t.Errorf("%+v, %v", got, err)
	}
}

// scripted is a program that counts its syncs.
type scripted struct{ synced chan time.Time }

func (s scripted) status(context.Context) (Outcome, error) { return Outcome{}, nil }
func (s scripted) check(context.Context) (string, error)   { return "", nil }
func (s scripted) sync(context.Context) (Outcome, error) {
	s.synced <- time.Now()
	return Outcome{State: UpToDate}, nil
}

// TestEverySyncsAWhileAfterTheLastSync counts a sync by another server too.
func TestEverySyncsAWhileAfterTheLastSync(t *testing.T) {
	_, options := script(t, "x", "")
	synctest.Test(t, func(t *testing.T) {
		first, second := New(options), New(options)
		defer first.Close()
		defer second.Close()
		synced := make(chan time.Time, 100)
		first.program, second.program = scripted{synced}, scripted{synced}
		start := time.Now()
		ctx, cancel := context.WithCancel(t.Context())
		go first.Every(ctx, 5*time.Minute)
		time.Sleep(2 * time.Minute)
		if _, err := second.Now(ctx); err != nil {
			t.Fatal(err)
		}
		time.Sleep(11 * time.Minute) // until 13 minutes after the start
		cancel()
		synctest.Wait()
		close(synced)
		var after []time.Duration
		for when := range synced {
			after = append(after, when.Sub(start).Round(time.Minute))
		}
		if len(after) != 3 || after[0] != 2*time.Minute || after[1] != 7*time.Minute || after[2] != 12*time.Minute {
			t.Errorf("synced after %v", after)
		}
	})
}
