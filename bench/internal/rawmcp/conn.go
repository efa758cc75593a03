// Package rawmcp speaks MCP over HTTP with as little work of its own as possible, so that what it measures is the
// server. It uses neither an MCP library nor net/http: requests are written as bytes to a persistent connection,
// and answers are read with a single buffer, whether they come as JSON or as a stream of events. It checks that an
// answer is a result, and leaves its meaning to the caller.
package rawmcp

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"strconv"
	"time"
)

// Conn is a connection to a server, for a single caller at a time.
type Conn struct {
	addr string
	conn net.Conn
	in   *bufio.Reader
	out  []byte
	body []byte
}

// patience is how long a server may take for anything.
const patience = 60 * time.Second

// Dial connects to a host and port.
func Dial(addr string) (*Conn, error) {
	conn, err := net.DialTimeout("tcp", addr, patience)
	if err != nil {
		return nil, err
	}
	return &Conn{addr: addr, conn: conn, in: bufio.NewReaderSize(conn, 8<<10)}, nil
}

// Close drops the connection, even if an exchange is under way.
func (c *Conn) Close() { c.conn.Close() }

// Request is an HTTP request.
type Request struct {
	Method string
	Path   string
	Header string // whole lines, each with its \r\n
	Body   []byte
}

// Answer is what came back.
type Answer struct {
	Status  int
	Session string // Mcp-Session-Id
	Body    []byte // JSON, or the data of the last event; valid until the next request
}

// Do sends a request and reads the whole answer.
func (c *Conn) Do(request Request) (Answer, error) {
	err := c.Send(request)
	var answer Answer
	if err == nil {
		answer, err = c.Receive()
	}
	if err != nil {
		err = fmt.Errorf("%s %s: %w", request.Method, request.Path, err)
	}
	return answer, err
}

// Receive reads the whole answer to a request that was sent.
func (c *Conn) Receive() (Answer, error) {
	head, err := c.readHead()
	if err != nil {
		return Answer{}, err
	}
	if c.body, err = c.readBody(head, c.body[:0]); err != nil {
		return Answer{}, err
	}
	answer := Answer{Status: head.status, Session: head.session, Body: c.body}
	if head.events {
		answer.Body = lastData(c.body)
	}
	return answer, nil
}

// Send sends a request and does not wait for the answer.
func (c *Conn) Send(request Request) error {
	c.out = append(c.out[:0], request.Method...)
	c.out = append(c.out, ' ')
	c.out = append(c.out, request.Path...)
	c.out = append(c.out, " HTTP/1.1\r\nHost: "...)
	c.out = append(c.out, c.addr...)
	c.out = append(c.out, "\r\n"...)
	c.out = append(c.out, request.Header...)
	if request.Body != nil {
		c.out = append(c.out, "Content-Type: application/json\r\nContent-Length: "...)
		c.out = strconv.AppendInt(c.out, int64(len(request.Body)), 10)
		c.out = append(c.out, "\r\n"...)
	}
	c.out = append(c.out, "\r\n"...)
	c.out = append(c.out, request.Body...)
	_ = c.conn.SetDeadline(time.Now().Add(patience))
	_, err := c.conn.Write(c.out)
	return err
}

// head is the part of an answer's head that matters.
type head struct {
	status  int
	length  int // -1: unknown
	chunked bool
	events  bool
	session string
}

func (c *Conn) readHead() (head, error) {
	found := head{length: -1}
	line, err := c.line()
	if err != nil {
		return found, err
	}
	if len(line) < 12 || !bytes.HasPrefix(line, []byte("HTTP/1.1 ")) {
		return found, fmt.Errorf("not an HTTP answer: %q", line)
	}
	found.status, _ = strconv.Atoi(string(line[9:12]))
	for {
		line, err := c.line()
		if err != nil || len(line) == 0 {
			return found, err
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		found.set(name, bytes.TrimSpace(value))
	}
}

func (h *head) set(name, value []byte) {
	switch {
	case bytes.EqualFold(name, []byte("Content-Length")):
		h.length, _ = strconv.Atoi(string(value))
	case bytes.EqualFold(name, []byte("Transfer-Encoding")):
		h.chunked = bytes.EqualFold(value, []byte("chunked"))
	case bytes.EqualFold(name, []byte("Content-Type")):
		h.events = bytes.HasPrefix(value, []byte("text/event-stream"))
	case bytes.EqualFold(name, []byte("Mcp-Session-Id")):
		h.session = string(value)
	}
}

// line returns the next line without its end; valid until the next read.
func (c *Conn) line() ([]byte, error) {
	line, err := c.in.ReadSlice('\n')
	return bytes.TrimRight(line, "\r\n"), err
}

func (c *Conn) readBody(head head, into []byte) ([]byte, error) {
	switch {
	case head.status == 204 || head.status == 304:
		return into, nil
	case head.chunked:
		return c.readChunks(into)
	case head.length >= 0:
		return c.readExactly(into, head.length)
	}
	rest, err := io.ReadAll(c.in) // until the server closes
	return append(into, rest...), err
}

func (c *Conn) readChunks(into []byte) ([]byte, error) {
	for {
		line, err := c.line()
		if err != nil {
			return into, err
		}
		size, err := strconv.ParseInt(string(line), 16, 32)
		if err != nil {
			return into, fmt.Errorf("not a chunk size: %q", line)
		}
		if into, err = c.readExactly(into, int(size)); err != nil {
			return into, err
		}
		if _, err := c.line(); err != nil || size == 0 {
			return into, err
		}
	}
}

func (c *Conn) readExactly(into []byte, size int) ([]byte, error) {
	start := len(into)
	if cap(into) < start+size {
		into = append(make([]byte, 0, 2*(start+size)), into...)
	}
	into = into[:start+size]
	_, err := io.ReadFull(c.in, into[start:])
	return into, err
}

// lastData returns the data of the last event of a stream. Earlier events are notifications that belong to a call.
func lastData(stream []byte) []byte {
	label := []byte("data:")
	at := bytes.LastIndex(stream, append([]byte("\n"), label...)) + 1
	if at == 0 && !bytes.HasPrefix(stream, label) {
		return nil
	}
	data, _, _ := bytes.Cut(stream[at+len(label):], []byte("\n"))
	return bytes.TrimSpace(data)
}
