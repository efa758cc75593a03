package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"obsidian-mcp/internal/access/auth"
	"obsidian-mcp/internal/tool"
)

// web serves the stub's tools over HTTP. Whoever sends the header "Who" is that
// principal.
type web struct {
	*testing.T
	*httptest.Server
	http *HTTP
}

func serveWeb(t *testing.T, s *stub, change func(*HTTPOptions)) *web {
	t.Helper()
	server := New(Options{
		Tools: tool.NewRegistry(tool.Bind(s, stubTools)), Style: Plain, Log: slog.New(slog.DiscardHandler), CallTimeout: time.Minute,
		Append: true, Context: func(context.Context) (string, error) { return "THE BLOCK", nil },
	})
	options := HTTPOptions{
		Server:   func(context.Context, *auth.Principal) (*Server, error) { return server, nil },
		Sessions: 10, Idle: time.Minute, InFlight: 64, PerSession: 8, Messages: "/messages",
		Client: func(r *http.Request) string { return r.Header.Get("Who") }, Refused: func(string) {}, Log: slog.New(slog.DiscardHandler),
	}
	if change != nil {
		change(&options)
	}
	h := NewHTTP(options)
	mux := http.NewServeMux()
	mux.Handle("/mcp", h)
	mux.HandleFunc("/sse", h.EventStream)
	mux.HandleFunc("/messages", h.Messages)
	named := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mux.ServeHTTP(w, r.WithContext(auth.With(r.Context(), &auth.Principal{ID: "token " + r.Header.Get("Who")})))
	})
	served := httptest.NewServer(named)
	t.Cleanup(func() {
		h.Close()
		served.Close()
	})
	return &web{t, served, h}
}

// do sends a request; headers are pairs.
func (w *web) do(ctx context.Context, method, path, body string, headers ...string) *http.Response {
	w.Helper()
	request, err := http.NewRequestWithContext(ctx, method, w.URL+path, strings.NewReader(body))
	if err != nil {
		w.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i < len(headers); i += 2 {
		request.Header.Del(headers[i])
		if headers[i+1] != "" {
			request.Header.Set(headers[i], headers[i+1])
		}
	}
	answer, err := w.Client().Do(request)
	if err != nil {
		w.Fatal(err)
	}
	return answer
}

// post sends a message and gives the status and the whole body.
func (w *web) post(body string, headers ...string) (int, string) {
	w.Helper()
	answer := w.do(w.Context(), "POST", "/mcp", body, headers...)
	defer answer.Body.Close()
	content, _ := io.ReadAll(answer.Body)
	return answer.StatusCode, string(content)
}

// begin begins a session and gives its id.
func (w *web) begin(version string, headers ...string) string {
	w.Helper()
	answer := w.do(w.Context(), "POST", "/mcp", initializeMessage(version), headers...)
	defer answer.Body.Close()
	content, _ := io.ReadAll(answer.Body)
	id := answer.Header.Get("Mcp-Session-Id")
	if answer.StatusCode != 200 || id == "" {
		w.Fatalf("initialize: %d %s", answer.StatusCode, content)
	}
	w.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`, append(headers, "Mcp-Session-Id", id)...)
	return id
}

func initializeMessage(version string) string {
	return `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"` + version + `","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}`
}

func callMessage(id int, name, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, name, arguments)
}

