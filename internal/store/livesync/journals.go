package livesync

import (
	"context"
	"errors"
	"time"

	"obsidian-mcp/internal/fault"
)

// journals makes changes of several documents, and mends what was interrupted.
type journals struct {
	*Store
	owner string
	revs  map[int]string      // of the pages of ours; guarded by commits
	open  *journal            // ours, of a change that could be neither made nor taken back; guarded by commits
	seen  map[string]sighting // journals of others that are open, known to mend alone
}

// sighting is when a journal was first seen in a state.
type sighting struct {
	began int64
	since time.Time
}

func newJournals(s *Store) journals {
	return journals{Store: s, owner: newOwner(), revs: map[int]string{}, seen: map[string]sighting{}}
}

// unitTime is how long a change of several documents may take once it has
// begun. Whoever asked for it cannot stop it half way.
const unitTime = 60 * time.Second

// run makes a change of several documents: what is new and what changes first,
// what goes when that is there. If it cannot be made, it is taken back.
func (j *journals) run(ctx context.Context, now *session, writes []*write) error {
	if err := enlist(ctx, j.couch, j.owner, j.opt.Now(), j.isIdle(ctx)); err != nil {
		return err
	}
	unit := &journal{couch: j.couch, owner: j.owner, revs: j.revs, writes: writes}
	if err := unit.record(ctx, j.opt.Now().UnixMicro()); err != nil {
		j.open, unit.undo = unit, true // it may be there, or not
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), unitTime)
	defer cancel()
	err := j.send(ctx, kept(writes, false))
	if err == nil {
		err = j.send(ctx, kept(writes, true))
	}
	if err == nil {
		if err := unit.close(ctx); err != nil {
			j.open = unit // to be closed when the database answers
		}
		return nil
	}
	unit.undo = true
	if undone := j.settle(ctx, now, unit); undone != nil {
		j.open = unit
		return fault.StoreUnavailable.Errorf("the change could not be made, and is taken back as soon as the database answers: %w", err)
	}
	return err
}

// isIdle reports of a journal whether nothing is open in it.
func (j *journals) isIdle(ctx context.Context) func(owner string) bool {
	return func(owner string) bool {
		open, err := readJournal(ctx, j.couch, owner)
		return err == nil && open == nil
	}
}

// kept are the writes that come last, or the others.
func kept(writes []*write, last bool) []*write {
	var some []*write
	for _, one := range writes {
		if one.last == last {
			some = append(some, one)
		}
	}
	return some
}

// settleOwn deals with a change of ours that was left open. Nothing else is
// written before.
func (j *journals) settleOwn(ctx context.Context) error {
	if j.open == nil {
		return nil
	}
	now, err := j.connected(ctx)
	if err != nil {
		return err
	}
	if err := j.settle(ctx, now, j.open); err != nil {
		return fault.StoreUnavailable.Errorf("an earlier change is not finished, and the database does not answer: %w", err)
	}
	j.open = nil
	return nil
}

// mend looks for changes that were interrupted, until ctx ends: our own at
// once, and those of other servers when they have not moved for a while.
func (s *Store) mend(ctx context.Context) {
	for pause := time.Second; ctx.Err() == nil; {
		wait(ctx, pause)
		pause = s.opt.Patience / 2
		if _, err := s.connected(ctx); err != nil {
			continue
		}
		select {
		case s.commits <- struct{}{}:
		case <-ctx.Done():
			return
		}
		err := s.journals.settleOwn(ctx)
		if err == nil {
			err = s.journals.mendOthers(ctx)
		}
		<-s.commits
		if err != nil && ctx.Err() == nil {
			s.log.Debug("interrupted changes could not be looked for", "error", err.Error())
		}
	}
}

func (j *journals) mendOthers(ctx context.Context) error {
	list, err := readOwners(ctx, j.couch)
	if err != nil {
		return err
	}
	for owner := range list.All {
		if owner == j.owner {
			continue
		}
		if err := j.mendOther(ctx, owner); err != nil {
			return err
		}
	}
	return nil
}

func (j *journals) mendOther(ctx context.Context, owner string) error {
	open, err := readJournal(ctx, j.couch, owner)
	if err != nil || open == nil {
		delete(j.seen, owner)
		return err
	}
	if known, ok := j.seen[owner]; !ok || known.began != open.first.Began {
		j.seen[owner] = sighting{open.first.Began, time.Now()}
		return nil
	} else if time.Since(known.since) < j.opt.Patience {
		return nil
	}
	now, err := j.connected(ctx)
	if err != nil {
		return err
	}
	if err := j.settle(ctx, now, open); err != nil {
		return err
	}
	delete(j.seen, owner)
	j.log.Info("a change that another server began was finished or taken back", "documents", len(open.writes), "undone", open.undo)
	return nil
}

// settlings is how often a change is looked at again because others change
// the same documents.
const settlings = 10

// settle finishes a change if all documents that are missing can still be
// written, and takes it back otherwise. It may be done by several servers at
// once: each document is written over the revision that was seen.
func (j *journals) settle(ctx context.Context, now *session, unit *journal) error {
	for range settlings {
		states, err := j.states(ctx, unit.writes)
		if err != nil {
			return err
		}
		for _, state := range states {
			unit.undo = unit.undo || state.is == other
		}
		var again bool
		if unit.undo {
			if err := unit.recordUndo(ctx); err != nil {
				return err
			}
			again, err = j.undo(ctx, now, unit, states)
		} else {
			again, err = j.finish(ctx, unit, states)
		}
		if err == nil && !again {
			return unit.close(ctx)
		}
		if err != nil && !errors.Is(err, fault.Conflict) {
			if unit.undo || fault.KindOf(err) == fault.StoreUnavailable {
				return err
			}
			unit.undo = true // it cannot be made
		}
	}
	return fault.StoreUnavailable.Errorf("others keep changing the same notes")
}

// finish writes what was not written yet.
func (j *journals) finish(ctx context.Context, unit *journal, states []state) (again bool, err error) {
	for _, last := range []bool{false, true} {
		var rest []*write
		for i, one := range unit.writes {
			if one.last == last && states[i].is == atBase {
				rest = append(rest, one)
			}
		}
		if err := j.send(ctx, rest); err != nil {
			return true, err
		}
	}
	return false, nil
}
