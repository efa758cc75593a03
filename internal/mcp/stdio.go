package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Limits of a connection.
const (
	maxLine     = 4 << 20 // bytes of one message
	maxInFlight = 128     // calls; beyond it reading waits
)

// ServeStdio serves one client on a pair of streams, one message a line, until
// the input ends, the client says exit, or ctx ends. Calls in flight are
// answered first.
func (s *Server) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	followed := s.follow(ctx)
	defer func() {
		cancel()
		followed()
	}()
	lines := &lineConn{
		in: bufio.NewReaderSize(in, 64<<10), out: out, done: make(chan struct{}), ending: make(chan struct{}), lines: make(chan []byte),
		calls: map[string]*inFlight{}, asked: map[string]bool{}, settled: make(chan struct{}, 1),
		grace: s.options.CallTimeout + 5*time.Second,
	}
	go lines.readLines()
	context.AfterFunc(ctx, lines.stop)
	session, err := s.sdk.Connect(context.WithoutCancel(ctx), lines, nil)
	if err != nil {
		return err
	}
	err = session.Wait()
	if errors.Is(err, io.EOF) || errors.Is(err, sdk.ErrConnectionClosed) {
		err = nil
	}
	return errors.Join(err, lines.writeError())
}

// lineConn is a connection of one JSON-RPC message a line. The SDK's own ends
// at the first line that is not to its liking, reads lines without limit and
// drops calls in flight; this one answers, skips, and waits.
type lineConn struct {
	in    *bufio.Reader
	grace time.Duration // how long the end of input waits for calls in flight

	lines   chan []byte // from the goroutine that reads
	closing sync.Once
	done    chan struct{} // closed by Close
	halting sync.Once
	ending  chan struct{} // closed when no more messages are to be taken

	writing sync.Mutex // guards out and failed
	out     io.Writer
	failed  error

	mu      sync.Mutex // guards what follows
	calls   map[string]*inFlight
	asked   map[string]bool // our own requests that wait for an answer
	version string          // negotiated; decides whether batches are understood
	aliases int
	settled chan struct{} // gets a signal when a call is answered

	queue []*jsonrpc.Request // of a batch; used by Read alone
	exit  bool               // the client has said it; used by Read alone
}

// inFlight is a call that was accepted and not yet answered.
type inFlight struct {
	id        json.RawMessage // as the client wrote it
	method    string
	batch     *batch
	cancelled bool // by the client, who wants no answer any more
}

// Connect makes a lineConn its own transport: it serves one connection.
func (c *lineConn) Connect(context.Context) (sdk.Connection, error) { return c, nil }

// SessionID implements the SDK's connection; a process has one session.
func (c *lineConn) SessionID() string { return "" }

// Close implements the SDK's connection.
func (c *lineConn) Close() error {
	c.closing.Do(func() { close(c.done) })
	return nil
}

// stop takes no more messages.
func (c *lineConn) stop() { c.halting.Do(func() { close(c.ending) }) }

// Read gives the next message. What cannot be understood is answered here.
func (c *lineConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		if len(c.queue) > 0 {
			next := c.queue[0]
			c.queue = c.queue[1:]
			return next, nil
		}
		line, ok := c.line(ctx)
		if !ok {
			c.drain(ctx)
			return nil, io.EOF
		}
		if message := c.accept(ctx, line); message != nil {
			return message, nil
		}
	}
}

// line waits for the next line, and for room to handle it.
func (c *lineConn) line(ctx context.Context) ([]byte, bool) {
	if c.exit || !c.room(ctx) {
		return nil, false
	}
	select {
	case <-c.ending:
		return nil, false
	default:
	}
	select {
	case line, ok := <-c.lines:
		return line, ok
	case <-c.ending:
	case <-c.done:
	case <-ctx.Done():
	}
	return nil, false
}

// readLines reads until the input ends. It has a goroutine of its own, since
// nothing else can be done while a read waits.
func (c *lineConn) readLines() {
	defer close(c.lines)
	for {
		line, err := c.readLine()
		if line != nil {
			select {
			case c.lines <- line:
			case <-c.ending:
				return
			case <-c.done:
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// readLine reads one line. One that is too long is answered and skipped,
// without ever being held in memory.
func (c *lineConn) readLine() ([]byte, error) {
	line := []byte{}
	tooLong := false
	for {
		part, err := c.in.ReadSlice('\n')
		if !tooLong && len(line)+len(part) > maxLine {
			c.refuse(idOf(append(line, part...)), jsonrpc.CodeInvalidRequest, "the message is longer than 4 MiB")
			line, tooLong = nil, true
		}
		if !tooLong {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// room waits until fewer calls are in flight than are allowed.
func (c *lineConn) room(ctx context.Context) bool {
	return c.await(ctx, func() bool { return c.working() < maxInFlight })
}

// working counts the calls that will be answered by themselves; to listen goes
// on until the client ends it. The caller holds the lock.
func (c *lineConn) working() int {
	calls := 0
	for _, call := range c.calls {
		if call.method != "subscriptions/listen" {
			calls++
		}
	}
	return calls
}

// drain waits until every call that was accepted has been answered, or their
// time is over.
func (c *lineConn) drain(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, c.grace)
	defer cancel()
	c.await(ctx, func() bool { return c.working() == 0 })
}

// await waits for a condition on the calls in flight.
func (c *lineConn) await(ctx context.Context, holds func() bool) bool {
	for {
		c.mu.Lock()
		ok := holds()
		c.mu.Unlock()
		if ok {
			return true
		}
		select {
		case <-c.settled:
		case <-c.done:
			return false
		case <-ctx.Done():
			return false
		}
	}
}

// Write sends a message of the SDK.
func (c *lineConn) Write(_ context.Context, message jsonrpc.Message) error {
	switch message := message.(type) {
	case *jsonrpc.Response:
		return c.respond(message)
	case *jsonrpc.Request:
		if message.IsCall() {
			c.mu.Lock()
			c.asked[idKey(message.ID.Raw())] = true
			c.mu.Unlock()
		}
	}
	encoded, err := jsonrpc.EncodeMessage(message)
	if err != nil {
		return err
	}
	return c.send(c.unaliased(encoded))
}

// unaliased gives a message that names a call, as those about a subscription
// do, the id by which the client knows it.
func (c *lineConn) unaliased(encoded []byte) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.aliases == 0 {
		return encoded
	}
	for key, call := range c.calls {
		if strings.HasPrefix(key, `"`+aliasPrefix) {
			encoded = bytes.ReplaceAll(encoded, []byte(key), call.id)
		}
	}
	return encoded
}

// send writes one line.
func (c *lineConn) send(line []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	if c.failed != nil {
		return c.failed
	}
	if _, err := c.out.Write(append(line, '\n')); err != nil {
		c.failed = err
		c.Close()
	}
	return c.failed
}

func (c *lineConn) writeError() error {
	c.writing.Lock()
	defer c.writing.Unlock()
	return c.failed
}
