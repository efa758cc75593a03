package livesync

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store/livesync/couch"
)

// journals makes changes of several documents, and recovers interrupted ones.
type journals struct {
	store     *Store
	owner     string
	revs      map[int]string      // revisions of our journal's pages; guarded by commitSlot
	open      *journal            // our change that could be neither made nor undone; guarded by commitSlot
	sightings map[string]sighting // open journals of others, by owner; used only by recoverLoop
}

// sighting records when a journal was first seen open with a change.
type sighting struct {
	began int64
	since time.Time
}

func newJournals(s *Store) journals {
	return journals{store: s, owner: newOwner(), revs: map[int]string{}, sightings: map[string]sighting{}}
}

// unitTime limits a change of documents once it has started. The caller's context cannot stop it halfway.
const unitTime = 60 * time.Second

// run makes a change of several documents. It writes new and changed documents first, and removals after that. If the
// change cannot be made, it is undone.
func (j *journals) run(ctx context.Context, sess *session, writes []*docWrite) error {
	if err := enlist(ctx, j.store.couch, j.owner, j.store.opt.Now(), j.isIdle(ctx)); err != nil {
		return err
	}
	tx := &journal{couch: j.store.couch, owner: j.owner, revs: j.revs, writes: writes}
	err := tx.record(ctx, j.store.opt.Now().UnixMicro())
	if err == nil { // others may have overwritten the list in the meantime
		err = enlist(ctx, j.store.couch, j.owner, j.store.opt.Now(), j.isIdle(ctx))
	}
	if err != nil {
		j.open, tx.undo = tx, true // whether it was recorded is unknown
		return &fault.Error{
			Kind: fault.StoreUnavailable, Message: "the change could not be recorded in the journal: " + err.Error(),
			Hint: "look at the note before trying again", Err: errors.Join(couch.ErrLostAnswer, err),
		}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), unitTime)
	defer cancel()
	begun := time.Now()
	err = j.store.send(ctx, additions(writes))
	if err == nil && time.Since(begun) > j.store.opt.Patience/2 {
		err = tx.overtaken(ctx) // another server may think that this one has crashed
	}
	if err == nil {
		err = j.store.send(ctx, removals(writes))
	}
	if err == nil {
		if err := tx.close(ctx); err != nil {
			j.open = tx // closed when the database responds again
		}
		return nil
	}
	tx.undo = true
	made, unsettled := j.settle(ctx, sess, tx)
	switch {
	case unsettled != nil:
		j.open = tx
		return fault.StoreUnavailable.Errorf("the change is made only in part; it is undone, or finished by another server, as soon as the database responds: %w", err).
			WithHint("look at the notes before trying again")
	case made && !j.store.anyUnconfirmed(writes): // by another server, which thought that this one had crashed
		return nil
	}
	return err
}

// isIdle returns a function that reports whether an owner's journal has no open change.
func (j *journals) isIdle(ctx context.Context) func(owner string) bool {
	return func(owner string) bool {
		open, err := readJournal(ctx, j.store.couch, owner)
		return err == nil && open == nil
	}
}

// additions returns the writes that create or change a file, and removals the others.
func additions(writes []*docWrite) []*docWrite {
	return slices.DeleteFunc(slices.Clone(writes), func(write *docWrite) bool { return write.removal })
}

func removals(writes []*docWrite) []*docWrite {
	return slices.DeleteFunc(slices.Clone(writes), func(write *docWrite) bool { return !write.removal })
}

// settleOwn settles our own change if it was left open. Nothing else is written before that.
func (j *journals) settleOwn(ctx context.Context) error {
	if j.open == nil {
		return nil
	}
	sess, err := j.store.connected(ctx)
	if err != nil {
		return err
	}
	if _, err := j.settle(ctx, sess, j.open); err != nil {
		return fault.StoreUnavailable.Errorf("an earlier change is not settled, and the database does not respond: %w", err)
	}
	j.open = nil
	return nil
}

// recoverLoop settles interrupted changes until ctx ends: our own at once, and those of other servers when they have made
// no progress for a while.
func (s *Store) recoverLoop(ctx context.Context) {
	first := sync.OnceFunc(func() { close(s.recovered) })
	defer first()
	for ctx.Err() == nil {
		if err := s.recoverOnce(ctx); err != nil && ctx.Err() == nil {
			s.log.Debug("looking for interrupted changes failed", "kind", fault.KindOf(err).Code())
		}
		first()
		sleep(ctx, s.opt.Patience/2)
	}
}

// recoverOnce settles interrupted changes, unless the database must not be written.
func (s *Store) recoverOnce(ctx context.Context) error {
	sess, err := s.connected(ctx)
	if err != nil || sess.fresh || sess.wiped {
		return err
	}
	select {
	case s.commitSlot <- struct{}{}:
		defer func() { <-s.commitSlot }()
	case <-ctx.Done():
		return ctx.Err()
	}
	s.decideLater(ctx)
	list, err := readOwners(ctx, s.couch)
	if err != nil || len(list.All) == 0 && s.journals.open == nil {
		return err
	}
	if _, _, err := s.mayWrite(ctx); err != nil {
		return err
	}
	return errors.Join(s.journals.settleOwn(ctx), s.journals.recoverOthers(ctx, list))
}

func (j *journals) recoverOthers(ctx context.Context, list journalList) error {
	var problems error
	for owner := range list.All {
		if owner != j.owner {
			problems = errors.Join(problems, j.recoverOther(ctx, owner))
		}
	}
	return problems
}

func (j *journals) recoverOther(ctx context.Context, owner string) error {
	open, err := readJournal(ctx, j.store.couch, owner)
	if err != nil || open == nil {
		delete(j.sightings, owner)
		return err
	}
	if !j.isStale(owner, open.first.Began) {
		return nil
	}
	sess, err := j.store.connected(ctx)
	if err != nil {
		return err
	}
	if _, err := j.settle(ctx, sess, open); err != nil {
		return err
	}
	delete(j.sightings, owner)
	j.store.log.Info("settled an interrupted change of another server", "documents", len(open.writes), "undone", open.undo)
	return nil
}

// isStale reports whether a journal's owner must have crashed: the journal has not changed while we watched, or its
// change began so long ago that no clock difference explains it.
func (j *journals) isStale(owner string, began int64) bool {
	if j.store.opt.Now().Sub(time.UnixMicro(began)) > 10*j.store.opt.Patience {
		return true
	}
	known, seen := j.sightings[owner]
	if !seen || known.began != began {
		j.sightings[owner] = sighting{began, time.Now()}
		return false
	}
	return time.Since(known.since) >= j.store.opt.Patience
}
