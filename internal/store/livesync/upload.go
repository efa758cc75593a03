package livesync

import (
	"context"
	"encoding/json"
	"errors"
	"iter"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store/livesync/couch"
	"obsidian-mcp/internal/store/livesync/format"
)

// An upload is cut into requests of this size. Proxies often take no more than
// a megabyte.
const (
	uploadDocuments = 500
	uploadBytes     = 900 << 10
)

// upload writes the new chunks, and makes sure that every chunk which the new
// documents name is in the database. Those that are missing though they were
// not to be made are given back.
func (u *unit) upload(ctx context.Context) (missing []string, err error) {
	made, doubted, err := u.writeLeaves(ctx, u.leaves)
	if err != nil {
		return nil, err
	}
	if err := u.compare(ctx, doubted); err != nil {
		return nil, err
	}
	for _, leaf := range doubted {
		made[leaf.ID] = true
	}
	return u.missing(ctx, made)
}

// sendLeaves writes chunks that are known to be right if they are there.
func (s *Store) sendLeaves(ctx context.Context, leaves []format.UploadLeaf) error {
	_, _, err := s.writeLeaves(ctx, leaves)
	return err
}

// writeLeaves writes chunks, and gives those that were written and those that
// were there already.
func (s *Store) writeLeaves(ctx context.Context, leaves []format.UploadLeaf) (made map[string]bool, there []format.UploadLeaf, err error) {
	made = map[string]bool{}
	for some := range portions(leaves, func(leaf format.UploadLeaf) int { return len(leaf.Body) }) {
		bodies := make([]json.RawMessage, len(some))
		for i, leaf := range some {
			bodies[i] = leaf.Body
		}
		outcomes, err := s.couch.BulkDocs(ctx, bodies, couch.BulkOptions{Repeatable: true})
		if err != nil {
			return nil, nil, lost(err)
		}
		for i, outcome := range outcomes {
			switch {
			case outcome.Err == nil:
				made[outcome.ID] = true
			case errors.Is(outcome.Err, fault.Conflict):
				there = append(there, some[i])
			default:
				return nil, nil, s.refused(&write{id: outcome.ID}, outcome.Err)
			}
		}
	}
	return made, there, nil
}

// compare makes sure that chunks which were in the database before hold what
// they are to hold: an id is made of the content, but a damaged one would be
// taken for good.
func (u *unit) compare(ctx context.Context, leaves []format.UploadLeaf) error {
	ids := make([]string, len(leaves))
	for i, leaf := range leaves {
		ids[i] = leaf.ID
	}
	there, err := u.fetchChunks(ctx, u.couch, u.now, ids)
	if err != nil {
		return lost(err)
	}
	for _, leaf := range leaves {
		data, err := there.get(leaf.ID)
		if err != nil {
			return &unreadable{fault.StoreUnavailable.Errorf("a chunk that the note shares with others is damaged: %w", err)}
		}
		ours, err := u.now.codec.Decode(leaf.Body)
		if err != nil || ours.Chunk == nil || ours.Chunk.Data != data {
			return fault.StoreUnavailable.Errorf("the chunk %q in the database holds something else than its id says", leaf.ID)
		}
		u.chunks.put(leaf.ID, data)
	}
	return nil
}

// missing looks for the chunks that were not made just now.
func (u *unit) missing(ctx context.Context, made map[string]bool) ([]string, error) {
	asked := map[string]bool{}
	var ids []string
	for _, one := range u.writes {
		for _, id := range one.file.Needs() {
			if !made[id] && !asked[id] && !one.last {
				asked[id] = true
				ids = append(ids, id)
			}
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	there, err := u.couch.Exists(ctx, ids)
	if err != nil {
		return nil, lost(err)
	}
	var missing []string
	for i, id := range ids {
		if !there[i] {
			missing = append(missing, id)
		}
	}
	return missing, nil
}

// portions cuts what is to be sent into requests.
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
