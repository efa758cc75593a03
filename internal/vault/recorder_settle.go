package vault

import (
	"context"
	"errors"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/vault/history"
)

// A change without an outcome belongs to a process that has died, is still about
// to make it, or did not learn how it ended. The files decide: if all of them are
// as they were before, the change was not made. That is a guess; if the process is
// alive after all, the outcome that it records takes precedence.

// maxCommit is longer than any commit takes.
const maxCommit = time.Minute

// settle finds out whether a change took effect whose outcome was never recorded.
// If that cannot be determined, the change counts as made, so that it is shown.
func (r recorder) settle(ctx context.Context, change history.Change) (made bool) {
	made, err := r.wasMade(ctx, change)
	if err == nil && (made || time.Since(change.Time) > maxCommit) {
		r.recordOutcome(ctx, change, made)
	}
	return made || err != nil
}

// settleOverlapping settles earlier changes of files that are about to change
// again: afterwards the files would no longer show whether those were made.
func (r recorder) settleOverlapping(ctx context.Context, files []history.DraftFile) {
	unsettled, err := r.history.Unsettled(ctx)
	if err != nil || len(unsettled) == 0 {
		return // Begin reports a broken history
	}
	names := map[string]bool{}
	for _, file := range files {
		names[file.Path], names[file.To] = true, true
	}
	for _, change := range unsettled {
		if !overlaps(change, names) {
			continue
		}
		if made, err := r.wasMade(ctx, change); err == nil {
			r.recordOutcome(ctx, change, made)
		}
	}
}

func overlaps(change history.Change, names map[string]bool) bool {
	for _, file := range change.Files {
		if names[file.Path] || file.To != "" && names[file.To] {
			return true
		}
	}
	return false
}

func (r recorder) recordOutcome(ctx context.Context, change history.Change, made bool) {
	if err := r.history.Settle(ctx, change.ID, made); err != nil {
		r.log.Warn("the outcome of a change could not be recorded in the history", "change", change.ID, "error", err.Error())
	}
}

// wasMade reports whether any file of a change differs from its state before.
func (r recorder) wasMade(ctx context.Context, change history.Change) (bool, error) {
	for _, file := range change.Files {
		if file.Op == history.Side {
			continue // it was never a file
		}
		now, err := r.stateOf(ctx, file)
		if err != nil || now != file.Before.Hash {
			return err == nil, err
		}
	}
	return false, nil
}

// stateOf returns the current hash of the file that a change started from, or ""
// if it does not exist.
func (r recorder) stateOf(ctx context.Context, file history.File) (string, error) {
	change := store.Change{Path: vpath.Path(file.Path)}
	if file.Op == history.Config {
		change = store.Change{Op: store.WriteConfig, Config: file.Path}
	}
	now, err := r.read(ctx, change)
	if errors.Is(err, fault.NotFound) {
		return "", nil
	}
	return hashOf(notNil(now.Data)), err
}
