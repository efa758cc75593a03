package cache

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"time"
)

// load opens the file, or notes that it is unusable, and derives the keys.
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
			c.log.Info("the end of the content cache is damaged and ignored", "file", name)
		}
		return nil
	}
	if errors.Is(err, errNewer) {
		return errors.Join(err, in.root.Close())
	}
	if !errors.Is(err, fs.ErrNotExist) {
		c.stale = true
		c.log.Info("starting a new content cache", "file", name, "why", err)
	}
	// Use a new salt: anybody may have chosen the one in an unusable file.
	salt := make([]byte, saltSize)
	rand.Read(salt)
	if c.keys, err = derive(salt); err != nil {
		return errors.Join(err, in.root.Close())
	}
	return nil
}

// load opens the file if it is the owner's.
func (f *folder) load(owner string, derive deriver) (*recordFile, *keys, error) {
	file, size, err := f.open()
	if err != nil {
		return nil, nil, err
	}
	base, keys, err := readRecordFile(file, size, owner, derive)
	if err != nil {
		file.Close()
	}
	return base, keys, err
}

// readRecordFile reads a file's header, and locates its records.
func readRecordFile(from file, size int64, owner string, derive deriver) (*recordFile, *keys, error) {
	header := make([]byte, headerSize)
	if n, err := from.ReadAt(header, 0); err != nil && !isNewer(header[:n]) {
		return nil, nil, errForeign // too short, or unreadable
	}
	salt, err := saltOf(header)
	if err != nil {
		return nil, nil, err
	}
	keys, err := derive(salt)
	if err != nil {
		return nil, nil, err
	}
	if !keys.verify(header, owner) {
		return nil, nil, errSealed
	}
	return scan(from, size), keys, nil
}
