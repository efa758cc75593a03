package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"obsidian-mcp/internal/system"
)

var (
	errBusy       = errors.New("timed out waiting for other processes that write to it")
	errNotRegular = errors.New("it is not a regular file")
)

// hold opens the file unless it is open, and locks it. If log rotation moved the
// open file away, hold creates a new one.
func (l *Log) hold(ctx context.Context) error {
	for ctx.Err() == nil {
		if err := l.open(); err != nil {
			return err
		}
		if err := l.lock(ctx); err != nil {
			return err
		}
		current, err := l.isCurrent()
		if current {
			return nil
		}
		if err = cmp.Or(err, l.closeFile()); err != nil {
			return err
		}
	}
	return waitError(ctx)
}

// open opens the file. It refuses anything but a regular file before opening it:
// opening a pipe or a device may block or have effects, and in a folder that
// others can write to, a symbolic link would lead to a file of their choice.
func (l *Log) open() error {
	if l.file != nil {
		return nil
	}
	if info, err := os.Lstat(l.path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%w (%s)", errNotRegular, info.Mode().Type())
	}
	file, err := l.openFile("open", 0)
	if errors.Is(err, fs.ErrNotExist) {
		file, err = l.create()
	}
	if err != nil {
		return err
	}
	if err := l.check(file); err != nil {
		file.Close()
		return err
	}
	l.file = file
	return nil
}

// create creates the file and syncs its folder, so that the name survives a power cut.
func (l *Log) create() (*os.File, error) {
	dir := filepath.Dir(l.path)
	if err := l.disk.Run("mkdir", func() error { return os.MkdirAll(dir, 0o700) }); err != nil {
		return nil, err
	}
	file, err := l.openFile("create", os.O_CREATE)
	if err != nil {
		return nil, err
	}
	if err := l.disk.Run("syncdir", func() error { return system.SyncFolder(dir) }); err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

func (l *Log) openFile(kind string, flags int) (file *os.File, err error) {
	err = l.disk.Run(kind, func() error {
		return system.Patiently(func() (err error) {
			file, err = system.OpenFile(l.path, os.O_RDWR|os.O_APPEND|openFlags|flags, 0o600)
			return err
		})
	})
	return file, err
}

// check verifies the opened file, which may have been swapped since the Lstat.
func (l *Log) check(file *os.File) error {
	var info fs.FileInfo
	err := l.disk.Run("stat", func() (err error) {
		info, err = file.Stat()
		return err
	})
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errNotRegular
	}
	if writable := info.Mode().Perm() & othersWrite; writable != 0 {
		l.log.Warn("other users may write to the audit log", "file", l.path, "mode", info.Mode().Perm())
	}
	return nil
}

// lock waits until no other process writes.
func (l *Log) lock(ctx context.Context) error {
	err := l.disk.Run("lock", func() error { return system.Lock(ctx, l.file) })
	if err != nil && ctx.Err() != nil {
		return waitError(ctx)
	}
	return err
}

// isCurrent reports whether the open file is still the one at the log's path.
func (l *Log) isCurrent() (bool, error) {
	var named fs.FileInfo
	err := l.disk.Run("lstat", func() (err error) {
		named, err = os.Lstat(l.path)
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	opened, err := l.file.Stat()
	return err == nil && os.SameFile(named, opened), err
}

func (l *Log) closeFile() error {
	if l.file == nil {
		return nil
	}
	file := l.file
	l.file = nil
	return file.Close()
}
