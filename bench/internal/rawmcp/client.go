package rawmcp

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strconv"
)

// Era is one of the two ways in which MCP is spoken over HTTP.
type Era string

const (
	Sessions    Era = "2025-11-25" // initialize, then a session id with every request
	Sessionless Era = "2026-07-28" // every request is complete by itself
)

// Message is a request of the protocol.
type Message struct {
	Method string
	Name   string // of the tool, the prompt or the resource, if any
	Params string // the members of params, without the braces
}

// CallTool returns the call of a tool with its arguments as JSON.
func CallTool(name, arguments string) Message {
	return Message{"tools/call", name, `"name":` + strconv.Quote(name) + `,"arguments":` + arguments}
}

// Client is a client of a server, on a connection of its own.
type Client struct {
	Conn    *Conn
	Path    string // such as /mcp
	Era     Era
	Session string // the session ID, once there is one
	next    int
	body    []byte
}

// Connect returns a client; in the era of sessions it opens one.
func Connect(addr, path string, era Era) (*Client, error) {
	conn, err := Dial(addr)
	if err != nil {
		return nil, err
	}
	client := &Client{Conn: conn, Path: path, Era: era}
	if era == Sessions {
		err = client.Begin()
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return client, nil
}

const (
	accept   = "Accept: application/json, text/event-stream\r\n"
	initial  = `"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"httpbench","version":"1"}`
	everyone = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"httpbench","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
)

// Begin opens a session: initialize and initialized.
func (c *Client) Begin() error {
	c.Session = ""
	answer, err := c.Call(Message{Method: "initialize", Params: initial})
	if err != nil {
		return err
	}
	if answer.Session == "" {
		return fmt.Errorf("initialize gave no session: %s", answer.Body)
	}
	c.Session = answer.Session
	return c.Notify(Message{Method: "notifications/initialized"})
}

// End ends the session.
func (c *Client) End() error {
	answer, err := c.Conn.Do(Request{Method: "DELETE", Path: c.Path, Header: c.header(Message{})})
	if err == nil && answer.Status/100 != 2 {
		err = fmt.Errorf("DELETE: status %d: %.200s", answer.Status, answer.Body)
	}
	return err
}

// Call makes a call and waits for its result. Anything else is an error: a status other than 200, and errors of the
// protocol or the tool.
func (c *Client) Call(message Message) (Answer, error) {
	answer, err := c.Conn.Do(c.request(message))
	if err != nil {
		return answer, err
	}
	return answer, CheckResult(message, answer)
}

// Start sends a call and does not wait for the answer.
func (c *Client) Start(message Message) error { return c.Conn.Send(c.request(message)) }

// Last returns the id of the latest call.
func (c *Client) Last() int { return c.next }

// CheckResult returns an error if an answer is not a result.
func CheckResult(message Message, answer Answer) error {
	if answer.Status != 200 || !bytes.Contains(answer.Body, []byte(`"result":`)) || bytes.Contains(answer.Body, []byte(`"isError":true`)) {
		return fmt.Errorf("%s %s: status %d: %.300s", message.Method, message.Name, answer.Status, answer.Body)
	}
	return nil
}

// Notify sends a notification.
func (c *Client) Notify(message Message) error {
	body := append(c.body[:0], `{"jsonrpc":"2.0","method":"`...)
	c.body = c.members(body, message)
	answer, err := c.Conn.Do(Request{Method: "POST", Path: c.Path, Header: c.header(message), Body: c.body})
	if err == nil && answer.Status/100 != 2 {
		err = fmt.Errorf("%s: status %d: %.200s", message.Method, answer.Status, answer.Body)
	}
	return err
}

func (c *Client) request(message Message) Request {
	c.next++
	body := append(c.body[:0], `{"jsonrpc":"2.0","id":`...)
	body = strconv.AppendInt(body, int64(c.next), 10)
	body = append(body, `,"method":"`...)
	c.body = c.members(body, message)
	return Request{Method: "POST", Path: c.Path, Header: c.header(message), Body: c.body}
}

// members completes a message with the method's name and its parameters.
func (c *Client) members(body []byte, message Message) []byte {
	body = append(body, message.Method...)
	body = append(body, `","params":{`...)
	if c.Era == Sessionless {
		body = append(body, everyone...)
		if message.Params != "" {
			body = append(body, ',')
		}
	}
	body = append(body, message.Params...)
	return append(body, "}}"...)
}

// header returns the header lines that the era requires.
func (c *Client) header(message Message) string {
	lines := accept
	if c.Era == Sessionless {
		lines += "Mcp-Protocol-Version: " + string(Sessionless) + "\r\nMcp-Method: " + message.Method + "\r\n"
		if message.Name != "" {
			lines += "Mcp-Name: " + headerValue(message.Name) + "\r\n"
		}
		return lines
	}
	if c.Session != "" {
		lines += "Mcp-Protocol-Version: " + string(Sessions) + "\r\nMcp-Session-Id: " + c.Session + "\r\n"
	}
	return lines
}

// headerValue encodes a name for a header.
func headerValue(name string) string {
	for i := range len(name) {
		if name[i] < ' ' || name[i] > '~' {
			return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(name)) + "?="
		}
	}
	return name
}
