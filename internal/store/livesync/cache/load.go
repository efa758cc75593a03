package cache

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"time"
)

// load opens the file, or takes note that there is none of use, and has the
// key made.
func (c *Cache) load(name string, now time.Time, derive deriver) error {
	in, err := openFolder(name)
	if err != nil {
		return err
	}
	in.sweep(now.Add(-leftAfter))
	c.folder = in
	c.base, c.keys, err = in.load(c.owner, derive)
	if err == nil {
		if c.base.torn {
			c.log.Info("the end of the cache of contents is damaged and not used", "file", name)
		}
		return nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		c.stale = true
		c.log.Info("the cache of contents is begun anew", "file", name, "why", err)
	}
	// A salt of our own: the one in a file of no use may be anybody's choice.
	salt := make([]byte, saltSize)
	rand.Read(salt)
	if c.keys, err = derive(salt); err != nil {
		return errors.Join(err, in.root.Close())
	}
	return nil
}

// load opens the file if it is the owner's.
func (f *folder) load(owner string, derive deriver) (*shelf, *keys, error) {
	file, size, err := f.open()
	if err != nil {
		return nil, nil, err
	}
	base, keys, err := readShelf(file, size, owner, derive)
	if err != nil {
		file.Close()
	}
	return base, keys, err
}

// readShelf reads a file's header, and where its records are.
func readShelf(from file, size int64, owner string, derive deriver) (*shelf, *keys, error) {
	header := make([]byte, headerSize)
	if _, err := from.ReadAt(header, 0); err != nil {
		return nil, nil, errForeign // it is too short, or unreadable
	}
	salt, err := saltOf(header)
	if err != nil {
		return nil, nil, err
	}
	keys, err := derive(salt)
	if err != nil {
		return nil, nil, err
	}
	if !keys.made(header, owner) {
		return nil, nil, errSealed
	}
	return scan(from, size), keys, nil
}
