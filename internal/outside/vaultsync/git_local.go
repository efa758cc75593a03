package vaultsync

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"obsidian-mcp/internal/system/child"
	"obsidian-mcp/internal/text/amount"
)

// commit records the vault's files as they are. It returns a sentence, or "" if nothing has changed.
func (g *git) commit(ctx context.Context, at place) (string, error) {
	if _, err := g.must(ctx, "add", "--all", "--", "."); err != nil {
		return "", err
	}
	staged, err := g.must(ctx, "diff", "--cached", "--name-only", "--no-renames", "-z", "--", ".")
	if err != nil {
		return "", err
	}
	paths := strings.Split(strings.TrimSuffix(staged.Stdout, "\x00"), "\x00")
	if staged.Stdout == "" {
		return "", nil
	}
	for i := range paths {
		paths[i] = strings.TrimPrefix(paths[i], at.prefix)
	}
	ids, err := g.changeIDs(ctx, paths)
	if err != nil {
		return "", err
	}
	subject := "Sync " + amount.Of(len(paths), "file")
	args := []string{"commit", "--quiet", "--message", subject}
	if len(ids) > 0 {
		args = append(args, "--message", changeLine+strings.Join(ids, "\n"+changeLine))
	}
	identity, err := g.identity(ctx)
	if err != nil {
		return "", err
	}
	if _, err := g.must(ctx, slices.Concat(identity, args, []string{"--", "."})...); err != nil {
		return "", err
	}
	return "committed " + amount.Of(len(paths), "file"), nil
}

// changeLine begins the lines of a commit message that name our changes; git reads them as trailers.
const changeLine = "Change: "

// maxChangeIDs is how many changes a commit message names.
const maxChangeIDs = 200

// changeIDs lists the recorded changes that are in a commit: those since the last commit that touch one of its files.
func (g *git) changeIDs(ctx context.Context, paths []string) ([]string, error) {
	last, err := g.ask(ctx, "log", "-1", "--format=%ct%n%B")
	if err != nil {
		return nil, err
	}
	var since time.Time // of the first commit: any time
	stamp, message, _ := strings.Cut(last.Stdout, "\n")
	if seconds, err := strconv.ParseInt(stamp, 10, 64); err == nil && last.Exit == 0 {
		since = time.Unix(seconds, 0)
	}
	changes, err := g.vault.Changes(ctx, since)
	if err != nil {
		return nil, err
	}
	inCommit := map[string]bool{}
	for _, path := range paths {
		inCommit[path] = true
	}
	var ids []string
	for _, change := range changes {
		isNamed := strings.Contains(message, changeLine+change.ID) // made in the second of the last commit
		if !isNamed && slices.ContainsFunc(change.Paths, func(path string) bool { return inCommit[path] }) {
			ids = append(ids, change.ID)
		}
	}
	return ids[max(0, len(ids)-maxChangeIDs):], nil
}

// identity names an author if git knows none, without which it would not commit.
func (g *git) identity(ctx context.Context) ([]string, error) {
	known, err := g.ask(ctx, "config", "user.email")
	if err != nil || known.Exit == 0 {
		return nil, err
	}
	return []string{"-c", "user.name=obsidian-mcp", "-c", "user.email=obsidian-mcp@localhost"}, nil
}

// rebase puts the commits of this machine on top of the remote's. If both changed the same lines, it goes back to where
// it was and returns the files.
func (g *git) rebase(ctx context.Context, at place) (received string, conflicts []string, err error) {
	remote, err := g.ask(ctx, "rev-parse", "--verify", "--quiet", at.tracking)
	if err != nil || remote.Exit != 0 {
		return "", nil, err // the remote has no such branch yet
	}
	head, err := g.ask(ctx, "rev-parse", "--verify", "--quiet", "HEAD")
	if err != nil {
		return "", nil, err
	}
	if head.Exit != 0 { // nothing was ever committed here
		_, err := g.must(ctx, "merge", "--quiet", "--ff-only", at.tracking)
		return "received the remote's files", nil, err
	}
	_, behind := g.distance(ctx, at)
	if behind == nil || *behind == 0 {
		return "", nil, nil
	}
	identity, err := g.identity(ctx)
	if err != nil {
		return "", nil, err
	}
	result, failed := g.ask(ctx, append(identity, "rebase", "--quiet", "--no-autostash", at.tracking)...)
	if failed == nil && result.Exit == 0 {
		return "received " + amount.Of(*behind, "commit"), nil, nil
	}
	return "", g.unmerged(ctx, at), g.undoRebase(ctx, result, failed)
}

// unmerged lists the files of a rebase that stopped, by their paths in the vault.
func (g *git) unmerged(ctx context.Context, at place) []string {
	listed, err := g.ask(context.WithoutCancel(ctx), "diff", "--name-only", "--diff-filter=U", "-z")
	if err != nil || listed.Stdout == "" {
		return nil
	}
	paths := strings.Split(strings.TrimSuffix(listed.Stdout, "\x00"), "\x00")
	for i := range paths {
		paths[i] = strings.TrimPrefix(paths[i], at.prefix)
	}
	return paths
}

// undoRebase goes back to where the branch was. A conflict is not an error; anything else that stopped the rebase is.
func (g *git) undoRebase(ctx context.Context, stopped child.Result, failed error) error {
	isConflict := failed == nil && strings.Contains(stopped.Both, "CONFLICT")
	again, cancel := context.WithTimeout(context.WithoutCancel(ctx), localTime)
	defer cancel()
	undone, err := g.ask(again, "rebase", "--abort")
	switch {
	case err == nil && undone.Exit != 0 && !strings.Contains(undone.Both, "No rebase in progress"), err != nil:
		return fmt.Errorf("the rebase stopped and could not be undone; run git rebase --abort: %s", lastLines(stopped.Both+undone.Both))
	case isConflict:
		return nil
	case failed != nil:
		return failed
	}
	return gitFailure("rebase", stopped)
}
