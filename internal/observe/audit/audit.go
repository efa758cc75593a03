// Package audit writes one line of JSON per call to an append-only file.
//
// It promises:
//   - A call that changes something does not start unless its line can be
//     written, as far as that can be known beforehand.
//   - When Write returns without an error, a durable line is on disk.
//   - A line that could not be written is queued and written before the next
//     one; lines beyond the queue's bound are counted, and the count is logged.
//   - No text in a line can pass for another line or for a terminal escape.
//   - A line has no field for note text or for secrets.
//
// Several processes may share the file, and log rotation may move it away.
// The caller says what a call did.
package audit

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"sync"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/system"
	"obsidian-mcp/internal/system/disk"
)

// patience is how long a call waits for other writers of the log.
const patience = 5 * time.Second

// Log is an audit log. A nil *Log is always ready and discards every line.
type Log struct {
	path string
	log  *slog.Logger
	now  func() time.Time
	disk disk.Disk

	turn chan struct{} // full while a goroutine uses the file
	file *os.File      // nil: not open

	mu     sync.Mutex   // guards the fields below
	queue  []queuedLine // lines that are not in the file yet, in order
	size   int          // bytes in the queue
	lost   int          // lines that the queue had no room for
	failed bool         // whether the last attempt to write failed
}

// Open returns the log in a file. The file is created on first use, readable by
// its owner only; Ready reports problems with it.
func Open(path string, log *slog.Logger) *Log {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Log{path: path, log: log, now: time.Now, turn: make(chan struct{}, 1)}
}

// Ready must be asked before a call that may change something: an error means
// that its line could not be written, so the call must not start. Ready writes
// the queued lines and, where the system can, reserves disk space for the next.
func (l *Log) Ready(ctx context.Context) error {
	if l == nil {
		return nil
	}
	err := l.use(ctx, func() error {
		if err := l.append(); err != nil {
			return err
		}
		return l.reserve()
	})
	if err == nil {
		return nil
	}
	return fault.StoreUnavailable.Errorf("the audit log cannot be written, so nothing was changed: %w", reason(err)).
		WithHint("free disk space for the audit log or correct its path, then try again; the server's log names the file")
}

// Write writes the line of a call that has ended, even if its context was
// cancelled; a durable line is on disk when Write returns. After an error the
// line stays queued and is written before the next one.
func (l *Log) Write(ctx context.Context, line Line, durable bool) error {
	if l == nil {
		return nil
	}
	text, err := line.encode(l.now)
	if err != nil {
		return fault.Internal.Errorf("encode a line of the audit log: %w", err)
	}
	l.enqueue(queuedLine{text: text, durable: durable})
	if err := l.use(context.WithoutCancel(ctx), l.append); err != nil {
		return fault.StoreUnavailable.Errorf("the audit log could not be written: %w", reason(err))
	}
	return nil
}

// Close writes the queued lines if it can, and closes the file.
func (l *Log) Close() error {
	if l == nil {
		return nil
	}
	var unwritten error
	if l.behind() {
		unwritten = l.use(context.Background(), l.append)
	}
	l.turn <- struct{}{}
	defer func() { <-l.turn }()
	return cmp.Or(unwritten, l.closeFile())
}

// use runs do while the file is open, locked, and still the one at the log's path.
func (l *Log) use(ctx context.Context, do func() error) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	select {
	case l.turn <- struct{}{}:
	case <-ctx.Done():
		return waitError(ctx)
	}
	defer func() { <-l.turn }()
	err := l.hold(ctx)
	if err == nil {
		err = do()
		system.Unlock(l.file)
	}
	l.report(err)
	return err
}

// waitError says why a wait ended: the call was cancelled, or patience ran out.
func waitError(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return ctx.Err()
	}
	return errBusy
}

// report logs once that the file cannot be written, and once that it can again.
func (l *Log) report(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case errors.Is(err, context.Canceled):
		return // says nothing about the file
	case err != nil && !l.failed:
		l.log.Error("the audit log cannot be written: changes are refused", "file", l.path, "error", reason(err))
	case err == nil && l.failed:
		l.log.Info("the audit log can be written again", "file", l.path)
	}
	l.failed = err != nil
}

// reason strips the file's path from an error: callers must not learn where the server keeps its files.
func reason(err error) error {
	if pathError, ok := errors.AsType[*fs.PathError](err); ok {
		return pathError.Err
	}
	return err
}
