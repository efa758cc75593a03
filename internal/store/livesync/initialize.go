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

// initialize makes an empty database ready for devices: it writes the version, the salt, and a milestone with our
// settings. In a database that is already in use, only the version may be missing.
func (s *Store) initialize(ctx context.Context, sess *session, meta metadata) (*session, error) {
	if sess.fresh {
		s.log.Warn("the database is empty; making it a new vault", "database", s.opt.Couch.Database,
			"encrypted", sess.codec.Settings().Encrypt, "paths hidden", sess.codec.Settings().ObfuscatePaths)
		if err := s.writeSalt(ctx, meta.parameters); err != nil {
			return nil, err
		}
		if meta.milestone == nil {
			body := format.NewMilestone(sess.codec.Settings(), s.opt.Now().UnixMilli())
			if _, err := s.couch.PutLocal(ctx, localName(format.MilestoneID), body); err != nil && !errors.Is(err, fault.Conflict) {
				return nil, databaseError(err)
			}
		}
	}
	if meta.version == nil {
		if err := s.writeVersion(ctx, format.NewVersion()); err != nil {
			return nil, err
		}
	}
	for range 5 { // new sessions may have started in the meantime
		var err error
		if sess, err = s.confirmSession(ctx, sess); err != nil || !sess.fresh {
			return sess, err
		}
	}
	return nil, fault.StoreUnavailable.Errorf("the empty database could not be made a vault").WithHint("try again")
}

func (s *Store) writeVersion(ctx context.Context, body []byte) error {
	outcomes, err := s.couch.BulkDocs(ctx, []json.RawMessage{body}, couch.BulkOptions{Repeatable: true})
	if err != nil {
		return databaseError(err)
	}
	if err := outcomes[0].Err; err != nil && !errors.Is(err, fault.Conflict) {
		return s.refused(&docWrite{id: format.VersionID}, err)
	}
	return nil
}

// writeSalt gives the database its salt in two steps, as devices do. If another device was first, its salt stays.
func (s *Store) writeSalt(ctx context.Context, old []byte) error {
	name := localName(format.SyncParametersID)
	for _, salt := range [][]byte{nil, newSalt()} {
		body, err := format.NewParameters(old, salt)
		if err != nil {
			return nil // the database has a salt
		}
		if _, err := s.couch.PutLocal(ctx, name, body); err != nil && !errors.Is(err, fault.Conflict) {
			return databaseError(err)
		}
		sleep(ctx, saltSettleTime)
		written, err := s.couch.GetLocal(ctx, name)
		if err != nil {
			return databaseError(err)
		}
		old = written.Body
	}
	return nil
}

// saltSettleTime is the time after which two devices that started at once see which salt won: CouchDB lets each
// overwrite the other's.
const saltSettleTime = 100 * time.Millisecond

func newSalt() []byte {
	salt := make([]byte, 32)
	rand.Read(salt)
	return salt
}
