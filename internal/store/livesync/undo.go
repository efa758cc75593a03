package livesync

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store/livesync/couch"
	"obsidian-mcp/internal/store/livesync/format"
)

// undo reverts the written documents of a change: first it restores what the change removed, then it removes what the
// change created. Documents that others have changed since are left alone. If something that the change removed, or may
// have removed, cannot be restored, what the change created in its place stays too.
func (j *journals) undo(ctx context.Context, sess *session, tx *journal, states []state) error {
	back, err := j.makeReversals(ctx, sess, tx, states, func(write *docWrite) bool { return write.removal })
	if err == nil {
		err = j.store.send(ctx, back)
	}
	if err != nil {
		return err
	}
	whole, err := j.allRestored(ctx, sess, tx.writes, states, back)
	if err != nil {
		return err
	}
	back, err = j.makeReversals(ctx, sess, tx, states, func(write *docWrite) bool { return !write.removal && (whole || sess.wasFile(write)) })
	if err != nil {
		return err
	}
	return j.store.send(ctx, back)
}

// allRestored reports whether everything that a change was to remove exists, or was removed by others. A file that was made from an
// earlier version does not have what the removed one said.
func (j *journals) allRestored(ctx context.Context, sess *session, writes []*docWrite, states []state, back []*docWrite) (bool, error) {
	for i, write := range writes {
		if !write.removal || states[i].fate == atBase || slices.ContainsFunc(back, func(other *docWrite) bool { return other.id == write.id }) {
			continue
		}
		if read, err := sess.codec.Decode(states[i].body); err == nil && read.File != nil && !read.Deleted {
			current, err := j.store.couch.Get(ctx, write.id, couch.GetOptions{Rev: states[i].rev, Ancestors: true})
			if err != nil || !slices.Contains(current.Ancestors, write.base) {
				return false, err
			}
			if states[i].fate == superseded && !sess.hasContentOf(read.File, write.old) {
				return false, nil // somebody has made another file of that name
			}
			continue
		}
		if never, err := j.store.neverWritten(ctx, write, states[i]); err != nil || !never {
			return false, err
		}
	}
	return true, nil
}

// hasContentOf reports whether a file has the content of an earlier document.
func (s *session) hasContentOf(file *format.Meta, earlier json.RawMessage) bool {
	read, err := s.codec.Decode(earlier)
	return err == nil && read.File != nil && file.Size == read.File.Size && slices.Equal(file.Children, read.File.Children)
}

// wasFile reports whether the document was that of an existing file before the change.
func (s *session) wasFile(write *docWrite) bool {
	if write.old == nil {
		return false
	}
	read, err := s.codec.Decode(write.old)
	return err == nil && read.File != nil && !read.Deleted
}

// makeReversals makes the documents that revert written ones, and uploads their chunks.
func (j *journals) makeReversals(ctx context.Context, sess *session, tx *journal, states []state, which func(*docWrite) bool) ([]*docWrite, error) {
	var back []*docWrite
	for i, write := range tx.writes {
		if states[i].fate != written || !which(write) {
			continue
		}
		taken, err := sess.reversal(write, states[i], j.store.opt.Now().UnixMilli())
		if err != nil { // in conflict, or written with other settings: a person must decide
			j.store.log.Warn("a document of an interrupted change cannot be undone", "kind", fault.KindOf(err).Code())
		}
		if taken == nil {
			continue
		}
		if err := j.store.sendLeaves(ctx, taken.leaves); err != nil {
			return nil, err
		}
		if err := j.checkChunks(ctx, sess, []*docWrite{taken.write}); errors.Is(err, errChunksGone) {
			continue // the previous content is gone; the current one is intact
		} else if err != nil {
			return nil, err
		}
		back = append(back, taken.write)
	}
	return back, nil
}

// reversal is a document that reverts a written one, and the chunks it needs.
type reversal struct {
	write  *docWrite
	leaves []format.UploadLeaf
}

// reversal makes the successor of a written document that restores its previous state; nil if nothing has to be done.
func (s *session) reversal(write *docWrite, is state, now int64) (*reversal, error) {
	var current, old *format.Meta
	if is.body != nil {
		read, err := s.codec.Decode(is.body)
		if err != nil {
			return nil, err
		}
		current = read.File
	}
	if write.old != nil {
		read, err := s.codec.Decode(write.old)
		if err != nil {
			return nil, err
		}
		old = read.File
	}
	upload, err := s.reverse(current, old, now)
	if err != nil || upload.File == nil {
		return nil, err
	}
	return &reversal{&docWrite{id: write.id, base: is.rev, old: is.body, body: upload.Body, file: upload.File}, upload.Leaves}, nil
}

func (s *session) reverse(current, old *format.Meta, now int64) (format.Upload, error) {
	switch {
	case old == nil && (current == nil || current.Deleted):
		return format.Upload{}, nil
	case old == nil:
		return s.codec.Delete(current, now)
	case current == nil: // only a tombstone is left: write it like a new document
		old.Rev = ""
		return s.codec.Restore(old, old, now)
	}
	return s.codec.Restore(current, old, now)
}
