//go:build unix

package app

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"obsidian-mcp/internal/testkit/cases"
	"obsidian-mcp/internal/testkit/mode"
)

// hostileRequest is a case of requests.jsonl.
type hostileRequest struct {
	Name, Expect, Raw, B64              string
	Prefix, Fill, Middle, Fill2, Suffix string
	Count, Count2, Times, Answers       int
	Echo                                json.RawMessage
	EchoIfOK                            json.RawMessage `json:"echo_if_ok"`
	Forbid                              []string
}

func (r hostileRequest) line(t *testing.T) string {
	line := r.Raw
	if r.B64 != "" {
		decoded, err := base64.StdEncoding.DecodeString(r.B64)
		if err != nil {
			t.Fatal(err)
		}
		line = string(decoded)
	}
	if r.Count > 0 {
		line = r.Prefix + strings.Repeat(r.Fill, r.Count) + r.Middle + strings.Repeat(r.Fill2, r.Count2) + r.Suffix
	}
	line = strings.ReplaceAll(line, "{{TOOL}}", "read_note")
	return strings.ReplaceAll(line, "{{ARG}}", "name")
}

// TestHostileRequests sends every hostile request to one server.
func TestHostileRequests(t *testing.T) {
	t.Parallel()
	base, vault := buildFixture(t)
	before := treeOf(t, base)
	c := start(t, vault, "OBSIDIAN_MCP_CONTEXT=off")
	c.initialize("2025-11-25")
	requests := hostileRequests(t)
	for _, request := range requests {
		t.Run(request.Name, func(t *testing.T) { checkRequest(t, c, request) })
	}
	if peak := c.peakMemory(); peak > maxMemory {
		t.Errorf("the server needed %d MB", peak>>20)
	} else {
		t.Logf("%d hostile requests, peak memory %d MB", len(requests), peak>>20)
	}
	c.end()
	if changed := changedFiles(before, treeOf(t, base)); len(changed) > 0 {
		t.Errorf("files changed: %v", changed)
	}
}

// hostileRequests are the cases of requests.jsonl.
func hostileRequests(t *testing.T) []hostileRequest {
	t.Helper()
	all := readRequests(t, "hostile/requests.jsonl")
	if len(all) < 90 {
		t.Fatalf("only %d cases", len(all))
	}
	return all
}

// readRequests reads a file with one case a line.
func readRequests(t *testing.T, name string) (all []hostileRequest) {
	t.Helper()
	content, err := os.ReadFile(cases.Path(t, name))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(content)) {
		var request hostileRequest
		if err := json.Unmarshal([]byte(line), &request); err != nil {
			t.Fatal(err)
		}
		if request.Times > 0 && !mode.Full() { // floods are long only in the full form
			most := 500
			request.Times, request.Answers = min(request.Times, most), min(request.Answers, most)
		}
		all = append(all, request)
	}
	return all
}

func checkRequest(t *testing.T, c *client, request hostileRequest) {
	line := request.line(t)
	go func() { // the request may be larger than the pipe's buffer
		for i := range max(1, request.Times) {
			if _, err := c.in.Write([]byte(strings.ReplaceAll(line, "{{N}}", fmt.Sprint(i)) + "\n")); err != nil {
				return
			}
		}
		c.in.Write([]byte(`{"jsonrpc":"2.0","id":"after ` + request.Name + `","method":"tools/list"}` + "\n"))
	}()
	var answers []message
	marker, late := fmt.Sprintf("%q", "after "+request.Name), request.lateAnswers(line)
	// The answer to the marker may come before that of a slower call.
	for marked, want := false, request.wanted(); !marked || len(answers) < want; {
		answer := c.read()
		switch {
		case string(answer.ID) == marker:
			marked = true
		case !late(answer):
			answers = append(answers, answer)
		}
	}
	request.check(t, answers)
}

// lateAnswers reports which answers belong to an earlier request, if this request's own answers are counted.
func (r hostileRequest) lateAnswers(line string) func(message) bool {
	own := map[string]bool{}
	for i := range r.Times {
		var sent struct{ ID json.RawMessage }
		if json.Unmarshal([]byte(strings.ReplaceAll(line, "{{N}}", fmt.Sprint(i))), &sent) == nil && sent.ID != nil {
			own[string(sent.ID)] = true
		}
	}
	return func(answer message) bool { return r.Answers > 0 && len(own) > 0 && !own[string(answer.ID)] }
}

// wanted is the least number of answers.
func (r hostileRequest) wanted() int {
	switch {
	case r.Answers > 0:
		return r.Answers
	case slices.Contains(strings.Split(r.Expect, "|"), "silent"):
		return 0
	}
	return 1
}

