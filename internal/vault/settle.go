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

// A change without an outcome is one whose process has died, or is about to
// make it, or did not learn what became of it. The files tell: it was not made
// if every one of them is as it was before. That is a guess: if the process
// lives after all, its own word counts.

// interruptedFor is how long after it began a commit is surely over.
const interruptedFor = time.Minute

// settle finds out whether a change was made of which nobody has said so. As
// long as that cannot be told, it is shown.
func (r recorder) settle(ctx context.Context, change history.Change) (made bool) {
	made, err := r.wasMade(ctx, change)
	if err == nil && (made || time.Since(change.Time) > interruptedFor) {
		r.note(ctx, change, made)
	}
	return made || err != nil
}

// settleOverlapping settles the changes of files that are about to change
// again: afterwards they would tell nothing any more.
func (r recorder) settleOverlapping(ctx context.Context, files []history.DraftFile) {
	open, err := r.history.Unsettled(ctx)
	if err != nil || len(open) == 0 {
		return // what is broken is told by whoever records
	}
	names := map[string]bool{}
	for _, file := range files {
		names[file.Path], names[file.To] = true, true
	}
	for _, change := range open {
		if !overlaps(change, names) {
			continue
		}
		if made, err := r.wasMade(ctx, change); err == nil {
			r.note(ctx, change, made)
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

func (r recorder) note(ctx context.Context, change history.Change, made bool) {
	if err := r.history.Settle(ctx, change.ID, made); err != nil {
		r.log.Warn("the history could not note what became of a change", "change", change.ID, "error", err.Error())
	}
}

// wasMade reports whether any file of a change is not as it was before.
func (r recorder) wasMade(ctx context.Context, change history.Change) (bool, error) {
	for _, file := range change.Files {
		now, err := r.stateOf(ctx, file)
		if err != nil || now != file.Before.Hash {
			return err == nil, err
		}
	}
	return false, nil
}

// stateOf is the hash of the file where it was before a change; "" if it is
// not there.
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
