package transport_test

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"obsidian-mcp/internal/surface/mcp/transport"
	. "obsidian-mcp/internal/surface/mcp/transport/transporttest"
)

// bubble runs a test with fake time.
func bubble(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, test)
}

func TestSessionBeginsWorksAndEnds(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := Serve(t, newStub(), nil)
		for _, version := range []string{"2025-03-26", "2025-06-18", "2025-11-25"} {
			id := c.Begin(version)
			status, body := c.Post(Call(1, "echo", `{"text":"hello"}`), "Mcp-Session-Id", id, "Mcp-Protocol-Version", version)
			if status != 200 || !strings.Contains(body, "hello") || !strings.Contains(body, `"id":1`) {
				t.Errorf("%s: call: %d %s", version, status, body)
			}
			if status, _ := c.Send("DELETE", "/mcp", "", "Mcp-Session-Id", id); status != 204 {
				t.Errorf("%s: DELETE: %d", version, status)
			}
			if status, _ := c.Post(Call(3, "echo", `{"text":"late"}`), "Mcp-Session-Id", id); status != 404 {
				t.Errorf("%s: a call after the end: %d", version, status)
			}
		}
		if c.HTTP.Sessions() != 0 {
			t.Errorf("%d sessions are left", c.HTTP.Sessions())
		}
	})
}

// code returns the code of a JSON-RPC error.
func code(body string) int {
	var reply struct{ Error struct{ Code int } }
	_ = json.Unmarshal([]byte(body), &reply)
	return reply.Error.Code
}

