//go:build unix

package app

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"obsidian-mcp/internal/testkit/mode"
)

func (s *httpServer) status(path string) int { return s.do("GET", path, "").status }

// post sends a body to a path; headers are pairs.
func (s *httpServer) post(ctx context.Context, path, body string, headers ...string) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, "POST", s.url+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	return s.client.Do(request)
}

// answers are the messages in an answer: JSON or an event stream.
func answers(t *testing.T, answer *http.Response) []message {
	t.Helper()
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	var all []message
	if strings.HasPrefix(answer.Header.Get("Content-Type"), "text/event-stream") {
		for line := range strings.Lines(string(content)) {
			if data, ok := strings.CutPrefix(strings.TrimSpace(line), "data: {"); ok {
				all = append(all, readAnswer(t, []byte("{"+data)))
			}
		}
		return all
	}
	if len(content) > 0 && content[0] == '[' {
		var items []json.RawMessage
		_ = json.Unmarshal(content, &items)
		for _, item := range items {
			all = append(all, readAnswer(t, item))
		}
		return all
	}
	if len(content) > 0 {
		all = append(all, readAnswer(t, content))
	}
	return all
}

func readAnswer(t *testing.T, raw []byte) message {
	t.Helper()
	answer := message{raw: raw}
	if err := json.Unmarshal(raw, &answer); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return answer
}

const initializing = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}`

// beginSession starts a session and returns its id.
func (s *httpServer) beginSession(headers ...string) (session string) {
	s.t.Helper()
	answer, err := s.post(s.t.Context(), "/mcp", initializing, headers...)
	if err != nil {
		s.t.Fatal(err)
	}
	io.Copy(io.Discard, answer.Body)
	answer.Body.Close()
	if session = answer.Header.Get("Mcp-Session-Id"); session == "" {
		s.t.Fatalf("no session: %s", answer.Status)
	}
	answer, err = s.post(s.t.Context(), "/mcp", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, append(headers, "Mcp-Session-Id", session)...)
	if err != nil || answer.StatusCode != http.StatusAccepted {
		s.t.Fatalf("%v %v", answer, err)
	}
	answer.Body.Close()
	return session
}

// TestHostileRequestsOverHTTP sends every hostile request to one server.
func TestHostileRequestsOverHTTP(t *testing.T) {
	t.Parallel()
	base, vault := buildFixture(t)
	before := treeOf(t, base)
	s := startHTTP(t, vault, "OBSIDIAN_MCP_CONTEXT=off")
	session := s.beginSession()
	ran := 0
	for _, request := range readRequests(t, "hostile/requests.jsonl") {
		ran++
		t.Run(request.Name, func(t *testing.T) { s.checkHostile(t, session, request) })
	}
	peak := (&client{cmd: s.cmd}).peakMemory()
	if peak > maxMemory {
		t.Errorf("the server needed %d MB", peak>>20)
	}
	t.Logf("%d hostile requests, peak memory %d MB", ran, peak>>20)
	if ran < 90 {
		t.Errorf("only %d cases", ran)
	}
	if changed := changedFiles(before, treeOf(t, base)); len(changed) > 0 {
		t.Errorf("files changed: %v", changed)
	}
}

func (s *httpServer) checkHostile(t *testing.T, session string, request hostileRequest) {
	line := request.line(t)
	if strings.TrimSpace(line) == "" {
		request.Expect = "parse_error" // a blank line is nothing, but a request without a body is wrong
	}
	var got []message
	for i := range max(1, request.Times) {
		answer, err := s.post(t.Context(), "/mcp", strings.ReplaceAll(line, "{{N}}", fmt.Sprint(i)), "Mcp-Session-Id", session)
		if err != nil {
			t.Fatal(err)
		}
		if answer.StatusCode >= 500 || answer.StatusCode == 404 {
			t.Errorf("status %d", answer.StatusCode)
		}
		if answer.StatusCode == http.StatusRequestEntityTooLarge {
			answer.Body.Close()
			got = append(got, readAnswer(t, []byte(`{"error":{"code":-32600}}`))) // the door answered without reading the body
			continue
		}
		got = append(got, answers(t, answer)...)
	}
	if want := request.wanted(); len(got) < want {
		t.Errorf("%d answers, want %d", len(got), want)
	}
	request.check(t, got)
	answer, err := s.post(t.Context(), "/mcp", `{"jsonrpc":"2.0","id":"after","method":"tools/list"}`, "Mcp-Session-Id", session)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("the server no longer serves: %v %v", answer, err)
	}
	answer.Body.Close()
}

// A signal ends the program with status 0 once the calls in flight are answered. Standing streams do not delay that.
func TestSignalAnswersCallsInFlight(t *testing.T) {
	t.Parallel()
	vault := t.TempDir()
	files := map[string]string{}
	for i := range 300 {
		files[fmt.Sprintf("n%d.md", i)] = strings.Repeat("words [[n1]] and more\n", 2000)
	}
	writeFiles(t, vault, files)
	s := startHTTP(t, vault, "OBSIDIAN_MCP_METRICS=true")
	session := s.beginSession()
	waiting, err := http.NewRequestWithContext(t.Context(), "GET", s.url+"/mcp", nil)
	if err != nil {
		t.Fatal(err)
	}
	waiting.Header.Set("Accept", "text/event-stream")
	waiting.Header.Set("Mcp-Session-Id", session)
	stream, err := s.client.Do(waiting)
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Body.Close()
	events, err := s.client.Get(s.url + "/sse")
	if err != nil {
		t.Fatal(err)
	}
	defer events.Body.Close()
	const calls = 8
	answered := make(chan error, calls)
	for i := range calls {
		go func() {
			answer, err := s.post(context.Background(), "/mcp", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"vault_search","arguments":{"query":"(w|x)[a-z ]+(and|or) m.*e$"}}}`, i), "Mcp-Session-Id", session)
			if err == nil {
				content, readErr := io.ReadAll(answer.Body)
				answer.Body.Close()
				if err = readErr; err == nil && !bytes.Contains(content, []byte(`"result"`)) {
					err = fmt.Errorf("%s %s", answer.Status, content)
				}
			}
			answered <- err
		}()
	}
	for start := time.Now(); time.Since(start) < mode.Patience; time.Sleep(time.Millisecond) {
		if _, rest, _ := strings.Cut(s.do("GET", "/metrics", "").body, "\nobsidian_mcp_calls_in_flight "); rest > "3" {
			break
		}
	}
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	refused := 0
	for range calls {
		if err := <-answered; err != nil {
			if strings.Contains(err.Error(), "refused") || strings.Contains(err.Error(), "EOF") || strings.Contains(err.Error(), "reset") {
				refused++ // it had not been sent yet
				continue
			}
			t.Error(err)
		}
	}
	if refused > calls/2 {
		t.Errorf("%d of %d calls were not accepted", refused, calls)
	}
	select {
	case err := <-s.ended:
		s.ended <- err
		if err != nil {
			t.Errorf("the program ended with %v: %s", err, s.stderr)
		}
	case <-time.After(mode.Patience):
		t.Error("the program does not end")
	}
}

