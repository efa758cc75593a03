package livesync

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"slices"
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
		if err := s.found(ctx, sess, meta); err != nil {
			return nil, err
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

// A founding is what servers agree on that write to an empty database at the same time: its salt and its milestone.
type founding struct {
	Salt      []byte          `json:"salt"`
	Milestone json.RawMessage `json:"milestone"`
}

// foundingID is the id of the chunk that contains the founding. Salt and milestone themselves are local documents, which
// CouchDB lets every server overwrite; of a chunk, only one revision counts. No note needs it, so devices never ask for it.
const foundingID = "h:obsidian-mcp-founding"

// found writes the salt and the milestone that all founders agree on.
func (s *Store) found(ctx context.Context, sess *session, meta metadata) error {
	agreed, err := s.agree(ctx, founding{newSalt(), format.NewMilestone(sess.codec.Settings(), s.opt.Now().UnixMilli())})
	if err != nil {
		return err
	}
	if err := s.writeSalt(ctx, meta.parameters, agreed.Salt); err != nil {
		return err
	}
	if meta.milestone != nil {
		return nil
	}
	return s.putLocal(ctx, format.MilestoneID, agreed.Milestone)
}

// agree proposes a founding, and returns the one that counts: ours, or that of the server that was first.
func (s *Store) agree(ctx context.Context, proposal founding) (agreed founding, err error) {
	data, err := json.Marshal(proposal)
	if err != nil {
		return agreed, fault.Internal.Errorf("the settings of a new database: %w", err)
	}
	body, err := json.Marshal(map[string]string{"_id": foundingID, "type": "leaf", "data": string(data)})
	if err != nil {
		return agreed, fault.Internal.Errorf("the settings of a new database: %w", err)
	}
	err = s.send(ctx, []*docWrite{{id: foundingID, body: body, unsent: true}})
	if err != nil && !errors.Is(err, fault.Conflict) {
		return agreed, databaseError(err)
	}
	there, err := s.settledFounding(ctx)
	if err != nil {
		return agreed, databaseError(err)
	}
	var stored struct{ Data string }
	if json.Unmarshal(there.Body, &stored) != nil || json.Unmarshal([]byte(stored.Data), &agreed) != nil || len(agreed.Salt) == 0 || agreed.Milestone == nil {
		return agreed, fault.StoreUnavailable.Errorf("the document '%s' in the empty database is damaged", foundingID).
			WithHint("delete it, or the database, and try again")
	}
	return agreed, nil
}

// settledReads is how often the same founding has to be seen in a cluster.
const settledReads = 5

// settledFounding reads the founding that stays. In a cluster there may be several for a moment, until all but one are withdrawn;
// which of them wins meanwhile says nothing.
func (s *Store) settledFounding(ctx context.Context) (couch.Document, error) {
	if !s.couch.Clustered() {
		return s.couch.Get(ctx, foundingID, couch.GetOptions{})
	}
	var last couch.Document
	for seen := 0; seen < settledReads; sleep(ctx, saltSettleTime) {
		leaves, err := s.couch.Leaves(ctx, []string{foundingID})
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return last, err
		}
		there := slices.DeleteFunc(leaves[0], func(leaf couch.Document) bool { return leaf.Deleted })
		if len(there) != 1 {
			seen = 0
			continue
		}
		if !sameDocument(there[0].Body, last.Body) {
			seen = 0
		}
		last = there[0]
		seen++
	}
	return last, nil
}

// putLocal writes a local document. If the database has one already, some server was faster, or has replaced ours with the
// same one.
func (s *Store) putLocal(ctx context.Context, id string, body json.RawMessage) error {
	var err error
	for attempt := 1; attempt <= maxPutAttempts; attempt++ {
		_, err = s.couch.PutLocal(ctx, localName(id), body)
		if err == nil || errors.Is(err, fault.Conflict) {
			return nil
		}
		if !errors.Is(err, couch.ErrLostAnswer) {
			break
		}
		sleep(ctx, time.Duration(attempt)*100*time.Millisecond)
	}
	return databaseError(err)
}

// writeSalt gives the database the agreed salt. Devices first write a document without a salt, and then add theirs; so if there is
// such a document, a device gets a moment to do so. If a device is first, its salt stays.
func (s *Store) writeSalt(ctx context.Context, old, agreed []byte) error {
	for waited := time.Duration(0); ; waited += saltSettleTime {
		body, err := format.NewParameters(old, agreed)
		if err != nil {
			return nil // the database has a salt
		}
		if old == nil || waited >= 10*saltSettleTime {
			if err := s.putLocal(ctx, format.SyncParametersID, body); err != nil {
				return err
			}
			sleep(ctx, saltSettleTime)
			return nil
		}
		sleep(ctx, saltSettleTime)
		there, err := s.couch.GetLocal(ctx, localName(format.SyncParametersID))
		if err != nil {
			return databaseError(err)
		}
		old = there.Body
	}
}

// saltSettleTime is the time after which a device and a server that started at once see which salt won: CouchDB lets each
// overwrite the other's.
const saltSettleTime = 100 * time.Millisecond

func newSalt() []byte {
	salt := make([]byte, 32)
	rand.Read(salt)
	return salt
}
