package livesync

import (
	"context"
	"errors"
	"slices"

	"obsidian-mcp/internal/fault"
)

// settlings is how often a change is looked at again because others change
// the same documents.
const settlings = 10

// settle finishes a change if all documents that are missing can still be
// written, and takes it back otherwise. Several servers may be at it: each
// document is written over the revision that was seen; who takes back says so
// before looking at the documents, and who finishes looks afterwards whether
// somebody has said so. It reports whether the change is made.
func (j *journals) settle(ctx context.Context, now *session, unit *journal) (made bool, err error) {
	for range settlings {
		state, err := unit.look(ctx)
		switch {
		case err != nil:
			return false, err
		case state == finished || state == replaced:
			return state == finished, nil
		case state == undone:
			unit.undo, unit.first.Undo = true, true
		}
		if unit.undo {
			if err := j.resolve(ctx, unit); err != nil {
				return false, err
			}
		}
		done, err := j.settleOnce(ctx, now, unit)
		if err != nil {
			return false, err
		}
		if state, err = unit.look(ctx); err != nil {
			return false, err
		}
		if done && state == inUse {
			return !unit.undo, unit.close(ctx)
		}
		if done && unit.undo {
			return false, nil // somebody else has closed it
		}
	}
	return false, fault.StoreUnavailable.Errorf("others keep changing the same notes")
}

// resolve writes down that a change is to be taken back, unless nobody has done
// so and it turns out to be made: only its answers were lost.
func (j *journals) resolve(ctx context.Context, unit *journal) error {
	if unit.first.Undo {
		return nil
	}
	states, err := j.states(ctx, unit.writes)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(states, func(state state) bool { return state.is != written && state.is != beyond }) {
		unit.undo = false
		return nil
	}
	return unit.recordUndo(ctx)
}

// settleOnce looks at all documents, and writes what there is to write. It is
// not done if that, or others, got in the way; and if the change turns out to
// have to be taken back, only that is noted.
func (j *journals) settleOnce(ctx context.Context, now *session, unit *journal) (done bool, err error) {
	states, err := j.states(ctx, unit.writes)
	if err != nil {
		return false, err
	}
	for i, state := range states {
		if state.is == other && !unit.undo {
			unit.undo = true
			return false, nil
		}
		if state.is == written {
			unit.writes[i].rev = state.rev
		}
	}
	if unit.undo {
		err = j.undo(ctx, now, unit, states)
	} else {
		err = j.finish(ctx, now, unit, states)
	}
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, fault.Conflict):
		return false, nil
	case unit.undo || fault.KindOf(err) == fault.StoreUnavailable:
		return false, err
	}
	unit.undo = true // it cannot be made
	return false, nil
}

// finish writes what was not written yet.
func (j *journals) finish(ctx context.Context, now *session, unit *journal, states []state) error {
	for _, last := range []bool{false, true} {
		var rest []*write
		for i, one := range unit.writes {
			if one.last == last && states[i].is == atBase {
				rest = append(rest, one)
			}
		}
		if err := j.haveChunks(ctx, now, rest); err != nil {
			return err
		}
		if err := j.send(ctx, rest); err != nil {
			return err
		}
	}
	return nil
}

// errCleaned is why a change cannot be finished any more.
var errCleaned = fault.NotFound.Errorf("chunks of the change are not in the database any more")

// haveChunks makes sure that the chunks of documents are still there: whoever
// cleaned up meanwhile found nobody who names them.
func (j *journals) haveChunks(ctx context.Context, now *session, writes []*write) error {
	var needed []string
	for _, one := range writes {
		read, err := now.codec.Decode(one.body)
		if err != nil {
			return fault.PermissionDenied.Errorf("a document of the change cannot be read: %w", err)
		}
		if read.File != nil && !read.Deleted {
			needed = append(needed, read.File.Needs()...)
		}
	}
	there, err := j.couch.Exists(ctx, needed)
	if err != nil {
		return err
	}
	if slices.Contains(there, false) {
		return errCleaned
	}
	return nil
}
