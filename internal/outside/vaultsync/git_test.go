//go:build unix

package vaultsync

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"obsidian-mcp/internal/fault"
)

func TestGitSendsAndReceives(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.syncer()
	w.write(w.vault, "Plan.md", "one\n")
	w.write(w.vault, "work/Übung 1.md", "two\n")
	w.fake.changes = []Change{{ID: "mw-1", Paths: []string{"Plan.md"}}, {ID: "mw-2", Paths: []string{"gone.md"}}, {ID: "mw-3", Paths: []string{"x.md", "work/Übung 1.md"}}}
	first := w.now(s)
	if first.State != UpToDate || counts(first) != [2]int{0, 0} || w.fake.settled != 1 {
		t.Errorf("%+v %v", first, counts(first))
	}
	if message := w.git(w.remote, "log", "-1", "--format=%B", "main"); message != "Sync 2 files\n\nChange: mw-1\nChange: mw-3" {
		t.Errorf("%q", message)
	}
	w.elsewhere("Phone.md", "from the phone\n")
	w.write(w.vault, "Plan.md", "one\nmore\n")
	second := w.now(s)
	if second.State != UpToDate || counts(second) != [2]int{0, 0} || !strings.Contains(second.Output, "received 1 commit") || !strings.Contains(second.Output, "pushed 1 commit") {
		t.Errorf("%+v", second)
	}
	if w.read(w.vault, "Phone.md") != "from the phone\n" || w.git(w.remote, "show", "main:Plan.md") != "one\nmore" {
		t.Error("a change did not arrive")
	}
	if third := w.now(s); third.Output != "nothing to send or receive" || third.State != UpToDate {
		t.Errorf("%+v", third)
	}
	last, ok := s.Last()
	if !ok || last.State != UpToDate || last.Error != "" {
		t.Errorf("%+v", last)
	}
}

// TestGitNamesAChangeOnce makes a change in the second of the last commit, which names it already.
func TestGitNamesAChangeOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.syncer()
	w.fake.changes = []Change{{ID: "mw-1", Paths: []string{"a.md"}}}
	w.write(w.vault, "a.md", "1")
	w.now(s)
	w.fake.changes = append(w.fake.changes, Change{ID: "mw-2", Paths: []string{"a.md"}})
	w.write(w.vault, "a.md", "2")
	w.now(s)
	if message := w.git(w.remote, "log", "-1", "--format=%B", "main"); message != "Sync 1 file\n\nChange: mw-2" {
		t.Errorf("%q", message)
	}
}

// TestGitUndoesAConflict checks that notes, branch and remote are as they were, and that a later sync finds the same.
func TestGitUndoesAConflict(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.syncer()
	w.write(w.vault, "Plan.md", "one\ntwo\nthree\n")
	w.now(s)
	w.elsewhere("Plan.md", "one\nTWO\nthree\n")
	w.write(w.vault, "Plan.md", "one\nzwei\nthree\n")
	w.write(w.vault, "Other.md", "not in conflict\n")
	for range 2 {
		got := w.now(s)
		if got.State != Conflict || !slices.Equal(got.Conflicts, []string{"Plan.md"}) || !strings.Contains(got.Output, "conflicts in: Plan.md") || !strings.Contains(got.Advice, "Plan.md") {
			t.Errorf("%+v", got)
		}
		if counts(got) != [2]int{1, 1} {
			t.Errorf("%v", counts(got))
		}
		if text := w.read(w.vault, "Plan.md"); text != "one\nzwei\nthree\n" {
			t.Errorf("%q", text)
		}
		if status := w.git(w.vault, "status", "--porcelain"); status != "" {
			t.Error(status)
		}
		if w.git(w.remote, "show", "main:Plan.md") != "one\nTWO\nthree" || w.git(w.vault, "symbolic-ref", "HEAD") != "refs/heads/main" {
			t.Error("the branch or the remote has moved")
		}
	}
	if last, _ := s.Last(); last.State != Conflict || !slices.Equal(last.Conflicts, []string{"Plan.md"}) {
		t.Errorf("%+v", last)
	}
}

// TestGitTriesAgainWhenOthersPush lets another device push between the fetch and the push.
func TestGitTriesAgainWhenOthersPush(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.syncer()
	w.write(w.vault, "a.md", "1")
	w.now(s)
	pushes := 0
	w.fake.after = func() {
		if pushes++; pushes == 1 {
			w.elsewhere("b.md", "2")
		}
	}
	w.write(w.vault, "a.md", "3")
	if got := w.now(s); got.State != UpToDate || pushes != 2 || w.read(w.vault, "b.md") != "2" || w.git(w.remote, "show", "main:a.md") != "3" {
		t.Errorf("%+v after %d pushes", got, pushes)
	}
	w.fake.after = func() { pushes++; w.elsewhere("b.md", fmt.Sprint(pushes)) }
	w.write(w.vault, "a.md", "4")
	if _, err := s.Now(t.Context()); !errors.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "keep pushing") {
		t.Error(err)
	}
}

func TestGitStatusChangesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.syncer()
	w.write(w.vault, "a.md", "1")
	status := func() Outcome {
		t.Helper()
		before := fingerprint(t, w.vault)
		got, err := s.Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if after := fingerprint(t, w.vault); after != before {
			t.Errorf("status has changed something:\n%s\n%s", before, after)
		}
		return got
	}
	if got := status(); got.State != Pending || got.Output != "1 file changed since the last commit; the branch was never pushed" {
		t.Errorf("%+v", got)
	}
	w.now(s)
	if got := status(); got.State != UpToDate || counts(got) != [2]int{0, 0} {
		t.Errorf("%+v", got)
	}
	w.elsewhere("b.md", "2")
	w.write(w.vault, "a.md", "1") // touched, not changed
	if got := status(); got.State != Pending || got.Output != "the remote has commits that were not fetched yet" {
		t.Errorf("%+v", got)
	}
}

// fingerprint lists every file below a folder with its time and size.
func fingerprint(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err == nil && !info.IsDir() {
			fmt.Fprintln(&all, path, info.ModTime().UnixNano(), info.Size())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

func TestGitRunsNoHooks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, hook := range []string{"pre-commit", "commit-msg", "post-commit", "pre-push", "pre-rebase", "post-checkout"} {
		w.write(w.vault, ".git/hooks/"+hook, "#!/bin/sh\ntouch ran-"+hook+"\nexit 1\n")
		if err := os.Chmod(filepath.Join(w.vault, ".git/hooks", hook), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	s := w.syncer()
	w.write(w.vault, "a.md", "1")
	w.now(s)
	w.elsewhere("b.md", "2")
	w.write(w.vault, "a.md", "2")
	w.now(s)
	if ran, _ := filepath.Glob(filepath.Join(w.vault, "ran-*")); len(ran) > 0 {
		t.Error(ran)
	}
}

// TestGitCommitsOnlyTheVault syncs a vault that is a folder of a larger repository.
func TestGitCommitsOnlyTheVault(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(w.vault, "code.go", "package x")
	w.git(w.vault, "add", "code.go")
	options := w.options()
	options.Dir = filepath.Join(w.vault, "my notes")
	w.write(options.Dir, "a.md", "1")
	w.fake.changes = []Change{{ID: "mw-1", Paths: []string{"a.md"}}}
	w.now(open(t, options))
	if files := w.git(w.remote, "ls-tree", "-r", "--name-only", "main"); files != "my notes/a.md" {
		t.Error(files)
	}
	if status := w.git(w.vault, "status", "--porcelain"); status != "A  code.go" {
		t.Errorf("%q", status)
	}
	if message := w.git(w.remote, "log", "-1", "--format=%b", "main"); message != "Change: mw-1" {
		t.Error(message)
	}
}

func TestGitRefusals(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		spoil func(w *world)
		kind  fault.Kind
		want  string
	}{
		"not a repository": {func(w *world) { w.remove(".git") }, fault.InvalidArgument, "sync.preset: the vault's folder is not in a Git repository"},
		"no remote":        {func(w *world) { w.git(w.vault, "remote", "remove", "origin") }, fault.InvalidArgument, "the repository has no remote"},
		"two remotes": {func(w *world) {
			w.git(w.vault, "remote", "rename", "origin", "a")
			w.git(w.vault, "remote", "add", "b", w.remote)
		}, fault.InvalidArgument, "several remotes: a, b"},
		"the remote is gone": {func(w *world) { w.git(w.vault, "remote", "set-url", "origin", w.remote+"x") }, fault.StoreUnavailable, "does not appear to be a git repository"},
		"a login in the address": {func(w *world) {
			w.git(w.vault, "remote", "set-url", "origin", "http://ann:hunter22@127.0.0.1:1/notes.git")
		}, fault.StoreUnavailable, "127.0.0.1:1/notes.git"},
		"detached": {func(w *world) {
			w.git(w.vault, "commit", "--quiet", "--allow-empty", "-m", "x")
			w.git(w.vault, "checkout", "--quiet", "--detach")
		}, fault.Conflict, "not on a branch"},
		"an unfinished merge": {func(w *world) {
			w.git(w.vault, "commit", "--quiet", "--allow-empty", "-m", "x")
			w.write(w.vault, ".git/MERGE_HEAD", w.git(w.vault, "rev-parse", "HEAD")+"\n")
		}, fault.Conflict, "a merge or rebase is not finished"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.write(w.vault, "a.md", "<<<<<<< ours\n")
			test.spoil(w)
			s := w.syncer()
			for _, call := range []func() error{
				func() error { _, err := s.Now(t.Context()); return err },
				func() error { _, err := s.Status(t.Context()); return err },
				func() error { _, err := s.Check(t.Context()); return err },
			} {
				err := call()
				if !errors.Is(err, test.kind) || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "hunter22") {
					t.Errorf("%v", err)
				}
			}
			if last, _ := s.Last(); last.State != Failed || last.Error == "" || strings.Contains(last.Error, "hunter22") {
				t.Errorf("%+v", last)
			}
			if w.read(w.vault, "a.md") != "<<<<<<< ours\n" {
				t.Error("the note has changed")
			}
		})
	}
}

func (w *world) remove(name string) {
	w.t.Helper()
	if err := os.RemoveAll(filepath.Join(w.vault, name)); err != nil {
		w.t.Fatal(err)
	}
}

// TestGitReceivesIntoAnEmptyVault syncs a vault that has no commit yet.
func TestGitReceivesIntoAnEmptyVault(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.elsewhere("a.md", "1")
	if got := w.now(w.syncer()); got.State != UpToDate || w.read(w.vault, "a.md") != "1" {
		t.Errorf("%+v", got)
	}
}
