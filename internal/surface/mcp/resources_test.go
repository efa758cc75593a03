package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/ops/resource"
	"obsidian-mcp/internal/surface/mcp/transport"
	"obsidian-mcp/internal/surface/mcp/transport/transporttest"
)

// fakeResources fail as their URIs say.
type fakeResources struct{ changes chan resource.Changed }

func (s *fakeResources) List(ctx context.Context) ([]resource.File, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func (s *fakeResources) Template() resource.Template {
	return resource.Template{URITemplate: "x://{+path}", Name: "x"}
}

func (s *fakeResources) Read(_ context.Context, uri string) (resource.Content, error) {
	switch uri {
	case "x://panic":
		panic("secret reason")
	case "x://internal":
		return resource.Content{}, errors.New("secret reason")
	case "x://store":
		return resource.Content{}, fault.StoreUnavailable.Errorf("Go away").WithHint("use echo")
	case "x://empty":
		return resource.Content{MIMEType: "text/plain"}, nil
	}
	return resource.Content{}, fault.NotFound.Errorf("none")
}

func (s *fakeResources) Key(_ context.Context, uri string) (resource.Key, error) {
	path, ok := strings.CutPrefix(uri, "x://")
	if !ok {
		return "", fault.NotFound.Errorf("none")
	}
	return vpath.FoldKey(path), nil
}

func (s *fakeResources) Changes(ctx context.Context) <-chan resource.Changed {
	out := make(chan resource.Changed)
	go func() {
		defer close(out)
		for {
			select {
			case changed := <-s.changes:
				out <- changed
			case <-ctx.Done():
				return
			}
		}
	}()
	return out
}

func (s *fakeResources) Complete(context.Context, resource.Incomplete) (resource.Completed, error) {
	return resource.Completed{}, fault.StoreUnavailable.Errorf("gone")
}

func TestResourceErrors(t *testing.T) {
	synctest.Test(t, testResourceErrors)
}

func testResourceErrors(t *testing.T) {
	send, read, end := serveStub(t, Options{Style: Contract, CallTimeout: 50 * time.Millisecond, Resources: &fakeResources{}})
	for call, want := range map[string]string{
		`"resources/list","params":{}`:                          `"code":-32603,"message":"the call took longer than 50ms"`,
		`"resources/read","params":{"uri":"x://panic"}`:         `"code":-32603,"message":"internal error"`,
		`"resources/read","params":{"uri":"x://internal"}`:      `"code":-32603,"message":"internal error; the server's log says more"`,
		`"resources/read","params":{"uri":"x://store"}`:         `"code":-32603,"message":"Go away (use echo)","data":{"uri":"x://store"}`,
		`"resources/read","params":{"uri":"x://none"}`:          `"code":-32002,"message":"Resource not found","data":{"uri":"x://none"}`,
		`"resources/read","params":{"uri":"x://empty"}`:         `"contents":[{"mimeType":"text/plain","text":"","uri":"x://empty"}]`,
		`"resources/read","params":{}`:                          `"code":-32002,"message":"Resource not found","data":{"uri":""}`,
		`"resources/subscribe","params":{"uri":"y://none"}`:     `"code":-32002,"message":"Resource not found","data":{"uri":"y://none"}`,
		`"resources/unsubscribe","params":{"uri":"x://none"}`:   `"result":{}`,
		`"resources/templates/list","params":{"cursor":"none"}`: `"code":-32602`,
		`"completion/complete","params":{"ref":{"type":"ref/resource","uri":"x://{+path}"},"argument":{"name":"path","value":""}}`: `"code":-32603,"message":"gone"`,
	} {
		send(`{"jsonrpc":"2.0","id":1,"method":` + call + `}`)
		if answer := read(); !strings.Contains(answer, want) || strings.Contains(answer, "secret") {
			t.Errorf("%s: %s", call, answer)
		}
	}
	if err := end(); err != nil {
		t.Error(err)
	}
}

// TestManyListeners opens more listeners than calls may be in flight, with ids that the SDK cannot represent: other
// calls go on, each listener is notified under its own id, and the end of input ends them all.
func TestManyListeners(t *testing.T) {
	synctest.Test(t, testManyListeners)
}

func testManyListeners(t *testing.T) {
	changes := make(chan resource.Changed)
	send, read, end := serveStub(t, Options{Style: Plain, CallTimeout: time.Minute, Resources: &fakeResources{changes}})
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	const listeners = transport.MaxInFlight + 10
	for i := range listeners {
		send(fmt.Sprintf(`{"jsonrpc":"2.0","id":9999999999999999999%d,"method":"subscriptions/listen","params":{%s,"notifications":{"resourceSubscriptions":["x://A.md"]}}}`, i, meta))
		if ack := read(); !strings.Contains(ack, "acknowledged") || !strings.Contains(ack, fmt.Sprintf(`:9999999999999999999%d}`, i)) {
			t.Fatalf("%s", ack)
		}
	}
	send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"still here"}}}`)
	if answer := read(); !strings.Contains(answer, "still here") {
		t.Fatalf("%s", answer)
	}
	changes <- resource.Changed{Paths: []vpath.Path{"a.MD", "b.md"}}
	ids := map[string]bool{}
	for range listeners {
		var notified struct {
			Method string
			Params struct {
				URI  string
				Meta map[string]json.RawMessage `json:"_meta"`
			}
		}
		line := read()
		if err := json.Unmarshal([]byte(line), &notified); err != nil || notified.Method != resourceUpdated || notified.Params.URI != "x://A.md" {
			t.Fatalf("%s, %v", line, err)
		}
		ids[string(notified.Params.Meta["io.modelcontextprotocol/subscriptionId"])] = true
	}
	if len(ids) != listeners || !ids["99999999999999999990"] {
		t.Errorf("%d different ids, want %d", len(ids), listeners)
	}
	begun := time.Now()
	if err := end(); err != nil || time.Since(begun) != 0 {
		t.Errorf("%v after %v", err, time.Since(begun))
	}
}

// A session hears about what it subscribes to and about changed lists, but not about what it has unsubscribed from.
func TestSessionsHearOnlyWhatTheySubscribeTo(t *testing.T) {
	changes := make(chan resource.Changed)
	send, read, end := serveStub(t, Options{Style: Plain, Resources: &fakeResources{changes}})
	for _, call := range []string{`"resources/subscribe","params":{"uri":"x://A.md"}`, `"resources/subscribe","params":{"uri":"x://B.md"}`, `"resources/unsubscribe","params":{"uri":"x://A.md"}`} {
		send(`{"jsonrpc":"2.0","id":1,"method":` + call + `}`)
		read()
	}
	changes <- resource.Changed{Paths: []vpath.Path{"A.md", "B.md", "C.md"}}
	changes <- resource.Changed{Paths: []vpath.Path{"C.md"}, Listed: true}
	if first, second := read(), read(); !strings.Contains(first, `"uri":"x://B.md"`) || !strings.Contains(second, "list_changed") {
		t.Errorf("%s%s", first, second)
	}
	if err := end(); err != nil {
		t.Error(err)
	}
}

// TestEndedSessionsAreForgotten serves a client that disconnects without unsubscribing.
func TestEndedSessionsAreForgotten(t *testing.T) {
	server := newStub(Options{Style: Plain, Resources: &fakeResources{}})
	in := strings.NewReader(transporttest.Initialize("2025-11-25") + "\n" + transporttest.Initialized + "\n" +
		`{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"x://A.md"}}` + "\n")
	if err := (transport.Stdio{In: in, Out: io.Discard, Grace: time.Minute}).Serve(t.Context(), server); err != nil {
		t.Fatal(err)
	}
	before := len(server.subscriptions.all)
	server.notify(t.Context(), resource.Changed{Paths: []vpath.Path{"A.md"}, Listed: true})
	if after := len(server.subscriptions.all) + len(server.subscriptions.sessions); before != 1 || after != 0 {
		t.Errorf("%d subscribers before, %d after", before, after)
	}
}
