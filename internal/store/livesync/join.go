package livesync

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"unicode/utf8"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/merge"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store/livesync/couch"
	"obsidian-mcp/internal/store/livesync/format"
)

// join makes one branch of two: it writes what both have over the one that wins, and then deletes the other. A branch in which
// the file is deleted has nothing, so the other one stays. joined is false if they cannot be merged: it is not a note, or the
// version that both were made from is gone.
func (s *Store) join(ctx context.Context, ours, theirs couch.Document) (joined bool, err error) {
	sess, err := s.connected(ctx)
	if err != nil {
		return false, err
	}
	winner, loser := ours, theirs
	if couch.CompareLeaves(ours, theirs) < 0 {
		winner, loser = theirs, ours
	}
	kept, dropped := sess.inspect(&winner), sess.inspect(&loser)
	switch {
	case kept.kind != format.Note && kept.kind != format.Hidden || kept.err != nil || dropped.err != nil:
		return false, nil
	case kept.deleted && !dropped.deleted:
		winner, loser, kept, dropped = loser, winner, dropped, kept
	}
	if dropped.deleted {
		if loser.Rev == ours.Rev && !kept.deleted {
			return false, nil // its writer has to hear of it
		}
		return true, s.endBranch(ctx, loser)
	}
	base, err := s.commonAncestor(ctx, sess, winner, loser)
	if err != nil || base == nil {
		return false, err
	}
	text, err := s.merged(ctx, sess, base, kept.file, dropped.file)
	if err != nil || text == nil {
		return false, err
	}
	if err := s.writeMerged(ctx, sess, kept.file, text); err != nil {
		return false, err
	}
	return true, s.endBranch(ctx, loser)
}

// endBranch deletes a branch of a document that has another one.
func (s *Store) endBranch(ctx context.Context, leaf couch.Document) error {
	body, err := json.Marshal(map[string]any{"_id": leaf.ID, "_rev": leaf.Rev, "_deleted": true})
	if err != nil {
		return fault.Internal.Errorf("a deletion: %w", err)
	}
	return s.writeOver(ctx, body)
}

// merged merges two versions of a note; nil if it is not a text.
func (s *Store) merged(ctx context.Context, sess *session, base, kept, dropped *format.Meta) ([]byte, error) {
	if kept.Path != dropped.Path || !vpath.Path(kept.Path).IsNote() {
		return nil, nil
	}
	var texts [3][]byte
	for i, file := range []*format.Meta{base, kept, dropped} {
		var err error
		if texts[i], err = s.content(ctx, sess, file); err != nil {
			return nil, err
		}
		if !utf8.Valid(texts[i]) {
			return nil, nil
		}
	}
	return append([]byte{}, merge.Notes(texts[0], texts[1], texts[2], merge.Options{}).Text...), nil
}

// commonAncestor reads the latest revision that two branches come from; nil if the database does not have it any more.
func (s *Store) commonAncestor(ctx context.Context, sess *session, a, b couch.Document) (*format.Meta, error) {
	for _, rev := range a.Ancestors {
		if !slices.Contains(b.Ancestors, rev) {
			continue
		}
		found, err := s.couch.Get(ctx, a.ID, couch.GetOptions{Rev: rev})
		if errors.Is(err, fault.NotFound) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		base := sess.inspect(&found)
		if base.err != nil || base.file == nil {
			return nil, nil
		}
		if base.deleted {
			return &format.Meta{Path: base.file.Path}, nil
		}
		return base.file, nil
	}
	return nil, nil
}

// writeMerged writes the merged text over the branch that wins.
func (s *Store) writeMerged(ctx context.Context, sess *session, onto *format.Meta, text []byte) error {
	upload, err := sess.codec.Write(onto, format.Change{
		Path: onto.Path, Content: text, Now: s.opt.Now().UnixMilli(), Chunk: func(id string) (string, bool) { return s.chunks.get(id) },
	})
	if err != nil {
		return err
	}
	if err := s.sendLeaves(ctx, upload.Leaves); err != nil {
		return err
	}
	return s.writeOver(ctx, upload.Body)
}
