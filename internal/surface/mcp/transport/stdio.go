package transport

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Limits of a connection on stdio.
const (
	MaxInFlight = 128     // calls; beyond it reading waits
	maxLine     = 4 << 20 // bytes of one message
)

// Stdio is a pair of streams with one client, one message per line.
type Stdio struct {
	In    io.Reader
	Out   io.Writer
	Grace time.Duration // how long calls in flight may take to finish when the input ends
}

// Serve serves the client until the input ends, the client sends exit, or ctx ends. It answers calls in flight first.
func (s Stdio) Serve(ctx context.Context, server Server) error {
	ctx, cancel := context.WithCancel(ctx)
	stopped := server.Follow(ctx)
	defer func() {
		cancel()
		stopped()
	}()
	conn := newLineConn(s)
	go conn.readLines()
	context.AfterFunc(ctx, conn.stop)
	session, err := server.Connect(context.WithoutCancel(ctx), conn)
	if err != nil {
		return err
	}
	err = session.Wait()
	if errors.Is(err, io.EOF) || errors.Is(err, sdk.ErrConnectionClosed) {
		err = nil
	}
	return errors.Join(err, conn.writeError())
}

// lineConn is a connection with one JSON-RPC message per line. The SDK's own ends at the first malformed line, reads
// lines of any length and drops calls in flight; this one answers malformed lines, skips overlong ones and drains.
type lineConn struct {
	in    *bufio.Reader
	grace time.Duration

	lines   chan []byte // from the goroutine that reads
	closing sync.Once
	done    chan struct{} // closed by Close
	halting sync.Once
	ending  chan struct{} // closed when no more messages are accepted

	writing sync.Mutex // guards out and failed
	out     io.Writer
	failed  error

	calls *calls

	// Used by Read only.
	queue []jsonrpc.Message // to be read next
	exit  bool              // the client has sent exit
	ended bool              // no more lines will come
}

func newLineConn(s Stdio) *lineConn {
	return &lineConn{
		in: bufio.NewReaderSize(s.In, 64<<10), out: s.Out, calls: newCalls(), grace: s.Grace,
		done: make(chan struct{}), ending: make(chan struct{}), lines: make(chan []byte),
	}
}

// Connect makes a lineConn its own transport: it serves one connection.
func (c *lineConn) Connect(context.Context) (sdk.Connection, error) { return c, nil }

// SessionID implements the SDK's connection. A process has one session, without an id.
func (c *lineConn) SessionID() string { return "" }

// Close implements the SDK's connection.
func (c *lineConn) Close() error {
	c.closing.Do(func() { close(c.done) })
	return nil
}

// stop accepts no more messages.
func (c *lineConn) stop() { c.halting.Do(func() { close(c.ending) }) }

// Read returns the next message. Read itself answers lines that are not messages.
func (c *lineConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		if len(c.queue) > 0 {
			next := c.queue[0]
			c.queue = c.queue[1:]
			return next, nil
		}
		line, ok := c.line(ctx)
		if !ok && !c.ended {
			c.ended = true
			for _, answer := range c.calls.stopAsking() {
				c.queue = append(c.queue, answer)
			}
			continue
		}
		if !ok {
			c.drain(ctx)
			return nil, io.EOF
		}
		if message := c.accept(ctx, line); message != nil {
			return message, nil
		}
	}
}

// line waits for the next line, and until there is room to handle it.
func (c *lineConn) line(ctx context.Context) ([]byte, bool) {
	if c.exit || !c.hasRoom(ctx) {
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

// readLines reads until the input ends. It runs in its own goroutine because a read cannot be interrupted.
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

// readLine reads one line. It refuses and skips an overlong line without holding it in memory.
func (c *lineConn) readLine() ([]byte, error) {
	line := []byte{}
	tooLong := false
	for {
		part, err := c.in.ReadSlice('\n')
		if !tooLong && len(line)+len(part) > maxLine {
			c.refuse(&refusal{idOf(append(line, part...)), jsonrpc.CodeInvalidRequest, "the message is longer than 4 MiB"})
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

// hasRoom waits until fewer than MaxInFlight calls are in flight.
func (c *lineConn) hasRoom(ctx context.Context) bool {
	return c.calls.await(ctx, c.done, func() bool { return c.calls.working() < MaxInFlight })
}

// drain waits until every accepted call has been answered, or the grace period is over.
func (c *lineConn) drain(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, c.grace)
	defer cancel()
	c.calls.await(ctx, c.done, func() bool { return c.calls.working() == 0 })
}

// accept takes one line and returns the message to handle, if any. It answers lines that are not messages.
func (c *lineConn) accept(ctx context.Context, line []byte) jsonrpc.Message {
	line = bytes.Trim(line, jsonSpace)
	if len(line) == 0 {
		return nil
	}
	items, isBatch, problem := splitMessages(line)
	switch {
	case problem != nil:
		c.refuse(problem)
		return nil
	case isBatch:
		c.acceptBatch(ctx, items)
		return nil
	}
	return c.acceptMessage(items[0], c)
}

// acceptBatch queues the messages of a batch. It waits for the answer to initialize, which decides whether the
// session understands batches.
func (c *lineConn) acceptBatch(ctx context.Context, items []json.RawMessage) {
	understood := false
	c.calls.await(ctx, c.done, func() bool {
		understood = c.calls.version == batchVersion
		for _, call := range c.calls.open {
			if call.method == "initialize" {
				return false
			}
		}
		return true
	})
	if len(items) == 0 || !understood {
		c.refuse(invalid(nil, noBatches))
		return
	}
	collect := newBatch(c)
	for _, item := range items {
		if message := c.acceptMessage(item, collect); message != nil {
			c.queue = append(c.queue, message)
		}
	}
	_ = collect.deliver(nil, 0, nil)
}

// acceptMessage takes one message, whose answer goes to an outlet.
func (c *lineConn) acceptMessage(raw json.RawMessage, to outlet) jsonrpc.Message {
	m, problem := readMessage(raw)
	if in, isBatch := to.(*batch); isBatch && (problem != nil || m.isCall()) {
		in.expect()
	}
	switch {
	case problem != nil && m.method != "" && m.id == nil:
		_ = to.deliver(nil, 0, nil) // a notification is never answered
	case problem != nil:
		_ = to.deliver(problem.encoded(), problem.code, nil)
	case m.isCall():
		return c.calls.begin(m, to)
	case m.isAnswer():
		if response := c.calls.answered(m); response != nil {
			return response
		}
	case m.method == "exit":
		c.exit = true
	default:
		if request := c.calls.notification(m); request != nil {
			return request
		}
	}
	return nil
}

// refuse answers a line that is not a message.
func (c *lineConn) refuse(problem *refusal) { _ = c.send(problem.encoded()) }

// deliver implements outlet: an answer is a line.
func (c *lineConn) deliver(answer []byte, _ int64, receipt *Receipt) error {
	if answer == nil {
		receipt.settle(false)
		return nil
	}
	err := c.send(answer)
	receipt.settle(err == nil)
	return err
}

// Write sends a message of the SDK.
func (c *lineConn) Write(_ context.Context, message jsonrpc.Message) error {
	switch message := message.(type) {
	case *jsonrpc.Response:
		return c.calls.respond(message)
	case *jsonrpc.Request:
		if message.IsCall() && !c.calls.ask(message) {
			return errUndelivered
		}
	}
	encoded, err := jsonrpc.EncodeMessage(message)
	if err != nil {
		return err
	}
	return c.send(c.calls.unaliased(encoded))
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
