package door

import (
	"net/http"
	"strings"
	"time"
)

// piece is how much of an answer the client has to read within one WriteTimeout, so that a long answer may take long as
// long as it is read.
const piece = 64 << 10

// answer is a ResponseWriter that limits the time for each piece, and remembers what was answered. It hides nothing:
// http.ResponseController finds what is below through Unwrap.
type answer struct {
	http.ResponseWriter
	request  *http.Request
	patience time.Duration
	began    time.Time
	status   int // 0 until the answer begins
	written  int64
	until    time.Time // the deadline for the current piece
	ownTime  bool      // the handler sets the deadlines of its writes itself
}

// Unwrap is for http.ResponseController.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// WriteHeader begins the answer.
func (a *answer) WriteHeader(status int) {
	if a.status == 0 && status >= 200 {
		a.status = status
		if strings.HasPrefix(a.Header().Get("Content-Type"), "text/event-stream") {
			a.stream()
		}
	}
	a.ResponseWriter.WriteHeader(status)
}

// stream prepares an answer that is a stream of events: no proxy may hold events back to cache, collect or compress them.
func (a *answer) stream() {
	a.Header().Set("X-Accel-Buffering", "no")
	a.Header().Set("Cache-Control", "no-store, no-transform")
	if c, ok := connOf(a.request); ok && a.request.Method == http.MethodGet {
		c.enter(streaming)
	}
}

// Write limits the time for each piece.
func (a *answer) Write(data []byte) (int, error) {
	if a.status == 0 {
		a.WriteHeader(http.StatusOK)
	}
	written := 0
	for {
		next := data[written:min(len(data), written+piece)]
		a.allow()
		n, err := a.ResponseWriter.Write(next)
		written += n
		a.written += int64(n)
		if err != nil || written == len(data) {
			return written, err
		}
	}
}

// Flush implements http.Flusher.
func (a *answer) Flush() { _ = a.FlushError() }

// FlushError is for http.ResponseController.
func (a *answer) FlushError() error {
	if a.status == 0 {
		a.WriteHeader(http.StatusOK)
	}
	a.allow()
	return http.NewResponseController(a.ResponseWriter).Flush()
}

// SetWriteDeadline is for http.ResponseController. From then on the handler's own deadlines apply.
func (a *answer) SetWriteDeadline(deadline time.Time) error {
	a.ownTime = true
	return http.NewResponseController(a.ResponseWriter).SetWriteDeadline(deadline)
}

func (a *answer) allow() {
	if !a.ownTime {
		a.renew()
	}
}

// renew gives the client a WriteTimeout from now, unless it still has most of one. It also covers what net/http sends
// after the handler, whose last write may be long ago. It ignores a writer without deadlines, such as a recorder, because
// that has no network either.
func (a *answer) renew() {
	wanted := time.Now().Add(a.patience)
	if a.ownTime || wanted.Sub(a.until) > a.patience/8 {
		a.until = wanted
		_ = http.NewResponseController(a.ResponseWriter).SetWriteDeadline(wanted)
	}
}

func connOf(r *http.Request) (*conn, bool) {
	c, ok := r.Context().Value(connKey{}).(*conn)
	return c, ok
}
