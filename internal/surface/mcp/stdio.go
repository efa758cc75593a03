package mcp

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
		in: bufio.NewReaderSize(in, 64<<10), out: out, calls: newCalls(), done: make(chan struct{}), ending: make(chan struct{}),
		lines: make(chan []byte), grace: s.options.CallTimeout + 5*time.Second,
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

	calls *calls
	queue []jsonrpc.Message // to be read next; used by Read alone
	exit  bool              // the client has said it; used by Read alone
	ended bool              // no more lines come; used by Read alone
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
		if !ok && !c.ended {
			c.ended = true
			for _, answer := range c.calls.unasked() {
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

// room waits until fewer calls are in flight than are allowed.
func (c *lineConn) room(ctx context.Context) bool {
	return c.calls.await(ctx, c.done, func() bool { return c.calls.working() < maxInFlight })
}

// drain waits until every call that was accepted has been answered, or their
// time is over.
func (c *lineConn) drain(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, c.grace)
	defer cancel()
	c.calls.await(ctx, c.done, func() bool { return c.calls.working() == 0 })
}

// accept takes one line and gives the message to handle, if there is one. It
// answers what is no message.
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
	return c.acceptOne(items[0], c)
}

// acceptBatch queues the messages of a batch. Whether there are batches is
// known once initialize has been answered.
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
		if message := c.acceptOne(item, collect); message != nil {
			c.queue = append(c.queue, message)
		}
	}
	_ = collect.deliver(nil, 0)
}

// acceptOne takes one message, whose answer goes to an outlet.
func (c *lineConn) acceptOne(raw json.RawMessage, to outlet) jsonrpc.Message {
	m, problem := readMessage(raw)
	if in, isBatch := to.(*batch); isBatch && (problem != nil || m.isCall()) {
		in.expect()
	}
	switch {
	case problem != nil && m.method != "" && m.id == nil:
		_ = to.deliver(nil, 0) // a notification is never answered
	case problem != nil:
		_ = to.deliver(problem.encoded(), problem.code)
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

// refuse answers what is no message.
func (c *lineConn) refuse(problem *refusal) { _ = c.send(problem.encoded()) }

// deliver implements outlet: an answer is a line.
func (c *lineConn) deliver(answer []byte, _ int64) error {
	if answer == nil {
		return nil
	}
	return c.send(answer)
}

// Write sends a message of the SDK.
func (c *lineConn) Write(_ context.Context, message jsonrpc.Message) error {
	switch message := message.(type) {
	case *jsonrpc.Response:
		return c.calls.respond(message)
	case *jsonrpc.Request:
		if message.IsCall() {
			if !c.calls.ask(message) {
				return errUndelivered
			}
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
