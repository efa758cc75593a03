package app

import (
	"context"
	"log/slog"
	"sync"
)

// heldLog holds records back until it is known whether the program has started. If the start fails, they are dropped:
// the error is reported once, by the caller that exits. After a successful start it leaves out an error that is the same
// as the one before, because everything that needs the database reports its absence again and again.
type heldLog struct {
	mu        sync.Mutex // guards the fields below
	decided   bool       // the start has succeeded or failed
	failed    bool
	held      []func() // write the records that were held back
	lastError string   // of the last record; "" if it had none
}

// over makes a handler that passes records on to another.
func (l *heldLog) over(next slog.Handler) slog.Handler { return heldHandler{next, l} }

// release writes the records that were held back, and lets all later ones through.
func (l *heldLog) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.decided = true
	for _, write := range l.held {
		write()
	}
	l.held = nil
}

// drop discards the records that were held back, and all later ones.
func (l *heldLog) drop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.decided, l.failed, l.held = true, true, nil
}

// handle writes a record, now or on release.
func (l *heldLog) handle(record slog.Record, write func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	text := errorOf(record)
	repeated := text != "" && text == l.lastError
	l.lastError = text
	switch {
	case repeated, l.failed:
	case l.decided:
		write()
	default:
		l.held = append(l.held, write)
	}
}

// errorOf is the attribute "error" of a record, or "".
func errorOf(record slog.Record) (text string) {
	record.Attrs(func(attr slog.Attr) bool {
		if attr.Key == "error" {
			text = attr.Value.String()
		}
		return text == ""
	})
	return text
}

// heldHandler is a slog.Handler that writes to another as a heldLog allows.
type heldHandler struct {
	next slog.Handler
	log  *heldLog
}

func (h heldHandler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.next.Enabled(ctx, level)
}

func (h heldHandler) Handle(ctx context.Context, record slog.Record) error {
	clone := record.Clone()
	h.log.handle(record, func() { _ = h.next.Handle(context.WithoutCancel(ctx), clone) })
	return nil
}

func (h heldHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return heldHandler{h.next.WithAttrs(attrs), h.log}
}

func (h heldHandler) WithGroup(name string) slog.Handler {
	return heldHandler{h.next.WithGroup(name), h.log}
}
