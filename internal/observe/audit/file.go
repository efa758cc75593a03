package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

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
	if err := l.fault("open"); err != nil {
		return err
	}
	file, err := os.OpenFile(l.path, os.O_RDWR|os.O_APPEND|openFlags, 0)
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
	if err := cmp.Or(l.fault("mkdir"), os.MkdirAll(dir, 0o700)); err != nil {
		return nil, err
	}
	if err := l.fault("create"); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(l.path, os.O_RDWR|os.O_APPEND|os.O_CREATE|openFlags, 0o600)
	if err != nil {
		return nil, err
	}
	if err := cmp.Or(l.fault("syncdir"), system.SyncFolder(dir)); err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// check verifies the opened file, which may have been swapped since the Lstat.
func (l *Log) check(file *os.File) error {
	info, err := file.Stat()
	if err := cmp.Or(l.fault("stat"), err); err != nil {
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

// lock waits until no other process writes. It polls, because a blocking system
// call could not be cancelled.
func (l *Log) lock(ctx context.Context) error {
	for wait := time.Millisecond; ; wait = min(2*wait, 50*time.Millisecond) {
		if err := l.fault("lock"); err != nil {
			return err
		}
		held, err := system.TryLock(l.file)
		if held || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return waitError(ctx)
		case <-time.After(wait):
		}
	}
}

// isCurrent reports whether the open file is still the one at the log's path.
func (l *Log) isCurrent() (bool, error) {
	if err := l.fault("lstat"); err != nil {
		return false, err
	}
	named, err := os.Lstat(l.path)
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
