package livesync

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/store/livesync/couch"
	"obsidian-mcp/internal/store/livesync/format"
)

// Commit implements store.Store. It reads all documents and compares them with the revisions that the changes are based
// on, uploads new chunks, checks that all chunks exist, and then writes the documents. Writing one document is atomic;
// several are recorded in a journal first. If the database turns out to be another one before anything is written, which
// happens while several servers make an empty one a vault, it starts over.
func (s *Store) Commit(ctx context.Context, changes []store.Change) ([]store.Result, error) {
	begun := time.Now()
	for {
		results, err := s.commit(ctx, changes)
		if !errors.Is(err, errReplaced) || time.Since(begun) > s.opt.Confirm {
			return results, err
		}
		sleep(ctx, 50*time.Millisecond)
	}
}

// errReplaced is in the chain of an error before anything was written, because the database was replaced or its settings changed.
var errReplaced = errors.New("the database was replaced, or its settings changed")

func (s *Store) commit(ctx context.Context, changes []store.Change) ([]store.Result, error) {
	if s.opt.ReadOnly {
		return nil, fault.PermissionDenied.Errorf("the vault is read-only")
	}
	select {
	case <-s.recovered:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	select {
	case s.commitSlot <- struct{}{}:
		defer func() { <-s.commitSlot }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	sess, err := s.readyToWrite(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.journals.settleOwn(ctx); err != nil {
		return nil, err
	}
	s.decideLater(ctx)
	c := &commit{store: s, session: sess, missingChunks: map[string]bool{}, kept: map[string]bool{}}
	if err := c.prepareWhenSettled(ctx, changes); err != nil {
		return nil, err
	}
	if err := c.write(ctx); err != nil {
		return nil, err
	}
	return c.results(changes), nil
}

// commit is the state of one Commit.
type commit struct {
	store         *Store
	session       *session
	missingChunks map[string]bool // chunks that were wrongly believed to be in the database
	kept          map[string]bool // chunks of the replaced notes that were read a moment ago
	steps         []step
	leaves        []format.UploadLeaf
	writes        []*docWrite
}

// step is the result of one change.
type step struct {
	result    *docWrite // the file's new document; nil if it is removed
	trashPath string    // for a trashed file
}

// docWrite is a document to write.
type docWrite struct {
	id      string
	base    string          // the revision that it replaces; "" for a new document
	old     json.RawMessage // the document that it replaces; nil for a new one
	body    json.RawMessage
	file    *format.Meta
	removal bool // removes a file, and is written after everything else

	rev    string // its revision once written
	unsent bool   // CouchDB has certainly not accepted it from us, so an identical document is somebody else's

	resolves []store.Rev // branches that are deleted once it is written

	accepted   bool       // too few nodes of a cluster have it
	joined     successor  // the last text by which we have joined it with another branch, and for which we answer too
	withdrawal withdrawal // it is taken back, because the cluster has another branch
}

// prepareWhenSettled prepares the changes. If a document has several branches in a cluster, it waits a while: another server may
// be about to join them.
func (c *commit) prepareWhenSettled(ctx context.Context, changes []store.Change) error {
	begun := time.Now()
	for pause := 50 * time.Millisecond; ; pause *= 2 {
		err := c.prepare(ctx, changes)
		if !errors.Is(err, store.ErrUnresolved) || !c.store.couch.Clustered() || time.Since(begun) > c.store.opt.Confirm/2 {
			return err
		}
		sleep(ctx, pause)
	}
}

// prepare plans the changes and uploads their chunks. If a chunk that was believed to be in the database is missing, it
// plans again and uploads that chunk too.
func (c *commit) prepare(ctx context.Context, changes []store.Change) error {
	for attempt := 0; ; attempt++ {
		c.steps, c.leaves, c.writes = nil, nil, nil
		if err := c.plan(ctx, changes); err != nil {
			return err
		}
		missing, err := c.upload(ctx)
		if err != nil || len(missing) == 0 {
			return err
		}
		if attempt == 2 {
			return &unreadable{format.MissingChunk(missing[0])}
		}
		c.store.chunks.drop(missing)
		for _, id := range missing {
			c.missingChunks[id] = true
		}
	}
}

// write writes the documents. Meanwhile, the feed's changes to them are deferred.
func (c *commit) write(ctx context.Context) error {
	if err := c.beginWriting(); err != nil {
		return err
	}
	err := c.send(ctx)
	c.endWriting(err == nil)
	return databaseError(err)
}

// send sends the documents. Once it has begun, the caller cannot stop it: nobody could tell whether a request that was
// cancelled has been carried out.
func (c *commit) send(ctx context.Context) error {
	switch {
	case ctx.Err() != nil || len(c.writes) == 0:
		return ctx.Err()
	case len(c.writes) > 1:
		return c.store.journals.run(ctx, c.session, c.writes)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), unitTime)
	defer cancel()
	return c.store.send(ctx, c.writes)
}

func (c *commit) beginWriting() error {
	c.store.mu.Lock()
	defer c.store.mu.Unlock()
	if c.store.session != c.session {
		return fault.Conflict.Errorf("%w during the change", errReplaced).WithHint("try again")
	}
	for _, write := range c.writes {
		c.store.beingWritten[write.id] = true
	}
	return nil
}

// endWriting applies the written documents to the catalogue, and then the deferred changes that are newer.
func (c *commit) endWriting(done bool) {
	c.store.mu.Lock()
	defer c.store.mu.Unlock()
	var paths []vpath.Path
	for _, write := range c.writes {
		delete(c.store.beingWritten, write.id)
		if done && c.store.session == c.session {
			c.store.apply(write.seen())
		}
	}
	for _, write := range c.writes {
		change, deferred := c.store.deferred[write.id]
		delete(c.store.deferred, write.id)
		if deferred && c.store.session == c.session && !(done && older(change, write.rev)) {
			paths = append(paths, c.store.apply(c.session.inspectChange(change))...)
		}
	}
	c.store.notify(paths)
}

// older reports whether a change precedes a revision.
func older(change couch.Change, than string) bool {
	return len(change.Revs) > 0 && longest(change) < couch.Generation(than)
}

// seen describes the written document for the catalogue.
func (w *docWrite) seen() docInfo {
	doc := docInfo{id: w.id, rev: w.rev, longest: couch.Generation(w.rev), kind: kindOf(w.id), deleted: w.file.Deleted, file: w.file}
	if !doc.deleted && !format.InTrash(w.file.Path) {
		doc.path = vpath.Path(w.file.Path)
	}
	return doc
}

// results returns the results of the changes.
func (c *commit) results(changes []store.Change) []store.Result {
	results := make([]store.Result, len(changes))
	for i, step := range c.steps {
		if step.trashPath != "" || step.result == nil {
			results[i] = store.Result{Info: store.Info{Path: changes[i].Path}, TrashPath: step.trashPath}
			continue
		}
		written := step.result
		written.file.Rev = written.rev
		results[i] = store.Result{Info: infoOf(vpath.Path(written.file.Path), written.file), Rev: store.Rev(written.rev)}
	}
	return results
}
