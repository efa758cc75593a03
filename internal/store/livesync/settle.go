package livesync

import (
	"context"
	"errors"
	"slices"

	"obsidian-mcp/internal/fault"
)

// maxSettleAttempts is how often settle starts over because others change the same documents.
const maxSettleAttempts = 10

// settle finishes a change if all its unwritten documents can still be written, and undoes it otherwise. It reports
// whether the change was made. Several servers may settle the same change: each document is written only over the
// revision that was seen; a server that undoes records so before it looks at the documents, and a server that finishes
// checks for that record afterwards.
func (j *journals) settle(ctx context.Context, sess *session, tx *journal) (made bool, err error) {
	for range maxSettleAttempts {
		state, err := tx.status(ctx)
		switch {
		case err != nil:
			return false, err
		case state == finished || state == reused:
			return state == finished, nil
		case state == undone:
			tx.undo, tx.first.Undo = true, true
		}
		if tx.undo {
			if err := j.decideUndo(ctx, tx); err != nil {
				return false, err
			}
		}
		done, err := j.settleOnce(ctx, sess, tx)
		if err != nil {
			return false, err
		}
		if state, err = tx.status(ctx); err != nil {
			return false, err
		}
		if done && state == active {
			return !tx.undo, tx.close(ctx)
		}
		if done && tx.undo {
			return false, nil // another server has closed the journal
		}
	}
	return false, fault.StoreUnavailable.Errorf("the same notes keep changing")
}

// decideUndo records that a change is being undone, unless all its documents turn out to be written and only the
// responses were lost.
func (j *journals) decideUndo(ctx context.Context, tx *journal) error {
	if tx.first.Undo {
		return nil
	}
	states, err := j.store.states(ctx, tx.writes)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(states, func(state state) bool { return state.fate != written && state.fate != superseded }) {
		tx.undo = false
		return nil
	}
	return tx.recordUndo(ctx)
}

// settleOnce looks at all documents, and writes what is left to write. done is false if another change got in the way,
// or if the change must be undone; in that case it only sets tx.undo.
func (j *journals) settleOnce(ctx context.Context, sess *session, tx *journal) (done bool, err error) {
	states, err := j.store.states(ctx, tx.writes)
	if err != nil {
		return false, err
	}
	for i, state := range states {
		if state.fate == replacedByOthers && !tx.undo {
			tx.undo = true
			return false, nil
		}
		if state.fate == written {
			tx.writes[i].rev = state.rev
		}
	}
	if tx.undo {
		err = j.undo(ctx, sess, tx, states)
	} else {
		err = j.finish(ctx, sess, tx, states)
	}
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, fault.Conflict):
		return false, nil
	case tx.undo || fault.KindOf(err) == fault.StoreUnavailable:
		return false, err
	}
	tx.undo = true // it cannot be finished
	return false, nil
}

// finish writes the documents that are not written yet.
func (j *journals) finish(ctx context.Context, sess *session, tx *journal, states []state) error {
	for _, last := range []bool{false, true} {
		var rest []*docWrite
		for i, write := range tx.writes {
			if write.removal == last && states[i].fate == atBase {
				rest = append(rest, write)
			}
		}
		if err := j.checkChunks(ctx, sess, rest); err != nil {
			return err
		}
		if err := j.store.send(ctx, rest); err != nil {
			return err
		}
	}
	return nil
}

// errChunksGone is why a change cannot be finished any more.
var errChunksGone = fault.NotFound.Errorf("chunks of the change are no longer in the database")

// checkChunks makes sure that the chunks of documents still exist: a clean-up in the meantime would have removed them,
// because no document named them yet.
func (j *journals) checkChunks(ctx context.Context, sess *session, writes []*docWrite) error {
	var needed []string
	for _, write := range writes {
		read, err := sess.codec.Decode(write.body)
		if err != nil {
			return fault.PermissionDenied.Errorf("a document of the change cannot be decoded: %w", err)
		}
		if read.File != nil && !read.Deleted {
			needed = append(needed, read.File.Needs()...)
		}
	}
	there, err := j.store.couch.Exists(ctx, needed)
	if err != nil {
		return err
	}
	if slices.Contains(there, false) {
		return errChunksGone
	}
	return nil
}