func (r hostileRequest) check(t *testing.T, answers []message) {
	answered := map[string]bool{}
	for _, answer := range answers {
		class := classOf(answer)
		if !matchesClass(r.Expect, class) {
			t.Errorf("%s: got %s, want %s", answer.raw[:min(300, len(answer.raw))], class, r.Expect)
		}
		for _, text := range append(r.Forbid, "OUTSIDE-SECRET", "HIDDEN-SECRET") {
			if strings.Contains(string(answer.raw), text) {
				t.Errorf("the answer contains %q: %s", text, answer.raw)
			}
		}
		if r.Echo != nil && !sameJSON(r.Echo, answer.ID) || class == "ok" && r.EchoIfOK != nil && !sameJSON(r.EchoIfOK, answer.ID) {
			t.Errorf("the id is %s", answer.ID)
		}
		if r.Answers > 0 && answered[string(answer.ID)] {
			t.Errorf("%s was answered twice", answer.ID)
		}
		answered[string(answer.ID)] = true
	}
	if r.Answers > 0 && len(answers) != r.Answers {
		t.Errorf("%d answers, want %d", len(answers), r.Answers)
	}
	if r.Expect == "silent" && len(answers) > 0 {
		t.Errorf("not silent: %s", answers[0].raw)
	}
}

func sameJSON(a, b json.RawMessage) bool {
	if string(a) == string(b) {
		return true
	}
	var x, y string
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && x == y
}

func classOf(answer message) string {
	if answer.Error != nil {
		switch answer.Error.Code {
		case -32700:
			return "parse_error"
		case -32600:
			return "invalid_request"
		case -32601:
			return "method_not_found"
		case -32602:
			return "invalid_params"
		}
		return fmt.Sprintf("error %d", answer.Error.Code)
	}
	var result struct{ IsError bool }
	if json.Unmarshal(answer.Result, &result) == nil && result.IsError {
		return "tool_error"
	}
	return "ok"
}

func matchesClass(expect, class string) bool {
	for want := range strings.SplitSeq(expect, "|") {
		switch {
		case want == class,
			want == "any_error" && class != "ok",
			want == "invalid_request" && class == "parse_error":
			return true
		}
	}
	return false
}

// TestHostileRequestsOverSSE sends every hostile request to one session of the oldest transport, whose answers come on its
// stream or at once. Floods are shorter here, because each message is an HTTP request.
func TestHostileRequestsOverSSE(t *testing.T) {
	t.Parallel()
	base, vault := buildFixture(t)
	before := treeOf(t, base)
	s := startHTTP(t, vault, "OBSIDIAN_MCP_CONTEXT=off")
	c := s.eventStream("")
	for _, request := range hostileRequests(t) {
		request.Times, request.Answers = min(request.Times, 200), min(request.Answers, 200)
		t.Run(request.Name, func(t *testing.T) {
			s.t = t
			c.checkRequest(t, request)
		})
	}
	s.t = t
	if peak := (&client{cmd: s.cmd}).peakMemory(); peak > maxMemory {
		t.Errorf("the server needed %d MB", peak>>20)
	}
	if changed := changedFiles(before, treeOf(t, base)); len(changed) > 0 {
		t.Errorf("files changed: %v", changed)
	}
}

func (c *httpCaller) checkRequest(t *testing.T, request hostileRequest) {
	line := request.line(t)
	if strings.TrimSpace(line) == "" {
		request.Expect = "parse_error" // a blank line is nothing, but a request without a body is wrong
	}
	var answers []message
	for i := range max(1, request.Times) {
		answers = append(answers, c.throw(t, strings.ReplaceAll(line, "{{N}}", fmt.Sprint(i)))...)
	}
	c.throw(t, `{"jsonrpc":"2.0","id":"after `+request.Name+`","method":"tools/list"}`)
	late := request.lateAnswers(line)
	for marked := false; !marked || len(answers) < request.wanted(); {
		select {
		case answer := <-c.events:
			switch {
			case answer.isTo("after " + request.Name):
				marked = true
			case !late(answer):
				answers = append(answers, answer)
			}
		case <-time.After(mode.Patience):
			t.Fatalf("only %d answers\n%s", len(answers), c.server.stderr)
		}
	}
	request.check(t, answers)
}

// throw posts a message that the door may refuse.
func (c *httpCaller) throw(t *testing.T, text string) []message {
	answer, err := c.server.client.Do(c.server.newRequest(t.Context(), "POST", c.post, text, c.headers(nil)...))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	switch answer.StatusCode {
	case http.StatusAccepted:
		return nil
	case http.StatusRequestEntityTooLarge:
		return []message{decodeMessage([]byte(`{"error":{"code":-32600}}`))} // the door answered without reading the body
	}
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode >= 500 || answer.StatusCode == http.StatusNotFound {
		t.Errorf("status %d, %v", answer.StatusCode, err)
	}
	return []message{decodeMessage(body)}
}