// modern is a message of the era without sessions, with its headers.
func modern(id int, method, params string) (body string, headers []string) {
	body = fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"m","version":"1"}}%s}}`, id, method, params)
	var named struct{ Name string }
	_ = json.Unmarshal([]byte("{"+strings.TrimPrefix(params, ",")+"}"), &named)
	headers = []string{"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", method}
	if named.Name != "" {
		headers = append(headers, "Mcp-Name", named.Name)
	}
	return body, headers
}

func TestASessionBeginsWorksAndEnds(t *testing.T) {
	w := serveWeb(t, &stub{}, nil)
	for _, version := range []string{"2025-03-26", "2025-06-18", "2025-11-25"} {
		id := w.begin(version)
		status, body := w.post(callMessage(1, "echo", `{"text":"hello"}`), "Mcp-Session-Id", id, "Mcp-Protocol-Version", version)
		if status != 200 || !strings.Contains(body, "hello") || !strings.Contains(body, "THE BLOCK") || !strings.Contains(body, `"id":1`) {
			t.Errorf("%s: the first call: %d %s", version, status, body)
		}
		if status, body := w.post(callMessage(2, "echo", `{"text":"again"}`), "Mcp-Session-Id", id); status != 200 || strings.Contains(body, "THE BLOCK") {
			t.Errorf("%s: the second call: %d %s", version, status, body)
		}
		if answer := w.do(t.Context(), "DELETE", "/mcp", "", "Mcp-Session-Id", id); answer.StatusCode != 204 {
			t.Errorf("%s: DELETE: %d", version, answer.StatusCode)
		}
		if status, _ := w.post(callMessage(3, "echo", `{"text":"late"}`), "Mcp-Session-Id", id); status != 404 {
			t.Errorf("%s: a call after the end: %d", version, status)
		}
	}
	if w.http.Sessions() != 0 {
		t.Errorf("%d sessions are left", w.http.Sessions())
	}
}

func TestRequestsThatAreWrong(t *testing.T) {
	w := serveWeb(t, &stub{}, nil)
	id := w.begin("2025-11-25")
	old := w.begin("2025-03-26")
	ping := `{"jsonrpc":"2.0","id":7,"method":"ping"}`
	for _, c := range []struct {
		name, method, body string
		headers            []string
		status             int
		code               int
	}{
		{"no session", "POST", ping, nil, 400, -32600},
		{"unknown session", "POST", ping, []string{"Mcp-Session-Id", "nonsense"}, 404, -32001},
		{"somebody else's session", "POST", ping, []string{"Mcp-Session-Id", id, "Who", "mallory"}, 404, -32001},
		{"wrong media type", "POST", ping, []string{"Mcp-Session-Id", id, "Content-Type", "text/plain"}, 415, -32600},
		{"no media type", "POST", ping, []string{"Mcp-Session-Id", id, "Content-Type", ""}, 415, -32600},
		{"nothing acceptable", "POST", ping, []string{"Mcp-Session-Id", id, "Accept", "image/png"}, 406, -32600},
		{"unknown version", "POST", ping, []string{"Mcp-Session-Id", id, "Mcp-Protocol-Version", "1999-01-01"}, 400, -32600},
		{"no JSON", "POST", `{"jsonrpc":`, []string{"Mcp-Session-Id", id}, 400, -32700},
		{"nothing", "POST", ``, []string{"Mcp-Session-Id", id}, 400, -32700},
		{"a key twice", "POST", `{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`, []string{"Mcp-Session-Id", id}, 400, -32700},
		{"no method", "POST", `{"jsonrpc":"2.0","id":1}`, []string{"Mcp-Session-Id", id}, 400, -32600},
		{"other case", "POST", `{"jsonrpc":"2.0","id":1,"Method":"ping"}`, []string{"Mcp-Session-Id", id}, 400, -32600},
		{"fractional id", "POST", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, []string{"Mcp-Session-Id", id}, 400, -32600},
		{"a batch where there are none", "POST", "[" + ping + "]", []string{"Mcp-Session-Id", id}, 400, -32600},
		{"an empty batch", "POST", "[]", []string{"Mcp-Session-Id", old}, 400, -32600},
		{"unknown method", "POST", `{"jsonrpc":"2.0","id":1,"method":"no/such"}`, []string{"Mcp-Session-Id", id}, 200, -32601},
		{"unknown tool", "POST", callMessage(1, "no_such", "{}"), []string{"Mcp-Session-Id", id}, 200, -32602},
		{"last event of a POST", "POST", ping, []string{"Mcp-Session-Id", id, "Last-Event-Id", "0_1"}, 400, -32600},
		{"PUT", "PUT", ping, []string{"Mcp-Session-Id", id}, 405, -32600},
		{"GET without a session", "GET", "", nil, 400, -32600},
		{"GET for JSON", "GET", "", []string{"Mcp-Session-Id", id, "Accept", "application/json"}, 406, -32600},
		{"GET of an unknown event", "GET", "", []string{"Mcp-Session-Id", id, "Last-Event-Id", "nonsense_1"}, 400, -32600},
		{"GET of no event", "GET", "", []string{"Mcp-Session-Id", id, "Last-Event-Id", "nonsense"}, 400, -32600},
		{"DELETE without a session", "DELETE", "", nil, 400, -32600},
		{"DELETE of somebody else's", "DELETE", "", []string{"Mcp-Session-Id", id, "Who", "mallory"}, 404, -32001},
		{"the newest era without its header", "POST", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`, []string{"Mcp-Session-Id", id}, 400, -32020},
		{"the same without a session", "POST", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`, nil, 400, -32020},
		{"GET in the newest era", "GET", "", []string{"Mcp-Protocol-Version", "2026-07-28"}, 405, -32600},
	} {
		answer := w.do(t.Context(), c.method, "/mcp", c.body, c.headers...)
		content, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		var reply struct{ Error struct{ Code int } }
		_ = json.Unmarshal(content, &reply)
		if answer.StatusCode != c.status || reply.Error.Code != c.code {
			t.Errorf("%s: %d %s, want %d and %d", c.name, answer.StatusCode, content, c.status, c.code)
		}
	}
	if status, body := w.post(ping, "Mcp-Session-Id", id); status != 200 || !strings.Contains(body, `"id":7`) {
		t.Errorf("after all of that: %d %s", status, body)
	}
	status, body := w.post(`[`+ping+`,{"jsonrpc":"2.0","method":"notifications/x"},{"jsonrpc":"2.0","method":"notifications/x","params":[1]},{"jsonrpc":"2.0","id":"a","method":"ping"},{"bad":1}]`, "Mcp-Session-Id", old)
	var answers []map[string]any
	if status != 200 || json.Unmarshal([]byte(body), &answers) != nil || len(answers) != 3 {
		t.Errorf("a batch: %d %s", status, body)
	}
}

func TestIdsComeBackAsTheyWere(t *testing.T) {
	w := serveWeb(t, &stub{}, nil)
	id := w.begin("2025-11-25")
	for _, own := range []string{`9007199254740993`, `"a"`, `-1`, `123456789012345678901234567890`, `"\u00e9"`} {
		status, body := w.post(`{"jsonrpc":"2.0","id":`+own+`,"method":"ping"}`, "Mcp-Session-Id", id)
		if status != 200 || !strings.Contains(body, `"id":`+own) {
			t.Errorf("%s: %d %s", own, status, body)
		}
	}
}

func TestTheNewestEra(t *testing.T) {
	w := serveWeb(t, &stub{}, nil)
	body, headers := modern(1, "tools/call", `,"name":"echo","arguments":{"text":"hello"}`)
	if status, answer := w.post(body, headers...); status != 200 || !strings.Contains(answer, "hello") || !strings.Contains(answer, "THE BLOCK") {
		t.Errorf("the first call: %d %s", status, answer)
	}
	if status, answer := w.post(body, headers...); status != 200 || strings.Contains(answer, "THE BLOCK") {
		t.Errorf("the second call: %d %s", status, answer)
	}
	if status, answer := w.post(body, append(headers, "Who", "somebody")...); status != 200 || !strings.Contains(answer, "THE BLOCK") {
		t.Errorf("somebody else's first call: %d %s", status, answer)
	}
	nameless := strings.Replace(body, `,"io.modelcontextprotocol/clientInfo":{"name":"m","version":"1"}`, "", 1)
	if status, answer := w.post(nameless, headers...); status != 200 || !strings.Contains(answer, "THE BLOCK") {
		t.Errorf("the first call of one without a name: %d %s", status, answer)
	}
	for _, c := range []struct {
		name, method, params string
		change               []string
		status, code         int
	}{
		{"unknown method", "no/such", "", nil, 404, -32601},
		{"a method of the other era", "initialize", "", nil, 404, -32601},
		{"unknown tool", "tools/call", `,"name":"no_such"`, nil, 400, -32602},
		{"another method in the header", "tools/list", "", []string{"Mcp-Method", "tools/call"}, 400, -32020},
		{"no method in the header", "tools/list", "", []string{"Mcp-Method", ""}, 400, -32020},
		{"another name in the header", "tools/call", `,"name":"echo"`, []string{"Mcp-Name", "fails"}, 400, -32020},
		{"no name in the header", "tools/call", `,"name":"echo"`, []string{"Mcp-Name", ""}, 400, -32020},
		{"another version in the header", "tools/list", "", []string{"Mcp-Protocol-Version", "2026-08-01"}, 400, -32020},
	} {
		body, headers := modern(5, c.method, c.params)
		status, answer := w.post(body, append(headers, c.change...)...)
		var reply struct {
			ID    int
			Error struct{ Code int }
		}
		_ = json.Unmarshal([]byte(answer), &reply)
		if status != c.status || reply.Error.Code != c.code || reply.ID != 5 {
			t.Errorf("%s: %d %s, want %d and %d", c.name, status, answer, c.status, c.code)
		}
	}
	if w.http.Sessions() != 0 {
		t.Errorf("%d sessions", w.http.Sessions())
	}
}

// event is one of a stream.
type event struct{ name, id, data string }

// events reads a stream.
func events(r io.Reader) func() (event, bool) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	return func() (event, bool) {
		var next event
		for lines.Scan() {
			key, value, _ := strings.Cut(lines.Text(), ": ")
			switch key {
			case "event":
				next.name = value
			case "id":
				next.id = value
			case "data":
				next.data = value
			case "data:":
			case "":
				if next != (event{}) {
					return next, true
				}
			}
		}
		return event{}, false
	}
}

func TestACutOffAnswerCanBeFetched(t *testing.T) {
	s := &stub{block: make(chan struct{})}
	w := serveWeb(t, s, nil)
	id := w.begin("2025-11-25")
	ctx, cut := context.WithCancel(t.Context())
	answer := w.do(ctx, "POST", "/mcp", callMessage(9, "waits", "{}"), "Mcp-Session-Id", id)
	prime, ok := events(answer.Body)()
	if !ok || prime.name != "prime" || prime.id == "" || answer.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("%+v %v", prime, answer.Header)
	}
	cut()
	answer.Body.Close()
	close(s.block)
	again := w.do(t.Context(), "GET", "/mcp", "", "Mcp-Session-Id", id, "Last-Event-Id", prime.id)
	defer again.Body.Close()
	got, ok := events(again.Body)()
	if !ok || !strings.Contains(got.data, "done") || !strings.Contains(got.data, `"id":9`) || got.id == prime.id {
		t.Errorf("%+v", got)
	}
	if rest, _ := io.ReadAll(again.Body); len(rest) > 1 {
		t.Errorf("more follows: %q", rest)
	}
	// What was fetched can be fetched again, from any place.
	third := w.do(t.Context(), "GET", "/mcp", "", "Mcp-Session-Id", id, "Last-Event-Id", prime.id)
	defer third.Body.Close()
	if got, _ := events(third.Body)(); !strings.Contains(got.data, "done") {
		t.Errorf("%+v", got)
	}
}

func TestCancellationFreesThePlace(t *testing.T) {
	w := serveWeb(t, &stub{block: make(chan struct{})}, func(o *HTTPOptions) { o.PerSession = 1 })
	best := time.Hour // of several, since the machine has other things to do
	for range 3 {
		best = min(best, w.cancelledAfter(w.begin("2025-11-25")))
	}
	if best > 100*time.Millisecond {
		t.Errorf("the place was free after %v", best)
	}
}

// TestCancelledWhileHandedOver: a client cancels its call after it has got its
// turn, and before the SDK has heard of it.
func TestCancelledWhileHandedOver(t *testing.T) {
	c := newCalls()
	request := c.begin(message{id: json.RawMessage("7"), method: "tools/call"}, newStream("", true))
	if !c.admit(request, func() {}) || c.early(request) != nil {
		t.Fatal("it is cancelled already")
	}
	if c.notification(message{method: "notifications/cancelled", params: json.RawMessage(`{"requestId":7}`)}) == nil {
		t.Fatal("the call is not known")
	}
	cancel := c.early(request)
	if cancel == nil || !strings.Contains(string(cancel.Params), `"requestId":`+idKey(request.ID.Raw())) {
		t.Errorf("the SDK is told %+v", cancel)
	}
	c.settle(idKey(request.ID.Raw()))
	if c.early(request) != nil {
		t.Error("a call that is over is cancelled")
	}
}

// cancelledAfter is how long a call waits for the place of one that is cancelled.
func (w *web) cancelledAfter(session string) time.Duration {
	w.Helper()
	for w.http.InFlight() > 0 { // what came before
		time.Sleep(time.Millisecond)
	}
	ctx, leave := context.WithCancel(w.Context())
	gone := make(chan struct{})
	defer func() { leave(); <-gone }()
	go func() {
		defer close(gone)
		request, _ := http.NewRequestWithContext(ctx, "POST", w.URL+"/mcp", strings.NewReader(callMessage(1, "waits", "{}")))
		request.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Mcp-Session-Id": {session}}
		if answer, err := w.Client().Do(request); err == nil { // a call that is cancelled is not answered
			answer.Body.Close()
		}
	}()
	for w.http.InFlight() == 0 {
		time.Sleep(time.Millisecond)
	}
	start := time.Now()
	w.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, "Mcp-Session-Id", session)
	if status, body := w.post(callMessage(2, "echo", `{"text":"next"}`), "Mcp-Session-Id", session); status != 200 || !strings.Contains(body, "next") {
		w.Errorf("%d %s", status, body)
	}
	return time.Since(start)
}

func TestAClientThatGoesCancelsItsCallWithoutASession(t *testing.T) {
	w := serveWeb(t, &stub{block: make(chan struct{})}, nil)
	ctx, leave := context.WithCancel(t.Context())
	body, headers := modern(1, "tools/call", `,"name":"waits","arguments":{}`)
	var served atomic.Bool
	go func() {
		request, _ := http.NewRequestWithContext(ctx, "POST", w.URL+"/mcp", strings.NewReader(body))
		request.Header.Set("Content-Type", "application/json")
		for i := 0; i < len(headers); i += 2 {
			request.Header.Set(headers[i], headers[i+1])
		}
		_, err := w.Client().Do(request)
		served.Store(err == nil)
	}()
	for w.http.InFlight() == 0 {
		time.Sleep(time.Millisecond)
	}
	leave()
	for start := time.Now(); w.http.InFlight() > 0; time.Sleep(time.Millisecond) {
		if time.Since(start) > time.Second {
			t.Fatal("the call goes on")
		}
	}
}

func TestLimitsOfCalls(t *testing.T) {
	w := serveWeb(t, &stub{}, func(o *HTTPOptions) { o.Calls = 5 })
	id := w.begin("2025-11-25", "Who", "a") // initialize is one
	refused := 0
	for i := range 6 {
		answer := w.do(t.Context(), "POST", "/mcp", callMessage(i+1, "echo", `{"text":"x"}`), "Mcp-Session-Id", id, "Who", "a")
		content, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		if answer.StatusCode == 429 {
			refused++
			if answer.Header.Get("Retry-After") == "" || !strings.Contains(string(content), fmt.Sprintf(`"id":%d`, i+1)) {
				t.Errorf("%v %s", answer.Header, content)
			}
		}
	}
	if refused != 2 {
		t.Errorf("%d of 6 calls were refused", refused)
	}
	w.begin("2025-11-25", "Who", "b") // somebody else has a share of his own
}

func TestNoSessionGivesWayToOneThatIsRefused(t *testing.T) {
	w := serveWeb(t, &stub{}, func(o *HTTPOptions) { o.Sessions, o.Calls = 3, 2 })
	first := w.begin("2025-11-25", "Who", "a")
	for range 2 {
		w.begin("2025-11-25", "Who", "b")
	}
	answer := w.do(t.Context(), "POST", "/mcp", initializeMessage("2025-11-25"), "Who", "b")
	answer.Body.Close()
	if answer.StatusCode != 429 || answer.Header.Get("Mcp-Session-Id") != "" || answer.Header.Get("Retry-After") == "" {
		t.Errorf("one too many: %d %v", answer.StatusCode, answer.Header)
	}
	if status, said := w.post(callMessage(1, "echo", `{"text":"x"}`), "Mcp-Session-Id", first, "Who", "a"); status != 200 {
		t.Errorf("another client's session: %d %s", status, said)
	}
}

func TestSessionsAreFew(t *testing.T) {
	w := serveWeb(t, &stub{}, func(o *HTTPOptions) { o.Sessions = 3 })
	first := w.begin("2025-11-25")
	time.Sleep(2 * time.Millisecond)
	second := w.begin("2025-11-25")
	time.Sleep(2 * time.Millisecond)
	w.post(callMessage(1, "echo", `{"text":"x"}`), "Mcp-Session-Id", first) // now the second is idle for longer
	for range 2 {
		w.begin("2025-11-25")
	}
	if w.http.Sessions() != 3 {
		t.Errorf("%d sessions", w.http.Sessions())
	}
	if status, _ := w.post(callMessage(1, "echo", `{"text":"x"}`), "Mcp-Session-Id", second); status != 404 {
		t.Errorf("the longest idle session answers %d", status)
	}
	if status, _ := w.post(callMessage(1, "echo", `{"text":"x"}`), "Mcp-Session-Id", first); status != 200 {
		t.Errorf("the one in use answers %d", status)
	}
}

func TestSessionsAreFewThoughManyBeginAtOnce(t *testing.T) {
	w := serveWeb(t, &stub{}, func(o *HTTPOptions) { o.Sessions = 5 })
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 20 {
				w.post(initializeMessage("2025-11-25"))
			}
		})
	}
	all.Wait()
	if w.http.Sessions() != 5 {
		t.Errorf("%d sessions", w.http.Sessions())
	}
}

func TestIdleSessionsEnd(t *testing.T) {
	w := serveWeb(t, &stub{}, func(o *HTTPOptions) { o.Idle = 50 * time.Millisecond })
	w.begin("2025-11-25")
	reading := w.begin("2025-11-25")
	stream := w.do(t.Context(), "GET", "/mcp", "", "Mcp-Session-Id", reading)
	defer stream.Body.Close()
	for start := time.Now(); w.http.Sessions() != 1; time.Sleep(5 * time.Millisecond) {
		if time.Since(start) > 5*time.Second {
			t.Fatalf("%d sessions", w.http.Sessions())
		}
	}
	if status, _ := w.post(callMessage(1, "echo", `{"text":"x"}`), "Mcp-Session-Id", reading); status != 200 {
		t.Errorf("the session that is listened to answers %d", status)
	}
}

func TestTheOldestTransport(t *testing.T) {
	w := serveWeb(t, &stub{}, nil)
	stream := w.do(t.Context(), "GET", "/sse", "", "Who", "a")
	next := events(stream.Body)
	endpoint, _ := next()
	if endpoint.name != "endpoint" || !strings.HasPrefix(endpoint.data, "/messages?sessionId=") {
		t.Fatalf("%+v", endpoint)
	}
	send := func(body string, headers ...string) int {
		answer := w.do(t.Context(), "POST", endpoint.data, body, headers...)
		answer.Body.Close()
		return answer.StatusCode
	}
	if status := send(initializeMessage("2024-11-05"), "Who", "a"); status != 202 {
		t.Errorf("initialize: %d", status)
	}
	if got, _ := next(); got.name != "message" || !strings.Contains(got.data, "2024-11-05") {
		t.Errorf("%+v", got)
	}
	send(callMessage(1, "echo", `{"text":"hello"}`), "Who", "a")
	if got, _ := next(); !strings.Contains(got.data, "hello") || !strings.Contains(got.data, "THE BLOCK") {
		t.Errorf("%+v", got)
	}
	for name, status := range map[string]int{
		"somebody else's": send(callMessage(2, "echo", "{}"), "Who", "mallory"),
		"none at all":     w.do(t.Context(), "POST", "/messages?sessionId=nonsense", "{}", "Who", "a").StatusCode,
	} {
		if status != 404 {
			t.Errorf("%s: %d", name, status)
		}
	}
	if status := send("{", "Who", "a"); status != 400 {
		t.Errorf("no JSON: %d", status)
	}
	stream.Body.Close()
	for start := time.Now(); w.http.Sessions() != 0; time.Sleep(time.Millisecond) {
		if time.Since(start) > 5*time.Second {
			t.Fatal("the session outlives its stream")
		}
	}
}

// An answer is not lost because its reader is slow, however large it is.
func TestLargeAnswersWaitForASlowReader(t *testing.T) {
	w := serveWeb(t, &stub{}, nil)
	stream := w.do(t.Context(), "GET", "/sse", "")
	defer stream.Body.Close()
	next := events(stream.Body)
	endpoint, _ := next()
	send := func(body string) { w.do(t.Context(), "POST", endpoint.data, body).Body.Close() }
	send(initializeMessage("2024-11-05"))
	for i := range 8 {
		send(callMessage(i+1, "echo", `{"text":"`+strings.Repeat("x", 700_000)+`"}`))
	}
	got := map[string]bool{}
	for range 9 {
		one, ok := next()
		if !ok {
			t.Fatal("the stream has ended")
		}
		var answer struct{ ID json.RawMessage }
		_ = json.Unmarshal([]byte(one.data), &answer)
		got[string(answer.ID)] = true
	}
	if len(got) != 9 {
		t.Errorf("answers to %v", got)
	}
}

// What waits to be fetched again has a limit, for all sessions together.
func TestTheArchiveIsBounded(t *testing.T) {
	var kept archive
	owner := &session{}
	for range 100 {
		one := newStream("", true)
		one.expect()
		owner.keep(one, &kept)
		_ = one.deliver(make([]byte, 1<<20), 0)
	}
	if kept.bytes > archiveBytes || len(owner.streams) != len(kept.all) || len(owner.streams) != archiveBytes>>20 {
		t.Errorf("%d bytes, %d and %d streams", kept.bytes, len(kept.all), len(owner.streams))
	}
	for range 10 { // those that have ended before they are kept give way to each other too
		one := newStream("", true)
		one.expect()
		_ = one.deliver(make([]byte, 8<<20), 0)
		owner.keep(one, &kept)
	}
	if kept.bytes > archiveBytes || len(owner.streams) != len(kept.all) {
		t.Errorf("%d bytes, %d and %d streams", kept.bytes, len(kept.all), len(owner.streams))
	}
	kept.tidy(time.Now().Add(archiveTime + time.Second))
	if kept.bytes != 0 || len(owner.streams) != 0 {
		t.Errorf("%d bytes, %d streams are left", kept.bytes, len(owner.streams))
	}
}

// A client that never listens has its session grow no more than a little.
func TestUnheardNotificationsAreFew(t *testing.T) {
	one := newStream("0", true)
	one.standing = true
	for range 1000 {
		one.put([]byte("news"))
	}
	if len(one.kept) > unheardMessages {
		t.Errorf("%d messages wait for nobody", len(one.kept))
	}
	one.attach(-1)
	for range 1000 {
		one.put([]byte("news"))
	}
	if len(one.kept) != keptMessages {
		t.Errorf("%d messages wait for somebody", len(one.kept))
	}
}

// An id that looks like one of our own does not take another call's place.
func TestIdsThatLookLikeOurOwn(t *testing.T) {
	s := &stub{block: make(chan struct{})}
	w := serveWeb(t, s, nil)
	id := w.begin("2025-11-25")
	answered := make(chan string, 3)
	for _, own := range []string{`"` + aliasPrefix + `1"`, `"x"`, `"x"`, `"` + aliasPrefix + `2"`} {
		go func() {
			_, body := w.post(`{"jsonrpc":"2.0","id":`+own+`,"method":"tools/call","params":{"name":"waits","arguments":{}}}`, "Mcp-Session-Id", id)
			answered <- body
		}()
	}
	for w.http.InFlight() < 4 {
		time.Sleep(time.Millisecond)
	}
	close(s.block)
	got := map[string]int{}
	for range 4 {
		_, rest, _ := strings.Cut(<-answered, `"id":`)
		own, _, _ := strings.Cut(rest, ",")
		got[own]++
	}
	if got[`"x"`] != 2 || got[`"`+aliasPrefix+`1"`] != 1 || got[`"`+aliasPrefix+`2"`] != 1 {
		t.Errorf("%v", got)
	}
	for start := time.Now(); w.http.InFlight() > 0; time.Sleep(time.Millisecond) {
		if time.Since(start) > 5*time.Second {
			t.Fatalf("%d places are taken for ever", w.http.InFlight())
		}
	}
}

// Who waits for a person keeps nobody from working, and does not hold up the
// end.
func TestWaitingForAPersonTakesNoPlace(t *testing.T) {
	w := serveWeb(t, &stub{}, func(o *HTTPOptions) { o.InFlight = 1 })
	answer := w.do(t.Context(), "POST", "/mcp", strings.Replace(initializeMessage("2025-11-25"), `"capabilities":{}`, `"capabilities":{"elicitation":{}}`, 1))
	answer.Body.Close()
	id := answer.Header.Get("Mcp-Session-Id")
	w.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`, "Mcp-Session-Id", id)
	asking := w.do(t.Context(), "POST", "/mcp", callMessage(1, "asks", "{}"), "Mcp-Session-Id", id)
	defer asking.Body.Close()
	next := events(asking.Body)
	if kind := asking.Header.Get("Content-Type"); kind != "text/event-stream" {
		content, _ := io.ReadAll(asking.Body)
		t.Fatalf("%s: %s", kind, content)
	}
	for {
		one, ok := next()
		if !ok {
			t.Fatal("nothing is asked")
		}
		if strings.Contains(one.data, "elicitation/create") {
			break
		}
	}
	if status, body := w.post(callMessage(2, "echo", `{"text":"meanwhile"}`), "Mcp-Session-Id", w.begin("2025-11-25")); status != 200 || !strings.Contains(body, "meanwhile") {
		t.Errorf("%d %s", status, body)
	}
	w.http.Stop()
	if one, ok := next(); !ok || !strings.Contains(one.data, `"id":1`) {
		t.Errorf("the call is not answered at the end: %+v", one)
	}
}

