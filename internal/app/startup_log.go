package app

import (
	"context"
	"log/slog"
	"sync"
)

// heldLog holds back what is logged until it is known whether the program has
// started: a start that failed is told in one line, by who ends the program.
// After that it leaves out an error that is the same as the one before, since
// all who wait for a database meet its absence again and again.
type heldLog struct {
	mu      sync.Mutex // guards what follows
	decided bool
	dropped bool
	held    []func()
	last    string // the error that was told last
}

// over makes a handler that passes records on to another.
func (l *heldLog) over(next slog.Handler) slog.Handler { return heldHandler{next, l} }

// release logs what was held back.
func (l *heldLog) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.decided = true
	for _, log := range l.held {
		log()
	}
	l.held = nil
}

// drop forgets what was held back and what comes.
func (l *heldLog) drop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.decided, l.dropped, l.held = true, true, nil
}

// handle logs a record, now or later.
func (l *heldLog) handle(record slog.Record, log func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	said := errorOf(record)
	again := said != "" && said == l.last
	l.last = said
	switch {
	case again, l.dropped:
	case l.decided:
		log()
	default:
		l.held = append(l.held, log)
	}
}

// errorOf is the error that a record tells of, or "".
func errorOf(record slog.Record) (said string) {
	record.Attrs(func(attr slog.Attr) bool {
		if attr.Key == "error" {
			said = attr.Value.String()
		}
		return said == ""
	})
	return said
}

type heldHandler struct {
	slog.Handler
	log *heldLog
}

func (h heldHandler) Handle(ctx context.Context, record slog.Record) error {
	kept := record.Clone()
	h.log.handle(record, func() { _ = h.Handler.Handle(context.WithoutCancel(ctx), kept) })
	return nil
}

func (h heldHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return heldHandler{h.Handler.WithAttrs(attrs), h.log}
}

func (h heldHandler) WithGroup(name string) slog.Handler {
	return heldHandler{h.Handler.WithGroup(name), h.log}
}
