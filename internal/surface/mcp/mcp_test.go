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
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/tool"
)

// stub is what the tools of these tests work on.
type stub struct{ block chan struct{} }

type nothing struct{}

type echo struct {
	Text string `json:"text" jsonschema:"what to say"`
}

var stubTools = []tool.Definition[*stub]{
	tool.New(tool.Spec{Name: "panics", About: "Panics."}, func(*stub, context.Context, nothing) (tool.Text, error) { panic("secret reason") }),
	tool.New(tool.Spec{Name: "fails", About: "Fails."}, func(*stub, context.Context, nothing) (tool.Text, error) {
		return tool.Text{}, errors.New("secret reason")
	}),
	tool.New(tool.Spec{Name: "waits", About: "Waits."}, func(s *stub, ctx context.Context, _ nothing) (tool.Text, error) {
		select {
		case <-s.block:
			return tool.Text{Text: "done"}, nil
		case <-ctx.Done():
			return tool.Text{}, ctx.Err()
		}
	}),
	tool.New(tool.Spec{Name: "asks", About: "Asks."}, func(*stub, context.Context, nothing) (tool.Text, error) {
		return tool.Text{}, fault.InvalidArgument.Errorf("%w", &tool.NeedsConfirm{Notes: 1000})
	}),
	tool.New(tool.Spec{Name: "echo", About: "Echoes."}, func(_ *stub, _ context.Context, in echo) (tool.Text, error) {
		return tool.Text{Text: in.Text}, nil
	}),
}

// serveStub serves the stub's tools, and gives the client's ends.
func serveStub(t *testing.T, s *stub, options Options) (send func(string), read func() string, end func() error) {
	t.Helper()
	options.Tools = tool.NewRegistry(tool.Bind(s, stubTools))
	options.Log = slog.New(slog.DiscardHandler)
	in, inWriter := io.Pipe()
	outReader, out := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- New(options).ServeStdio(t.Context(), in, out)
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
	send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}`)
	read()
	send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return send, read, end
}

func TestPanicsAndUnknownErrorsTellNothing(t *testing.T) {
	send, read, end := serveStub(t, &stub{}, Options{Style: Plain, CallTimeout: time.Minute})
	for _, name := range []string{"panics", "fails"} {
		send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + name + `"}}`)
		if answer := read(); !strings.Contains(answer, `"isError":true`) || strings.Contains(answer, "secret") {
			t.Errorf("%s: %s", name, answer)
		}
	}
	send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"text":"still here"}}}`)
	if answer := read(); !strings.Contains(answer, "still here") {
		t.Errorf("%s", answer)
	}
	if err := end(); err != nil {
		t.Error(err)
	}
}

func TestCallsTimeOut(t *testing.T) {
	send, read, end := serveStub(t, &stub{}, Options{Style: Contract, CallTimeout: 20 * time.Millisecond})
	send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"waits"}}`)
	if answer := read(); !strings.Contains(answer, `"code":-32006`) || !strings.Contains(answer, `"errorCode":"TIMEOUT"`) {
		t.Errorf("%s", answer)
	}
	if err := end(); err != nil {
		t.Error(err)
	}
}

