package livesync

import (
	"context"
	"errors"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store/livesync/couch"
	"obsidian-mcp/internal/store/livesync/format"
)

// reconnectPause returns the time until the next attempt to connect. A refused passphrase is retried rarely; a refused login is not
// even sent too often.
func reconnectPause(err error) time.Duration {
	if errors.Is(err, fault.PermissionDenied) {
		return 30 * time.Second
	}
	return time.Second
}

// follow keeps the catalogue in step with the database until ctx ends.
func (s *Store) follow(ctx context.Context) {
	defer s.firstAttempt.once.Do(func() { close(s.firstAttempt.done) })
	for ctx.Err() == nil {
		sess, err := s.connect(ctx)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			s.connectionAttempted(nil, err)
			sleep(ctx, reconnectPause(err))
			continue
		}
		s.followSession(ctx, sess)
	}
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// connectionAttempted records the outcome of an attempt to connect.
func (s *Store) connectionAttempted(sess *session, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.firstAttempt.once.Do(func() { close(s.firstAttempt.done) })
	close(s.attempted)
	s.attempted = make(chan struct{})
	if err != nil {
		if s.outage == nil || s.outage.Error() != err.Error() {
			s.log.Warn("the vault's database cannot be used; retrying", "error", err.Error())
		}
		s.outage = err
		return
	}
	if s.outage != nil {
		s.log.Info("the vault's database responds")
	}
	s.session, s.outage, s.writableSince = sess, nil, time.Time{}
	s.version, s.versionChanges = nil, s.versionChanges+1
	s.usedBefore = s.usedBefore || !sess.fresh
	s.forgetFiles()
}

// forgetFiles drops everything known about the files, and tells watchers to look at everything again.
func (s *Store) forgetFiles() {
	s.files = nil
	clear(s.undelivered)
	s.chunks.clear()
	for listing := range s.listings {
		listing.obsolete = true
	}
	for watcher := range s.watchers {
		watcher.notify(nil)
	}
}

// followSession applies changes for as long as the database stays the same.
func (s *Store) followSession(ctx context.Context, sess *session) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.mu.Lock()
	s.endSession, s.followed = cancel, sess
	s.mu.Unlock()
	begun := false
	err := s.bulk.Follow(ctx, couch.FollowOptions{
		Identify: func(ctx context.Context) (string, error) {
			meta, err := s.metadata(ctx)
			return meta.identity(), err
		},
		Heartbeat: s.heartbeat(),
		Trouble: func(err error) {
			if begun {
				s.feedState(err)
			} else if err != nil && ctx.Err() == nil {
				s.connectionAttempted(nil, err)
			}
		},
	}, func(batch couch.Batch) error {
		if (sess.fresh || sess.wiped) && len(batch.Changes) > 0 {
			return errReplaced // somebody has started to use it
		}
		if batch.Reset {
			if begun {
				return errReplaced
			}
			begun = true
			s.connectionAttempted(sess, nil) // from now on the feed keeps listings up to date
		}
		s.applyChanges(sess, batch.Changes)
		return nil
	})
	if errors.Is(err, errReplaced) && !sess.fresh {
		s.log.Warn("the vault's database was replaced; reading it again")
	}
}

// heartbeat returns how often the server must send a sign of life, so that an outage is noticed in time.
func (s *Store) heartbeat() time.Duration {
	const most = 10 * time.Second
	if timeout := s.opt.Couch.Timeout; timeout > 0 {
		return min(most, timeout/3)
	}
	return most
}

// feedState records that the feed failed, or works again if err is nil.
func (s *Store) feedState(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if (s.outage == nil) != (err == nil) {
		if err != nil {
			s.log.Warn("the vault's database does not respond; retrying", "error", err.Error())
		} else {
			s.log.Info("the vault's database responds again")
		}
	}
	s.outage = databaseError(err)
}

// applyChanges brings changes made by others into the catalogue. Changes to documents that a commit is writing wait
// until it is done.
func (s *Store) applyChanges(sess *session, changes []couch.Change) {
	docs := make([]docInfo, len(changes))
	for i, change := range changes {
		docs[i] = sess.inspectChange(change) // before locking: it may derive keys
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.session != sess {
		return
	}
	var paths []vpath.Path
	for i, change := range changes {
		if change.ID == format.VersionID {
			s.version, s.versionChanges = nil, s.versionChanges+1
		}
		if s.beingWritten[change.ID] {
			if longest(change) >= longest(s.deferred[change.ID]) {
				s.deferred[change.ID] = change
			}
			continue
		}
		paths = append(paths, s.apply(docs[i])...)
	}
	s.notify(paths)
}

// inspectChange reads the document of a change.
func (s *session) inspectChange(change couch.Change) docInfo {
	doc := docInfo{id: change.ID, kind: kindOf(change.ID), deleted: change.Deleted, err: change.Err}
	if change.Doc != nil {
		doc = s.inspect(change.Doc)
	}
	doc.longest = longest(change)
	return doc
}

// longest returns the length of the longest branch of a changed document.
func longest(change couch.Change) (most int) {
	for _, rev := range change.Revs {
		most = max(most, couch.Generation(rev))
	}
	return most
}

// apply brings a document into the catalogue and into unfinished listings, and returns the paths that changed. A document
// that could not be read changes nothing; it is requested again later.
func (s *Store) apply(doc docInfo) []vpath.Path {
	if doc.rev == "" && !doc.deleted {
		s.undelivered[doc.id] = &retryState{}
		return nil
	}
	delete(s.undelivered, doc.id)
	for listing := range s.listings {
		listing.newer[doc.id] = true
		listing.files.put(doc)
	}
	if s.files != nil {
		return s.files.put(doc)
	}
	if path, err := vpath.Parse(pathOf(doc.file)); err == nil && doc.kind == format.Note {
		return []vpath.Path{path} // without a catalogue it is unknown whether it changed
	}
	return nil
}

// notify reports changed paths to all watchers. If a folder has vanished it reports everything, because only a full
// comparison, which costs no request, shows that.
func (s *Store) notify(paths []vpath.Path) {
	if s.files != nil && s.files.emptied {
		s.files.emptied, paths = false, nil
	} else if len(paths) == 0 {
		return
	}
	for watcher := range s.watchers {
		watcher.notify(paths)
	}
}
