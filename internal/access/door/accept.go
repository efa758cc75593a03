package door

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// How connections beyond the limits wait, and are refused.
const (
	maxWaiting  = 256                    // at a time; further ones are closed without an answer
	waitingTime = time.Second            // until a connection that waits is refused
	retryEvery  = 20 * time.Millisecond  // how often it is tried again
	refusalTime = 500 * time.Millisecond // for the client to read the refusal
)

// limitedListener accepts connections as long as there is room for them.
type limitedListener struct {
	raw      net.Listener
	door     *Door
	accepted chan net.Conn
	failed   chan error    // why no more connections come; holds one
	closed   chan struct{} // closed by Close
	closing  sync.Once
	waiting  chan struct{} // holds an item for each connection that waits or is being refused
	running  sync.WaitGroup
}

func (d *Door) limit(raw net.Listener) *limitedListener {
	l := &limitedListener{
		raw: raw, door: d, accepted: make(chan net.Conn), failed: make(chan error, 1),
		closed: make(chan struct{}), waiting: make(chan struct{}, maxWaiting),
	}
	l.running.Go(l.acceptAll)
	return l
}

// Accept returns the next connection for which there is room.
func (l *limitedListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.accepted:
		return c, nil
	case err := <-l.failed:
		l.failed <- err // for the next call
		return nil, err
	}
}

// Addr returns the address that is listened on.
func (l *limitedListener) Addr() net.Addr { return l.raw.Addr() }

// Close accepts no more connections.
func (l *limitedListener) Close() error {
	l.closing.Do(func() { close(l.closed) })
	return l.raw.Close()
}

// acceptAll accepts connections until the listener fails or is closed.
func (l *limitedListener) acceptAll() {
	for {
		raw, err := l.raw.Accept()
		if err != nil {
			l.failed <- err
			return
		}
		limitWriteBuffer(raw)
		if c, refused := l.door.connections.admit(raw); refused == "" {
			l.hand(c)
		} else {
			l.hold(raw, refused)
		}
	}
}

// writeBuffer is how much of an answer the system may buffer.
const writeBuffer = 4 * piece

// limitWriteBuffer keeps the system from buffering megabytes of an answer: our next write would wait until a third of
// them is read, which can take a slow but honest reader longer than a WriteTimeout.
func limitWriteBuffer(raw net.Conn) {
	if tcp, ok := raw.(interface{ SetWriteBuffer(int) error }); ok {
		_ = tcp.SetWriteBuffer(writeBuffer) // if that fails, the system chooses
	}
}

// hand gives a connection to the server.
func (l *limitedListener) hand(c net.Conn) {
	select {
	case l.accepted <- c:
	case <-l.closed:
		c.Close()
	}
}

// hold lets a connection wait for room, without waiting itself. If many wait already, it closes the connection.
func (l *limitedListener) hold(raw net.Conn, refused string) {
	select {
	case l.waiting <- struct{}{}:
	default:
		l.report(raw, refused)
		raw.Close()
		return
	}
	l.running.Go(func() {
		defer func() { <-l.waiting }()
		c, refused := l.await(raw, refused)
		if refused == "" {
			l.hand(c)
			return
		}
		l.report(raw, refused)
		refuseConnection(raw, refused)
	})
}

// await tries to admit a connection again and again, for a while.
func (l *limitedListener) await(raw net.Conn, refused string) (c *conn, still string) {
	retry := time.NewTicker(retryEvery)
	defer retry.Stop()
	for until := time.Now().Add(waitingTime); refused != "" && time.Now().Before(until); {
		select {
		case <-retry.C:
			c, refused = l.door.connections.admit(raw)
		case <-l.closed:
			return nil, refused
		}
	}
	return c, refused
}

// report counts and logs a connection that was refused.
func (l *limitedListener) report(raw net.Conn, refused string) {
	l.door.options.Meter.Refused(refused)
	l.door.log.refused("connection", "reason", refused, "address", clean(raw.RemoteAddr().String()))
}

// refuseConnection tells a client that there is no room, and closes the connection.
func refuseConnection(raw net.Conn, reason string) {
	defer raw.Close()
	raw.SetDeadline(time.Now().Add(refusalTime))
	if _, err := io.WriteString(raw, refusalAnswer(reason)); err != nil || closeWrite(raw) != nil {
		return
	}
	// Closing with unread bytes would discard the answer.
	io.CopyN(io.Discard, raw, 64<<10)
}

func refusalAnswer(reason string) string {
	status, text := http.StatusServiceUnavailable, "too many connections"
	if reason == RefusedAddress {
		status, text = http.StatusTooManyRequests, "too many connections from your address"
	}
	body := errorBody(errorCode(status), text)
	return fmt.Sprintf("HTTP/1.1 %d %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\nRetry-After: 1\r\n"+
		"Cache-Control: no-store\r\nConnection: close\r\n\r\n%s", status, http.StatusText(status), len(body), body)
}
