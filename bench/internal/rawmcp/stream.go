package rawmcp

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http/httputil"
	"net/url"
	"strings"
	"time"
)

// Stream is an open stream of events, on a connection of its own.
type Stream struct {
	conn  *Conn
	lines *bufio.Reader
}

// Event is an event of a stream.
type Event struct{ ID, Name, Data string }

// Open opens a stream of events with a GET. Unless lastID is empty, it asks again for what came after that event.
func Open(addr, path, header, lastID string) (*Stream, error) {
	conn, err := Dial(addr)
	if err != nil {
		return nil, err
	}
	header += "Accept: text/event-stream\r\n"
	if lastID != "" {
		header += "Last-Event-ID: " + lastID + "\r\n"
	}
	stream := &Stream{conn: conn}
	if err := stream.begin(Request{Method: "GET", Path: path, Header: header}); err != nil {
		conn.Close()
		return nil, err
	}
	return stream, nil
}

// StatusError reports a stream that was refused.
type StatusError struct {
	Status int
	Text   string
}

func (e *StatusError) Error() string { return e.Text }

// Listen opens the stream of a session.
func (c *Client) Listen(lastID string) (*Stream, error) {
	header := "Mcp-Protocol-Version: " + string(Sessions) + "\r\nMcp-Session-Id: " + c.Session + "\r\n"
	return Open(c.Conn.addr, c.Path, header, lastID)
}

func (s *Stream) begin(request Request) error {
	if err := s.conn.Send(request); err != nil {
		return err
	}
	head, err := s.conn.readHead()
	if err != nil {
		return err
	}
	if head.status != 200 || !head.events {
		body, _ := s.conn.readBody(head, nil)
		return &StatusError{Status: head.status, Text: fmt.Sprintf("GET %s: status %d: %.200s", request.Path, head.status, body)}
	}
	var body io.Reader = s.conn.in
	if head.chunked {
		body = httputil.NewChunkedReader(body)
	}
	s.lines = bufio.NewReaderSize(body, 1<<10)
	return nil
}

// Next waits for an event that has data.
func (s *Stream) Next(longest time.Duration) (Event, error) {
	_ = s.conn.conn.SetDeadline(time.Now().Add(longest))
	var event Event
	for {
		line, err := s.lines.ReadString('\n')
		if err != nil {
			return event, err
		}
		line = strings.TrimRight(line, "\r\n")
		label, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch label {
		case "id":
			event.ID = value
		case "event":
			event.Name = value
		case "data":
			event.Data += value
		case "":
			if line == "" && event.Data != "" {
				return event, nil
			}
		}
	}
}

// Close drops the stream.
func (s *Stream) Close() { s.conn.Close() }

// OldClient is a client of the previous transport: answers come on a stream, and requests are posted on another
// connection.
type OldClient struct {
	stream *Stream
	conn   *Conn
	path   string // where to post
	next   int
}

// ConnectOld opens the stream, which names the path to post to, and opens a session.
func ConnectOld(addr, path string) (*OldClient, error) {
	stream, err := Open(addr, path, "", "")
	if err != nil {
		return nil, err
	}
	client := &OldClient{stream: stream}
	if err := client.begin(addr, path); err != nil {
		client.Close()
		return nil, err
	}
	return client, nil
}

func (c *OldClient) begin(addr, path string) error {
	endpoint, err := c.stream.Next(patience)
	if err != nil {
		return err
	}
	if endpoint.Name != "endpoint" {
		return fmt.Errorf("the stream began with %+v", endpoint)
	}
	base := &url.URL{Scheme: "http", Host: addr, Path: path}
	where, err := base.Parse(endpoint.Data)
	if err != nil {
		return err
	}
	c.path = where.RequestURI()
	if c.conn, err = Dial(addr); err != nil {
		return err
	}
	if _, err = c.Call(Message{Method: "initialize", Params: strings.Replace(initial, string(Sessions), "2024-11-05", 1)}); err != nil {
		return err
	}
	return c.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

// Call makes a call and waits for its result on the stream.
func (c *OldClient) Call(message Message) (Answer, error) {
	c.next++
	id := fmt.Sprintf(`"id":%d`, c.next)
	if err := c.post(`{"jsonrpc":"2.0",` + id + `,"method":"` + message.Method + `","params":{` + message.Params + `}}`); err != nil {
		return Answer{}, err
	}
	for {
		event, err := c.stream.Next(patience)
		if err != nil {
			return Answer{}, err
		}
		answer := Answer{Status: 200, Body: []byte(event.Data)}
		if bytes.Contains(answer.Body, []byte(id)) {
			return answer, CheckResult(message, answer)
		}
	}
}

func (c *OldClient) post(body string) error {
	answer, err := c.conn.Do(Request{Method: "POST", Path: c.path, Body: []byte(body)})
	if err == nil && answer.Status/100 != 2 {
		err = fmt.Errorf("POST %s: status %d: %.200s", c.path, answer.Status, answer.Body)
	}
	return err
}

// Close drops both connections, which ends the session.
func (c *OldClient) Close() {
	c.stream.Close()
	if c.conn != nil {
		c.conn.Close()
	}
}