// A call whose session ends is told so, whatever it accepts.
func TestACallWhoseSessionEnds(t *testing.T) {
	for _, accept := range []string{"application/json", "application/json, text/event-stream"} {
		w := serveWeb(t, &stub{block: make(chan struct{})}, nil)
		id := w.begin("2025-11-25")
		status := make(chan int)
		go func() {
			code, _ := w.post(callMessage(1, "waits", "{}"), "Mcp-Session-Id", id, "Accept", accept)
			status <- code
		}()
		for w.http.InFlight() == 0 {
			time.Sleep(time.Millisecond)
		}
		w.do(t.Context(), "DELETE", "/mcp", "", "Mcp-Session-Id", id).Body.Close()
		select {
		case code := <-status:
			if code != 404 {
				t.Errorf("%s: %d", accept, code)
			}
		case <-time.After(5 * time.Second):
			t.Errorf("%s: it waits for ever", accept)
		}
		if w.http.InFlight() != 0 {
			t.Errorf("%s: its place is taken", accept)
		}
	}
}

// What never ends is not taken for a call of a session.
func TestNoListeningInASession(t *testing.T) {
	w := serveWeb(t, &stub{}, nil)
	listen := `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"resourcesListChanged":true}}}`
	for version, body := range map[string]string{"2025-11-25": listen, "2025-03-26": "[" + listen + "]"} {
		if status, answer := w.post(body, "Mcp-Session-Id", w.begin(version)); status != 200 || !strings.Contains(answer, "-32601") {
			t.Errorf("%s: %d %s", version, status, answer)
		}
	}
	if w.http.InFlight() != 0 {
		t.Errorf("%d places are taken", w.http.InFlight())
	}
}

