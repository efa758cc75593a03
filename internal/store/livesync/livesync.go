// Package livesync stores a vault in the CouchDB database of Self-hosted LiveSync, so that it is shared with every device
// that syncs with that database.
//
// The database is the only source of truth. This machine keeps nothing that could not be read again, so any number of
// servers may serve one database. A catalogue of all files is kept in memory and follows the database's feed of changes;
// contents are read on demand.
//
// It promises that
//
//   - a note is served only if all its chunks exist and decrypt with the passphrase; damage makes that one note
//     unreadable, and the error says why;
//   - a document is written only over the revision that was read, and only after its chunks were seen in the database;
//   - a change of several documents is first recorded in a journal in the database; if it is interrupted, this server or
//     another one finishes or undoes it;
//   - a database that does not respond is never mistaken for an empty one.
//
// The layout of documents is left to package format, and requests to package couch.
package livesync

import (
	"cmp"
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

// Options configure a Store.
type Options struct {
	Couch      couch.Options
	Passphrase format.Passphrase
	Obfuscated *bool  // whether the user says that paths are obfuscated; nil to ask the database
	Cache      string // file in which contents are cached, encrypted, between runs; "" for none
	ReadOnly   bool   // write nothing, not even to finish what another server left unfinished

	Log *slog.Logger     // default none
	Now func() time.Time // default time.Now

	DeriveKey format.KeyDeriver // default format.DeriveKey

	// Patience is how long the journal of another server must be unchanged before this server deals with it; half of it
	// is how often it looks. Default 30 s.
	Patience time.Duration

	// Confirm is how long a change waits until it is decided whether it stays, in a cluster of which too few nodes respond.
	// Default 8 s.
	Confirm time.Duration
}

// Store is a vault in a LiveSync database.
type Store struct {
	opt       Options
	couch     *couch.Client // for requests that a caller waits for
	bulk      *couch.Client // for large transfers and the feed
	diskCache *cache.Cache  // nil if contents are not cached on disk
	log       *slog.Logger
	stop      context.CancelFunc
	running   sync.WaitGroup

	firstAttempt attempt
	recovered    chan struct{} // closed after the first search for interrupted changes
	commitSlot   chan struct{} // full while a commit is under way
	listSlot     chan struct{} // full while somebody ensures that the catalogue exists
	journals     journals
	chunks       chunkCache
	recent       recentDocs
	unconfirmed  map[string]*docWrite // accepted by too few nodes of a cluster, by id; guarded by commitSlot

	mu            sync.Mutex         // guards the fields below
	session       *session           // nil before the first connection
	outage        error              // why the database cannot be used, or nil
	attempted     chan struct{}      // closed after the next attempt to connect
	endSession    context.CancelFunc // ends the followed session
	followed      *session
	usedBefore    bool       // the database was not empty at some time
	files         *catalogue // nil if not listed in this session
	comparisons   comparisons
	listings      map[*listing]bool
	beingWritten  map[string]bool         // documents that a commit is writing
	deferred      map[string]couch.Change // their changes that the feed brought in the meantime
	undelivered   map[string]*retryState  // documents that the feed announced but could not deliver
	watchers      map[*watcher]bool
	writableSince time.Time // when the database was last seen to allow writing

	version        []byte // the version document, if the feed has not told of another since it was read
	versionChanges int    // how often the feed has told of another
}

// attempt is the first attempt to connect.
type attempt struct {
	once sync.Once
	done chan struct{}
}

// Open makes a store. It does not wait for the database: the store connects, and reconnects, in the background.
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
	o.Confirm = cmp.Or(o.Confirm, 8*time.Second)
	o.Couch.Log = o.Log
	s := &Store{
		opt: o, log: o.Log,
		firstAttempt: attempt{done: make(chan struct{})}, recovered: make(chan struct{}),
		commitSlot: make(chan struct{}, 1), listSlot: make(chan struct{}, 1), attempted: make(chan struct{}),
		listings: map[*listing]bool{}, beingWritten: map[string]bool{}, deferred: map[string]couch.Change{},
		unconfirmed: map[string]*docWrite{}, undelivered: map[string]*retryState{}, watchers: map[*watcher]bool{},
	}
	if err := s.openClients(); err != nil {
		return nil, err
	}
	s.journals = newJournals(s)
	s.start()
	return s, nil
}

// openClients makes the clients of the database, and opens the cache of contents.
func (s *Store) openClients() (err error) {
	interactive := s.opt.Couch
	if interactive.Timeout == 0 { // stay below the time limit of a tool call
		interactive.Timeout, interactive.Total, interactive.Retries = 10*time.Second, 20*time.Second, 2
	}
	if s.couch, err = couch.New(interactive); err != nil {
		return err
	}
	bulk := s.opt.Couch
	bulk.Logins = s.couch.Logins()
	if s.bulk, err = couch.New(bulk); err != nil {
		return err
	}
	s.diskCache, err = openCache(s.opt)
	return err
}

// start starts the goroutines that Close waits for.
func (s *Store) start() {
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	s.running.Go(func() { s.follow(ctx) })
	if s.opt.ReadOnly {
		close(s.recovered)
	} else {
		s.running.Go(func() { s.recoverLoop(ctx) })
	}
	s.running.Go(func() { s.retryLoop(ctx) })
}

// Close implements store.Store.
func (s *Store) Close() error {
	s.stop()
	s.running.Wait()
	s.couch.Close()
	s.bulk.Close()
	return s.closeCache()
}

// Probe waits for the first attempt to connect, and returns its error.
func (s *Store) Probe(ctx context.Context) error {
	_, err := s.connected(ctx)
	return err
}

// Permanent reports whether an error of Probe will not go away by itself.
func Permanent(err error) bool {
	switch fault.KindOf(err) {
	case fault.VaultNotFound, fault.PermissionDenied, fault.InvalidArgument:
		return true
	}
	return errors.Is(err, couch.ErrCertificate)
}

// connected waits for the first attempt to connect, and returns the session or why it failed. If the database was empty
// it checks again, because another device may have initialized it with other settings.
func (s *Store) connected(ctx context.Context) (*session, error) {
	sess, err := s.currentSession(ctx)
	if err != nil || !sess.fresh && !sess.wiped {
		return sess, err
	}
	return s.confirmSession(ctx, sess)
}

// confirmSession returns the session for the current state of the database: sess, or a new one if the database has
// changed.
func (s *Store) confirmSession(ctx context.Context, sess *session) (*session, error) {
	meta, err := s.metadata(ctx)
	if err != nil {
		return nil, databaseError(err)
	}
	remote, err := meta.remote()
	if err != nil {
		return nil, err
	}
	if !sess.matches(remote) {
		return s.nextSession(ctx, sess)
	}
	return sess, nil
}

func (s *Store) currentSession(ctx context.Context) (*session, error) {
	select {
	case <-s.firstAttempt.done:
	case <-ctx.Done():
		return nil, &fault.Error{Kind: fault.StoreUnavailable, Message: "CouchDB at " + s.opt.Couch.URL + " has not responded yet", Err: context.Cause(ctx)}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.session != nil:
		return s.session, nil
	case s.outage != nil:
		return nil, s.outage
	}
	return nil, fault.StoreUnavailable.Errorf("the store is closed")
}

// databaseError translates an error of the database for callers of the vault: a database that has vanished does not mean
// that the vault never existed.
func databaseError(err error) error {
	if errors.Is(err, fault.VaultNotFound) {
		return fault.StoreUnavailable.Errorf("the vault's database is gone: %w", err)
	}
	return err
}

var _ store.Store = (*Store)(nil)