func TestTwoServersOnOnePort(t *testing.T) {
	t.Parallel()
	vault := t.TempDir()
	s := startHTTP(t, vault)
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(s.url, "http://"))
	second := command(t, vault, "http", "--port", port)
	output, err := second.CombinedOutput()
	if err == nil || !strings.Contains(string(output), "another obsidian-mcp (ready) already serves on port "+port) || !strings.Contains(string(output), "--port") {
		t.Errorf("%v: %s", err, output)
	}
	if s.status("/healthz") != http.StatusOK {
		t.Error("the first server no longer serves")
	}
}

func TestHealth(t *testing.T) {
	t.Parallel()
	vault := filepath.Join(t.TempDir(), "vault")
	writeFiles(t, vault, map[string]string{"A.md": "text"})
	s := startHTTP(t, vault, "OBSIDIAN_MCP_METRICS=true")
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(s.url, "http://"))
	for _, args := range [][]string{{"health"}, {"health", "--ready"}} {
		if output, err := command(t, vault, append(args, "--port", port)...).CombinedOutput(); err != nil {
			t.Errorf("%v: %v %s", args, err, output)
		}
	}
	answer, err := s.client.Get(s.url + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	content, _ := io.ReadAll(answer.Body)
	answer.Body.Close()
	for _, line := range []string{"obsidian_mcp_index_files 1\n", "obsidian_mcp_ready 1\n", "obsidian_mcp_sessions 0\n", `obsidian_mcp_http_requests_total{method="GET",route="/healthz",status="200"} 1`} {
		if !strings.Contains(string(content), line) {
			t.Errorf("the metrics do not contain %q", line)
		}
	}
	if err := os.Rename(vault, vault+" elsewhere"); err != nil {
		t.Fatal(err)
	}
	if status := s.status("/readyz"); status != http.StatusServiceUnavailable {
		t.Errorf("the server is ready without its vault: %d", status)
	}
	if status := s.status("/healthz"); status != http.StatusOK {
		t.Errorf("the server is not alive without its vault: %d", status)
	}
	output, err := command(t, vault+" elsewhere", "health", "--ready", "--port", port).CombinedOutput()
	if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() != 1 || !strings.Contains(string(output), "unreachable") {
		t.Errorf("%v %s", err, output)
	}
	plain := startHTTP(t, vault+" elsewhere")
	if status := plain.status("/metrics"); status != http.StatusNotFound {
		t.Errorf("metrics that are off: status %d", status)
	}
}

