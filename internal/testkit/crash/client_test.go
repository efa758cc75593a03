package crash

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"

	"obsidian-mcp/internal/testkit/mode"
)

// client talks to the program over stdio. It expects the program to end at any time.
type client struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	lines  chan []byte // closed when the program has ended
	stderr *bytes.Buffer
	next   int
}

// errEnded means that the program ended before it answered.
var errEnded = errors.New("the program has ended")

// connect starts the program, without sending anything yet.
func (w *world) connect() *client {
	w.t.Helper()
	c := &client{cmd: w.command("stdio"), lines: make(chan []byte, 100), stderr: new(bytes.Buffer)}
	c.cmd.Stderr = c.stderr
	var err error
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		w.t.Fatal(err)
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	if err := c.cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	go func() {
		defer close(c.lines)
		reader := bufio.NewReader(out)
		for {
			line, err := reader.ReadBytes('\n')
			if err != nil {
				return // an incomplete line is not an answer
			}
			c.lines <- line
		}
	}()
	return c
}

// kill kills the program. Answers that it gave before are still read.
func (c *client) kill() { c.cmd.Process.Kill() }

// gone waits for the end of a program that was killed.
func (c *client) gone() {
	c.in.Close()
	for range c.lines {
		continue
	}
	c.cmd.Wait()
}

// initialize performs the handshake of the protocol.
func (c *client) initialize() error {
	_, err := c.request("initialize", map[string]any{
		"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "crash", "version": "1"},
	})
	if err != nil {
		return err
	}
	_, err = io.WriteString(c.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	return err
}

// answer is the answer of a tool.
type answer struct {
	IsError           bool
	Content           json.RawMessage
	StructuredContent json.RawMessage
	Meta              struct {
		ChangeID string `json:"change_id"`
	} `json:"_meta"`
}

// call calls a tool. Without an error, the tool has answered and succeeded.
func (c *client) call(tool string, arguments map[string]any) (answer, error) {
	result, err := c.request("tools/call", map[string]any{"name": tool, "arguments": arguments})
	if err != nil {
		return answer{}, err
	}
	var got answer
	if err := json.Unmarshal(result, &got); err != nil {
		return answer{}, err
	}
	if got.IsError {
		return answer{}, fmt.Errorf("%s refused: %s", tool, got.Content)
	}
	return got, nil
}

// ask calls a tool for its structured answer.
func (c *client) ask(tool string, arguments map[string]any) (json.RawMessage, error) {
	answer, err := c.call(tool, arguments)
	return answer.StructuredContent, err
}

// request sends a request and waits for its answer.
func (c *client) request(method string, params any) (json.RawMessage, error) {
	c.next++
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": c.next, "method": method, "params": params})
	if err != nil {
		return nil, err
	}
	if _, err := c.in.Write(append(line, '\n')); err != nil {
		return nil, errEnded
	}
	for {
		answer, err := c.read()
		if err != nil {
			return nil, err
		}
		if answer.ID != c.next {
			continue // a notification
		}
		if answer.Error != nil {
			return nil, fmt.Errorf("%s: %s", method, answer.Error)
		}
		return answer.Result, nil
	}
}

type message struct {
	ID            int
	Result, Error json.RawMessage
}

func (c *client) read() (message, error) {
	select {
	case line, ok := <-c.lines:
		if !ok {
			return message{}, errEnded
		}
		var answer message
		if err := json.Unmarshal(line, &answer); err != nil {
			return message{}, fmt.Errorf("stdout has a line that is not a message: %q", line)
		}
		return answer, nil
	case <-time.After(mode.Patience):
		return message{}, errors.New("no answer within a minute")
	}
}
