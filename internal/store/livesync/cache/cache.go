// Package cache keeps the contents of a LiveSync vault's notes on disk between runs, so that they need not be downloaded
// again.
//
// It promises
//
//   - secrecy: contents reach the disk only encrypted, with a key derived from the vault's passphrase. The file reveals
//     no ids, no paths and not whose vault it is; only the number of contents and their approximate sizes;
//   - integrity: Get returns only what was Put under that id and revision. If somebody tampers with the file, contents
//     are at worst missing;
//   - not to get in the way: a file that is damaged, or belongs to another vault, passphrase or version, counts as
//     empty. When the disk is full the cache forgets, but nothing fails.
//
// The file is never changed in place. New contents go to a separate file, the delta, which lives as long as the process.
// Save writes a new file with everything that is current, and renames it. So several processes may use one cache: each
// keeps using the file that it opened, and the last Save wins.
//
// The caller decides when to save, and what is current.
package cache

import (
	"errors"
	"log/slog"
	"sync"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/system/seal"
)

// Options configure a cache.
type Options struct {
	File   string // its folder is created if needed
	Secret string // the vault's passphrase or, if it has none, the database's password
	Owner  string // identifies the database; a cache of another database is not used

	Now func() time.Time // default time.Now
	Log *slog.Logger     // default none
}

// Cache is an open cache. It is safe for use by several goroutines.
type Cache struct {
	owner string
	log   *slog.Logger

	ready  chan struct{} // closed when the fields up to broken are set
	folder *folder
	keys   *keys
	broken error // why the cache cannot be used at all, or nil

	saving sync.Mutex // held by Save and Close, the only ones that replace files

	mu     sync.RWMutex // guards the fields below; held while a file is read
	base   *recordFile  // the file as it was opened or last saved; nil if it did not exist
	delta  *recordFile  // contents put since; nil if there are none
	stale  bool         // the existing file is unusable
	off    bool         // Put does nothing any more
	closed bool
}

// Open opens a cache file, or starts a new one. It does not block: deriving the key is slow by design, and the first
// caller of another method waits for it. It returns errors for the options only; problems with the file go to the log.
func Open(o Options) (*Cache, error) { return open(o, seal.Iterations) }

func open(o Options, iterations int) (*Cache, error) {
	if o.File == "" {
		return nil, fault.InvalidArgument.Errorf("the content cache needs a file")
	}
	if o.Secret == "" {
		return nil, fault.InvalidArgument.Errorf("the content cache cannot be encrypted without a passphrase or password").
			WithHint("give the vault a passphrase, or turn the cache off")
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	c := &Cache{owner: o.Owner, log: o.Log, ready: make(chan struct{})}
	go func() {
		defer close(c.ready)
		derive := func(salt []byte) (*keys, error) { return deriveKeys(o.Secret, salt, iterations) }
		if c.broken = c.load(o.File, o.Now(), derive); c.broken != nil {
			c.log.Warn("the content cache cannot be used", "file", o.File, "error", c.broken)
		}
	}()
	return c, nil
}

// Get returns the content of a document's revision, if the cache has it intact.
func (c *Cache) Get(id, rev string) ([]byte, bool) {
	if <-c.ready; c.broken != nil {
		return nil, false
	}
	key := c.keys.name(id, rev)
	in, at, frame, err := c.read(key)
	if in == nil {
		return nil, false
	}
	if err == nil {
		var data []byte
		if data, err = c.keys.open(key, frame); err == nil {
			return data, true
		}
	}
	c.forget(key, in, at)
	return nil, false
}

// Put adds the content of a document's revision, unless the cache already has it. If that fails, a line in the log says
// so, and later calls do nothing.
func (c *Cache) Put(id, rev string, data []byte) {
	if <-c.ready; c.broken != nil {
		return
	}
	key := c.keys.name(id, rev)
	if !c.wants(key) {
		return
	}
	frame, ok := c.keys.seal(key, data)
	if !ok {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if in, _ := c.find(key); in != nil || c.off {
		return // added by another goroutine
	}
	if err := c.add(key, frame); err != nil {
		c.off = true
		c.log.Warn("the content cache accepts no more contents", "error", err)
	}
}

// Close closes the cache and removes the delta: contents put since the last Save are lost.
func (c *Cache) Close() error {
	if <-c.ready; c.broken != nil {
		return nil
	}
	c.saving.Lock()
	defer c.saving.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil
	}
	c.closed, c.off = true, true
	var err error
	if c.base != nil {
		err = c.base.file.Close()
	}
	err = errors.Join(err, c.dropDelta(), c.folder.root.Close())
	c.base = nil
	return err
}

// find locates a record. The caller holds mu.
func (c *Cache) find(key recordKey) (*recordFile, location) {
	for _, in := range []*recordFile{c.delta, c.base} {
		if in == nil {
			continue
		}
		if at, ok := in.locations[key]; ok {
			return in, at
		}
	}
	return nil, location{}
}

func (c *Cache) read(key recordKey) (in *recordFile, at location, frame []byte, err error) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if in, at = c.find(key); in != nil {
		frame, err = in.read(key, at, nil)
	}
	return in, at, frame, err
}

// forget drops a damaged record, so that its content can be put again.
func (c *Cache) forget(key recordKey, in *recordFile, damaged location) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if in.locations[key] == damaged {
		delete(in.locations, key)
	}
}

func (c *Cache) wants(key recordKey) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	in, _ := c.find(key)
	return in == nil && !c.off
}

// add appends a record to the delta, which it creates for the first one. The caller holds mu.
func (c *Cache) add(key recordKey, frame []byte) error {
	if c.delta == nil {
		delta, err := c.folder.begin()
		if err != nil {
			return err
		}
		c.delta = delta
	}
	return c.delta.append(key, frame)
}

// dropDelta removes the delta, if any. The caller holds mu.
func (c *Cache) dropDelta() error {
	if c.delta == nil {
		return nil
	}
	defer func() { c.delta = nil }()
	return c.folder.discard(c.delta)
}
