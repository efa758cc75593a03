package couch

import (
	"cmp"
	"context"
	"errors"
	"time"

	"obsidian-mcp/internal/fault"
)

// Position is a position in the changes of one incarnation of a database. It can be stored to continue from later.
type Position struct {
	Instance string `json:"instance"`
	Seq      Seq    `json:"seq"`
}

// Change is a document that was written or deleted.
type Change struct {
	ID      string
	Revs    []string // the latest revision of each branch, the winner's first
	Deleted bool
	Doc     *Document // the current document, with its conflicts; nil if deleted
	Err     error     // why the document could not be read
}

// Batch holds the changes since the previous batch.
type Batch struct {
	// Reset says that earlier changes are unknown: this is the first batch and there was no position to continue from,
	// or the database was created again, or the position belongs to another database. After this batch the caller must
	// list everything again; later batches bring later changes.
	Reset   bool
	Changes []Change
	At      Position // where to continue once the batch is processed
}

// FollowOptions configure Follow.
type FollowOptions struct {
	From Position // where to continue; the zero value starts with a Reset

	// Identify returns a text, based on the database's documents, that changes when the database is created again. It
	// is called when the feed starts, after each failure, and after a poll without changes. CouchDB reports that too,
	// but not in all versions. May be nil.
	Identify func(context.Context) (string, error)
	// Trouble is called with each failure, and with nil when the database responds again. May be nil.
	Trouble func(error)

	Heartbeat time.Duration // how often the server must send a sign of life; default 10 s
	Poll      time.Duration // length of a poll without changes; default 60 s
	Limit     int           // changes in a batch; default 200
}

// Follow passes changes of the database, except chunks, to handle until ctx ends or handle returns an error, which it
// then returns. Nothing else ends it: while the server or the database is gone it retries with growing pauses, and
// continues where it was.
func (c *Client) Follow(ctx context.Context, o FollowOptions, handle func(Batch) error) error {
	o.Heartbeat = cmp.Or(o.Heartbeat, 10*time.Second)
	o.Poll = cmp.Or(o.Poll, time.Minute)
	o.Limit = cmp.Or(o.Limit, 200)
	f := &follower{client: c, opt: o, handle: handle, at: o.From, selects: true, attempts: map[string]int{}}
	for failures := 0; ; {
		begun := time.Now()
		polled, err := f.turn(ctx)
		if refusal, ok := errors.AsType[*handlerError](err); ok {
			return refusal.cause
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil && polled:
			failures = 0
		case err != nil:
			if time.Since(begun) > o.Heartbeat { // it worked for a while
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

// follower is the state of one Follow.
type follower struct {
	client *Client
	opt    FollowOptions
	handle func(Batch) error

	at      Position
	checked bool // the database is still the same, as seen since the last failure
	failing bool
	selects bool // the server can leave out chunks

	attempts map[string]int // by id: attempts to read documents that failed
}

// pauseAfter returns the time until the next attempt. A refused login is retried rarely: CouchDB locks accounts that
// fail too often.
func (f *follower) pauseAfter(err error, failures int) time.Duration {
	if errors.Is(err, fault.PermissionDenied) {
		return time.Minute
	}
	return f.client.pause(failures, 0)
}

// handlerError is an error of the caller's handler, which ends the feed.
type handlerError struct{ cause error }

func (e *handlerError) Error() string { return e.cause.Error() }

// turn takes the next step: it checks that the database is still the same, or waits for changes.
func (f *follower) turn(ctx context.Context) (polled bool, err error) {
	if !f.checked {
		if err := f.check(ctx); err != nil {
			return false, err
		}
		f.checked = true
		f.recovered()
		return false, nil
	}
	return true, f.poll(ctx)
}

func (f *follower) fail(err error) {
	f.checked, f.failing = false, true
	f.client.opt.Log.Debug("following CouchDB's changes failed", "reason", err.Error())
	if f.opt.Trouble != nil {
		f.opt.Trouble(err)
	}
}

func (f *follower) recovered() {
	if f.failing && f.opt.Trouble != nil {
		f.opt.Trouble(nil)
	}
	f.failing = false
}

// check makes sure that the position belongs to the current incarnation of the database.
func (f *follower) check(ctx context.Context) error {
	info, instance, err := f.identify(ctx)
	if err != nil {
		return err
	}
	if f.at.Instance == instance && f.at.Seq != "" && (f.client.Clustered() || !info.UpdateSeq.behind(f.at.Seq)) {
		return nil
	}
	return f.reset(Position{instance, info.UpdateSeq})
}

// identify returns the current incarnation of the database.
func (f *follower) identify(ctx context.Context) (Info, string, error) {
	info, err := f.client.Info(ctx)
	if err != nil || f.opt.Identify == nil {
		return info, info.Started, err
	}
	identity, err := f.opt.Identify(ctx)
	return info, info.Started + " " + identity, err
}

// reset continues from another position, and tells the caller.
func (f *follower) reset(at Position) error {
	f.selects = true
	return f.deliver(Batch{Reset: true, At: at})
}

func (f *follower) deliver(batch Batch) error {
	if err := f.handle(batch); err != nil {
		return &handlerError{cause: err}
	}
	f.at = batch.At
	clear(f.attempts)
	return nil
}
