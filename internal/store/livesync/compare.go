package livesync

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"

	"obsidian-mcp/internal/store/livesync/couch"
	"obsidian-mcp/internal/store/livesync/format"
)

// In a cluster, a list shows one copy of the database, which may lag behind, and the feed does not tell again of what it has
// told from another copy. So the catalogue is compared with the database's revisions: soon after it was made, when the copies
// have become equal, and from time to time later.

// comparisons counts the comparisons of a catalogue.
type comparisons struct {
	made int
	last time.Time // of the last one, or of the catalogue
}

// comparisonPause returns the time between a comparison and the one before.
func comparisonPause(made int) time.Duration {
	switch made {
	case 0:
		return 10 * time.Second
	case 1:
		return time.Minute
	}
	return 5 * time.Minute
}

// compareWhenDue compares the catalogue with the database if it is time to.
func (s *Store) compareWhenDue(ctx context.Context) {
	s.mu.Lock()
	sess, now := s.session, s.opt.Now()
	if s.comparisons.last.IsZero() {
		s.comparisons.last = now
	}
	isDue := s.files != nil && s.outage == nil && now.Sub(s.comparisons.last) >= comparisonPause(s.comparisons.made)
	if isDue {
		s.comparisons.made++
		s.comparisons.last = now
	}
	s.mu.Unlock()
	if !isDue {
		return
	}
	if err := s.compare(ctx, sess); err != nil && ctx.Err() == nil {
		s.log.Debug("comparing the catalogue with the database failed", "error", err.Error())
	}
}

// compare corrects the catalogue where the database has other revisions. What the feed says meanwhile is newer.
func (s *Store) compare(ctx context.Context, sess *session) error {
	l := s.beginListing()
	defer s.abandon(l)
	revs, err := s.revisions(ctx)
	if err != nil {
		return err
	}
	ids := s.differing(sess, revs)
	if len(ids) == 0 {
		return nil
	}
	rows, err := s.bulk.Fetch(ctx, ids)
	if err != nil {
		return err
	}
	if err := s.checkSession(ctx, sess); err != nil {
		return err
	}
	docs := sess.inspectAll(rows)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.session != sess || s.files == nil || l.obsolete {
		return nil
	}
	for i, doc := range docs {
		if rows[i].Err != nil || l.newer[doc.id] || s.beingWritten[doc.id] {
			continue
		}
		doc.deleted = doc.deleted || rows[i].Doc == nil
		s.notify(s.files.put(doc))
	}
	return nil
}

// abandon ends a listing without using it.
func (s *Store) abandon(l *listing) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.listings, l)
}

// revisions lists the revisions of all documents but chunks.
func (s *Store) revisions(ctx context.Context) (map[string]string, error) {
	all := make([]map[string]string, len(parts))
	group, ctx := errgroup.WithContext(ctx)
	for i, part := range parts {
		group.Go(func() error {
			all[i] = map[string]string{}
			for row, err := range s.bulk.AllDocs(ctx, couch.Query{Start: part.Start, Before: part.Before, Page: 2000}) {
				if err != nil {
					return err
				}
				all[i][row.ID] = row.Rev
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	merged := map[string]string{}
	for _, some := range all {
		for id, rev := range some {
			merged[id] = rev
		}
	}
	return merged, nil
}

// differing lists the documents that the catalogue knows in another revision than the database has.
func (s *Store) differing(sess *session, revs map[string]string) (ids []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.session != sess || s.files == nil {
		return nil
	}
	for id, rev := range revs {
		if !s.files.knows(id, rev) {
			ids = append(ids, id)
		}
	}
	for id := range s.files.byID {
		if revs[id] == "" {
			ids = append(ids, id)
		}
	}
	for id := range s.files.hidden {
		if revs[id] == "" {
			ids = append(ids, id)
		}
	}
	return ids
}

// knows reports whether the catalogue has a document in a revision. Of files that nobody sees it knows no revisions.
func (c *catalogue) knows(id, rev string) bool {
	if known := c.byID[id]; known != nil {
		return known.rev == rev
	}
	switch kindOf(id) {
	case format.Hidden:
		return c.hidden[id] == rev
	case format.Note:
		return c.trashed[id] != "" || c.unserved[id].ID != "" || c.deleted[id] == rev
	}
	return true
}
