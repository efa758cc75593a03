package livesync

import (
	"context"
	"encoding/json"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/store/livesync/couch"
	"obsidian-mcp/internal/store/livesync/format"
)

// Commit implements store.Store. All documents are read and compared with the
// revisions that the changes were made for; new chunks are written and seen to
// be there; then the documents are written. One document is a unit by itself;
// several go into a journal first.
func (s *Store) Commit(ctx context.Context, changes []store.Change) ([]store.Result, error) {
	if s.opt.ReadOnly {
		return nil, fault.PermissionDenied.Errorf("the vault is read-only")
	}
	select {
	case <-s.mended:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	select {
	case s.commits <- struct{}{}:
		defer func() { <-s.commits }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	now, err := s.readyToWrite(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.journals.settleOwn(ctx); err != nil {
		return nil, err
	}
	u := &unit{Store: s, now: now, lost: map[string]bool{}}
	if err := u.prepare(ctx, changes); err != nil {
		return nil, err
	}
	if err := u.make(ctx); err != nil {
		return nil, err
	}
	return u.results(changes), nil
}

// unit is one commit.
type unit struct {
	*Store
	now    *session
	lost   map[string]bool // chunks that were thought to be there
	steps  []step
	leaves []format.UploadLeaf
	writes []*write
}

// step is one change, and the documents that make it.
type step struct {
	made  *write // of the file as it will be; nil if it goes
	place string // where a trashed file goes
}

// write is one document to be written.
type write struct {
	id   string
	base string          // the revision that it follows; "" for a new one
	old  json.RawMessage // as it was; nil: there was none
	body json.RawMessage
	file *format.Meta
	last bool // it takes something away, and comes when the rest is there

	rev     string // that it got
	foreign bool   // CouchDB has not taken it from us: what looks like it is another's
}

// prepare plans the changes and uploads their chunks. If chunks that were
// thought to be in the database are not, those are made too.
func (u *unit) prepare(ctx context.Context, changes []store.Change) error {
	for attempt := 0; ; attempt++ {
		u.steps, u.leaves, u.writes = nil, nil, nil
		if err := u.plan(ctx, changes); err != nil {
			return err
		}
		missing, err := u.upload(ctx)
		if err != nil || len(missing) == 0 {
			return err
		}
		if attempt == 2 {
			return &unreadable{format.MissingChunk(missing[0])}
		}
		u.chunks.drop(missing)
		for _, id := range missing {
			u.lost[id] = true
		}
	}
}

// make writes the documents. While that lasts, the feed leaves them alone.
func (u *unit) make(ctx context.Context) error {
	if err := u.beginWriting(); err != nil {
		return err
	}
	var err error
	if len(u.writes) == 1 {
		err = u.send(ctx, u.writes)
	} else if len(u.writes) > 1 {
		err = u.journals.run(ctx, u.now, u.writes)
	}
	u.endWriting(err == nil)
	return lost(err)
}

func (u *unit) beginWriting() error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.session != u.now {
		return fault.Conflict.Errorf("the database has other settings, or is another one, since the change was begun").WithHint("try again")
	}
	for _, one := range u.writes {
		u.writing[one.id] = true
	}
	return nil
}

// endWriting takes what was written into the catalogue, and then what the feed
// told meanwhile, if it is something else.
func (u *unit) endWriting(done bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	var paths []vpath.Path
	for _, one := range u.writes {
		delete(u.writing, one.id)
		if done && u.session == u.now {
			u.note(one.seen())
		}
	}
	for _, one := range u.writes {
		change, told := u.deferred[one.id]
		delete(u.deferred, one.id)
		if told && u.session == u.now && !(done && older(change, one.rev)) {
			paths = append(paths, u.note(u.now.lookAt(change))...)
		}
	}
	u.tell(paths)
}

// older reports whether a change was made before a revision came.
func older(change couch.Change, than string) bool {
	return len(change.Revs) > 0 && generation(change.Revs[0]) < generation(than)
}

// seen is the written document as the catalogue takes it.
func (w *write) seen() seen {
	one := seen{id: w.id, rev: w.rev, kind: kindOf(w.id), deleted: w.file.Deleted, file: w.file}
	if !one.deleted && !format.InTrash(w.file.Path) {
		one.path = vpath.Path(w.file.Path)
	}
	return one
}

// results tells what became of the changes.
func (u *unit) results(changes []store.Change) []store.Result {
	results := make([]store.Result, len(changes))
	for i, step := range u.steps {
		if step.place != "" || step.made == nil {
			results[i] = store.Result{Info: store.Info{Path: changes[i].Path}, TrashPath: step.place}
			continue
		}
		written := step.made
		written.file.Rev = written.rev
		results[i] = store.Result{Info: infoOf(vpath.Path(written.file.Path), written.file), Rev: store.Rev(written.rev)}
	}
	return results
}
