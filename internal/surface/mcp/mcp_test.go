package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/surface/mcp/transport"
	"obsidian-mcp/internal/surface/mcp/transport/transporttest"
	"obsidian-mcp/internal/tool"
)

// stub is what the tools of these tests work on.
type stub struct{}

type nothing struct{}

type echo struct {
	Text string `json:"text" jsonschema:"what to say"`
}

var stubTools = []tool.Definition[stub]{
	tool.New(tool.Spec{Name: "panics", About: "Panics."}, func(stub, context.Context, nothing) (tool.Text, error) { panic("secret reason") }),
	tool.New(tool.Spec{Name: "fails", About: "Fails."}, func(stub, context.Context, nothing) (tool.Text, error) {
		return tool.Text{}, errors.New("secret reason")
	}),
	tool.New(tool.Spec{Name: "waits", About: "Waits."}, func(_ stub, ctx context.Context, _ nothing) (tool.Text, error) {
		<-ctx.Done()
		return tool.Text{}, ctx.Err()
	}),
	tool.New(tool.Spec{Name: "asks", About: "Asks."}, func(stub, context.Context, nothing) (tool.Text, error) {
		return tool.Text{}, fault.InvalidArgument.Errorf("%w", &tool.NeedsConfirm{Notes: 1000})
	}),
	tool.New(tool.Spec{Name: "echo", About: "Echoes."}, func(_ stub, _ context.Context, in echo) (tool.Text, error) {
		return tool.Text{Text: in.Text}, nil
	}),
}

// newStub returns a server with the stub's tools.
func newStub(options Options) *Server {
	options.Tools = tool.NewRegistry(tool.Bind(stub{}, stubTools))
	options.Log = slog.New(slog.DiscardHandler)
	return New(options)
}

// serveStub serves the stub's tools on stdio, and returns the client's ends.
func serveStub(t *testing.T, options Options) (send func(string), read func() string, end func() error) {
	t.Helper()
	return serveLines(t, newStub(options))
}

// serveLines serves a server on stdio, and returns the ends of a client that has a session.
func serveLines(t *testing.T, server *Server) (send func(string), read func() string, end func() error) {
	t.Helper()
	send, read, end = serveRaw(t, server)
	send(transporttest.Initialize("2025-11-25"))
	read()
	send(transporttest.Initialized)
	return send, read, end
}

// serveRaw serves a server on stdio, and returns the client's ends.
func serveRaw(t *testing.T, server *Server) (send func(string), read func() string, end func() error) {
	t.Helper()
	in, inWriter := io.Pipe()
	outReader, out := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- transport.Stdio{In: in, Out: out, Grace: time.Minute}.Serve(t.Context(), server)
		out.Close()
	}()
	lines := bufio.NewReader(outReader)
	send = func(line string) { io.WriteString(inWriter, line+"\n") }
	read = func() string {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		return line
	}
	end = func() error {
		inWriter.Close()
		go io.Copy(io.Discard, lines)
		return <-done
	}
	return send, read, end
}

// idIn returns the id of a message.
func idIn(t *testing.T, line string) string {
	t.Helper()
	var message struct{ ID json.RawMessage }
	if err := json.Unmarshal([]byte(line), &message); err != nil {
		t.Fatal(err)
	}
	return string(message.ID)
}

func TestPanicsAndUnknownErrorsRevealNothing(t *testing.T) {
	send, read, end := serveStub(t, Options{Style: Plain, CallTimeout: time.Minute})
	for _, name := range []string{"panics", "fails"} {
		send(transporttest.Call(1, name, "{}"))
		if answer := read(); !strings.Contains(answer, `"isError":true`) || strings.Contains(answer, "secret") {
			t.Errorf("%s: %s", name, answer)
		}
	}
	send(transporttest.Call(2, "echo", `{"text":"still here"}`))
	if answer := read(); !strings.Contains(answer, "still here") {
		t.Errorf("%s", answer)
	}
	if err := end(); err != nil {
		t.Error(err)
	}
}

func TestCallsTimeOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		send, read, end := serveStub(t, Options{Style: Contract, CallTimeout: time.Minute})
		begun := time.Now()
		send(transporttest.Call(1, "waits", "{}"))
		if answer := read(); !strings.Contains(answer, `"code":-32006`) || !strings.Contains(answer, `"errorCode":"TIMEOUT"`) {
			t.Errorf("%s", answer)
		}
		if took := time.Since(begun); took != time.Minute {
			t.Errorf("the call took %v", took)
		}
		if err := end(); err != nil {
			t.Error(err)
		}
	})
}

func TestProgressGrows(t *testing.T) {
	send, read, end := serveStub(t, Options{Style: Plain, CallTimeout: time.Minute, Progress: func(ctx context.Context, report func(int64)) context.Context {
		for _, files := range []int64{10, 10, 5, 20} {
			report(files)
		}
		return ctx
	}})
	send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"x"},"_meta":{"progressToken":"p"}}}`)
	first, second, answer := read(), read(), read()
	if !strings.Contains(first, `"progress":10`) || !strings.Contains(first, `"progressToken":"p"`) ||
		!strings.Contains(second, `"progress":20`) || !strings.Contains(answer, `"id":1`) {
		t.Errorf("%s%s%s", first, second, answer)
	}
	if err := end(); err != nil {
		t.Error(err)
	}
}

// TestEveryKindHasACode checks the contract's table.
func TestEveryKindHasACode(t *testing.T) {
	want := map[fault.Kind]int64{
		fault.Internal: -32000, fault.ObsidianNotRunning: -32001, fault.VaultNotFound: -32002, fault.NotFound: -32003,
		fault.AmbiguousName: -32004, fault.PermissionDenied: -32005, fault.Timeout: -32006, fault.InvalidArgument: -32602,
		fault.TagNotAllowed: -32602, fault.AlreadyExists: -32000, fault.Conflict: -32000, fault.StoreUnavailable: -32000, fault.RateLimited: -32000,
	}
	for _, kind := range fault.Kinds() {
		if code := contractCode(kind); code == 0 || code != want[kind] {
			t.Errorf("%s has the code %d, want %d", kind.Code(), code, want[kind])
		}
	}
}

func TestErrorsAreRenderedByStyle(t *testing.T) {
	err := fault.NotFound.Errorf("it is gone").WithHint("look elsewhere")
	plain := &Server{options: Options{Style: Plain}}
	result, problem := plain.failure(tool.Answer{}, err)
	if problem != nil || !result.IsError {
		t.Errorf("plain: %+v, %v", result, problem)
	}
	contract := &Server{options: Options{Style: Contract}}
	if _, problem := contract.failure(tool.Answer{}, err); problem == nil || problem.Error() != "it is gone (look elsewhere)" {
		t.Errorf("contract: %v", problem)
	}
}

// A client whose user cannot be asked gets the sentence that tells it to confirm.
func TestUnaskableClientIsToldToConfirm(t *testing.T) {
	c := transporttest.Serve(t, newStub(Options{Style: Plain, CallTimeout: time.Minute}), nil)
	id := c.BeginWith(transporttest.InitializeAsking("2025-11-25"))
	c.HTTP.Stop()
	if _, body := c.Post(transporttest.Call(1, "asks", "{}"), "Mcp-Session-Id", id); !strings.Contains(body, "Repeat with confirm") {
		t.Errorf("%s", body)
	}
}
