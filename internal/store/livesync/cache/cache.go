// Package cache keeps the contents of a LiveSync vault's notes from one start
// to the next, so that they need not be downloaded again.
//
// It promises secrecy: the disk gets contents only sealed, with a key that is
// made of the vault's passphrase, and shows neither ids nor paths nor whose
// vault it is; only how many contents there are, and about how large. It
// promises truth: what Get gives was Put under that very id and revision, and
// whatever was done to the file since is at worst a content that is not there.
// And it promises to be in nobody's way: a file that is damaged, of another
// vault, another passphrase or another version is as good as none, and a disk
// that is full makes it forgetful, not faulty.
//
// The file is never changed in place. What is new goes to a file of its own,
// the delta, which ends with the process; Save writes a file that holds all
// that is current, and renames it. So several processes may use one file: each
// goes on with the one that it has opened, and the last Save wins.
//
// When to save, and what is current, is left to the caller.
package cache

import (
	"errors"
	"log/slog"
	"sync"
	"time"

	"obsidian-mcp/internal/fault"
)

// Options say where a cache is, and whose.
type Options struct {
	File   string // its folder is made where there is none
	Secret string // the vault's passphrase or, where it has none, the database's password
	Owner  string // which database it is of: a cache of another one is not used

	Now func() time.Time // time.Now
	Log *slog.Logger     // nothing
}

// Cache is an open cache. It is safe for use by several goroutines.
type Cache struct {
	owner string
	log   *slog.Logger

	ready  chan struct{} // closed when the fields up to broken are set
	folder *folder
	keys   *keys
	broken error // why there is no cache at all; nil

	saving sync.Mutex // held by Save and Close, who alone replace files

	mu     sync.RWMutex // guards what follows, and is held while a file is read
	base   *shelf       // the file as it was opened or last saved; nil: none
	delta  *shelf       // what was put since; nil: nothing
	stale  bool         // the file that is there is of no use
	off    bool         // nothing can be put any more
	closed bool
}

// Open opens the cache in a file, or begins one. It does not wait: the key is
// slow to derive, by design, and who asks first waits for it. Errors are of the
// options alone; what is wrong with the file is in the log.
func Open(o Options) (*Cache, error) { return open(o, iterations) }

func open(o Options, iterations int) (*Cache, error) {
	if o.File == "" {
		return nil, fault.InvalidArgument.Errorf("the cache of contents has no file")
	}
	if o.Secret == "" {
		return nil, fault.InvalidArgument.Errorf("the cache of contents cannot be sealed without a passphrase or password").
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
			c.log.Warn("no contents are kept for the next start", "file", o.File, "error", c.broken)
		}
	}()
	return c, nil
}

// Get gives the content of a document's revision, if it is there unharmed.
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

// Put keeps the content of a document's revision. What is there already is
// left as it is, and what cannot be kept is not: the log says so once.
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
		return // another was faster
	}
	if err := c.add(key, frame); err != nil {
		c.off = true
		c.log.Warn("no more contents are kept for the next start", "error", err)
	}
}

// Close ends the cache and removes the delta: what was put since the last Save
// is forgotten.
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

// find says where a record is. The caller holds mu.
func (c *Cache) find(key recordKey) (*shelf, place) {
	for _, in := range []*shelf{c.delta, c.base} {
		if in == nil {
			continue
		}
		if at, ok := in.places[key]; ok {
			return in, at
		}
	}
	return nil, place{}
}

func (c *Cache) read(key recordKey) (in *shelf, at place, frame []byte, err error) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if in, at = c.find(key); in != nil {
		frame, err = in.read(key, at, nil)
	}
	return in, at, frame, err
}

// forget makes room for a record in the place of one that is damaged.
func (c *Cache) forget(key recordKey, in *shelf, damaged place) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if in.places[key] == damaged {
		delete(in.places, key)
	}
}

func (c *Cache) wants(key recordKey) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	in, _ := c.find(key)
	return in == nil && !c.off
}

// add appends a record to the delta, which begins with the first. The caller
// holds mu.
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

// dropDelta removes the delta, if there is one. The caller holds mu.
func (c *Cache) dropDelta() error {
	if c.delta == nil {
		return nil
	}
	defer func() { c.delta = nil }()
	return c.folder.discard(c.delta)
}
