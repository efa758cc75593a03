package livesync

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store/livesync/couch"
	"obsidian-mcp/internal/store/livesync/format"
)

// Limits of one upload request. Proxies often accept at most a megabyte.
const (
	uploadDocuments = 500
	uploadBytes     = 900 << 10
)

// upload writes the new chunks, and checks that every chunk which the new documents name is in the database. It returns
// chunks that are missing although they were believed to exist.
func (c *commit) upload(ctx context.Context) (missing []string, err error) {
	stored, existing, err := c.store.writeLeaves(ctx, c.leaves)
	if err != nil {
		return nil, err
	}
	if err := c.compare(ctx, existing); err != nil {
		return nil, err
	}
	for _, leaf := range existing {
		stored[leaf.ID] = true
	}
	return c.missing(ctx, stored)
}

// sendLeaves writes chunks, and trusts those that already exist.
func (s *Store) sendLeaves(ctx context.Context, leaves []format.UploadLeaf) error {
	_, _, err := s.writeLeaves(ctx, leaves)
	return err
}

// writeLeaves writes chunks, and returns which ids were written and which chunks already existed.
func (s *Store) writeLeaves(ctx context.Context, leaves []format.UploadLeaf) (stored map[string]bool, existing []format.UploadLeaf, err error) {
	stored = map[string]bool{}
	for portion := range portions(leaves, func(leaf format.UploadLeaf) int { return len(leaf.Body) }) {
		bodies := make([]json.RawMessage, len(portion))
		for i, leaf := range portion {
			bodies[i] = leaf.Body
		}
		outcomes, err := s.couch.BulkDocs(ctx, bodies, couch.BulkOptions{Repeatable: true})
		if err != nil {
			return nil, nil, databaseError(err)
		}
		var accepted []json.RawMessage
		for i, outcome := range outcomes {
			switch {
			case outcome.Err == nil:
				stored[outcome.ID] = true
				if outcome.Accepted {
					revision, err := asRevision(bodies[i], outcome.Rev, nil)
					if err != nil {
						return nil, nil, err
					}
					accepted = append(accepted, revision)
				}
			case errors.Is(outcome.Err, fault.Conflict):
				existing = append(existing, portion[i])
			default:
				return nil, nil, s.refused(&docWrite{id: outcome.ID}, outcome.Err)
			}
		}
		if err := s.spreadLeaves(ctx, accepted); err != nil {
			return nil, nil, err
		}
	}
	return stored, existing, nil
}

// spreadLeaves makes sure that most nodes of a cluster have chunks that fewer of them took.
func (s *Store) spreadLeaves(ctx context.Context, revisions []json.RawMessage) error {
	if len(revisions) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, s.opt.Confirm)
	defer cancel()
	for pause := 50 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		if confirmed, err := s.couch.Spread(ctx, revisions...); err == nil && confirmed {
			return nil
		}
		if sleep(ctx, pause); ctx.Err() != nil {
			return tooFewNodes().WithHint("nothing has changed; try again in a minute")
		}
	}
}

// compare makes sure that existing chunks have the content that their ids promise; otherwise a new note would be built on
// a damaged chunk.
func (c *commit) compare(ctx context.Context, leaves []format.UploadLeaf) error {
	ids := make([]string, len(leaves))
	for i, leaf := range leaves {
		ids[i] = leaf.ID
	}
	stored, err := c.store.fetchChunks(ctx, c.store.couch, c.session, ids)
	if err != nil {
		return databaseError(err)
	}
	for _, leaf := range leaves {
		data, err := stored.get(leaf.ID)
		if err != nil {
			return &unreadable{fault.StoreUnavailable.Errorf("a chunk that the note shares with others is damaged: %w", err)}
		}
		ours, err := c.session.codec.Decode(leaf.Body)
		if err != nil || ours.Chunk == nil || ours.Chunk.Data != data {
			return fault.StoreUnavailable.Errorf("the chunk %q in the database does not have the content that its id says", leaf.ID)
		}
		c.store.chunks.put(leaf.ID, data, c.store.opt.Now())
	}
	return nil
}

// missing returns the chunks that were neither uploaded nor read just now and are not in the database.
func (c *commit) missing(ctx context.Context, stored map[string]bool) ([]string, error) {
	asked := map[string]bool{}
	var ids []string
	for _, write := range c.writes {
		for _, id := range write.file.Needs() {
			if !stored[id] && !c.kept[id] && !asked[id] && !write.removal {
				asked[id] = true
				ids = append(ids, id)
			}
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	exists, err := c.store.couch.Exists(ctx, ids)
	if err != nil {
		return nil, databaseError(err)
	}
	var missing []string
	for i, id := range ids {
		if !exists[i] {
			missing = append(missing, id)
		}
	}
	return missing, nil
}

// portions splits what is to be sent into requests.
func portions[T any](all []T, size func(T) int) iter.Seq[[]T] {
	return portionsOf(all, uploadBytes, size)
}

func portionsOf[T any](all []T, most int, size func(T) int) iter.Seq[[]T] {
	return func(yield func([]T) bool) {
		for from := 0; from < len(all); {
			to, bytes := from, 0
			for to < len(all) && to-from < uploadDocuments && (to == from || bytes+size(all[to]) <= most) {
				bytes += size(all[to])
				to++
			}
			if !yield(all[from:to]) {
				return
			}
			from = to
		}
	}
}
