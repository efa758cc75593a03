package vaultsync

import (
	"context"
	"fmt"
	"obsidian-mcp/internal/text/amount"
	"strings"
)

// status compares the vault with the last commit, and the branch with what is known of the remote. It writes nothing, not
// even git's index; whether the remote has newer commits it asks the remote.
func (g *git) status(ctx context.Context) (Outcome, error) {
	at, err := g.locate(ctx)
	if err != nil {
		return Outcome{}, err
	}
	changed, err := g.must(ctx, "--no-optional-locks", "status", "--porcelain", "-z", "--untracked-files=all", "--", ".")
	if err != nil {
		return Outcome{}, err
	}
	files := 0
	entries := strings.Split(strings.TrimSuffix(changed.Stdout, "\x00"), "\x00")
	for i := 0; i < len(entries) && changed.Stdout != ""; i++ {
		files++
		if strings.HasPrefix(entries[i], "R") || strings.HasPrefix(entries[i], "C") {
			i++ // followed by the old name
		}
	}
	outcome := Outcome{State: UpToDate}
	outcome.Ahead, outcome.Behind = g.distance(ctx, at)
	var said []string
	if files > 0 {
		said = append(said, amount.Of(files, "file")+" changed since the last commit")
	}
	if outcome.Ahead != nil && *outcome.Ahead > 0 {
		said = append(said, amount.Of(*outcome.Ahead, "commit")+" to send")
	}
	if outcome.Ahead == nil {
		said = append(said, "the branch was never pushed")
	}
	if outcome.Behind != nil && *outcome.Behind > 0 {
		said = append(said, amount.Of(*outcome.Behind, "commit")+" to receive")
	}
	newer, err := g.isRemoteNewer(ctx, at)
	if err != nil {
		return outcome, err
	}
	if newer {
		said = append(said, "the remote has commits that were not fetched yet")
	}
	if len(said) > 0 {
		outcome.State = Pending
	} else {
		said = []string{"nothing to send or receive"}
	}
	outcome.Output = strings.Join(said, "; ")
	return outcome, nil
}

// isRemoteNewer asks the remote whether its branch is still where the last fetch saw it.
func (g *git) isRemoteNewer(ctx context.Context, at place) (bool, error) {
	there, err := g.must(ctx, "ls-remote", "--quiet", at.remote, "refs/heads/"+at.upstream)
	if err != nil {
		return false, err
	}
	here, err := g.ask(ctx, "rev-parse", "--verify", "--quiet", at.tracking)
	if err != nil {
		return false, err
	}
	commit, _, _ := strings.Cut(there.Stdout, "\t")
	return commit != "" && commit != strings.TrimSpace(here.Stdout), nil
}

// check looks whether git, the repository and the remote can be used.
func (g *git) check(ctx context.Context) (string, error) {
	version, err := g.must(ctx, "version")
	if err != nil {
		return "", err
	}
	at, err := g.locate(ctx)
	if err != nil {
		return "", err
	}
	if _, err := g.must(ctx, "ls-remote", "--quiet", at.remote, "HEAD"); err != nil {
		return "", err
	}
	return fmt.Sprintf("%s, branch %s with %s", strings.TrimSpace(version.Stdout), at.branch, at.remote), nil
}
