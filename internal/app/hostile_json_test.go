//go:build unix

package app

import (
	"strings"
	"testing"

	"obsidian-mcp/internal/testkit/mode"
)

// TestMalformedJSON sends every text of json.jsonl as a message, over every transport. Invalid JSON (n) is a parse error.
// Valid JSON (y) is understood, both as a message that is not a request and as a part of a request. Texts that JSON readers
// may treat differently (i) are answered. The server serves on after each of them.
func TestMalformedJSON(t *testing.T) {
	t.Parallel()
	texts := readRequests(t, "hostile/json.jsonl")
	for name, connect := range hostileTransports() {
		if !mode.Full() && name != "stdio" && name != "mcp" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			vault := t.TempDir()
			writeFiles(t, vault, map[string]string{"A.md": "a"})
			s := connect(t, vault)
			counts := map[byte]int{}
			for _, request := range texts {
				counts[request.Name[0]]++
				t.Run(request.Name, func(t *testing.T) {
					s.use(t)
					s.checkJSON(t, request.Name, request.line(t), name)
				})
			}
			s.use(t)
			s.checkPeak(t)
			s.end()
			if counts['n'] < 188 || counts['y'] < 95 || counts['i'] < 35 {
				t.Errorf("too few cases: %v", counts)
			}
		})
	}
}

func (s hostileServer) checkJSON(t *testing.T, name, text, transport string) {
	defer func() {
		if after, raw := callOver(t, s.caller, "list_notes", map[string]any{"limit": 0}); after.IsError {
			t.Errorf("the server no longer serves: %s", raw)
		}
	}()
	if transport == "stdio" && strings.Contains(text, "\n") {
		if _, err := s.caller.(*client).in.Write([]byte(text + "\n")); err != nil { // several lines, with an answer each
			t.Fatal(err)
		}
		return
	}
	answer := s.caller.say(text)
	switch code := codeOf(answer); {
	case code == 0:
		t.Errorf("accepted as a request: %s", answer.raw)
	case name[0] == 'n' && code != -32700, name[0] == 'y' && code == -32700:
		t.Errorf("%.100q is answered by %s", text, answer.raw)
	}
	if name[0] == 'n' || transport == "sessionless" {
		return // inside a message it may mean something else
	}
	answer = s.caller.say(`{"jsonrpc":"2.0","id":"case","method":"tools/list","params":{"unknown":` + text + `}}`)
	if name[0] == 'y' && (codeOf(answer) != 0 || !answer.isTo("case")) {
		t.Errorf("%.100q in a request is answered by %.300s", text, answer.raw)
	}
}

// codeOf is the code of an error, or 0 for a result.
func codeOf(answer message) int {
	if answer.Error == nil {
		return 0
	}
	return answer.Error.Code
}
