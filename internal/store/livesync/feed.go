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

// reconnect is how long to wait until a connection is tried again. A login or
// passphrase that is refused is tried seldom: CouchDB locks accounts that fail
// too often.
func reconnect(err error) time.Duration {
	if errors.Is(err, fault.PermissionDenied) {
		return 30 * time.Second
	}
	return time.Second
}

// follow keeps the catalogue in step with the database until ctx ends.
func (s *Store) follow(ctx context.Context) {
	defer s.tried.once.Do(func() { close(s.tried.over) })
	for ctx.Err() == nil {
		now, err := s.connect(ctx)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			s.began(nil, err)
			wait(ctx, reconnect(err))
			continue
		}
		s.followSession(ctx, now)
	}
}

func wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// began notes the outcome of an attempt to connect.
func (s *Store) began(now *session, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.tried.once.Do(func() { close(s.tried.over) })
	close(s.begun)
	s.begun = make(chan struct{})
	if err != nil {
		if s.trouble == nil || s.trouble.Error() != err.Error() {
			s.log.Warn("the vault's database cannot be used, and is tried again", "error", err.Error())
		}
		s.trouble = err
		return
	}
	if s.trouble != nil {
		s.log.Info("the vault's database answers")
	}
	s.session, s.trouble, s.checked = now, nil, time.Time{}
	s.served = s.served || !now.fresh
	s.forget()
}

// forget drops what was known of the files. Whoever watches is asked to look
// at everything again.
func (s *Store) forget() {
	s.files = nil
	clear(s.missed)
	s.chunks.clear()
	for one := range s.listings {
		one.obsolete = true
	}
	for one := range s.watchers {
		one.tell(nil)
	}
}

var errAnother = errors.New("the database is another one, or has other settings")

// followSession takes in changes for as long as the database stays the same.
func (s *Store) followSession(ctx context.Context, now *session) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.mu.Lock()
	s.renew, s.followed = cancel, now
	s.mu.Unlock()
	begun := false
	err := s.bulk.Follow(ctx, couch.FollowOptions{
		Identify: func(ctx context.Context) (string, error) {
			said, err := ask(ctx, s.couch)
			return said.identity(), err
		},
		Heartbeat: s.heartbeat(),
		Trouble: func(err error) {
			if begun {
				s.stumbled(err)
			} else if err != nil && ctx.Err() == nil {
				s.began(nil, err)
			}
		},
	}, func(batch couch.Batch) error {
		if (now.fresh || now.wiped) && len(batch.Changes) > 0 {
			return errAnother // somebody has begun to use it
		}
		if batch.Reset {
			if begun {
				return errAnother
			}
			begun = true
			s.began(now, nil) // what is listed from now on, the feed keeps up to date
		}
		s.take(now, batch.Changes)
		return nil
	})
	if errors.Is(err, errAnother) && !now.fresh {
		s.log.Warn("the vault's database was made anew, and is read again")
	}
}

// heartbeat is how often the server must show that it is there, so that its
// silence is noticed in time.
func (s *Store) heartbeat() time.Duration {
	const most = 10 * time.Second
	if timeout := s.opt.Couch.Timeout; timeout > 0 {
		return min(most, timeout/3)
	}
	return most
}

// stumbled is told when the feed fails, and when it goes on.
func (s *Store) stumbled(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if (s.trouble == nil) != (err == nil) {
		if err != nil {
			s.log.Warn("the vault's database does not answer; it is tried again", "error", err.Error())
		} else {
			s.log.Info("the vault's database answers again")
		}
	}
	s.trouble = lost(err)
}

// take brings changes that others made into the catalogue. Documents that a
// commit is writing are looked at when it is done.
func (s *Store) take(now *session, changes []couch.Change) {
	looks := make([]seen, len(changes))
	for i, change := range changes {
		looks[i] = now.lookAt(change) // which may derive keys
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.session != now {
		return
	}
	var paths []vpath.Path
	for i, change := range changes {
		if s.writing[change.ID] {
			s.deferred[change.ID] = change
			continue
		}
		paths = append(paths, s.note(looks[i])...)
	}
	s.tell(paths)
}

// lookAt reads what a change says.
func (s *session) lookAt(change couch.Change) seen {
	switch {
	case change.Doc != nil:
		return s.look(change.Doc)
	case change.Deleted:
		return seen{id: change.ID, kind: kindOf(change.ID), deleted: true}
	}
	return seen{id: change.ID, kind: kindOf(change.ID), err: change.Err}
}

// note takes one document into the catalogue, and into those that are being
// made, and gives the paths that changed. A document that could not be had
// changes nothing that is known of it, and is asked for again.
func (s *Store) note(one seen) []vpath.Path {
	if one.rev == "" && !one.deleted {
		s.missed[one.id] = &missed{}
		return nil
	}
	delete(s.missed, one.id)
	for listing := range s.listings {
		listing.touched[one.id] = true
		listing.files.put(one)
	}
	if s.files != nil {
		return s.files.put(one)
	}
	if path, err := vpath.Parse(pathOf(one.file)); err == nil && one.kind == format.Note {
		return []vpath.Path{path} // nobody knows what was there before
	}
	return nil
}

// tell reports paths to all who watch. That a folder has gone shows only when
// everything is compared, which costs no request.
func (s *Store) tell(paths []vpath.Path) {
	if s.files != nil && s.files.emptied {
		s.files.emptied, paths = false, nil
	} else if len(paths) == 0 {
		return
	}
	for one := range s.watchers {
		one.tell(paths)
	}
}
