package vault

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/conflict"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/vault/call"
	"obsidian-mcp/internal/vault/history"
)

// recorder records changes in the history before they are made.
type recorder struct {
	store      store.Store
	log        *slog.Logger
	history    *history.History // nil: nothing is recorded
	unrecorded bool             // changes that cannot be recorded are made anyway
}

func (r recorder) close() error {
	if r.history == nil {
		return nil
	}
	return r.history.Close()
}

// recording is a commit that is being recorded.
type recording struct {
	log     *slog.Logger
	files   []history.DraftFile
	pending *history.Pending // nil: the commit is not recorded
}

// begin records changes that are about to be made. Once it has returned, they can
// be undone whatever happens.
func (r recorder) begin(ctx context.Context, changes []store.Change) (recording, error) {
	files, err := r.draft(ctx, changes)
	begun := recording{log: r.log, files: files}
	if err != nil || r.history == nil {
		return begun, err
	}
	r.settleOverlapping(ctx, files)
	current := call.Of(ctx)
	begun.pending, err = r.history.Begin(ctx, history.Draft{
		Tool: current.Tool, Client: current.Client, Token: current.Token, Session: current.Session,
		Undoes: current.Undoes(), Files: files,
	})
	if err != nil && r.unrecorded && ctx.Err() == nil {
		r.log.Warn("a change is made without being recorded", "reason", cmp.Or(errors.Unwrap(err), err).Error())
		return begun, nil
	}
	return begun, err
}

// draft describes, for the history, what changes do to their files.
func (r recorder) draft(ctx context.Context, changes []store.Change) ([]history.DraftFile, error) {
	files := make([]history.DraftFile, 0, len(changes))
	for _, change := range changes {
		if change.Op == store.RemoveFolder {
			continue // a folder has no content
		}
		before, err := r.before(ctx, change)
		if err != nil {
			return nil, err
		}
		if err := r.checkUndoable(change, before); err != nil {
			return nil, err
		}
		file := history.DraftFile{Path: string(change.Path), Before: before}
		switch change.Op {
		case store.Move:
			file.Op, file.To, file.After = history.Move, string(change.To), before
			if change.Data != nil {
				file.After = change.Data
			}
		case store.Trash:
			file.Op = history.Trash
		case store.WriteConfig:
			file.Op, file.Path, file.After = history.Config, change.Config, notNil(change.Data)
		default:
			file.Op, file.After = history.Write, notNil(change.Data)
		}
		files = append(files, file)
		sides, err := r.sides(ctx, change)
		if err != nil {
			return nil, err
		}
		files = append(files, sides...)
	}
	return files, nil
}

// sides describes the versions of a file whose conflict a change ends. Undoing the change gives each back as a copy. The
// store refuses the change if one of them does not exist any more; one in which the file was deleted has no content.
func (r recorder) sides(ctx context.Context, change store.Change) (files []history.DraftFile, err error) {
	if r.history == nil {
		return nil, nil
	}
	for _, rev := range change.Resolves {
		side, err := r.store.Branch(ctx, change.Path, rev, MaxFile)
		if errors.Is(err, fault.NotFound) {
			continue
		}
		if err == nil {
			err = r.checkUndoable(store.Change{Path: change.Path, Data: side.Data}, side.Data)
		}
		if err != nil {
			return nil, err
		}
		name := conflict.CopyName(string(change.Path), shortRev(rev))
		files = append(files, history.DraftFile{Op: history.Side, Path: name, Before: notNil(side.Data)})
	}
	return files, nil
}

// shortRev is the beginning of a revision, for names of files.
func shortRev(rev store.Rev) string {
	word := strings.Map(func(r rune) rune {
		if r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' {
			return r
		}
		return -1
	}, string(rev))
	return word[:min(len(word), 10)]
}

// checkUndoable refuses to replace a file that is too large for the history, since
// the change could not be undone.
func (r recorder) checkUndoable(change store.Change, before []byte) error {
	replaces := change.Op != store.Trash && change.Data != nil
	if r.history == nil || r.unrecorded || !replaces || len(before) <= history.MaxKept {
		return nil
	}
	return fault.InvalidArgument.Errorf("'%s' is not replaced: it has %d bytes, and the history keeps files up to %d bytes",
		change.Path, len(before), history.MaxKept).WithHint("rename it first")
}

// before returns the content of a file before a change, nil if it does not exist.
// Without a history, it is what the caller has passed along.
func (r recorder) before(ctx context.Context, change store.Change) ([]byte, error) {
	if change.Base == store.Absent {
		return nil, nil
	}
	if change.Was != nil || r.history == nil {
		return change.Was, nil
	}
	file, err := r.read(ctx, change)
	if errors.Is(err, fault.NotFound) || err == nil && file.Rev != change.Base {
		return nil, fault.Conflict.Errorf("%q has changed since it was read", string(change.Path)+change.Config).
			WithHint("read it again")
	}
	return notNil(file.Data), err
}

func (r recorder) read(ctx context.Context, change store.Change) (store.File, error) {
	if change.Op == store.WriteConfig {
		return r.store.Config(ctx, change.Config)
	}
	return r.store.Read(ctx, change.Path, MaxFile)
}

// MaxFile is the size in bytes of the largest file that is moved, trashed or restored.
const MaxFile = 1 << 30

// end records the outcome of the commit. If the outcome is uncertain, the record
// stays unsettled until it is next looked at.
func (r recording) end(ctx context.Context, results []store.Result, failure error) {
	var err error
	id := ""
	switch {
	case r.pending == nil:
	case failure == nil:
		id = r.pending.ID()
		err = r.pending.Made(trashed(results))
	case wasRefused(failure):
		err = r.pending.Dropped()
	}
	if err != nil {
		r.log.Warn("the outcome of a change could not be recorded in the history", "change", id, "error", err.Error())
	}
	if failure == nil {
		call.Of(ctx).NoteChange(id, changedFiles(r.files))
	}
}

// wasRefused reports whether an error guarantees that nothing was changed.
func wasRefused(err error) bool {
	switch fault.KindOf(err) {
	case fault.Conflict, fault.AlreadyExists, fault.NotFound, fault.InvalidArgument, fault.PermissionDenied:
		return true
	}
	return false
}

// trashed maps files to their paths in the trash.
func trashed(results []store.Result) map[string]string {
	paths := map[string]string{}
	for _, result := range results {
		if result.TrashPath != "" {
			paths[string(result.Path)] = result.TrashPath
		}
	}
	return paths
}

func changedFiles(files []history.DraftFile) []call.File {
	changed := make([]call.File, len(files))
	for i, file := range files {
		changed[i] = call.File{Path: file.Path, To: file.To, Before: hashOf(file.Before), After: hashOf(file.After)}
		if file.Op == history.Config {
			changed[i].Path = configPath(file.Path)
		}
	}
	return changed
}

// hashOf returns the hash of a file's content, or "" if the file does not exist.
func hashOf(data []byte) string {
	if data == nil {
		return ""
	}
	return store.Hash(data)
}

// configPath is the name of an Obsidian settings file in logs.
func configPath(name string) string { return ".obsidian/" + name }
