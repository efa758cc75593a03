//go:build unix

package vaultsync

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"obsidian-mcp/internal/fault"
)

// fakeRclone plays rclone: a folder is the remote, bisync copies new files both ways and needs a first run by hand, check
// compares names, and every call is recorded.
const fakeRclone = `
echo "$@" >> "$HOME/calls"
case "$1" in
bisync)
	[ -e "$HOME/ready" ] || { echo 'ERROR : Bisync aborted. Must run --resync to recover.' >&2; exit 7; }
	cp -rn "$2/." "$3/"; cp -rn "$3/." "$2/"; echo 'NOTICE: Bisync successful';;
check)
	diff -rq "$2" "$3" > /dev/null || { echo 'NOTICE: 1 differences found' >&2; exit 1; }
	echo 'NOTICE: 0 differences found' >&2;;
lsf)
	[ -d "$4" ] || { echo 'ERROR : directory not found' >&2; exit 3; }; ls "$4";;
esac
`

func TestRclone(t *testing.T) {
	program, options := script(t, "rclone", fakeRclone)
	t.Setenv("PATH", filepath.Dir(program)+string(os.PathListSeparator)+os.Getenv("PATH"))
	home, remote := t.TempDir(), t.TempDir()
	options.Preset, options.Remote, options.Environment = "rclone", remote, environment(home)
	put := func(dir, name string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put(options.Dir, "a.md")
	put(remote, "b.md")
	s := open(t, options)
	if _, err := s.Now(t.Context()); !errors.Is(err, fault.StoreUnavailable) || !strings.Contains(err.Error(), "sync.remote: 'rclone bisync' failed") || !strings.Contains(fault.HintOf(err), "--resync --dry-run") {
		t.Errorf("%v (%s)", err, fault.HintOf(err))
	}
	put(home, "ready")
	if got, err := s.Status(t.Context()); err != nil || got.State != Pending {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := s.Now(t.Context()); err != nil || got.State != UpToDate || !strings.Contains(got.Output, "Bisync successful") {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := os.Stat(filepath.Join(options.Dir, "b.md")); err != nil {
		t.Error(err)
	}
	if got, err := s.Status(t.Context()); err != nil || got.State != UpToDate {
		t.Errorf("%+v, %v", got, err)
	}
	if found, err := s.Check(t.Context()); err != nil || !strings.Contains(found, "rclone bisync") {
		t.Errorf("%s, %v", found, err)
	}
	calls, _ := os.ReadFile(filepath.Join(home, "calls"))
	if strings.Contains(string(calls), "--resync") || strings.Contains(string(calls), "--force") {
		t.Errorf("%s", calls)
	}
	if err := os.RemoveAll(remote); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Check(t.Context()); !errors.Is(err, fault.StoreUnavailable) || !strings.Contains(err.Error(), "sync.remote") {
		t.Error(err)
	}
}

func TestHeadless(t *testing.T) {
	program, options := script(t, "ob", `echo "$@"; [ -e "$3/.linked" ] || { echo 'Not logged in' >&2; exit 1; }`)
	t.Setenv("PATH", filepath.Dir(program)+string(os.PathListSeparator)+os.Getenv("PATH"))
	options.Preset = "obsidian-headless"
	s := open(t, options)
	if _, err := s.Now(t.Context()); !errors.Is(err, fault.StoreUnavailable) || !strings.Contains(fault.HintOf(err), "ob login") {
		t.Errorf("%v (%s)", err, fault.HintOf(err))
	}
	if err := os.WriteFile(filepath.Join(options.Dir, ".linked"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Now(t.Context()); err != nil || got.Output != "sync --path "+options.Dir {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := s.Status(t.Context()); err != nil || got.Output != "sync-status --path "+options.Dir || got.State != Unknown {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestGitSendsLargeFiles uses a stand-in for git LFS, which without hooks has to be told.
func TestGitSendsLargeFiles(t *testing.T) {
	program, _ := script(t, "git-lfs", `echo "$@" >> "$HOME/lfs"`)
	t.Setenv("PATH", filepath.Dir(program)+string(os.PathListSeparator)+os.Getenv("PATH"))
	w := newWorld(t)
	home := t.TempDir()
	options := w.options()
	options.Environment = environment(home)
	w.write(w.vault, ".gitattributes", "*.png filter=lfs\n")
	w.write(w.vault, "a.png", "picture")
	w.now(open(t, options))
	if calls, _ := os.ReadFile(filepath.Join(home, "lfs")); string(calls) != "push origin main\n" {
		t.Errorf("%q", calls)
	}
}