func TestWrongRequestsAreRefused(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := Serve(t, newStub(), nil)
		id := c.Begin("2025-11-25")
		old := c.Begin("2025-03-26")
		const ping = `{"jsonrpc":"2.0","id":7,"method":"ping"}`
		const sessionless = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`
		for _, test := range []struct {
			name, method, body string
			headers            []string
			status             int
			code               int
		}{
			{"no session", "POST", ping, nil, 400, -32600},
			{"unknown session", "POST", ping, []string{"Mcp-Session-Id", "nonsense"}, 404, -32001},
			{"another caller's session", "POST", ping, []string{"Mcp-Session-Id", id, "Who", "mallory"}, 404, -32001},
			{"wrong media type", "POST", ping, []string{"Mcp-Session-Id", id, "Content-Type", "text/plain"}, 415, -32600},
			{"no media type", "POST", ping, []string{"Mcp-Session-Id", id, "Content-Type", ""}, 415, -32600},
			{"nothing acceptable", "POST", ping, []string{"Mcp-Session-Id", id, "Accept", "image/png"}, 406, -32600},
			{"unknown version", "POST", ping, []string{"Mcp-Session-Id", id, "Mcp-Protocol-Version", "1999-01-01"}, 400, -32600},
			{"malformed JSON", "POST", `{"jsonrpc":`, []string{"Mcp-Session-Id", id}, 400, -32700},
			{"empty body", "POST", ``, []string{"Mcp-Session-Id", id}, 400, -32700},
			{"repeated key", "POST", `{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`, []string{"Mcp-Session-Id", id}, 400, -32700},
			{"no method", "POST", `{"jsonrpc":"2.0","id":1}`, []string{"Mcp-Session-Id", id}, 400, -32600},
			{"other case", "POST", `{"jsonrpc":"2.0","id":1,"Method":"ping"}`, []string{"Mcp-Session-Id", id}, 400, -32600},
			{"fractional id", "POST", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, []string{"Mcp-Session-Id", id}, 400, -32600},
			{"batch in a version without", "POST", "[" + ping + "]", []string{"Mcp-Session-Id", id}, 400, -32600},
			{"empty batch", "POST", "[]", []string{"Mcp-Session-Id", old}, 400, -32600},
			{"unknown method", "POST", `{"jsonrpc":"2.0","id":1,"method":"no/such"}`, []string{"Mcp-Session-Id", id}, 200, -32601},
			{"unknown tool", "POST", Call(1, "no_such", "{}"), []string{"Mcp-Session-Id", id}, 200, -32602},
			{"Last-Event-ID with POST", "POST", ping, []string{"Mcp-Session-Id", id, "Last-Event-Id", "0_1"}, 400, -32600},
			{"PUT", "PUT", ping, []string{"Mcp-Session-Id", id}, 405, -32600},
			{"GET without a session", "GET", "", nil, 400, -32600},
			{"GET for JSON", "GET", "", []string{"Mcp-Session-Id", id, "Accept", "application/json"}, 406, -32600},
			{"GET of an unknown event", "GET", "", []string{"Mcp-Session-Id", id, "Last-Event-Id", "nonsense_1"}, 400, -32600},
			{"GET of a malformed event id", "GET", "", []string{"Mcp-Session-Id", id, "Last-Event-Id", "nonsense"}, 400, -32600},
			{"DELETE without a session", "DELETE", "", nil, 400, -32600},
			{"DELETE of another caller's session", "DELETE", "", []string{"Mcp-Session-Id", id, "Who", "mallory"}, 404, -32001},
			{"sessionless call without its header", "POST", sessionless, []string{"Mcp-Session-Id", id}, 400, -32020},
			{"the same without a session", "POST", sessionless, nil, 400, -32020},
			{"GET in a version without sessions", "GET", "", []string{"Mcp-Protocol-Version", "2026-07-28"}, 405, -32600},
		} {
			status, body := c.Send(test.method, "/mcp", test.body, test.headers...)
			if status != test.status || code(body) != test.code {
				t.Errorf("%s: %d %s, want %d and %d", test.name, status, body, test.status, test.code)
			}
		}
		if status, body := c.Post(ping, "Mcp-Session-Id", id); status != 200 || !strings.Contains(body, `"id":7`) {
			t.Errorf("a valid request afterwards: %d %s", status, body)
		}
		batch := `[` + ping + `,{"jsonrpc":"2.0","method":"notifications/x"},{"jsonrpc":"2.0","method":"notifications/x","params":[1]},{"jsonrpc":"2.0","id":"a","method":"ping"},{"bad":1}]`
		status, body := c.Post(batch, "Mcp-Session-Id", old)
		var answers []map[string]any
		if status != 200 || json.Unmarshal([]byte(body), &answers) != nil || len(answers) != 3 {
			t.Errorf("a batch: %d %s", status, body)
		}
	})
}

func TestIDsAreReturnedExactly(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := Serve(t, newStub(), nil)
		session := c.Begin("2025-11-25")
		for _, id := range []string{`9007199254740993`, `"a"`, `-1`, `123456789012345678901234567890`, `"\u00e9"`} {
			status, body := c.Post(`{"jsonrpc":"2.0","id":`+id+`,"method":"ping"}`, "Mcp-Session-Id", session)
			if status != 200 || !strings.Contains(body, `"id":`+id) {
				t.Errorf("%s: %d %s", id, status, body)
			}
		}
	})
}

// An id that looks like an alias does not take another call's place.
func TestIDsThatLookLikeAliases(t *testing.T) {
	bubble(t, func(t *testing.T) {
		server := newStub()
		c := Serve(t, server, nil)
		session := c.Begin("2025-11-25")
		answers := make(chan string, 4)
		for _, id := range []string{`"` + transport.AliasPrefix + `1"`, `"x"`, `"x"`, `"` + transport.AliasPrefix + `2"`} {
			go func() {
				_, body := c.Post(`{"jsonrpc":"2.0","id":`+id+`,"method":"tools/call","params":{"name":"waits","arguments":{}}}`, "Mcp-Session-Id", session)
				answers <- body
			}()
		}
		synctest.Wait()
		if c.HTTP.InFlight() != 4 {
			t.Fatalf("%d calls are in flight", c.HTTP.InFlight())
		}
		close(server.block)
		got := map[string]int{}
		for range 4 {
			_, rest, _ := strings.Cut(<-answers, `"id":`)
			id, _, _ := strings.Cut(rest, ",")
			got[id]++
		}
		if got[`"x"`] != 2 || got[`"`+transport.AliasPrefix+`1"`] != 1 || got[`"`+transport.AliasPrefix+`2"`] != 1 {
			t.Errorf("answered ids: %v", got)
		}
		synctest.Wait()
		if c.HTTP.InFlight() != 0 {
			t.Errorf("%d calls are still in flight", c.HTTP.InFlight())
		}
	})
}

// TestSessionlessVersion checks the era without sessions: what its headers must say, and its HTTP statuses.
func TestSessionlessVersion(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := Serve(t, newStub(), nil)
		body, headers := Sessionless(1, "tools/call", `,"name":"echo","arguments":{"text":"hello"}`)
		if status, answer := c.Post(body, headers...); status != 200 || !strings.Contains(answer, "hello") {
			t.Errorf("a call: %d %s", status, answer)
		}
		for _, test := range []struct {
			name, method, params string
			change               []string
			status, code         int
		}{
			{"unknown method", "no/such", "", nil, 404, -32601},
			{"a method for sessions", "initialize", "", nil, 404, -32601},
			{"unknown tool", "tools/call", `,"name":"no_such"`, nil, 400, -32602},
			{"another method in the header", "tools/list", "", []string{"Mcp-Method", "tools/call"}, 400, -32020},
			{"no method in the header", "tools/list", "", []string{"Mcp-Method", ""}, 400, -32020},
			{"another name in the header", "tools/call", `,"name":"echo"`, []string{"Mcp-Name", "fails"}, 400, -32020},
			{"no name in the header", "tools/call", `,"name":"echo"`, []string{"Mcp-Name", ""}, 400, -32020},
			{"another version in the header", "tools/list", "", []string{"Mcp-Protocol-Version", "2026-08-01"}, 400, -32020},
		} {
			body, headers := Sessionless(5, test.method, test.params)
			status, answer := c.Post(body, append(headers, test.change...)...)
			if status != test.status || code(answer) != test.code || !strings.Contains(answer, `"id":5`) {
				t.Errorf("%s: %d %s, want %d and %d", test.name, status, answer, test.status, test.code)
			}
		}
		if c.HTTP.Sessions() != 0 {
			t.Errorf("%d sessions", c.HTTP.Sessions())
		}
	})
}

func TestCutOffAnswerCanBeResumed(t *testing.T) {
	bubble(t, func(t *testing.T) {
		server := newStub()
		c := Serve(t, server, nil)
		id := c.Begin("2025-11-25")
		ctx, cut := context.WithCancel(t.Context())
		answer, err := c.Try(ctx, "POST", "/mcp", Call(9, "waits", "{}"), "Mcp-Session-Id", id)
		if err != nil {
			t.Fatal(err)
		}
		prime, ok := Events(answer.Body)()
		if !ok || prime.Name != "prime" || prime.ID == "" || answer.Header.Get("Content-Type") != "text/event-stream" {
			t.Fatalf("%+v %v", prime, answer.Header)
		}
		cut()
		answer.Body.Close()
		close(server.block)
		for range 2 { // what was fetched can be fetched again
			resumed := c.Do("GET", "/mcp", "", "Mcp-Session-Id", id, "Last-Event-Id", prime.ID)
			got, ok := Events(resumed.Body)()
			if !ok || !strings.Contains(got.Data, "done") || !strings.Contains(got.Data, `"id":9`) || got.ID == prime.ID {
				t.Errorf("%+v", got)
			}
			if rest, _ := io.ReadAll(resumed.Body); len(rest) > 1 {
				t.Errorf("more follows: %q", rest)
			}
			resumed.Body.Close()
		}
	})
}

func TestHTTPSSE(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := Serve(t, newStub(), nil)
		stream := c.Do("GET", "/sse", "", "Who", "a")
		next := Events(stream.Body)
		endpoint, _ := next()
		if endpoint.Name != "endpoint" || !strings.HasPrefix(endpoint.Data, "/messages?sessionId=") {
			t.Fatalf("%+v", endpoint)
		}
		send := func(body, who string) int {
			status, _ := c.Send("POST", endpoint.Data, body, "Who", who)
			return status
		}
		if status := send(Initialize("2024-11-05"), "a"); status != 202 {
			t.Errorf("initialize: %d", status)
		}
		if got, _ := next(); got.Name != "message" || !strings.Contains(got.Data, "2024-11-05") {
			t.Errorf("%+v", got)
		}
		send(Call(1, "echo", `{"text":"hello"}`), "a")
		if got, _ := next(); !strings.Contains(got.Data, "hello") {
			t.Errorf("%+v", got)
		}
		if status := send(Call(2, "echo", "{}"), "mallory"); status != 404 {
			t.Errorf("another caller: %d", status)
		}
		if status, _ := c.Send("POST", "/messages?sessionId=nonsense", "{}", "Who", "a"); status != 404 {
			t.Errorf("unknown session: %d", status)
		}
		if status := send("{", "a"); status != 400 {
			t.Errorf("malformed JSON: %d", status)
		}
		stream.Body.Close()
		synctest.Wait()
		if c.HTTP.Sessions() != 0 {
			t.Error("the session outlives its stream")
		}
	})
}

// No answer is lost because its reader is slow, however large it is.
func TestLargeAnswersWaitForSlowReader(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := Serve(t, newStub(), nil)
		stream := c.Do("GET", "/sse", "")
		defer stream.Body.Close()
		next := Events(stream.Body)
		endpoint, _ := next()
		c.Send("POST", endpoint.Data, Initialize("2024-11-05"))
		size := 700_000
		if testing.Short() {
			size = 200_000 // all together still more than a stream keeps of notifications
		}
		for i := range 8 {
			c.Send("POST", endpoint.Data, Call(i+1, "echo", `{"text":"`+strings.Repeat("x", size)+`"}`))
		}
		got := map[string]bool{}
		for range 9 {
			event, ok := next()
			if !ok {
				t.Fatal("the stream has ended")
			}
			var answer struct{ ID json.RawMessage }
			_ = json.Unmarshal([]byte(event.Data), &answer)
			got[string(answer.ID)] = true
		}
		if len(got) != 9 {
			t.Errorf("answers to %v", got)
		}
	})
}

// A call whose session ends gets an error that says so, whatever content types it accepts.
func TestCallsEndWithTheirSession(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := Serve(t, newStub(), nil)
		for _, accept := range []string{"application/json", "application/json, text/event-stream"} {
			id := c.Begin("2025-11-25")
			status := make(chan int)
			go func() {
				code, _ := c.Post(Call(1, "waits", "{}"), "Mcp-Session-Id", id, "Accept", accept)
				status <- code
			}()
			synctest.Wait()
			c.Send("DELETE", "/mcp", "", "Mcp-Session-Id", id)
			if code := <-status; code != 404 {
				t.Errorf("%s: %d", accept, code)
			}
			if c.HTTP.InFlight() != 0 {
				t.Errorf("%s: the call is still in flight", accept)
			}
		}
	})
}

// subscriptions/listen never ends, so a session does not take it for a call.
func TestNoListeningInSession(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := Serve(t, newStub(), nil)
		listen := `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"resourcesListChanged":true}}}`
		for version, body := range map[string]string{"2025-11-25": listen, "2025-03-26": "[" + listen + "]"} {
			if status, answer := c.Post(body, "Mcp-Session-Id", c.Begin(version)); status != 200 || !strings.Contains(answer, "-32601") {
				t.Errorf("%s: %d %s", version, status, answer)
			}
		}
		if c.HTTP.InFlight() != 0 {
			t.Errorf("%d calls are in flight", c.HTTP.InFlight())
		}
	})
}

func TestOversizedInitializeIsRefused(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := Serve(t, newStub(), nil)
		long := strings.Replace(Initialize("2025-11-25"), `"name":"t"`, `"name":"`+strings.Repeat("t", 100_000)+`"`, 1)
		if status, body := c.Post(long); status != 400 || len(body) > 1000 {
			t.Errorf("%d %.200s", status, body)
		}
		wrong := `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":1,"clientInfo":{}}}`
		if status, body := c.Post(wrong); status != 200 || strings.Contains(body, "mcp.") || code(body) != -32602 {
			t.Errorf("%d %s", status, body)
		}
		if c.HTTP.Sessions() != 0 {
			t.Errorf("%d sessions", c.HTTP.Sessions())
		}
	})
}
