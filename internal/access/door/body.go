package door

import (
	"io"
	"net/http"
	"time"
)

// slowest is how many bytes of a body a client has to send in a second, once
// it has had its HeaderTimeout. A byte a second is somebody who wants to keep
// the connection busy.
const slowest = 1 << 10

// receive limits a request's body in size and time.
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
		incoming.whole()
		return
	}
	// For the rest of a body that nobody here reads: net/http does, at the end.
	incoming.limit(time.Now().Add(d.options.HeaderTimeout))
	// By net/http's own writer MaxBytesReader sees to it that a client which is
	// still sending gets to read the answer.
	r.Body = http.MaxBytesReader(w, incoming, d.options.MaxBody)
}

// isAmbiguous reports whether a proxy may have seen another end of a request
// than net/http, which takes no notice of a length beside a coding, nor of a
// coding in HTTP/1.0. The connection is not used again then, so that nobody's
// body becomes somebody's request.
func isAmbiguous(r *http.Request) bool {
	return len(r.TransferEncoding) > 0 || !r.ProtoAtLeast(1, 1)
}

// body is a request's body, for which a client has a time that grows with what
// it sends. The time that the handler takes between its reads does not count.
type body struct {
	io.ReadCloser
	control        *http.ResponseController
	conn           *conn // nil where the request came by no connection of ours
	grace, longest time.Duration
	until          time.Time // the client's time as it was last set
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
		b.whole()
	}
	return n, err
}

// whole notes that all of the request is here. net/http takes the limit off: it
// reads on only to notice that the client has gone.
func (b *body) whole() {
	if b.conn != nil {
		b.conn.enter(working)
	}
}

// limit gives the client some time to send, unless it has just about that.
// Where there is no deadline to be set there is no wire either.
func (b *body) limit(until time.Time) {
	if until.Sub(b.until).Abs() > b.grace/8 {
		b.until = until
		_ = b.control.SetReadDeadline(until)
	}
}
