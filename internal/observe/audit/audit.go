// Package audit keeps a log of every call: one line of JSON each, in a file
// that is only ever appended to.
//
// It promises that a call that changes something is not begun unless its line
// can be written, as far as that can be known beforehand; that such a line is on
// the disk when Write returns without an error; that a line that could not be
// written is kept and comes before the next, and that what could not even be kept is
// counted; and that no text in a line can be taken for another line, or for an
// order to a terminal. A line has no place for the text of a note or for a secret.
//
// Several processes may share a file, and it may be moved away to be rotated.
// What a call did is for the caller to say.
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
)

// patience is how long a call waits for others that write to the log.
const patience = 5 * time.Second

// Log is an audit log. A nil one keeps nothing, and is always ready.
type Log struct {
	path  string
	log   *slog.Logger
	now   func() time.Time
	write func(file *os.File, text []byte) (int, error)
	fault func(call string) error // stands in for a system call that fails; nil error: it does not

	turn chan struct{} // full while somebody uses the file
	file *os.File      // nil: not open

	mu     sync.Mutex // guards what follows
	kept   []kept     // lines that are not in the file yet, in order
	size   int        // bytes of them
	lost   int        // lines that were too many to keep
	failed bool       // whether the last try failed
}

// Open names the file of a log. It is made when it is first needed, closed to
// other users; problems with it are told by Ready.
func Open(path string, log *slog.Logger) *Log {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Log{
		path: path, log: log, now: time.Now, write: (*os.File).Write,
		fault: func(string) error { return nil }, turn: make(chan struct{}, 1),
	}
}

// Ready is asked before a call that may change something: an error means that
// its line could not be written, and that it must not be begun. Lines that were
// kept are written, and room for the next is set aside where the system can.
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
		WithHint("make room for the server's audit log or correct its place, then try again; the server's own log names the file")
}

// Write writes the line of a call that has ended, be its context cancelled or
// not; if durable, it is on the disk afterwards. After an error the line is
// kept to be written before the next one.
func (l *Log) Write(ctx context.Context, line Line, durable bool) error {
	if l == nil {
		return nil
	}
	text, err := line.encode(l.now)
	if err != nil {
		return fault.Internal.Errorf("a line of the audit log: %w", err)
	}
	l.keep(kept{text: text, durable: durable})
	if err := l.use(context.WithoutCancel(ctx), l.append); err != nil {
		return fault.StoreUnavailable.Errorf("the audit log could not be written: %w", reason(err))
	}
	return nil
}

// Close writes what is kept, if that is possible now, and closes the file.
func (l *Log) Close() error {
	if l == nil {
		return nil
	}
	var problem error
	if l.behind() {
		problem = l.use(context.Background(), l.append)
	}
	l.turn <- struct{}{}
	defer func() { <-l.turn }()
	return cmp.Or(problem, l.closeFile())
}

// use has the file to itself, open, locked and in its place, while do runs.
func (l *Log) use(ctx context.Context, do func() error) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	select {
	case l.turn <- struct{}{}:
	case <-ctx.Done():
		return waited(ctx)
	}
	defer func() { <-l.turn }()
	err := l.hold(ctx)
	if err == nil {
		err = do()
		system.Unlock(l.file)
	}
	l.tell(err)
	return err
}

// waited is what ended a wait: a call that was given up, or too much patience.
func waited(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return ctx.Err()
	}
	return errBusy
}

// tell logs that the file cannot be written, once, and that it can again.
func (l *Log) tell(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case errors.Is(err, context.Canceled):
		return // that says nothing of the file
	case err != nil && !l.failed:
		l.log.Error("the audit log cannot be written: changes are refused", "file", l.path, "error", reason(err))
	case err == nil && l.failed:
		l.log.Info("the audit log is written again", "file", l.path)
	}
	l.failed = err != nil
}

// reason is an error without the file's place, which is the server's alone.
func reason(err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return at.Err
	}
	return err
}
