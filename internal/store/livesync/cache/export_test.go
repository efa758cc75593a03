package cache

import (
	"bytes"
	"io"
	"syscall"
)

// HeaderSize is where the first record begins.
const HeaderSize = headerSize

// OpenQuickly is Open with a key that costs nothing to derive.
func OpenQuickly(o Options) (*Cache, error) { return open(o, 1) }

// InMemory opens bytes as a cache's file, and gives its Get.
func InMemory(data []byte, secret, owner string) func(id, rev string) ([]byte, bool) {
	derive := func(salt []byte) (*keys, error) { return deriveKeys(secret, salt, 1) }
	c := &Cache{ready: make(chan struct{})}
	close(c.ready)
	c.base, c.keys, c.broken = readRecordFile(inMemory{bytes.NewReader(data)}, int64(len(data)), owner, derive)
	return c.Get
}

type inMemory struct{ io.ReaderAt }

func (inMemory) WriteAt([]byte, int64) (int, error) { return 0, syscall.EROFS }
func (inMemory) Sync() error                        { return nil }
func (inMemory) Close() error                       { return nil }

// FillDisk leaves so many bytes for each file that the cache makes from now
// on. The function that it gives frees the disk again.
func FillDisk(c *Cache, left int) (free func()) {
	<-c.ready
	create := c.folder.create
	c.folder.create = func(name string) (file, error) {
		made, err := create(name)
		return &limited{made, left}, err
	}
	return func() { c.folder.create = create }
}

// WhenCreating has something done before the cache makes its next files.
func WhenCreating(c *Cache, do func()) {
	<-c.ready
	create := c.folder.create
	c.folder.create = func(name string) (file, error) {
		do()
		return create(name)
	}
}

type limited struct {
	file
	left int
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