// A session that asked for a version without sessions, and was given another,
// is a session like others.
func TestAskingForANewerVersion(t *testing.T) {
	w := serveWeb(t, &stub{}, nil)
	for range 2 {
		id := w.begin("2026-07-28")
		if _, body := w.post(callMessage(1, "echo", `{"text":"x"}`), "Mcp-Session-Id", id); !strings.Contains(body, "THE BLOCK") {
			t.Errorf("%s", body)
		}
	}
}

// A batch is held whole, and so is small.
func TestBatchesAreBounded(t *testing.T) {
	s := &stub{block: make(chan struct{})}
	w := serveWeb(t, s, nil)
	id := w.begin("2025-03-26")
	large := make([]string, maxBatch+1)
	for i := range large {
		large[i] = `{"jsonrpc":"2.0","method":"notifications/x"}`
	}
	if status, _ := w.post("["+strings.Join(large, ",")+"]", "Mcp-Session-Id", id); status != 400 {
		t.Errorf("too many: %d", status)
	}
	collect := newBatch(newStream("", false))
	for i := range 5 {
		collect.expect()
		_ = collect.deliver([]byte(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":"%s"}`, i, strings.Repeat("x", 10<<20))), 0)
	}
	if collect.bytes > maxBatchAnswers+1000 || len(collect.answers) != 5 || !strings.Contains(string(collect.answers[4]), `"id":4`) {
		t.Errorf("%d bytes, the last is %.100s", collect.bytes, collect.answers[4])
	}
	ctx, leave := context.WithCancel(t.Context())
	go func() {
		request, _ := http.NewRequestWithContext(ctx, "POST", w.URL+"/mcp", strings.NewReader("["+callMessage(1, "waits", "{}")+"]"))
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Mcp-Session-Id", id)
		_, _ = w.Client().Do(request)
	}()
	for w.http.InFlight() == 0 {
		time.Sleep(time.Millisecond)
	}
	leave()
	for start := time.Now(); w.http.InFlight() > 0; time.Sleep(time.Millisecond) {
		if time.Since(start) > time.Second {
			t.Fatal("the call of a batch whose client has gone goes on")
		}
	}
}

// A call that is cancelled while it waits for its turn is not made.
func TestCancellingACallThatWaits(t *testing.T) {
	s := &stub{block: make(chan struct{})}
	w := serveWeb(t, s, func(o *HTTPOptions) { o.PerSession = 1 })
	id := w.begin("2025-11-25")
	first := make(chan struct{})
	go func() {
		defer close(first)
		w.post(callMessage(1, "waits", "{}"), "Mcp-Session-Id", id)
	}()
	for w.http.InFlight() == 0 {
		time.Sleep(time.Millisecond)
	}
	type answer struct {
		status int
		body   string
	}
	second := make(chan answer)
	go func() {
		status, body := w.post(callMessage(2, "echo", `{"text":"unwanted"}`), "Mcp-Session-Id", id, "Accept", "application/json")
		second <- answer{status, body}
	}()
	waits := func() bool {
		one := w.http.sessions.find(id)
		one.calls.mu.Lock()
		defer one.calls.mu.Unlock()
		return len(one.calls.open) == 2
	}
	for !waits() {
		time.Sleep(time.Millisecond)
	}
	w.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`, "Mcp-Session-Id", id)
	close(s.block)
	if got := <-second; got.status != 204 || got.body != "" {
		t.Errorf("%+v", got)
	}
	if status, _ := w.post(callMessage(3, "echo", `{"text":"x"}`), "Mcp-Session-Id", id); status != 200 {
		t.Errorf("afterwards: %d", status)
	}
	<-first
}

// Those who wait for people are few, and who cannot be asked is told to confirm.
func TestQuestionsAreFew(t *testing.T) {
	w := serveWeb(t, &stub{}, nil)
	answer := w.do(t.Context(), "POST", "/mcp", strings.Replace(initializeMessage("2025-11-25"), `"capabilities":{}`, `"capabilities":{"elicitation":{}}`, 1))
	answer.Body.Close()
	id := answer.Header.Get("Mcp-Session-Id")
	for i := range maxAsked {
		asking := w.do(t.Context(), "POST", "/mcp", callMessage(i+1, "asks", "{}"), "Mcp-Session-Id", id)
		defer asking.Body.Close()
		for next := events(asking.Body); ; {
			if one, ok := next(); !ok {
				t.Fatal("nothing is asked")
			} else if strings.Contains(one.data, "elicitation/create") {
				break
			}
		}
	}
	if _, body := w.post(callMessage(9, "asks", "{}"), "Mcp-Session-Id", id); !strings.Contains(body, "Repeat with confirm") {
		t.Errorf("one more: %s", body)
	}
	w.http.Stop()
	if _, body := w.post(callMessage(10, "asks", "{}"), "Mcp-Session-Id", id); !strings.Contains(body, "Repeat with confirm") {
		t.Errorf("at the end: %s", body)
	}
}

// A server whose sessions are all in use says so.
func TestAllSessionsInUse(t *testing.T) {
	w := serveWeb(t, &stub{}, func(o *HTTPOptions) { o.Sessions = 1 })
	id := w.begin("2025-11-25")
	stream := w.do(t.Context(), "GET", "/mcp", "", "Mcp-Session-Id", id)
	defer stream.Body.Close()
	answer := w.do(t.Context(), "POST", "/mcp", initializeMessage("2025-11-25"))
	answer.Body.Close()
	if answer.StatusCode != 503 || answer.Header.Get("Retry-After") == "" {
		t.Errorf("%d %v", answer.StatusCode, answer.Header)
	}
	if status, _ := w.post(callMessage(1, "echo", `{"text":"x"}`), "Mcp-Session-Id", id); status != 200 {
		t.Errorf("the one in use: %d", status)
	}
}

// What a client says of itself is small.
func TestLongIntroductions(t *testing.T) {
	w := serveWeb(t, &stub{}, nil)
	if status, body := w.post(strings.Replace(initializeMessage("2025-11-25"), `"name":"t"`, `"name":"`+strings.Repeat("t", 100_000)+`"`, 1)); status != 400 || len(body) > 1000 {
		t.Errorf("%d %.200s", status, body)
	}
	if status, body := w.post(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":1,"clientInfo":{}}}`); status != 200 || strings.Contains(body, "mcp.") || !strings.Contains(body, "-32602") {
		t.Errorf("%d %s", status, body)
	}
	if w.http.Sessions() != 0 {
		t.Errorf("%d sessions", w.http.Sessions())
	}
}

// Clients who share a session of the SDK never have the same id there, not even
// one after the other: cancelling one's call cannot meet another's.
func TestSharedIdsAreNeverUsedAgain(t *testing.T) {
	c := newCalls()
	c.shared = true
	seen := map[any]bool{}
	for range 3 {
		request := c.begin(message{id: json.RawMessage("1"), method: "ping"}, newStream("", false))
		if seen[request.ID.Raw()] || request.ID.Raw() == int64(1) {
			t.Errorf("the id %v is used again", request.ID.Raw())
		}
		seen[request.ID.Raw()] = true
		c.settle(idKey(request.ID.Raw()))
	}
}
