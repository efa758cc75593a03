package livesync

import (
	"context"
	"errors"
	"time"

	"obsidian-mcp/internal/note/vpath"
)

// An unreadable file is retried after growing pauses, because its chunks may still be on their way.
const firstPause, longestPause = time.Second, time.Minute

// retryPending returns the error of the last attempt to read a file if the next is not due yet.
func (s *Store) retryPending(path vpath.Path) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.files == nil {
		return nil
	}
	known := s.files.byPath[path]
	if failed := s.files.unreadable[known]; failed != nil && s.opt.Now().Before(failed.next) {
		return known.err
	}
	return nil
}

// recordRead records the outcome of an attempt to read a file, and returns err.
func (s *Store) recordRead(path vpath.Path, err error) error {
	if _, damaged := errors.AsType[*unreadable](err); err != nil && !damaged {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for listing := range s.listings {
		listing.files.recordRead(path, err, s.opt.Now())
	}
	if s.files != nil {
		s.files.recordRead(path, err, s.opt.Now())
	}
	return err
}

func (c *catalogue) recordRead(path vpath.Path, err error, now time.Time) {
	known := c.byPath[path]
	if known == nil {
		return
	}
	known.err = err
	if err == nil {
		delete(c.unreadable, known)
		return
	}
	failed := c.unreadable[known]
	if failed == nil {
		failed = new(attempts)
		c.unreadable[known] = failed
	}
	failed.pause = min(max(2*failed.pause, firstPause), longestPause)
	failed.next = now.Add(failed.pause)
}

// retryLoop notifies watchers of unreadable files whenever it is time to try again, because the feed does not report that
// chunks have arrived. It also requests documents that the feed announced but could not deliver.
func (s *Store) retryLoop(ctx context.Context) {
	for ctx.Err() == nil {
		sleep(ctx, firstPause)
		s.mu.Lock()
		s.notify(s.dueUnreadable())
		sess, missed := s.session, s.dueUndelivered()
		s.mu.Unlock()
		if len(missed) > 0 {
			s.fetchUndelivered(ctx, sess, missed)
		}
		if s.couch.Clustered() {
			s.compareWhenDue(ctx)
		}
	}
}

// retryState is the state of a document that the feed announced but could not deliver.
type retryState struct {
	retryAt  time.Time
	pause    time.Duration
	attempts int
}

// The pauses grow to an hour: the document may be too large, which makes every attempt expensive. A document that is
// still missing after a few attempts counts as deleted.
const longestUndelivered, goneAfter = time.Hour, 4

func (s *Store) dueUndelivered() []string {
	var ids []string
	for id, state := range s.undelivered {
		if now := s.opt.Now(); !now.Before(state.retryAt) {
			state.pause = min(max(2*state.pause, firstPause), longestUndelivered)
			state.retryAt = now.Add(state.pause)
			state.attempts++
			ids = append(ids, id)
		}
	}
	return ids
}

// fetchUndelivered requests undelivered documents again. A document that the database announced but does not have may be
// on another node of a cluster; it counts as deleted if it stays missing.
func (s *Store) fetchUndelivered(ctx context.Context, sess *session, ids []string) {
	rows, err := s.bulk.Fetch(ctx, ids)
	if err != nil {
		return
	}
	there := s.checkSession(ctx, sess) == nil
	looks := sess.inspectAll(rows)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.session != sess || !there {
		return
	}
	for i, row := range rows {
		state := s.undelivered[row.ID]
		if state == nil || row.Err != nil || row.Missing && state.attempts < goneAfter {
			continue // the feed was faster, or a later attempt may succeed
		}
		looks[i].deleted = looks[i].deleted || row.Doc == nil
		s.notify(s.apply(looks[i]))
	}
}

func (s *Store) dueUnreadable() []vpath.Path {
	if s.files == nil || s.outage != nil {
		return nil
	}
	var paths []vpath.Path
	for entry, failed := range s.files.unreadable {
		if now := s.opt.Now(); !now.Before(failed.next) && !now.Before(failed.quietUntil) {
			failed.quietUntil = now.Add(max(failed.pause, firstPause)) // in case nobody reads it
			paths = append(paths, entry.path)
		}
	}
	return paths
}