func TestCancellationStopsTheWork(t *testing.T) {
	for _, id := range []string{"1", `"one"`, "99999999999999999999"} {
		send, read, end := serveStub(t, &stub{}, Options{Style: Plain, CallTimeout: time.Minute})
		send(`{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"waits"}}`)
		time.Sleep(20 * time.Millisecond)
		begun := time.Now()
		send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`)
		if err := end(); err != nil || time.Since(begun) > time.Second {
			t.Errorf("id %s: the call went on for %v, %v", id, time.Since(begun), err)
		}
		_ = read
	}
}

// TestDrain ends the input while a call is in flight: it is answered first.
func TestDrain(t *testing.T) {
	s := &stub{block: make(chan struct{})}
	in, inWriter := io.Pipe()
	defer inWriter.Close()
	outReader, out := io.Pipe()
	options := Options{Style: Plain, CallTimeout: time.Minute, Tools: tool.NewRegistry(tool.Bind(s, stubTools)), Log: slog.New(slog.DiscardHandler)}
	done := make(chan error, 1)
	go func() {
		done <- New(options).ServeStdio(t.Context(), in, out)
		out.Close()
	}()
	go func() {
		io.WriteString(inWriter, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}`+"\n"+
			`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"waits"}}`+"\n"+`{"jsonrpc":"2.0","method":"exit"}`+"\n")
		time.Sleep(50 * time.Millisecond)
		close(s.block)
	}()
	all, err := io.ReadAll(outReader)
	if err != nil || !strings.Contains(string(all), `"id":7,"result"`) || !strings.Contains(string(all), "done") {
		t.Errorf("%s, %v", all, err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestProgressGrows(t *testing.T) {
	options := Options{Style: Plain, CallTimeout: time.Minute, Progress: func(ctx context.Context, report func(int64)) context.Context {
		for _, files := range []int64{10, 10, 5, 20} {
			report(files)
		}
		return ctx
	}}
	send, read, end := serveStub(t, &stub{}, options)
	send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"x"},"_meta":{"progressToken":"p"}}}`)
	first, second, answer := read(), read(), read()
	if !strings.Contains(first, `"progress":10`) || !strings.Contains(second, `"progress":20`) || !strings.Contains(first, `"progressToken":"p"`) || !strings.Contains(answer, `"id":1`) {
		t.Errorf("%s%s%s", first, second, answer)
	}
	if err := end(); err != nil {
		t.Error(err)
	}
}

// TestEveryKindHasACode holds the contract's table.
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

func TestErrorsAreDressedByStyle(t *testing.T) {
	err := fault.NotFound.Errorf("it is gone").WithHint("look elsewhere")
	plain := &Server{options: Options{Style: Plain}}
	result, problem := plain.failure(err)
	if problem != nil || !result.IsError {
		t.Errorf("%+v, %v", result, problem)
	}
	contract := &Server{options: Options{Style: Contract}}
	if _, problem := contract.failure(err); problem == nil || problem.Error() != "it is gone (look elsewhere)" {
		t.Errorf("%v", problem)
	}
}

func FuzzAccept(f *testing.F) {
	for _, line := range []string{`{"jsonrpc":"2.0","id":1,"method":"ping"}`, `[{"jsonrpc":"2.0","method":"x"}]`, `{"id":{}}`, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, `{"jsonrpc":"2.0","id":1.5,"result":{}}`} {
		f.Add([]byte(line), true)
	}
	f.Fuzz(func(t *testing.T, line []byte, batches bool) {
		c := &lineConn{out: io.Discard, done: make(chan struct{}), calls: newCalls()}
		if batches {
			c.calls.version = batchVersion
		}
		message := c.accept(t.Context(), line)
		if message != nil && !json.Valid(line) {
			t.Errorf("%q was accepted", line)
		}
	})
}

// A question that nobody can answer any more does not hold up the end, and its
// call is answered.
func TestTheEndWhileAPersonIsAsked(t *testing.T) {
	options := Options{Style: Plain, CallTimeout: time.Minute, Tools: tool.NewRegistry(tool.Bind(&stub{}, stubTools)), Log: slog.New(slog.DiscardHandler)}
	in, client := io.Pipe()
	heard, out := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- New(options).ServeStdio(t.Context(), in, out)
		out.Close()
	}()
	lines := bufio.NewReader(heard)
	io.WriteString(client, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"t","version":"0"}}}`+"\n")
	lines.ReadString('\n')
	io.WriteString(client, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"asks"}}`+"\n")
	if line, _ := lines.ReadString('\n'); !strings.Contains(line, "elicitation/create") {
		t.Fatalf("%s", line)
	}
	client.Close()
	begun := time.Now()
	if line, _ := lines.ReadString('\n'); !strings.Contains(line, `"id":1`) {
		t.Errorf("the call is answered by %q", line)
	}
	if err := <-done; err != nil || time.Since(begun) > 5*time.Second {
		t.Errorf("%v after %v", err, time.Since(begun))
	}
}
