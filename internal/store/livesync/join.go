package livesync

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"unicode/utf8"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/merge"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store/livesync/couch"
	"obsidian-mcp/internal/store/livesync/format"
)

// join turns two branches into one: it writes the merged note over the winner and then deletes the other branch. If the file is
// deleted in one branch, the other one stays. joined is false if the branches cannot be merged, because the file is not a note or
// because there is no version that both were made from; and if our branch removes the very version that the other one was made from.
func (s *Store) join(ctx context.Context, write *docWrite, ours, theirs couch.Document) (joined bool, err error) {
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
		if loser.Rev == ours.Rev && !kept.deleted && isMadeFromRemoved(winner, loser) {
			return false, nil // the caller withdraws it and reports a conflict
		}
		_, err := s.endBranch(ctx, loser.ID, loser.Rev)
		return true, err
	}
	base, err := s.commonAncestor(ctx, sess, winner, loser)
	if err != nil {
		return false, err
	}
	var text []byte
	if base != nil {
		text, err = s.merged(ctx, sess, base, kept.file, dropped.file)
	} else {
		text, err = s.common(ctx, sess, kept.file, dropped.file)
	}
	if err != nil || text == nil {
		return false, err
	}
	if err := s.writeMerged(ctx, sess, write, kept.file, text); err != nil {
		return false, err
	}
	_, err = s.endBranch(ctx, loser.ID, loser.Rev)
	return true, err
}

// isMadeFromRemoved reports whether a branch was made from the version that another one removes. If it was not, it does not have what
// the removed version said: whoever moved that has it elsewhere, and must not undo the move.
func isMadeFromRemoved(branch, removal couch.Document) bool {
	return len(removal.Ancestors) > 0 && slices.Contains(branch.Ancestors, removal.Ancestors[0])
}

// common returns the content of two versions of a file if it is the same, and nil if it is not.
func (s *Store) common(ctx context.Context, sess *session, kept, dropped *format.Meta) ([]byte, error) {
	if kept.Path != dropped.Path || kept.Size != dropped.Size {
		return nil, nil
	}
	var contents [2][]byte
	for i, file := range []*format.Meta{kept, dropped} {
		var err error
		if contents[i], err = s.content(ctx, sess, file); errors.Is(err, format.ErrMissing) {
			return nil, nil
		} else if err != nil {
			return nil, err
		}
	}
	if !bytes.Equal(contents[0], contents[1]) {
		return nil, nil
	}
	return slices.Concat([]byte{}, contents[0]), nil // never nil
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
	return slices.Concat([]byte{}, merge.Notes(texts[0], texts[1], texts[2], merge.Options{}).Text), nil // never nil
}

// commonAncestor reads the latest revision that two branches come from. It returns nil if there is none, if the file was deleted
// in it or since then, or if the database no longer has it.
func (s *Store) commonAncestor(ctx context.Context, sess *session, a, b couch.Document) (*format.Meta, error) {
	for i, rev := range a.Ancestors {
		at := slices.Index(b.Ancestors, rev)
		if at < 0 {
			continue
		}
		if isNew, err := s.anyEnded(ctx, a.ID, slices.Concat(a.Ancestors[:i], b.Ancestors[:at])); isNew || err != nil {
			return nil, err
		}
		found, err := s.couch.Get(ctx, a.ID, couch.GetOptions{Rev: rev})
		if errors.Is(err, fault.NotFound) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		base := sess.inspect(&found)
		if base.err != nil || base.deleted {
			return nil, nil
		}
		return base.file, nil
	}
	return nil, nil
}

// anyEnded reports whether one of some revisions ends a branch. What comes after it is a new document: the node that took it had no
// other branch, and its writer knew of none.
func (s *Store) anyEnded(ctx context.Context, id string, revs []string) (bool, error) {
	if len(revs) == 0 {
		return false, nil
	}
	var wanted []couch.RevisionID
	for _, rev := range revs {
		wanted = append(wanted, couch.RevisionID{ID: id, Rev: rev})
	}
	found, err := s.couch.Revisions(ctx, wanted)
	for _, document := range found {
		if document.Deleted {
			return true, err
		}
	}
	return false, err
}

// writeMerged writes the merged text over the branch that wins.
func (s *Store) writeMerged(ctx context.Context, sess *session, write *docWrite, onto *format.Meta, text []byte) error {
	upload, err := sess.codec.Write(onto, format.Change{
		Path: onto.Path, Content: text, Now: s.opt.Now().UnixMilli(), Chunk: func(id string) (string, bool) { return s.chunks.get(id) },
	})
	if err != nil {
		return err
	}
	if err := s.sendLeaves(ctx, upload.Leaves); err != nil {
		return err
	}
	merged, err := s.writeOver(ctx, upload.Body)
	if merged.rev != "" {
		write.joined = merged
	}
	return err
}
