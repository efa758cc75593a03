package livesync

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store/livesync/couch"
	"obsidian-mcp/internal/store/livesync/format"
)

// found makes a database that has nothing in it ready for devices: its
// version, its salt, and a milestone with the settings that we write by. Of
// one that is in use only the version may be missing.
func (s *Store) found(ctx context.Context, now *session, said statement) (*session, error) {
	if now.fresh {
		s.log.Warn("the database is empty, and becomes a new vault", "database", s.opt.Couch.Database, "encrypted", now.codec.Settings().Encrypt, "paths hidden", now.codec.Settings().ObfuscatePaths)
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
	for range 5 { // sessions may have begun on the way
		var err error
		if now, err = s.confirmed(ctx, now); err != nil || !now.fresh {
			return now, err
		}
	}
	return nil, fault.StoreUnavailable.Errorf("the database does not become a vault").WithHint("try again")
}

func (s *Store) create(ctx context.Context, body []byte) error {
	outcomes, err := s.couch.BulkDocs(ctx, []json.RawMessage{body}, couch.BulkOptions{Repeatable: true})
	if err != nil {
		return lost(err)
	}
	if err := outcomes[0].Err; err != nil && !errors.Is(err, fault.Conflict) {
		return s.refused(&write{id: format.VersionID}, err)
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
		wait(ctx, settling)
		there, err := s.couch.GetLocal(ctx, name)
		if err != nil {
			return lost(err)
		}
		old = there.Body
	}
	return nil
}

// settling is the time in which two that begin at once see what became of it:
// CouchDB lets each write over the other.
const settling = 100 * time.Millisecond

func newSalt() []byte {
	salt := make([]byte, 32)
	rand.Read(salt)
	return salt
}
