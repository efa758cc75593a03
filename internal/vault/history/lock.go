package history

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/system"
)

const (
	lockName     = "lock"
	lockPatience = 20 * time.Second
)

var (
	errClosed = errors.New("the history is closed")
	errBusy   = errors.New("timed out waiting for another process that is recording a change")
)

// writer has the right to append to the log and to prune it, exclusive among all
// processes, until it is released.
type writer struct {
	history *History
	folder  *folder
	locked  *os.File
}

// write waits until nobody else writes.
func (h *History) write(ctx context.Context) (*writer, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, lockPatience, errBusy)
	defer cancel()
	select {
	case h.writing <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	w, err := h.lock(ctx)
	if err != nil {
		<-h.writing
	}
	return w, err
}

func (w *writer) release() {
	w.locked.Close()
	w.folder.close()
	<-w.history.writing
}

// lock keeps other processes from writing. If the folder or the lock file was removed
// meanwhile, the lock excludes nobody: lock tries again.
func (h *History) lock(ctx context.Context) (*writer, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	var w *writer
	err := system.AwaitLock(ctx, func() (held bool, err error) {
		if err := h.disk.makeFolder(h.o.Dir); err != nil {
			return false, err
		}
		if w, err = h.tryLock(); errors.Is(err, fs.ErrNotExist) {
			err = nil // somebody is removing the folder
		}
		return w != nil, err
	})
	return w, err
}

// tryLock returns nil if it must be tried again.
func (h *History) tryLock() (*writer, error) {
	in, err := os.OpenRoot(h.o.Dir)
	if err != nil {
		return nil, err
	}
	file, err := h.disk.openLock(in)
	if err != nil {
		in.Close()
		return nil, err
	}
	held, err := system.TryLock(file)
	if err == nil && held {
		held, err = h.stillThere(in, file)
	}
	var at *folder
	if err == nil && held {
		at, err = h.list(in)
	}
	if err != nil || !held {
		file.Close()
		in.Close()
		return nil, err
	}
	return &writer{history: h, folder: at, locked: file}, nil
}

// stillThere reports whether the locked file is the one that other processes would lock.
func (h *History) stillThere(in *os.Root, file *os.File) (bool, error) {
	mine, err1 := file.Stat()
	theirs, err2 := in.Stat(lockName)
	here, err3 := in.Stat(".")
	there, err4 := os.Stat(h.o.Dir)
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return false, err
	}
	return os.SameFile(mine, theirs) && os.SameFile(here, there), nil
}

// withoutPath keeps the machine's paths out of messages.
func withoutPath(err error) error {
	if pathError, ok := errors.AsType[*fs.PathError](err); ok {
		return pathError.Err
	}
	return err
}

// cannotRead is the error for a history that cannot be read.
func cannotRead(err error) error {
	return fault.StoreUnavailable.Errorf("the history cannot be read: %w", withoutPath(err)).
		WithHint("make the state folder readable, or move it with OBSIDIAN_MCP_STATE_DIR")
}
