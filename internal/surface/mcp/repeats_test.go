package mcp

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"obsidian-mcp/internal/surface/mcp/transport"
	"obsidian-mcp/internal/surface/mcp/transport/transporttest"
	"obsidian-mcp/internal/tool"
)

// writer counts what its tool writes.
type writer struct{ written atomic.Int32 }

type writeText struct {
	Text string `json:"text" jsonschema:"what to write"`
	Wait string `json:"wait" jsonschema:"how long to take: a duration, or until the call is cancelled" default:"0s"`
	Fail bool   `json:"fail" jsonschema:"write nothing if the call is cancelled" default:"false"`
}

// write writes even if the call is cancelled while it waits, as a commit that has begun does.
func (w *writer) write(ctx context.Context, in writeText) (tool.Text, error) {
	if in.Wait == "cancel" {
		<-ctx.Done()
	} else if wait, _ := time.ParseDuration(in.Wait); wait > 0 {
		time.Sleep(wait)
	}
	if in.Fail && ctx.Err() != nil {
		return tool.Text{}, ctx.Err()
	}
	return tool.Text{Text: fmt.Sprintf("write number %d", w.written.Add(1))}, nil
}

func newWriter() (*writer, *Server) {
	w := new(writer)
	tools := tool.Bind(w, []tool.Definition[*writer]{tool.New(tool.Spec{Name: "write", Effect: tool.Adds, About: "Writes."}, (*writer).write)})
	return w, New(Options{Style: Plain, CallTimeout: time.Hour, Tools: tool.NewRegistry(tools), Log: slog.New(slog.DiscardHandler)})
}

// expectWrites checks how often was written, and whether an answer says that it repeats an earlier one.
func (w *writer) expectWrites(t *testing.T, answer string, number int, repeats bool) {
	t.Helper()
	if !strings.Contains(answer, fmt.Sprintf("write number %d", number)) || strings.Contains(answer, `"repeated":true`) != repeats {
		t.Errorf("the answer is %s; want that to write %d, repeated: %v", answer, number, repeats)
	}
	if got := int(w.written.Load()); got != number {
		t.Errorf("it was written %d times, want %d", got, number)
	}
}

const untilCancelled = `{"text":"x","wait":"cancel"}`

func TestCancelledWriteIsNotRepeatedOnStdio(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, server := newWriter()
		send, read, end := serveLines(t, server)
		defer end()
		send(transporttest.Call(1, "write", untilCancelled))
		synctest.Wait()
		send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
		send(transporttest.Call(2, "write", `{ "wait":"cancel", "text":"x" }`))
		w.expectWrites(t, read(), 1, true)
		send(transporttest.Call(3, "write", `{"text":"y"}`))
		w.expectWrites(t, read(), 2, false)
	})
}

// TestDroppedWriteIsNotRepeated: over HTTP, whether the client is cut off before the answer or while events announce it,
// in a session, in the next session, and without sessions.
func TestDroppedWriteIsNotRepeated(t *testing.T) {
	for _, wait := range []string{"cancel", "2s"} {
		for _, next := range []string{"same session", "new session", "no session"} {
			t.Run(wait+" "+next, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w, server := newWriter()
					client := transporttest.Serve(t, server, nil)
					call := transporttest.Call(1, "write", `{"text":"x","wait":"`+wait+`"}`)
					var headers []string
					if next == "no session" {
						call, headers = transporttest.Sessionless(1, "tools/call", `,"name":"write","arguments":{"text":"x","wait":"`+wait+`"}`)
					} else {
						headers = []string{"Mcp-Session-Id", client.Begin("2025-11-25")}
					}
					ctx, drop := context.WithTimeout(t.Context(), time.Second)
					defer drop()
					if answer, err := client.Try(ctx, "POST", "/mcp", call, headers...); err == nil {
						buffer := make([]byte, 1<<10)
						for err == nil {
							_, err = answer.Body.Read(buffer)
						}
						answer.Body.Close()
					}
					time.Sleep(time.Minute)
					if next == "new session" {
						headers = []string{"Mcp-Session-Id", client.Begin("2025-11-25")}
					}
					_, body := client.Post(call, headers...)
					w.expectWrites(t, body, 1, true)
				})
			})
		}
	}
}

// TestWritesThatAreNotRepeats: whoever received the answer, waits for it, is somebody else, or comes back late, writes.
func TestWritesThatAreNotRepeats(t *testing.T) {
	call := transporttest.Call(1, "write", `{"text":"x","wait":"1s"}`)
	drop := func(client *transporttest.Client, headers ...string) {
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		defer cancel()
		if answer, err := client.Try(ctx, "POST", "/mcp", call, headers...); err == nil {
			answer.Body.Close()
		}
		time.Sleep(2 * time.Second)
	}
	for name, second := range map[string]func(client *transporttest.Client, session string) string{
		"received": func(client *transporttest.Client, session string) string {
			client.Post(call, "Mcp-Session-Id", session)
			_, body := client.Post(call, "Mcp-Session-Id", session)
			return body
		},
		"in parallel": func(client *transporttest.Client, session string) string {
			go client.Post(call, "Mcp-Session-Id", session)
			time.Sleep(time.Millisecond)
			_, body := client.Post(call, "Mcp-Session-Id", session)
			return body
		},
		"another token": func(client *transporttest.Client, session string) string {
			drop(client, "Mcp-Session-Id", session)
			_, body := client.Post(call, "Who", "else", "Mcp-Session-Id", client.Begin("2025-11-25", "Who", "else"))
			return body
		},
		"another client": func(client *transporttest.Client, session string) string {
			drop(client, "Mcp-Session-Id", session)
			other := client.BeginWith(strings.Replace(transporttest.Initialize("2025-11-25"), `"name":"t"`, `"name":"u"`, 1))
			_, body := client.Post(call, "Mcp-Session-Id", other)
			return body
		},
		"after ten minutes": func(client *transporttest.Client, session string) string {
			drop(client, "Mcp-Session-Id", session)
			time.Sleep(10 * time.Minute)
			_, body := client.Post(call, "Mcp-Session-Id", session)
			return body
		},
		"other arguments": func(client *transporttest.Client, session string) string {
			drop(client, "Mcp-Session-Id", session)
			_, body := client.Post(transporttest.Call(2, "write", `{"text":"other"}`), "Mcp-Session-Id", session)
			return body
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, server := newWriter()
				client := transporttest.Serve(t, server, nil)
				body := second(client, client.Begin("2025-11-25"))
				synctest.Wait()
				w.expectWrites(t, body, 2, false)
			})
		})
	}
}

// TestWriteThatFailedIsMade: a write that was cancelled in time is made when it is repeated.
func TestWriteThatFailedIsMade(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, server := newWriter()
		send, read, end := serveLines(t, server)
		defer end()
		call := `{"text":"x","wait":"1s","fail":true}`
		send(transporttest.Call(1, "write", call))
		synctest.Wait()
		send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
		send(transporttest.Call(2, "write", call))
		w.expectWrites(t, read(), 1, false)
	})
}

// TestRememberedWritesAreBounded: clients that never read their answers do not fill the memory.
func TestRememberedWritesAreBounded(t *testing.T) {
	r := repeats{writes: map[string]*write{}}
	for i := range maxWrites {
		r.writes[fmt.Sprint(i)] = &write{ctx: t.Context(), receipt: new(transport.Receipt), done: make(chan struct{})}
	}
	if own, earlier := r.begin(t.Context(), "new"); own == nil || earlier != nil || len(r.writes) > maxWrites || r.writes["new"] != own {
		t.Errorf("%d writes are remembered", len(r.writes))
	}
}
