package livesync

import (
	"context"
	"errors"
	"sync"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store/livesync/couch"
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
	err := unit.record(ctx, j.opt.Now().UnixMicro())
	if err == nil { // others may have written the list anew meanwhile
		err = enlist(ctx, j.couch, j.owner, j.opt.Now(), j.isIdle(ctx))
	}
	if err != nil {
		j.open, unit.undo = unit, true // it may be there, or not
		return &fault.Error{Kind: fault.StoreUnavailable, Message: "the change could not be written down: " + err.Error(), Hint: "look at the note before trying again", Err: errors.Join(couch.ErrLostAnswer, err)}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), unitTime)
	defer cancel()
	begun := time.Now()
	err = j.send(ctx, kept(writes, false))
	if err == nil && time.Since(begun) > j.opt.Patience/2 {
		err = unit.overtaken(ctx) // another server may take us for gone
	}
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
	made, unsettled := j.settle(ctx, now, unit)
	switch {
	case unsettled != nil:
		j.open = unit
		return fault.StoreUnavailable.Errorf("the change could not be made, and is taken back as soon as the database answers: %w", err)
	case made: // by another server, which took us for gone
		return nil
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
	if _, err := j.settle(ctx, now, j.open); err != nil {
		return fault.StoreUnavailable.Errorf("an earlier change is not finished, and the database does not answer: %w", err)
	}
	j.open = nil
	return nil
}

// mend looks for changes that were interrupted, until ctx ends: our own at
// once, and those of other servers when they have not moved for a while.
func (s *Store) mend(ctx context.Context) {
	first := sync.OnceFunc(func() { close(s.mended) })
	defer first()
	for ctx.Err() == nil {
		if err := s.mendOnce(ctx); err != nil && ctx.Err() == nil {
			s.log.Debug("interrupted changes could not be looked for", "kind", fault.KindOf(err).Code())
		}
		first()
		wait(ctx, s.opt.Patience/2)
	}
}

// mendOnce mends what may be mended: a database that must not be written to is
// left alone.
func (s *Store) mendOnce(ctx context.Context) error {
	now, err := s.connected(ctx)
	if err != nil || now.fresh || now.wiped {
		return err
	}
	select {
	case s.commits <- struct{}{}:
		defer func() { <-s.commits }()
	case <-ctx.Done():
		return ctx.Err()
	}
	list, err := readOwners(ctx, s.couch)
	if err != nil || len(list.All) == 0 && s.journals.open == nil {
		return err
	}
	if _, _, err := s.mayWrite(ctx); err != nil {
		return err
	}
	return errors.Join(s.journals.settleOwn(ctx), s.journals.mendOthers(ctx, list))
}

func (j *journals) mendOthers(ctx context.Context, list owners) error {
	var problems error
	for owner := range list.All {
		if owner != j.owner {
			problems = errors.Join(problems, j.mendOther(ctx, owner))
		}
	}
	return problems
}

func (j *journals) mendOther(ctx context.Context, owner string) error {
	open, err := readJournal(ctx, j.couch, owner)
	if err != nil || open == nil {
		delete(j.seen, owner)
		return err
	}
	if !j.isStale(owner, open.first.Began) {
		return nil
	}
	now, err := j.connected(ctx)
	if err != nil {
		return err
	}
	if _, err := j.settle(ctx, now, open); err != nil {
		return err
	}
	delete(j.seen, owner)
	j.log.Info("a change that another server began was finished or taken back", "documents", len(open.writes), "undone", open.undo)
	return nil
}

// isStale reports a journal whose owner must be gone: it has not moved while we
// looked on, or began so long ago that no difference of clocks explains it.
func (j *journals) isStale(owner string, began int64) bool {
	if j.opt.Now().Sub(time.UnixMicro(began)) > 10*j.opt.Patience {
		return true
	}
	known, seen := j.seen[owner]
	if !seen || known.began != began {
		j.seen[owner] = sighting{began, time.Now()}
		return false
	}
	return time.Since(known.since) >= j.opt.Patience
}
