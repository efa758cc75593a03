// Package livesync keeps a vault in the CouchDB database of Self-hosted
// LiveSync, so that every device which syncs with it takes part.
//
// The database is the only place of the truth: nothing is kept on this
// machine but what can be had again, so any number of servers may serve one
// database. A catalogue of all files is kept in memory and follows the
// database's feed of changes; contents are read when they are asked for.
//
// It promises that
//
//   - a note is served from chunks that are all there and open with the
//     passphrase, or not at all: what is damaged makes that one note
//     unreadable, with the reason;
//   - a document is written over the revision that was read, after its chunks
//     were seen in the database, or not at all;
//   - a change of several documents is written down in the database first, and
//     finished or taken back by this server or by another if it is interrupted;
//   - a database that does not answer is never taken for an empty one.
package livesync

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/store/livesync/cache"
	"obsidian-mcp/internal/store/livesync/couch"
	"obsidian-mcp/internal/store/livesync/format"
)

// Options say which database to serve.
type Options struct {
	Couch      couch.Options
	Passphrase format.Passphrase
	Obfuscated *bool  // what the user says about hidden paths; nil: the database tells
	Cache      string // the file that keeps contents for the next start, sealed; "" keeps nothing
	ReadOnly   bool   // nothing is written, and nothing that others left unfinished is mended

	Log *slog.Logger     // nothing
	Now func() time.Time // the clock

	// How long journals of others are left alone, and how often they are looked
	// for; 30 s.
	Patience time.Duration
}

// Store is a vault in a database.
type Store struct {
	opt   Options
	couch *couch.Client // for what somebody waits for
	bulk  *couch.Client // for much at a time
	kept  *cache.Cache  // nil: nothing is kept
	log   *slog.Logger
	stop  context.CancelFunc
	quiet sync.WaitGroup

	tried    attempt
	mended   chan struct{} // closed when what others left long ago has been looked for
	commits  chan struct{} // holds one while a commit is under way
	knowing  chan struct{} // holds one while somebody needs the catalogue
	journals journals
	chunks   chunkCache

	mu       sync.Mutex         // guards what follows
	session  *session           // nil: never connected
	trouble  error              // why the database does not answer; nil: it does
	begun    chan struct{}      // closed at the next attempt to connect
	renew    context.CancelFunc // gives up the session that is followed
	followed *session
	served   bool       // there was something in the database
	files    *catalogue // nil: not listed since the database was connected to
	listings map[*listing]bool
	writing  map[string]bool         // documents that a commit is writing
	deferred map[string]couch.Change // what the feed told of them meanwhile
	missed   map[string]*missed      // documents that the feed told of and that could not be had
	watchers map[*watcher]bool
	checked  time.Time // when the database was last seen to allow writing
}

// attempt is the first one to connect.
type attempt struct {
	once sync.Once
	over chan struct{} // closed when it is
}

// Open makes a store. It does not wait for the database, which is connected to
// in the background, and again whenever it was away.
func Open(o Options) (*Store, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Patience == 0 {
		o.Patience = 30 * time.Second
	}
	o.Couch.Log = o.Log
	waiting := o.Couch
	if waiting.Timeout == 0 {
		waiting.Timeout, waiting.Total, waiting.Retries = 10*time.Second, 20*time.Second, 2 // less than a call has
	}
	s := &Store{
		opt: o, log: o.Log,
		tried: attempt{over: make(chan struct{})}, begun: make(chan struct{}), commits: make(chan struct{}, 1), knowing: make(chan struct{}, 1), mended: make(chan struct{}),
		listings: map[*listing]bool{}, writing: map[string]bool{}, deferred: map[string]couch.Change{}, missed: map[string]*missed{}, watchers: map[*watcher]bool{},
	}
	var err error
	if s.couch, err = couch.New(waiting); err != nil {
		return nil, err
	}
	if s.bulk, err = couch.New(o.Couch); err != nil {
		return nil, err
	}
	if s.kept, err = openCache(o); err != nil {
		return nil, err
	}
	s.journals = newJournals(s)
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	s.quiet.Go(func() { s.follow(ctx) })
	if o.ReadOnly {
		close(s.mended)
	} else {
		s.quiet.Go(func() { s.mend(ctx) })
	}
	s.quiet.Go(func() { s.heal(ctx) })
	return s, nil
}

// Close implements store.Store.
func (s *Store) Close() error {
	s.stop()
	s.quiet.Wait()
	s.couch.Close()
	s.bulk.Close()
	return s.closeCache()
}

// Probe waits for the first attempt to connect, and tells why it failed.
func (s *Store) Probe(ctx context.Context) error {
	_, err := s.connected(ctx)
	return err
}

// Permanent reports an error of Probe that does not go away by itself.
func Permanent(err error) bool {
	switch fault.KindOf(err) {
	case fault.VaultNotFound, fault.PermissionDenied, fault.InvalidArgument:
		return true
	}
	return errors.Is(err, couch.ErrCertificate)
}

// connected waits for the first attempt to connect, and gives what is known of
// the database, or why nothing is. A database that had nothing in it is looked
// at again: whoever uses it first decides how.
func (s *Store) connected(ctx context.Context) (*session, error) {
	now, err := s.latest(ctx)
	if err != nil || !now.fresh && !now.wiped {
		return now, err
	}
	return s.confirmed(ctx, now)
}

// confirmed gives the session that goes with the database as it is now.
func (s *Store) confirmed(ctx context.Context, now *session) (*session, error) {
	said, err := ask(ctx, s.couch)
	if err != nil {
		return nil, lost(err)
	}
	remote, err := said.remote()
	if err != nil {
		return nil, err
	}
	if !now.agrees(remote) {
		return s.another(ctx, now)
	}
	return now, nil
}

func (s *Store) latest(ctx context.Context) (*session, error) {
	select {
	case <-s.tried.over:
	case <-ctx.Done():
		return nil, &fault.Error{Kind: fault.StoreUnavailable, Message: "CouchDB at " + s.opt.Couch.URL + " has not answered yet", Err: context.Cause(ctx)}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.session != nil:
		return s.session, nil
	case s.trouble != nil:
		return nil, s.trouble
	}
	return nil, fault.StoreUnavailable.Errorf("the store is closed")
}

// lost is an error of the database as the vault's callers get it. That the
// database is not there any more does not mean that the vault never was.
func lost(err error) error {
	if errors.Is(err, fault.VaultNotFound) {
		return fault.StoreUnavailable.Errorf("the vault's database is gone: %w", err)
	}
	return err
}

var _ store.Store = (*Store)(nil)
