package livesync

import (
	"context"
	"reflect"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store/livesync/format"
)

// writableFor is how long a check that the database may be written is valid.
const writableFor = time.Second

// readyToWrite returns the session to write with. It initializes an empty database.
func (s *Store) readyToWrite(ctx context.Context) (*session, error) {
	sess, err := s.connected(ctx)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	recent := time.Since(s.writableSince) < writableFor
	s.mu.Unlock()
	if recent {
		return sess, nil
	}
	sess, meta, err := s.mayWrite(ctx)
	if err != nil {
		return nil, err
	}
	if sess.fresh || meta.version == nil {
		if sess, err = s.initialize(ctx, sess, meta); err != nil {
			return nil, err
		}
		if err := sess.codec.Writable(); err != nil {
			return nil, err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writableSince = time.Now()
	return sess, nil
}

// mayWrite checks whether the database allows writing now: it may have been locked, rebuilt or upgraded since the
// session started. It writes nothing.
func (s *Store) mayWrite(ctx context.Context) (*session, metadata, error) {
	sess, err := s.connected(ctx)
	if err != nil {
		return nil, metadata{}, err
	}
	meta, err := s.metadataToWrite(ctx)
	if err != nil {
		return nil, meta, databaseError(err)
	}
	remote, err := meta.remote()
	if err != nil {
		return nil, meta, err
	}
	if err := remote.Writable(""); err != nil {
		return nil, meta, err
	}
	if !sess.matches(remote) {
		if sess, err = s.nextSession(ctx, sess); err != nil {
			return nil, meta, err
		}
	}
	switch {
	case sess.wiped:
		return nil, meta, fault.StoreUnavailable.Errorf("the database has been emptied").
			WithHint("a device is probably rebuilding it: try again when it is done; to start a new vault in it, restart this program")
	case sess.fresh:
		return sess, meta, nil // initialized with the first note
	}
	return sess, meta, sess.codec.Writable()
}

// metadataToWrite reads the documents that describe the database, but the version document only if it may have changed.
func (s *Store) metadataToWrite(ctx context.Context) (metadata, error) {
	if version := s.knownVersion(); version != nil {
		return fetchMetadata(ctx, s.couch, version)
	}
	s.mu.Lock()
	changes := s.versionChanges
	s.mu.Unlock()
	meta, err := s.metadata(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil && s.versionChanges == changes {
		s.version = meta.version
	}
	return meta, err
}

// knownVersion returns the version document, or nil if it must be read because the feed would not tell that it has changed.
func (s *Store) knownVersion() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.session == nil || s.session.remote.Created == 0 || s.session != s.followed || s.outage != nil || s.couch.Clustered() {
		return nil
	}
	return s.version
}

// matches reports whether remote describes the database of the session, with the same settings.
func (s *session) matches(remote format.Remote) bool {
	return s.remote.Created == remote.Created && string(s.remote.Salt) == string(remote.Salt) &&
		reflect.DeepEqual(s.remote.Tweaks, remote.Tweaks)
}

// nextSession ends a session, and waits for the next.
func (s *Store) nextSession(ctx context.Context, sess *session) (*session, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	for {
		s.mu.Lock()
		next, begun := s.session, s.attempted
		s.writableSince = time.Time{}
		if next == sess && s.followed == sess {
			s.endSession()
		}
		s.mu.Unlock()
		if next != sess {
			return next, nil
		}
		select {
		case <-begun:
		case <-time.After(200 * time.Millisecond):
		case <-ctx.Done():
			return nil, fault.StoreUnavailable.Errorf("%w, and it has not been read yet", errReplaced).
				WithHint("try again in a moment")
		}
	}
}
