package livesync

import (
	"context"
	"reflect"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store/livesync/format"
)

// checkedFor is how long it is believed that the database may be written to.
const checkedFor = time.Second

// readyToWrite gives the session to write by. A database with nothing in it is
// made ready first.
func (s *Store) readyToWrite(ctx context.Context) (*session, error) {
	now, err := s.connected(ctx)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	recent := time.Since(s.checked) < checkedFor
	s.mu.Unlock()
	if recent {
		return now, nil
	}
	now, said, err := s.mayWrite(ctx)
	if err != nil {
		return nil, err
	}
	if now.fresh || said.version == nil {
		if now, err = s.found(ctx, now, said); err != nil {
			return nil, err
		}
		if err := now.codec.Writable(); err != nil {
			return nil, err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.checked = time.Now()
	return now, nil
}

// mayWrite asks whether the database allows writing now: it may have been
// locked, rebuilt or updated since it was connected to. Nothing is written.
func (s *Store) mayWrite(ctx context.Context) (*session, statement, error) {
	now, err := s.connected(ctx)
	if err != nil {
		return nil, statement{}, err
	}
	said, err := ask(ctx, s.couch)
	if err != nil {
		return nil, said, lost(err)
	}
	remote, err := said.remote()
	if err != nil {
		return nil, said, err
	}
	if err := remote.Writable(""); err != nil {
		return nil, said, err
	}
	if !now.agrees(remote) {
		if now, err = s.another(ctx, now); err != nil {
			return nil, said, err
		}
	}
	switch {
	case now.wiped:
		return nil, said, fault.StoreUnavailable.Errorf("the database has been emptied").WithHint("a device is probably rebuilding it: try again when it is done; to begin a new vault in it, restart")
	case now.fresh:
		return now, said, nil // it gets what it lacks with the first note
	}
	return now, said, now.codec.Writable()
}

// agrees reports whether the database is still the one of the session, with
// the same settings.
func (s *session) agrees(remote format.Remote) bool {
	return s.remote.Created == remote.Created && string(s.remote.Salt) == string(remote.Salt) && reflect.DeepEqual(s.remote.Tweaks, remote.Tweaks)
}

// another gives a session up, and waits for the next.
func (s *Store) another(ctx context.Context, now *session) (*session, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	for {
		s.mu.Lock()
		next, begun := s.session, s.begun
		s.checked = time.Time{}
		if next == now && s.followed == now {
			s.renew()
		}
		s.mu.Unlock()
		if next != now {
			return next, nil
		}
		select {
		case <-begun:
		case <-time.After(200 * time.Millisecond):
		case <-ctx.Done():
			return nil, fault.StoreUnavailable.Errorf("the database was made anew or has other settings, and is not read yet").WithHint("try again in a moment")
		}
	}
}
