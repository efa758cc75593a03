package rawmcp_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"obsidian-mcp/bench/internal/echo"
	"obsidian-mcp/bench/internal/rawmcp"
)

var say = rawmcp.CallTool("echo", `{"text":"abc"}`)

func echoServer(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(echo.Routes())
	t.Cleanup(server.Close)
	return server.Listener.Addr().String()
}

// text is the text of a tool's answer.
func text(t *testing.T, answer rawmcp.Answer) string {
	t.Helper()
	var message struct {
		Result struct{ Content []struct{ Text string } }
	}
	if err := json.Unmarshal(answer.Body, &message); err != nil || len(message.Result.Content) != 1 {
		t.Fatalf("%v: %s", err, answer.Body)
	}
	return message.Result.Content[0].Text
}

func TestEveryWayOfTheLibrary(t *testing.T) {
	addr := echoServer(t)
	for path, era := range map[string]rawmcp.Era{
		echo.Events: rawmcp.Sessions, echo.JSON: rawmcp.Sessions, echo.Sessionless: rawmcp.Sessionless, echo.SessionlessJSON: rawmcp.Sessionless,
	} {
		client, err := rawmcp.Connect(addr, path, era)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		for range 3 { // on one connection
			answer, err := client.Call(say)
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			if got := text(t, answer); len(got) != echo.Size || !strings.HasPrefix(got, "abc abc") {
				t.Errorf("%s: an answer of %d bytes: %.20q", path, len(got), got)
			}
		}
		if era == rawmcp.Sessions {
			if err := client.End(); err != nil {
				t.Errorf("%s: %v", path, err)
			}
			if _, err := client.Call(say); err == nil || !strings.Contains(err.Error(), "404") {
				t.Errorf("%s: a call after the session's end: %v", path, err)
			}
		}
		client.Conn.Close()
	}
}

func TestRefusalsAreErrors(t *testing.T) {
	client, err := rawmcp.Connect(echoServer(t), echo.Events, rawmcp.Sessions)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Conn.Close()
	for _, wrong := range []rawmcp.Message{rawmcp.CallTool("none", `{}`), rawmcp.CallTool("echo", `{"text":1}`), {Method: "none"}} {
		if _, err := client.Call(wrong); err == nil {
			t.Errorf("%+v had a result", wrong)
		}
	}
	if _, err := client.Call(say); err != nil {
		t.Errorf("after refusals: %v", err)
	}
}

func TestStreamAndResume(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, ": a comment\n\nid: 7\nevent: message\ndata: {\"after\":\"%s\"}\n\n", r.Header.Get("Last-Event-ID"))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	defer server.CloseClientConnections()
	stream, err := rawmcp.Open(server.Listener.Addr().String(), "/", "", "6")
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	event, err := stream.Next(5 * time.Second)
	if want := (rawmcp.Event{ID: "7", Name: "message", Data: `{"after":"6"}`}); err != nil || event != want {
		t.Errorf("got %+v, %v; want %+v", event, err, want)
	}
	if _, err := stream.Next(10 * time.Millisecond); err == nil {
		t.Error("an event where there was none")
	}
}

func TestOldTransport(t *testing.T) {
	library := sdk.NewServer(&sdk.Implementation{Name: "old", Version: "1"}, nil)
	server := httptest.NewServer(sdk.NewSSEHandler(func(*http.Request) *sdk.Server { return library }, nil))
	defer server.CloseClientConnections()
	client, err := rawmcp.ConnectOld(server.Listener.Addr().String(), "/sse")
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for range 2 {
		if _, err := client.Call(rawmcp.Message{Method: "ping"}); err != nil {
			t.Error(err)
		}
	}
}

func TestSessionlessHeaders(t *testing.T) {
	var got http.Header
	var body []byte
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r.Header
		body, _ = io.ReadAll(r.Body)
		fmt.Fprint(w, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	}))
	defer server.Close()
	client, err := rawmcp.Connect(server.Listener.Addr().String(), "/mcp", rawmcp.Sessionless)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Conn.Close()
	if _, err := client.Call(rawmcp.Message{Method: "resources/read", Name: "x://ü", Params: `"uri":"x://ü"`}); err != nil {
		t.Fatal(err)
	}
	if got.Get("Mcp-Method") != "resources/read" || got.Get("Mcp-Name") != "=?base64?eDovL8O8?=" || got.Get("Mcp-Protocol-Version") != "2026-07-28" {
		t.Errorf("headers %v", got)
	}
	if !json.Valid(body) || !bytes.Contains(body, []byte(`"io.modelcontextprotocol/protocolVersion":"2026-07-28"`)) {
		t.Errorf("body %s", body)
	}
}
