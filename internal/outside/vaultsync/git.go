package vaultsync

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/system/child"
	"obsidian-mcp/internal/text/amount"
)

// git syncs a vault that is, or lies in, the work tree of a Git repository: it commits what has changed in the vault,
// puts the commits on top of those of the remote, and pushes. A rebase that meets a conflict is undone, so that the notes
// stay as they were and no marker gets into them.
type git struct {
	run   runner
	vault Vault
}

// The variables of every call: no question is asked, and messages are in English.
var gitVariables = []string{"GIT_TERMINAL_PROMPT=0", "LC_ALL=C", "LANGUAGE=C"}

// gitPrefix keeps git from running hooks and other programs that the repository names.
var gitPrefix = []string{"git", "-c", "core.hooksPath=" + os.DevNull, "-c", "core.fsmonitor=false", "-c", "core.quotePath=false"}

// maxList is how much git may list: the names of all files of a large vault.
const maxList = 32 << 20

// attempts is how often a push is tried again because somebody else was faster.
const attempts = 3

// localTime is how long the steps may take that change the work tree. They are never cut off by the end of the server.
const localTime = time.Minute

func (g *git) sync(ctx context.Context) (Outcome, error) {
	at, err := g.locate(ctx)
	if err != nil {
		return Outcome{}, err
	}
	var said []string
	outcome := func(state State) Outcome { return Outcome{State: state, Output: strings.Join(said, "\n")} }
	for try := 1; ; try++ {
		if _, err := g.must(ctx, "fetch", "--quiet", at.remote); err != nil {
			return outcome(Failed), err
		}
		local, conflicts, err := g.joinBoth(ctx, at)
		said = append(said, local...)
		if err != nil {
			return outcome(Failed), err
		}
		if len(conflicts) > 0 {
			stopped := outcome(Conflict)
			stopped.Conflicts = conflicts
			stopped.Advice = fmt.Sprintf("Tell the user: both sides changed %s. The rebase was undone and nothing is lost; it needs `git pull --rebase` by hand.", amount.Few(conflicts, 5))
			stopped.Ahead, stopped.Behind = g.distance(ctx, at)
			return stopped, nil
		}
		rejected, err := g.push(ctx, at, &said)
		if err != nil {
			return outcome(Failed), err
		}
		if !rejected {
			break
		}
		if try == attempts {
			return outcome(Failed), fault.Conflict.Errorf("sync: others keep pushing to %s; the notes are committed, but not pushed", at.remote)
		}
	}
	if len(said) == 0 {
		said = []string{"nothing to send or receive"}
	}
	done := outcome(UpToDate)
	done.Ahead, done.Behind = g.distance(ctx, at)
	return done, nil
}

// joinBoth commits the vault's changes and puts them on top of the remote's, while no tool writes. It has its own time,
// so that neither a time-out nor the end of the server leaves it half done.
func (g *git) joinBoth(ctx context.Context, at place) (said, conflicts []string, err error) {
	local, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), localTime, child.ErrTimeout)
	defer cancel()
	err = g.vault.Exclusively(ctx, func() error {
		committed, err := g.commit(local, at)
		if committed != "" {
			said = append(said, committed)
		}
		if err != nil {
			return err
		}
		var received string
		received, conflicts, err = g.rebase(local, at)
		if received != "" {
			said = append(said, received)
		}
		return err
	})
	return said, conflicts, err
}

// place is where a vault is in a repository, and what it is synced with.
type place struct {
	prefix   string // of the vault in the work tree, with a slash at its end; "" if it is the whole
	branch   string
	remote   string
	upstream string // the remote's branch; that of the same name if none is set
	tracking string // the ref that holds the remote's branch here
	isSet    bool   // the branch has an upstream
}

// locate finds the repository, the branch and the remote, or says what is missing.
func (g *git) locate(ctx context.Context) (place, error) {
	var at place
	prefix, err := g.ask(ctx, "rev-parse", "--show-prefix")
	if err != nil {
		return at, err
	}
	if prefix.Exit != 0 {
		return at, fault.InvalidArgument.Errorf("sync.preset: the vault's folder is not in a Git repository: %s", lastLines(prefix.Both)).
			WithHint("run git init there and add a remote, or correct `sync` in the config file")
	}
	at.prefix = strings.TrimSuffix(prefix.Stdout, "\n")
	if err := g.refuseUnfinished(ctx); err != nil {
		return at, err
	}
	branch, err := g.ask(ctx, "symbolic-ref", "--quiet", "--short", "HEAD")
	if err != nil {
		return at, err
	}
	if at.branch = strings.TrimSpace(branch.Stdout); at.branch == "" {
		return at, fault.Conflict.Errorf("sync: the repository is not on a branch").WithHint("run git switch with the branch to sync")
	}
	remote, err1 := g.ask(ctx, "config", "branch."+at.branch+".remote")
	merge, err2 := g.ask(ctx, "config", "branch."+at.branch+".merge")
	if err := cmp.Or(err1, err2); err != nil {
		return at, err
	}
	at.remote = strings.TrimSpace(remote.Stdout)
	at.upstream = strings.TrimPrefix(strings.TrimSpace(merge.Stdout), "refs/heads/")
	if at.isSet = at.remote != "" && at.upstream != ""; !at.isSet {
		at.upstream = at.branch
		if at.remote, err = g.onlyRemote(ctx); err != nil {
			return at, err
		}
	}
	at.tracking = "refs/remotes/" + at.remote + "/" + at.upstream
	return at, nil
}

