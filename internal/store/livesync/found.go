package livesync

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"reflect"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store/livesync/couch"
	"obsidian-mcp/internal/store/livesync/format"
)

// agrees reports whether the database is still the one of the session, with
// the same settings.
func (s *session) agrees(remote format.Remote) bool {
	return s.remote.Created == remote.Created && string(s.remote.Salt) == string(remote.Salt) && reflect.DeepEqual(s.remote.Tweaks, remote.Tweaks)
}

// found makes a database that has nothing in it ready for devices: its
// version, its salt, and a milestone with the settings that we write by. Of
// one that is in use only the version may be missing.
func (s *Store) found(ctx context.Context, now *session, said statement) (*session, error) {
	if now.fresh {
		if err := s.salt(ctx, said.parameters); err != nil {
			return nil, err
		}
		if said.milestone == nil {
			body := format.NewMilestone(now.codec.Settings(), s.opt.Now().UnixMilli())
			if _, err := s.couch.PutLocal(ctx, localName(format.MilestoneID), body); err != nil && !errors.Is(err, fault.Conflict) {
				return nil, lost(err)
			}
		}
	}
	if said.version == nil {
		if err := s.create(ctx, format.NewVersion()); err != nil {
			return nil, err
		}
	}
	return s.confirmed(ctx, now)
}

// another gives a session up, and waits for the next.
func (s *Store) another(ctx context.Context, now *session) (*session, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	for {
		s.mu.Lock()
		next, begun := s.session, s.begun
		s.checked = time.Time{}
		if next == now && s.renew != nil {
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

func (s *Store) create(ctx context.Context, body []byte) error {
	outcomes, err := s.couch.BulkDocs(ctx, []json.RawMessage{body}, couch.BulkOptions{Repeatable: true})
	if err != nil {
		return lost(err)
	}
	if err := outcomes[0].Err; err != nil && !errors.Is(err, fault.Conflict) {
		return s.refused(&write{file: &format.Meta{}}, err)
	}
	return nil
}

// salt gives the database its salt as devices do, in two steps; whoever comes
// second takes what is there.
func (s *Store) salt(ctx context.Context, old []byte) error {
	name := localName(format.SyncParametersID)
	for _, salt := range [][]byte{nil, newSalt()} {
		body, err := format.NewParameters(old, salt)
		if err != nil {
			return nil // there is a salt
		}
		if _, err := s.couch.PutLocal(ctx, name, body); err != nil && !errors.Is(err, fault.Conflict) {
			return lost(err)
		}
		there, err := s.couch.GetLocal(ctx, name)
		if err != nil {
			return lost(err)
		}
		old = there.Body
	}
	return nil
}

func newSalt() []byte {
	salt := make([]byte, 32)
	rand.Read(salt)
	return salt
}
