package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"

	"obsidian-mcp/internal/access/auth"
	"obsidian-mcp/internal/store/mem"
)

// asking calls a tool over some transport, and gives the text of the answer and
// whether it is an error.
type asking func(tool string, arguments map[string]any) (text string, isError bool)

// transports are the ways to reach a server.
var transports = map[string]func(*testing.T, *Server) asking{
	"stdio": func(t *testing.T, server *Server) asking {
		c := speak(t, server, withSessions)
		return func(tool string, arguments map[string]any) (string, bool) {
			return toldBy(t, c.ask(withSessions, "tools/call", map[string]any{"name": tool, "arguments": arguments}).Result)
		}
	},
	"stdio without sessions": func(t *testing.T, server *Server) asking {
		c := speak(t, server, modernEra)
		return func(tool string, arguments map[string]any) (string, bool) {
			return toldBy(t, c.ask(modernEra, "tools/call", map[string]any{"name": tool, "arguments": arguments}).Result)
		}
	},
	"http": func(t *testing.T, server *Server) asking {
		w := serveWeb(t, &stub{}, serving(server))
		id := w.begin(withSessions)
		return func(tool string, arguments map[string]any) (string, bool) {
			_, body := w.post(callMessage(1, tool, encoded(t, arguments)), "Mcp-Session-Id", id, "Accept", "application/json")
			return toldBy(t, resultOf(t, body))
		}
	},
	"http without sessions": func(t *testing.T, server *Server) asking {
		w := serveWeb(t, &stub{}, serving(server))
		return func(tool string, arguments map[string]any) (string, bool) {
			body, headers := modern(1, "tools/call", fmt.Sprintf(`,"name":%q,"arguments":%s`, tool, encoded(t, arguments)))
			_, answer := w.post(body, headers...)
			return toldBy(t, resultOf(t, answer))
		}
	},
	"sse": askOverSSE,
}

func askOverSSE(t *testing.T, server *Server) asking {
	w := serveWeb(t, &stub{}, serving(server))
	stream := w.do(t.Context(), "GET", "/sse", "")
	t.Cleanup(func() { stream.Body.Close() })
	next := events(stream.Body)
	endpoint, _ := next()
	say := func(message string) {
		answer := w.do(t.Context(), "POST", endpoint.data, message)
		io.Copy(io.Discard, answer.Body)
		answer.Body.Close()
	}
	say(initializeMessage("2024-11-05"))
	if greeting, ok := next(); !ok || !strings.Contains(greeting.data, "protocolVersion") {
		t.Fatalf("greeted with %+v", greeting)
	}
	say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return func(tool string, arguments map[string]any) (string, bool) {
		say(callMessage(1, tool, encoded(t, arguments)))
		for {
			answer, ok := next()
			if !ok {
				t.Fatal("the stream has ended")
			}
			if strings.Contains(answer.data, `"id":1`) {
				return toldBy(t, resultOf(t, answer.data))
			}
		}
	}
}

func serving(server *Server) func(*HTTPOptions) {
	return func(o *HTTPOptions) {
		o.Server = func(context.Context, *auth.Principal) (*Server, error) { return server, nil }
	}
}

func encoded(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func resultOf(t *testing.T, answer string) json.RawMessage {
	t.Helper()
	if at := strings.Index(answer, "{"); at > 0 {
		answer = answer[at:] // an event's data
	}
	var got reply
	if err := json.NewDecoder(strings.NewReader(answer)).Decode(&got); err != nil || got.Result == nil {
		t.Fatalf("%s: %v", answer, err)
	}
	return got.Result
}

func toldBy(t *testing.T, result json.RawMessage) (text string, isError bool) {
	t.Helper()
	var got struct {
		IsError bool
		Content []struct{ Text string }
	}
	if err := json.Unmarshal(result, &got); err != nil || len(got.Content) == 0 {
		t.Fatalf("%s: %v", result, err)
	}
	return got.Content[0].Text, got.IsError
}

// sentence is what a call that changes too many notes is refused with.
var sentence = regexp.MustCompile(`^This changes 4 notes\. Repeat with confirm='([^']+)'$`)

// TestManyNotesAreChangedOnceConfirmed: over every transport, a call over the
// limit changes nothing until it is made again with the id that it was told.
func TestManyNotesAreChangedOnceConfirmed(t *testing.T) {
	files := map[string]string{"Hub.md": "h", "Other.md": "", "A.md": "[[Hub]]", "B.md": "[[Hub]]", "C.md": "[[Hub]]", "D.md": "[[Other]]"}
	for name, connect := range transports {
		t.Run(name, func(t *testing.T) {
			server, notes := serveNotes(t, files, Plain, 3)
			ask := connect(t, server)
			call := map[string]any{"old_name": "Hub", "new_name": "Centre"}
			text, isError := ask("rename_note", call)
			found := sentence.FindStringSubmatch(text)
			if !isError || found == nil {
				t.Fatalf("not refused in the contract's words: %q", text)
			}
			id := found[1]
			for what, wrong := range map[string]map[string]any{
				"a forged id":  {"old_name": "Hub", "new_name": "Centre", "confirm": id[:len(id)-1] + "x"},
				"another call": {"old_name": "Hub", "new_name": "Middle", "confirm": id},
				"no id":        {"old_name": "Hub", "new_name": "Centre", "confirm": ""},
			} {
				if text, isError := ask("rename_note", wrong); !isError || !sentence.MatchString(text) {
					t.Errorf("%s: %q", what, text)
				}
			}
			if text, isError := ask("delete_note", map[string]any{"name": "Hub", "confirm": id}); !isError || !sentence.MatchString(text) {
				t.Errorf("another tool: %q", text)
			}
			if got := notes.Files(); got["Hub.md"] != "h" || got["A.md"] != "[[Hub]]" {
				t.Fatalf("changed without being confirmed: %q", got)
			}
			if text, isError := ask("rename_note", map[string]any{"old_name": "Other", "new_name": "Few"}); isError {
				t.Errorf("two notes are asked for: %q", text)
			}
			call["confirm"] = id
			if text, isError := ask("rename_note", call); isError {
				t.Fatalf("the id does not serve: %q", text)
			}
			if got := notes.Files(); got["Centre.md"] != "h" || got["A.md"] != "[[Centre]]" || got["C.md"] != "[[Centre]]" {
				t.Errorf("confirmed, and not changed: %q", got)
			}
			undoConfirmed(t, ask, notes)
		})
	}
}

// undoConfirmed takes the last change back, which is as large and has to be
// confirmed as well.
func undoConfirmed(t *testing.T, ask asking, notes *mem.Store) {
	t.Helper()
	listed, _ := ask("list_changes", map[string]any{"limit": 1})
	change := regexp.MustCompile(`"id":"([^"]+)"`).FindStringSubmatch(listed)
	if change == nil {
		t.Fatalf("no change is listed: %s", listed)
	}
	undo := map[string]any{"id": change[1]}
	text, isError := ask("undo_change", undo)
	found := sentence.FindStringSubmatch(text)
	if !isError || found == nil || notes.Files()["Centre.md"] != "h" {
		t.Fatalf("taken back unasked: %q", text)
	}
	undo["confirm"] = found[1]
	if text, isError := ask("undo_change", undo); isError || notes.Files()["Hub.md"] != "h" || notes.Files()["A.md"] != "[[Hub]]" {
		t.Errorf("confirmed, and not taken back: %q", text)
	}
}