// refuseUnfinished stops before work of the user is committed that is only half done.
func (g *git) refuseUnfinished(ctx context.Context) error {
	names := []string{"MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply"}
	args := []string{"rev-parse"}
	for _, name := range names {
		args = append(args, "--git-path", name)
	}
	paths, err := g.must(ctx, args...)
	if err != nil {
		return err
	}
	for path := range strings.Lines(paths.Stdout) {
		path = strings.TrimSuffix(path, "\n")
		if !filepath.IsAbs(path) {
			path = filepath.Join(g.run.options.Dir, path)
		}
		if _, err := os.Stat(path); err == nil {
			return fault.Conflict.Errorf("sync: a merge or rebase is not finished in the repository").
				WithHint("finish it, or run git rebase --abort or git merge --abort, and sync again")
		}
	}
	return nil
}

// onlyRemote is the remote of a branch that has no upstream yet.
func (g *git) onlyRemote(ctx context.Context) (string, error) {
	listed, err := g.must(ctx, "remote")
	if err != nil {
		return "", err
	}
	remotes := strings.Fields(listed.Stdout)
	switch {
	case slices.Contains(remotes, "origin"):
		return "origin", nil
	case len(remotes) == 1:
		return remotes[0], nil
	case len(remotes) == 0:
		return "", fault.InvalidArgument.Errorf("sync.preset: the repository has no remote").WithHint("run git remote add origin with its address")
	}
	return "", fault.InvalidArgument.Errorf("sync.preset: the branch has no upstream, and there are several remotes: %s", strings.Join(remotes, ", ")).
		WithHint("run git push -u with the remote and the branch once")
}

// push sends the branch. It reports whether the remote has got other commits meanwhile.
func (g *git) push(ctx context.Context, at place, said *[]string) (rejected bool, err error) {
	ahead, _ := g.distance(ctx, at)
	if ahead != nil && *ahead == 0 {
		return false, nil
	}
	if head, err := g.ask(ctx, "rev-parse", "--verify", "--quiet", "HEAD"); err != nil || head.Exit != 0 {
		return false, err // nothing was ever committed
	}
	if err := g.pushLargeFiles(ctx, at); err != nil {
		return false, err
	}
	args := []string{"push", "--quiet", "--porcelain", at.remote, "HEAD:refs/heads/" + at.upstream}
	if !at.isSet {
		args = slices.Insert(args, 1, "--set-upstream")
	}
	result, err := g.ask(ctx, args...)
	switch {
	case err != nil:
		return false, err
	case result.Exit == 0:
		sent := "pushed to " + at.remote
		if ahead != nil {
			sent = fmt.Sprintf("pushed %s to %s", amount.Of(*ahead, "commit"), at.remote)
		}
		*said = append(*said, sent)
		return false, nil
	case strings.Contains(result.Both, "(fetch first)"), strings.Contains(result.Both, "(non-fast-forward)"):
		return true, nil
	}
	return false, gitFailure("push", result)
}

// pushLargeFiles sends the files that git LFS keeps, which otherwise a hook does.
func (g *git) pushLargeFiles(ctx context.Context, at place) error {
	tracked, err := g.must(ctx, "ls-files", "-z", ":(top,attr:filter=lfs)")
	if err != nil || tracked.Stdout == "" {
		return err
	}
	_, err = g.must(ctx, "lfs", "push", at.remote, at.branch)
	return err
}

// distance counts the commits that only one side has, as far as the last fetch knows; nil if the remote has no such branch.
func (g *git) distance(ctx context.Context, at place) (ahead, behind *int) {
	counted, err := g.ask(ctx, "rev-list", "--left-right", "--count", "HEAD..."+at.tracking)
	if err != nil || counted.Exit != 0 {
		return nil, nil
	}
	fields := strings.Fields(counted.Stdout)
	if len(fields) != 2 {
		return nil, nil
	}
	left, err1 := strconv.Atoi(fields[0])
	right, err2 := strconv.Atoi(fields[1])
	if err1 != nil || err2 != nil {
		return nil, nil
	}
	return &left, &right
}

// ask runs git. A failure of git itself is in the result.
func (g *git) ask(ctx context.Context, args ...string) (child.Result, error) {
	return g.run.command(ctx, child.Command{
		Args: slices.Concat(gitPrefix, args), Environment: slices.Concat(g.run.options.Environment, gitVariables), MaxOutput: maxList,
	})
}

// must is ask for commands that have to succeed.
func (g *git) must(ctx context.Context, args ...string) (child.Result, error) {
	result, err := g.ask(ctx, args...)
	if err == nil && result.Exit != 0 {
		err = gitFailure(args[0], result)
	}
	return result, err
}

func gitFailure(command string, result child.Result) error {
	err := fault.StoreUnavailable.Errorf("sync: 'git %s' failed: %s", command, lastLines(result.Both))
	switch {
	case strings.Contains(result.Both, "could not read Username"), strings.Contains(result.Both, "Permission denied"), strings.Contains(result.Both, "Authentication failed"):
		return err.WithHint("git needs a login that asks nothing: a credential helper, or a key in an SSH agent")
	case command == "fetch", command == "push", command == "ls-remote":
		return err.WithHint("is the remote's address right (git remote -v), and can it be reached?")
	}
	return err
}
