package door

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// network is a listener in memory, so that tests can run with fake time in a synctest bubble. Unlike those of net.Pipe its
// connections have buffers, addresses and a half-close, as TCP has.
type network struct {
	incoming chan net.Conn
	closing  sync.Once
	closed   chan struct{}
}

func newNetwork() *network {
	return &network{incoming: make(chan net.Conn, 2000), closed: make(chan struct{})}
}

var serverAddress = &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1065}

func (n *network) Accept() (net.Conn, error) {
	select {
	case c := <-n.incoming:
		return c, nil
	case <-n.closed:
		return nil, net.ErrClosed
	}
}

func (n *network) Close() error {
	n.closing.Do(func() { close(n.closed) })
	return nil
}

func (n *network) Addr() net.Addr { return serverAddress }

// dialFrom connects from the loopback address that ends with a byte.
func (n *network) dialFrom(last byte) (net.Conn, error) {
	client := &net.TCPAddr{IP: net.IPv4(127, 0, 0, last), Port: 40000}
	up, down := newBuffer(), newBuffer()
	select {
	case n.incoming <- &memoryConn{in: up, out: down, local: serverAddress, remote: client}:
		return &memoryConn{in: down, out: up, local: client, remote: serverAddress}, nil
	case <-n.closed:
		return nil, errors.New("connection refused")
	}
}

// memoryConn is one end of a connection.
type memoryConn struct {
	in, out       *buffer
	local, remote net.Addr
	writeBuffer   int // as it was set
}

func (c *memoryConn) Read(p []byte) (int, error)         { return c.in.read(p) }
func (c *memoryConn) Write(p []byte) (int, error)        { return c.out.write(p) }
func (c *memoryConn) LocalAddr() net.Addr                { return c.local }
func (c *memoryConn) RemoteAddr() net.Addr               { return c.remote }
func (c *memoryConn) SetReadDeadline(t time.Time) error  { return c.in.reader.set(c.in, t) }
func (c *memoryConn) SetWriteDeadline(t time.Time) error { return c.out.writer.set(c.out, t) }
func (c *memoryConn) SetWriteBuffer(bytes int) error     { c.writeBuffer = bytes; return nil }
func (c *memoryConn) CloseWrite() error                  { c.out.end(false); return nil }

func (c *memoryConn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

func (c *memoryConn) Close() error {
	c.out.end(false)
	c.in.end(true)
	return nil
}

// bufferSize is how much one end can write before the other reads.
const bufferSize = 64 << 10

// buffer is one direction of a connection.
type buffer struct {
	mu             sync.Mutex // guards what follows
	changed        *sync.Cond
	data           []byte
	ended          bool // no more will be written
	gone           bool // nobody reads any more
	reader, writer deadline
}

func newBuffer() *buffer {
	b := &buffer{}
	b.changed = sync.NewCond(&b.mu)
	return b
}

// deadline is when reading or writing ends.
type deadline struct {
	at    time.Time
	timer *time.Timer
}

func (d *deadline) set(b *buffer, at time.Time) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if d.timer != nil {
		d.timer.Stop()
	}
	d.at, d.timer = at, nil
	if !at.IsZero() {
		d.timer = time.AfterFunc(time.Until(at), func() {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.changed.Broadcast()
		})
	}
	b.changed.Broadcast()
	return nil
}

func (d *deadline) isOver() bool { return !d.at.IsZero() && !time.Now().Before(d.at) }

func (b *buffer) read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for {
		switch {
		case b.reader.isOver():
			return 0, os.ErrDeadlineExceeded
		case b.gone:
			return 0, net.ErrClosed
		case len(b.data) > 0:
			n := copy(p, b.data)
			b.data = b.data[n:]
			b.changed.Broadcast()
			return n, nil
		case b.ended:
			return 0, io.EOF
		}
		b.changed.Wait()
	}
}

func (b *buffer) write(p []byte) (written int, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for {
		switch {
		case b.writer.isOver():
			return written, os.ErrDeadlineExceeded
		case b.ended, b.gone:
			return written, net.ErrClosed
		case written == len(p):
			return written, nil
		case len(b.data) < bufferSize:
			n := min(len(p)-written, bufferSize-len(b.data))
			b.data = append(b.data, p[written:written+n]...)
			written += n
			b.changed.Broadcast()
			continue
		}
		b.changed.Wait()
	}
}

// end ends the direction, for the reader's side or the writer's.
func (b *buffer) end(reader bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if reader {
		b.gone = true
	} else {
		b.ended = true
	}
	for _, d := range []*deadline{&b.reader, &b.writer} {
		if d.timer != nil {
			d.timer.Stop()
		}
	}
	b.changed.Broadcast()
}

// bubble runs a test with fake time, and the network in memory.
func bubble(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, test)
}

// serveInMemory is serve on a network in memory.
func serveInMemory(t *testing.T, options Options, handler http.Handler) *running {
	t.Helper()
	network := newNetwork()
	return serveOn(t, options, handler, network, network)
}

// client is an HTTP client that connects from the loopback address that ends with a byte.
func (s *running) client(t *testing.T, last byte, transport *http.Transport) *http.Client {
	transport.DialContext = func(context.Context, string, string) (net.Conn, error) { return s.network.dialFrom(last) }
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}
