package door

import (
	"io"
	"net/http"
	"time"
)

// slowest is how many bytes of a body a client has to send per second after the HeaderTimeout. A client that sends a byte
// per second only wants to keep the connection busy.
const slowest = 1 << 10

// receive limits the size of a request's body, and the time it may take.
func (d *Door) receive(out *answer) {
	r, w := out.request, out.ResponseWriter
	incoming := &body{
		ReadCloser: r.Body, control: http.NewResponseController(w),
		grace: d.options.HeaderTimeout, longest: d.options.ReadTimeout,
	}
	incoming.conn, _ = connOf(r)
	if isAmbiguous(r) {
		out.Header().Set("Connection", "close")
	}
	if r.Body == nil || r.Body == http.NoBody {
		incoming.complete()
		return
	}
	// For the rest of a body that no handler reads: net/http reads it at the end.
	incoming.limit(time.Now().Add(d.options.HeaderTimeout))
	// With net/http's own writer, MaxBytesReader makes sure that a client that is still sending can read the answer.
	r.Body = http.MaxBytesReader(w, incoming, d.options.MaxBody)
}

// isAmbiguous reports whether a proxy may disagree with net/http about where a request ends: net/http ignores a length
// next to a transfer coding, and a transfer coding in HTTP/1.0. Such a connection is not reused, so that one client's body
// cannot become another's request.
func isAmbiguous(r *http.Request) bool {
	return len(r.TransferEncoding) > 0 || !r.ProtoAtLeast(1, 1)
}

// body is a request's body. The client's time grows with what it sends; the time that the handler takes between reads does
// not count.
type body struct {
	io.ReadCloser
	control        *http.ResponseController
	conn           *conn // nil if the request did not come over one of our connections
	grace, longest time.Duration
	until          time.Time // the deadline as it was last set
	waited         time.Duration
	got            int64
	ended          bool
}

// Read reads as long as the client keeps up.
func (b *body) Read(into []byte) (int, error) {
	if b.ended {
		return b.ReadCloser.Read(into)
	}
	began := time.Now()
	earned := b.grace + time.Duration(b.got)*time.Second/slowest
	b.limit(began.Add(min(earned, b.longest) - b.waited))
	n, err := b.ReadCloser.Read(into)
	b.waited += time.Since(began)
	b.got += int64(n)
	if err == io.EOF {
		b.ended = true
		b.complete()
	}
	return n, err
}

// complete notes that the request has arrived completely. net/http removes the deadline: it reads on only to notice that
// the client has disconnected.
func (b *body) complete() {
	if b.conn != nil {
		b.conn.enter(working)
	}
}

// limit sets the deadline for the next read, unless it hardly changes. It ignores a writer without deadlines, because that
// has no network either.
func (b *body) limit(until time.Time) {
	if until.Sub(b.until).Abs() > b.grace/8 {
		b.until = until
		_ = b.control.SetReadDeadline(until)
	}
}
