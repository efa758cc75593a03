//go:build unix

package vaultsync

import (
	"context"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// fakeVault plays the vault: its changes are given, and after runs when the exclusive part of a sync is over.
type fakeVault struct {
	changes   []Change
	conflicts []string
	after     func()
	settled   int
}

func (f *fakeVault) Changes(_ context.Context, _ time.Time) ([]Change, error) { return f.changes, nil }

func (f *fakeVault) Exclusively(_ context.Context, run func() error) error {
	err := run()
	if f.after != nil {
		f.after()
	}
	return err
}

func (f *fakeVault) Watch(context.Context) (func(context.Context) ([]string, error), error) {
	return func(context.Context) ([]string, error) { f.settled++; return f.conflicts, nil }, nil
}

// environment is one in which git knows nobody and reads no settings of this machine.
func environment(home string) []string {
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull}
}

// world is a remote repository on this disk, the vault that is synced with it, and another device.
type world struct {
	t                    *testing.T
	remote, vault, other string
	fake                 *fakeVault
}

func newWorld(t *testing.T) *world {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	dir := t.TempDir()
	w := &world{t: t, remote: filepath.Join(dir, "remote.git"), vault: filepath.Join(dir, "vault"), other: filepath.Join(dir, "other"), fake: &fakeVault{}}
	w.git(dir, "init", "--quiet", "--bare", "--initial-branch=main", w.remote)
	w.git(dir, "init", "--quiet", "--initial-branch=main", w.vault)
	w.git(w.vault, "remote", "add", "origin", w.remote)
	return w
}

// git runs git as the user would.
func (w *world) git(dir string, args ...string) string {
	w.t.Helper()
	command := exec.Command("git", append([]string{"-c", "user.name=Ann", "-c", "user.email=ann@example.org"}, args...)...)
	command.Dir, command.Env = dir, environment(w.t.TempDir())
	output, err := command.CombinedOutput()
	if err != nil {
		w.t.Fatalf("git %q: %v\n%s", args, err, output)
	}
	return strings.TrimSpace(string(output))
}

func (w *world) write(dir, name, content string) {
	w.t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) read(dir, name string) string {
	w.t.Helper()
	content, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(content)
}

// elsewhere changes a file on the other device, and pushes it.
func (w *world) elsewhere(name, content string) {
	w.t.Helper()
	if _, err := os.Stat(w.other); err != nil {
		w.git(filepath.Dir(w.other), "clone", "--quiet", w.remote, w.other)
	} else {
		w.git(w.other, "pull", "--quiet", "--rebase")
	}
	w.write(w.other, name, content)
	w.git(w.other, "add", "--all")
	w.git(w.other, "commit", "--quiet", "-m", "elsewhere")
	w.git(w.other, "push", "--quiet", "origin", "HEAD:main")
}

func (w *world) options() Options {
	return Options{
		Dir: w.vault, Preset: "git", Timeout: time.Minute, Environment: environment(w.t.TempDir()),
		StateDir: w.t.TempDir(), Vault: w.fake, Log: slog.New(slog.DiscardHandler),
	}
}

func (w *world) syncer() *Syncer { return open(w.t, w.options()) }

func open(t *testing.T, options Options) *Syncer {
	t.Helper()
	s := New(options)
	t.Cleanup(s.Close)
	return s
}

// now syncs, which must succeed.
func (w *world) now(s *Syncer) Outcome {
	w.t.Helper()
	outcome, err := s.Now(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	return outcome
}

// counts writes ahead and behind of an outcome.
func counts(outcome Outcome) [2]int {
	of := func(n *int) int {
		if n == nil {
			return -1
		}
		return *n
	}
	return [2]int{of(outcome.Ahead), of(outcome.Behind)}
}
