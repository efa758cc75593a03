package couch

import (
	"cmp"
	"context"
	"errors"
	"time"

	"obsidian-mcp/internal/fault"
)

// Position is a place in the changes of one incarnation of a database. It can
// be stored, and gone on from later.
type Position struct {
	Instance string `json:"instance"`
	Seq      Seq    `json:"seq"`
}

// Change is a document that was written or deleted.
type Change struct {
	ID      string
	Revs    []string // the last one of each branch, that of the winner first
	Deleted bool
	Doc     *Document // as it is now, with its conflicts; nil for a deleted one
	Err     error     // the document cannot be had
}

// Batch is what has happened since the batch before.
type Batch struct {
	// Reset says that nothing is known of what came before: it is the first
	// batch without a position to go on from, or the database was made anew, or
	// the position is not one of its own. Whoever follows lists everything again,
	// after this batch: later changes come in later ones.
	Reset   bool
	Changes []Change
	At      Position // to go on from, once the batch is dealt with
}

// FollowOptions say what to follow.
type FollowOptions struct {
	From Position // to go on from; the zero value begins with a Reset

	// Identify gives something that changes when the database is made anew, from
	// its documents. It is asked when the feed starts, after each failure, and
	// when nothing has happened for the time of a poll. CouchDB itself says it
	// too, but not in all versions. May be nil.
	Identify func(context.Context) (string, error)
	// Trouble is told each failure, and nil when the database answers again. May
	// be nil.
	Trouble func(error)

	Heartbeat time.Duration // after which the server shows that it is there; 10 s
	Poll      time.Duration // after which a quiet poll is begun anew; 60 s
	Limit     int           // changes in a batch; 200
}

// Follow hands over what changes in the database, leaving out chunks, until ctx
// ends or handle returns an error, which it then returns. Nothing else ends
// it: while the server is away or the database gone, it tries again with
// growing pauses, and goes on where it was.
func (c *Client) Follow(ctx context.Context, o FollowOptions, handle func(Batch) error) error {
	f := &follower{Client: c, FollowOptions: o, handle: handle, at: o.From, selects: true, attempts: map[string]int{}}
	f.Heartbeat = cmp.Or(o.Heartbeat, 10*time.Second)
	f.Poll = cmp.Or(o.Poll, time.Minute)
	f.Limit = cmp.Or(o.Limit, 200)
	for failures := 0; ; {
		begun := time.Now()
		polled, err := f.turn(ctx)
		if refusal, ok := errors.AsType[*handlerError](err); ok {
			return refusal.error
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil && polled:
			failures = 0
		case err != nil:
			if time.Since(begun) > f.Heartbeat { // it did work for a while
				failures = 0
			}
			f.fail(err)
			if err := c.opt.Sleep(ctx, f.pauseAfter(err, failures)); err != nil {
				return err
			}
			failures++
		}
	}
}

// follower is a feed on its way.
type follower struct {
	*Client
	FollowOptions
	handle func(Batch) error

	at      Position
	checked bool // that the database is still the same, since the last failure
	failing bool
	selects bool // the server can leave out chunks

	attempts map[string]int // to get documents that could not be had
}

// pauseAfter is the time until the next attempt. A login that is refused is
// tried seldom: CouchDB locks accounts that fail too often.
func (f *follower) pauseAfter(err error, failures int) time.Duration {
	if errors.Is(err, fault.PermissionDenied) {
		return time.Minute
	}
	return f.pause(failures, 0)
}

// handlerError is one of the caller's, which ends the feed.
type handlerError struct{ error }

// turn does the next thing: makes sure that the database is the same, or waits
// for changes.
func (f *follower) turn(ctx context.Context) (polled bool, err error) {
	if !f.checked {
		if err := f.check(ctx); err != nil {
			return false, err
		}
		f.checked = true
		f.recover()
		return false, nil
	}
	return true, f.poll(ctx)
}

func (f *follower) fail(err error) {
	f.checked, f.failing = false, true
	f.opt.Log.Debug("following CouchDB's changes failed", "reason", err.Error())
	if f.Trouble != nil {
		f.Trouble(err)
	}
}

func (f *follower) recover() {
	if f.failing && f.Trouble != nil {
		f.Trouble(nil)
	}
	f.failing = false
}

// check makes sure that the position is one of the database as it is now.
func (f *follower) check(ctx context.Context) error {
	info, instance, err := f.look(ctx)
	if err != nil {
		return err
	}
	if f.at.Instance == instance && f.at.Seq != "" && info.UpdateSeq.behind(f.at.Seq) {
		// One of a cluster's nodes may lag, but not for long.
		if err := f.opt.Sleep(ctx, time.Second); err != nil {
			return err
		}
		if info, instance, err = f.look(ctx); err != nil {
			return err
		}
	}
	if f.at.Instance == instance && f.at.Seq != "" && !info.UpdateSeq.behind(f.at.Seq) {
		return nil
	}
	return f.reset(Position{instance, info.UpdateSeq})
}

// look asks which incarnation of the database is there.
func (f *follower) look(ctx context.Context) (Info, string, error) {
	info, err := f.Info(ctx)
	if err != nil || f.Identify == nil {
		return info, info.Started, err
	}
	identity, err := f.Identify(ctx)
	return info, info.Started + " " + identity, err
}

// reset goes on from another place, and says so.
func (f *follower) reset(at Position) error {
	f.selects = true
	return f.deliver(Batch{Reset: true, At: at})
}

func (f *follower) deliver(batch Batch) error {
	if err := f.handle(batch); err != nil {
		return &handlerError{err}
	}
	f.at = batch.At
	clear(f.attempts)
	return nil
}
