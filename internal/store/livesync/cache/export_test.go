package cache

import (
	"bytes"
	"io"
	"syscall"
)

// HeaderSize is the offset of the first record.
const HeaderSize = headerSize

// OpenQuickly is Open with a key that is fast to derive.
func OpenQuickly(o Options) (*Cache, error) { return open(o, 1) }

// InMemory opens data as a cache file, and returns the Get of that cache.
func InMemory(data []byte, secret, owner string) func(id, rev string) ([]byte, bool) {
	derive := func(salt []byte) (*keys, error) { return deriveKeys(secret, salt, 1) }
	c := &Cache{ready: make(chan struct{})}
	close(c.ready)
	c.base, c.keys, c.broken = readRecordFile(inMemory{bytes.NewReader(data)}, int64(len(data)), owner, derive)
	return c.Get
}

// inMemory is a read-only file in memory.
type inMemory struct{ io.ReaderAt }

func (inMemory) WriteAt([]byte, int64) (int, error) { return 0, syscall.EROFS }
func (inMemory) Sync() error                        { return nil }
func (inMemory) Close() error                       { return nil }

// FillDisk lets each file that the cache creates from now on hold left bytes. free removes the limit.
func FillDisk(c *Cache, left int) (free func()) {
	<-c.ready
	create := c.folder.create
	c.folder.create = func(name string) (file, error) {
		created, err := create(name)
		return &limited{created, left}, err
	}
	return func() { c.folder.create = create }
}

// WhenCreating calls do before the cache creates a file.
func WhenCreating(c *Cache, do func()) {
	<-c.ready
	create := c.folder.create
	c.folder.create = func(name string) (file, error) {
		do()
		return create(name)
	}
}

// limited is a file on a full disk.
type limited struct {
	file
	left int // bytes that can still be written
}

func (l *limited) WriteAt(p []byte, at int64) (int, error) {
	if len(p) > l.left {
		n, _ := l.file.WriteAt(p[:l.left], at)
		l.left = 0
		return n, syscall.ENOSPC
	}
	l.left -= len(p)
	return l.file.WriteAt(p, at)
}

// Version is the version of the file format.
const Version = version
