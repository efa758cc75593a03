package transport_test

import (
	"bufio"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"obsidian-mcp/internal/surface/mcp/transport"
	. "obsidian-mcp/internal/surface/mcp/transport/transporttest"
)

// lineClient is a client on stdio.
type lineClient struct {
	t     *testing.T
	to    *io.PipeWriter
	lines *bufio.Reader
	done  chan error
}

// serveLines serves the stub on stdio, and initializes the session.
func serveLines(t *testing.T, server transport.Server, initialize string) *lineClient {
	t.Helper()
	in, to := io.Pipe()
	from, out := io.Pipe()
	c := &lineClient{t: t, to: to, lines: bufio.NewReader(from), done: make(chan error, 1)}
	go func() {
		c.done <- transport.Stdio{In: in, Out: out, Grace: time.Minute}.Serve(t.Context(), server)
		out.Close()
	}()
	c.send(initialize)
	c.read()
	c.send(Initialized)
	return c
}

func (c *lineClient) send(line string) { io.WriteString(c.to, line+"\n") }

func (c *lineClient) read() string {
	c.t.Helper()
	line, err := c.lines.ReadString('\n')
	if err != nil {
		c.t.Fatal(err)
	}
	return line
}

// rest ends the input and returns what is still answered.
func (c *lineClient) rest() string {
	c.t.Helper()
	c.to.Close()
	all, _ := io.ReadAll(c.lines)
	if err := <-c.done; err != nil {
		c.t.Error(err)
	}
	return string(all)
}

func TestCancellationStopsCallOnStdio(t *testing.T) {
	for _, id := range []string{"1", `"one"`, "99999999999999999999"} {
		synctest.Test(t, func(t *testing.T) {
			c := serveLines(t, newStub(), Initialize("2025-11-25"))
			c.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"waits"}}`)
			synctest.Wait()
			begun := time.Now()
			c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`)
			if rest := c.rest(); rest != "" || time.Since(begun) != 0 {
				t.Errorf("id %s: after %v: %q", id, time.Since(begun), rest)
			}
		})
	}
}

// The input ends while a call is in flight: it is answered first.
func TestEndOfInputDrains(t *testing.T) {
	for _, end := range []string{`{"jsonrpc":"2.0","method":"exit"}`, ""} {
		synctest.Test(t, func(t *testing.T) {
			server := newStub()
			c := serveLines(t, server, Initialize("2025-11-25"))
			c.send(Call(7, "waits", "{}"))
			c.send(end)
			time.AfterFunc(30*time.Second, func() { close(server.block) })
			if rest := c.rest(); !strings.Contains(rest, `"id":7,"result"`) || !strings.Contains(rest, "done") {
				t.Errorf("%q: %s", end, rest)
			}
		})
	}
}

// A call that never ends is waited for only so long.
func TestDrainingEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := serveLines(t, newStub(), Initialize("2025-11-25"))
		c.send(Call(7, "waits", "{}"))
		synctest.Wait()
		begun := time.Now()
		c.rest()
		if waited := time.Since(begun); waited != time.Minute {
			t.Errorf("waited %v", waited)
		}
	})
}

// A question that nobody can answer any more does not hold up the end, and its call is answered.
func TestEndWhilePersonIsAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := serveLines(t, newStub(), InitializeAsking("2025-11-25"))
		c.send(Call(1, "asks", "{}"))
		if line := c.read(); !strings.Contains(line, "elicitation/create") {
			t.Fatalf("%s", line)
		}
		begun := time.Now()
		if rest := c.rest(); !strings.Contains(rest, `"id":1`) {
			t.Errorf("the call is answered by %q", rest)
		}
		if waited := time.Since(begun); waited != 0 {
			t.Errorf("the end took %v", waited)
		}
	})
}

func TestOverlongLineIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := serveLines(t, newStub(), Initialize("2025-11-25"))
		go c.send(`{"jsonrpc":"2.0","id":5,"method":"ping","params":{"x":"` + strings.Repeat("x", 5<<20) + `"}}`)
		if line := c.read(); !strings.Contains(line, `"id":5`) || !strings.Contains(line, "-32600") {
			t.Errorf("%s", line)
		}
		c.send(`{"jsonrpc":"2.0","id":6,"method":"ping"}`)
		if line := c.read(); !strings.Contains(line, `"id":6`) {
			t.Errorf("%s", line)
		}
		c.rest()
	})
}
