package vault

import (
	"cmp"
	"context"
	"errors"
	"log/slog"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/vault/call"
	"obsidian-mcp/internal/vault/history"
)

// recorder has changes recorded before they are made.
type recorder struct {
	store      store.Store
	log        *slog.Logger
	history    *history.History // nil: nothing is recorded
	unrecorded bool             // changes that cannot be recorded are made nevertheless
}

func (r recorder) close() error {
	if r.history == nil {
		return nil
	}
	return r.history.Close()
}

// recording is a commit on its way into the history.
type recording struct {
	recorder
	files   []history.DraftFile
	pending *history.Pending // nil: it is not recorded
}

// begin records changes that are about to be made. When it has returned, they
// can be taken back whatever happens.
func (r recorder) begin(ctx context.Context, changes []store.Change) (recording, error) {
	mine := recording{recorder: r}
	var err error
	if mine.files, err = r.draft(ctx, changes); err != nil || r.history == nil {
		return mine, err
	}
	r.settleOverlapping(ctx, mine.files)
	call := call.Of(ctx)
	mine.pending, err = r.history.Begin(ctx, history.Draft{Tool: call.Tool, Client: call.Client, Token: call.Token, Undoes: call.Undoes(), Files: mine.files})
	if err != nil && r.unrecorded && ctx.Err() == nil {
		r.log.Warn("a change is made without being recorded", "reason", cmp.Or(errors.Unwrap(err), err).Error())
		return mine, nil
	}
	return mine, err
}

// draft is what changes do to their files.
func (r recorder) draft(ctx context.Context, changes []store.Change) ([]history.DraftFile, error) {
	files := make([]history.DraftFile, len(changes))
	for i, change := range changes {
		before, err := r.before(ctx, change)
		if err != nil {
			return nil, err
		}
		if err := r.checkKept(change, before); err != nil {
			return nil, err
		}
		files[i] = history.DraftFile{Path: string(change.Path), Before: before}
		switch change.Op {
		case store.Move:
			files[i].Op, files[i].To, files[i].After = history.Move, string(change.To), before
			if change.Data != nil {
				files[i].After = change.Data
			}
		case store.Trash:
			files[i].Op = history.Trash
		case store.WriteConfig:
			files[i].Op, files[i].Path, files[i].After = history.Config, change.Config, notNil(change.Data)
		default:
			files[i].Op, files[i].After = history.Write, notNil(change.Data)
		}
	}
	return files, nil
}

// checkKept refuses to replace what is too large for the history: nothing could
// bring it back.
func (r recorder) checkKept(change store.Change, before []byte) error {
	if r.history == nil || r.unrecorded || change.Op == store.Trash || change.Data == nil || len(before) <= history.MaxKept {
		return nil
	}
	return fault.InvalidArgument.Errorf("'%s' is too large to be kept in the history, and so is not replaced: it has %d bytes, and %d are kept at most", change.Path, len(before), history.MaxKept).
		WithHint("move it to another name first")
}

// before is a file as a change finds it; nil if there is none. Where nothing is
// recorded, it is what the caller knows.
func (r recorder) before(ctx context.Context, change store.Change) ([]byte, error) {
	if change.Base == store.Absent {
		return nil, nil
	}
	if change.Was != nil || r.history == nil {
		return change.Was, nil
	}
	file, err := r.read(ctx, change)
	if errors.Is(err, fault.NotFound) || err == nil && file.Rev != change.Base {
		return nil, fault.Conflict.Errorf("%q has changed since it was read", string(change.Path)+change.Config).WithHint("read it again")
	}
	return notNil(file.Data), err
}

func (r recorder) read(ctx context.Context, change store.Change) (store.File, error) {
	if change.Op == store.WriteConfig {
		return r.store.Config(ctx, change.Config)
	}
	return r.store.Read(ctx, change.Path, MaxFile)
}

// MaxFile is the largest file that is moved, trashed or put back.
const MaxFile = 1 << 30

// end notes what became of the changes. Where that is not certain, the record
// stays as it is, and is settled when somebody looks at it.
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
		r.log.Warn("the history could not note what became of a change", "change", id, "error", err.Error())
	}
	if failure == nil {
		call.Of(ctx).NoteChange(id, changedFiles(r.files))
	}
}

// wasRefused reports an error after which nothing has changed for certain.
func wasRefused(err error) bool {
	switch fault.KindOf(err) {
	case fault.Conflict, fault.AlreadyExists, fault.NotFound, fault.InvalidArgument, fault.PermissionDenied:
		return true
	}
	return false
}

func trashed(results []store.Result) map[string]string {
	places := map[string]string{}
	for _, result := range results {
		if result.TrashPath != "" {
			places[string(result.Path)] = result.TrashPath
		}
	}
	return places
}

func changedFiles(files []history.DraftFile) []call.File {
	all := make([]call.File, len(files))
	for i, file := range files {
		all[i] = call.File{Path: file.Path, To: file.To, Before: hashOf(file.Before), After: hashOf(file.After)}
		if file.Op == history.Config {
			all[i].Path = configPath(file.Path)
		}
	}
	return all
}

// hashOf is the hash of a file; "" if there is none.
func hashOf(data []byte) string {
	if data == nil {
		return ""
	}
	return store.Hash(data)
}

// configPath is what a file of Obsidian's settings is called in a log.
func configPath(name string) string { return ".obsidian/" + name }
