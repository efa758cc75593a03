package livesync

import (
	"context"
	"errors"
	"obsidian-mcp/internal/note/vpath"
	"time"
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
// come. And it asks for documents that the feed told of and could not bring.
func (s *Store) heal(ctx context.Context) {
	for ctx.Err() == nil {
		wait(ctx, firstPause)
		s.mu.Lock()
		s.tell(s.due())
		now, missed := s.session, s.dueMissed()
		s.mu.Unlock()
		if len(missed) > 0 {
			s.fetchMissed(ctx, now, missed)
		}
	}
}

// missed is a document that the feed told of and could not bring.
type missed struct {
	again time.Time
	pause time.Duration
	tries int
}

// One that cannot be had may be one that is too large, and costs much to try.
const longestMissed, missingAfter = time.Hour, 4

func (s *Store) dueMissed() []string {
	var ids []string
	for id, one := range s.missed {
		if now := s.opt.Now(); !now.Before(one.again) {
			one.pause = min(max(2*one.pause, firstPause), longestMissed)
			one.again = now.Add(one.pause)
			one.tries++
			ids = append(ids, id)
		}
	}
	return ids
}

// fetchMissed asks for documents again. One that the database does not have,
// though it told of it, may be on another of its nodes: it counts as gone when
// it stays away.
func (s *Store) fetchMissed(ctx context.Context, now *session, ids []string) {
	rows, err := s.bulk.Fetch(ctx, ids)
	if err != nil {
		return
	}
	there := s.stillThere(ctx, now) == nil
	looks := now.lookAll(rows)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.session != now || !there {
		return
	}
	for i, row := range rows {
		one := s.missed[row.ID]
		if one == nil || row.Err != nil || row.Missing && one.tries < missingAfter {
			continue // the feed was faster, or it is still to be had
		}
		looks[i].deleted = looks[i].deleted || row.Doc == nil
		s.tell(s.note(looks[i]))
	}
}

func (s *Store) due() []vpath.Path {
	if s.files == nil || s.trouble != nil {
		return nil
	}
	var paths []vpath.Path
	for one := range s.files.damaged {
		if now := s.opt.Now(); !now.Before(one.again) && !now.Before(one.told) {
			one.told = now.Add(max(one.pause, firstPause)) // nobody may want to read it
			paths = append(paths, one.path)
		}
	}
	return paths
}
