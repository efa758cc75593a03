package mcp

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"obsidian-mcp/internal/surface/mcp/transport/transporttest"
)

// withBlock is a server whose context block is easy to find.
func withBlock(block func() (string, error)) *Server {
	return newStub(Options{
		Style: Plain, CallTimeout: time.Minute, Append: true, Context: func(context.Context) (string, error) { return block() },
	})
}

func theBlock() (string, error) { return "THE BLOCK", nil }

// The last version is one without sessions: a session that requests it is given another, and is a session like others.
func TestContextBlockEndsFirstAnswerOfEachSession(t *testing.T) {
	c := transporttest.Serve(t, withBlock(theBlock), nil)
	for _, version := range []string{"2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"} {
		for range 2 {
			id := c.Begin(version)
			for i, want := range []bool{true, false} {
				status, body := c.Post(transporttest.Call(1, "echo", `{"text":"hello"}`), "Mcp-Session-Id", id)
				if status != 200 || strings.Contains(body, "THE BLOCK") != want {
					t.Errorf("%s, call %d: %d %s", version, i+1, status, body)
				}
			}
		}
	}
}

func TestContextBlockOverSSE(t *testing.T) {
	c := transporttest.Serve(t, withBlock(theBlock), nil)
	stream := c.Do("GET", "/sse", "")
	defer stream.Body.Close()
	next := transporttest.Events(stream.Body)
	endpoint, _ := next()
	c.Send("POST", endpoint.Data, transporttest.Initialize("2024-11-05"))
	c.Send("POST", endpoint.Data, transporttest.Call(1, "echo", `{"text":"hello"}`))
	if got := transporttest.Await(t, next, "hello"); !strings.Contains(got.Data, "THE BLOCK") {
		t.Errorf("%+v", got)
	}
	c.Send("POST", endpoint.Data, transporttest.Call(2, "echo", `{"text":"again"}`))
	if got := transporttest.Await(t, next, "again"); strings.Contains(got.Data, "THE BLOCK") {
		t.Errorf("%+v", got)
	}
}

// Without sessions, each client gets the block once an hour.
func TestContextBlockWithoutSessions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := transporttest.Serve(t, withBlock(theBlock), nil)
		call, headers := transporttest.Sessionless(1, "tools/call", `,"name":"echo","arguments":{"text":"hello"}`)
		nameless := strings.Replace(call, `,"io.modelcontextprotocol/clientInfo":{"name":"m","version":"1"}`, "", 1)
		for _, test := range []struct {
			name    string
			body    string
			headers []string
			wait    time.Duration
			want    bool
		}{
			{name: "the first call", body: call, want: true},
			{name: "the second call", body: call},
			{name: "another caller's first call", body: call, headers: []string{"Who", "another"}, want: true},
			{name: "the first call of a client without a name", body: nameless, want: true},
			{name: "a call after 59 minutes", body: call, wait: 59 * time.Minute},
			{name: "a call after an hour", body: call, wait: time.Minute, want: true},
		} {
			time.Sleep(test.wait)
			if status, answer := c.Post(test.body, append(headers, test.headers...)...); status != 200 || strings.Contains(answer, "THE BLOCK") != test.want {
				t.Errorf("%s: %d %s", test.name, status, answer)
			}
		}
	})
}

// An answer that could not carry the block leaves it to the next one.
func TestFailedContextBlockIsTriedAgain(t *testing.T) {
	failures := 1
	c := transporttest.Serve(t, withBlock(func() (string, error) {
		if failures > 0 {
			failures--
			return "", errors.New("not yet")
		}
		return "THE BLOCK", nil
	}), nil)
	id := c.Begin("2025-11-25")
	for i, want := range []bool{false, true, false} {
		if _, body := c.Post(transporttest.Call(1, "echo", `{"text":"x"}`), "Mcp-Session-Id", id); strings.Contains(body, "THE BLOCK") != want {
			t.Errorf("call %d: %s", i+1, body)
		}
	}
}

func TestContextClientsAreBounded(t *testing.T) {
	turns := contextTurns{now: time.Now}
	for i := range 3 * maxContextClients {
		turns.takeClient(strconv.Itoa(i))
	}
	if len(turns.clients) > maxContextClients {
		t.Errorf("%d clients are remembered", len(turns.clients))
	}
}
