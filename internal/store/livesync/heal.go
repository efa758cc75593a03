package livesync

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"obsidian-mcp/internal/store/livesync/couch"
	"obsidian-mcp/internal/vpath"
)

// A file that cannot be read is tried again after pauses that grow: its chunks
// may be on their way, but not every two seconds for ever.
const firstPause, longestPause = time.Second, time.Minute

// tooSoon is the error of the last attempt to read a file, if the next is not
// due yet.
func (s *Store) tooSoon(path vpath.Path) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.files == nil {
		return nil
	}
	if known := s.files.byPath[path]; known != nil && known.err != nil && s.opt.Now().Before(known.again) {
		return known.err
	}
	return nil
}

// failed remembers the outcome of an attempt to read a file, and gives it
// back.
func (s *Store) failed(path vpath.Path, err error) error {
	if _, damaged := errors.AsType[*unreadable](err); err != nil && !damaged {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for listing := range s.listings {
		listing.files.failed(path, err, s.opt.Now())
	}
	if s.files != nil {
		s.files.failed(path, err, s.opt.Now())
	}
	return err
}

func (c *catalogue) failed(path vpath.Path, err error, now time.Time) {
	known := c.byPath[path]
	if known == nil {
		return
	}
	known.err = err
	if err == nil {
		delete(c.damaged, known)
		return
	}
	known.pause = min(max(2*known.pause, firstPause), longestPause)
	known.again = now.Add(known.pause)
	c.damaged[known] = true
}

// heal tells those who watch of files that could not be read, whenever it is
// time to try again: no change of a file's document says that its chunks have
// come.
func (s *Store) heal(ctx context.Context) {
	for ctx.Err() == nil {
		wait(ctx, firstPause)
		s.mu.Lock()
		s.tell(s.due())
		now, missed := s.session, slices.Collect(maps.Keys(s.missed))
		s.mu.Unlock()
		if len(missed) > 0 {
			s.fetchMissed(ctx, now, missed)
		}
	}
}

// fetchMissed asks for documents that the feed told of and could not bring.
func (s *Store) fetchMissed(ctx context.Context, now *session, ids []string) {
	rows, err := s.bulk.Fetch(ctx, ids)
	if err != nil {
		return
	}
	var changes []couch.Change
	for _, row := range rows {
		if row.Err == nil {
			changes = append(changes, couch.Change{ID: row.ID, Doc: row.Doc, Deleted: row.Doc == nil})
		}
	}
	s.take(now, changes)
}

func (s *Store) due() []vpath.Path {
	if s.files == nil || s.trouble != nil {
		return nil
	}
	var paths []vpath.Path
	for one := range s.files.damaged {
		if !s.opt.Now().Before(one.again) {
			paths = append(paths, one.path)
		}
	}
	return paths
}