// Sessions that are never closed cost little memory, however many there were.
func TestAbandonedSessionsCostLittle(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("asks /proc")
	}
	t.Parallel()
	vault := t.TempDir()
	writeFiles(t, vault, map[string]string{"A.md": "text"})
	s := startHTTP(t, vault)
	abandon := func(count int) {
		var group sync.WaitGroup
		for range 8 {
			group.Go(func() {
				for range count / 8 {
					answer, err := s.post(t.Context(), "/mcp", initializing)
					if err != nil {
						t.Error(err)
						return
					}
					io.Copy(io.Discard, answer.Body)
					answer.Body.Close()
				}
			})
		}
		group.Wait()
	}
	abandon(1000) // the limit on open sessions
	before := s.anonymous()
	abandon(sessionsAbandoned)
	after := s.anonymous()
	for start := time.Now(); after-before > 20<<20 && time.Since(start) < mode.Patience; after = s.anonymous() {
		time.Sleep(100 * time.Millisecond)
	}
	t.Logf("%d abandoned sessions cost %.1f MB", sessionsAbandoned, float64(after-before)/(1<<20))
	if after-before > 20<<20 {
		t.Errorf("%d abandoned sessions cost %d MB", sessionsAbandoned, (after-before)>>20)
	}
}

var sessionsAbandoned = mode.Pick(3_000, 30_000, 30_000)

// anonymous is the memory of the process that no file backs, in bytes.
func (s *httpServer) anonymous() int64 {
	s.t.Helper()
	file, err := os.Open(fmt.Sprintf("/proc/%d/smaps_rollup", s.cmd.Process.Pid))
	if err != nil && runtime.GOOS != "linux" {
		s.t.Skip("only Linux says how much memory of another process no file backs")
	}
	if err != nil {
		s.t.Fatal(err)
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var kilobytes int64
		if rest, ok := strings.CutPrefix(lines.Text(), "Anonymous:"); ok {
			fmt.Sscan(rest, &kilobytes)
			return kilobytes << 10
		}
	}
	return 0
}

// A client that subscribes over HTTP is notified of outside changes, with and without a session.
func TestChangesAreNotifiedOverHTTP(t *testing.T) {
	t.Parallel()
	vault := t.TempDir()
	writeFiles(t, vault, map[string]string{"A.md": "one"})
	s := startHTTP(t, vault, "VAULT_ID=v")
	session := s.beginSession()
	stream := s.openStream(t, "GET", "", "Mcp-Session-Id", session)
	answer, err := s.post(t.Context(), "/mcp", `{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"mcp-obsidian://v/A.md"}}`, "Mcp-Session-Id", session)
	if err != nil || len(answers(t, answer)) != 1 {
		t.Fatalf("%v %v", answer, err)
	}
	listening := s.openStream(t, "POST", `{"jsonrpc":"2.0","id":"L","method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":["mcp-obsidian://v/A.md"]},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`,
		"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "subscriptions/listen")
	if first := <-listening; !strings.Contains(first, "acknowledged") || !strings.Contains(first, `"L"`) {
		t.Errorf("%s", first)
	}
	writeFiles(t, vault, map[string]string{"A.md": "two"})
	for name, from := range map[string]chan string{"a session": stream, "a listener": listening} {
		select {
		case got := <-from:
			if !strings.Contains(got, "notifications/resources/updated") || !strings.Contains(got, "mcp-obsidian://v/A.md") {
				t.Errorf("%s is notified of %s", name, got)
			}
		case <-time.After(mode.Patience):
			t.Errorf("%s is not notified", name)
		}
	}
}

// openStream opens an event stream, and returns the data of its events.
func (s *httpServer) openStream(t *testing.T, method, body string, headers ...string) chan string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, s.url+"/mcp", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Accept", "text/event-stream")
	request.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	answer, err := s.client.Do(request)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%v %v", answer, err)
	}
	data := make(chan string, 100)
	go func() {
		defer answer.Body.Close()
		for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
			if text, ok := strings.CutPrefix(lines.Text(), "data: {"); ok {
				data <- "{" + text
			}
		}
	}()
	return data
}
