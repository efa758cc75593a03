package mcp

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"obsidian-mcp/internal/store/mem"
	"obsidian-mcp/internal/surface/mcp/transport/transporttest"
)

// caller calls a tool over some transport, and returns the text of the answer and whether it is an error.
type caller func(tool string, arguments map[string]any) (text string, isError bool)

// transportsToServer are all ways to reach a server.
var transportsToServer = map[string]func(*testing.T, *Server) caller{
	"stdio": func(t *testing.T, server *Server) caller {
		c := connect(t, server, withSessions)
		return func(tool string, arguments map[string]any) (string, bool) {
			return textOf(t, c.ask(withSessions, "tools/call", map[string]any{"name": tool, "arguments": arguments}).Result)
		}
	},
	"stdio without sessions": func(t *testing.T, server *Server) caller {
		c := connect(t, server, withoutSessions)
		return func(tool string, arguments map[string]any) (string, bool) {
			return textOf(t, c.ask(withoutSessions, "tools/call", map[string]any{"name": tool, "arguments": arguments}).Result)
		}
	},
	"http": func(t *testing.T, server *Server) caller {
		c := transporttest.Serve(t, server, nil)
		id := c.Begin(withSessions)
		return func(tool string, arguments map[string]any) (string, bool) {
			_, body := c.Post(transporttest.Call(1, tool, encoded(t, arguments)), "Mcp-Session-Id", id, "Accept", "application/json")
			return textOf(t, resultOf(t, body))
		}
	},
	"http without sessions": func(t *testing.T, server *Server) caller {
		c := transporttest.Serve(t, server, nil)
		return func(tool string, arguments map[string]any) (string, bool) {
			body, headers := transporttest.Sessionless(1, "tools/call", fmt.Sprintf(`,"name":%q,"arguments":%s`, tool, encoded(t, arguments)))
			_, answer := c.Post(body, headers...)
			return textOf(t, resultOf(t, answer))
		}
	},
	"sse": callOverSSE,
}

func callOverSSE(t *testing.T, server *Server) caller {
	c := transporttest.Serve(t, server, nil)
	stream := c.Do("GET", "/sse", "")
	t.Cleanup(func() { stream.Body.Close() })
	next := transporttest.Events(stream.Body)
	endpoint, _ := next()
	say := func(message string) { c.Send("POST", endpoint.Data, message) }
	say(transporttest.Initialize("2024-11-05"))
	transporttest.Await(t, next, "protocolVersion")
	say(transporttest.Initialized)
	return func(tool string, arguments map[string]any) (string, bool) {
		say(transporttest.Call(1, tool, encoded(t, arguments)))
		return textOf(t, resultOf(t, transporttest.Await(t, next, `"id":1`).Data))
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

func textOf(t *testing.T, result json.RawMessage) (text string, isError bool) {
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

// sentence is the error of a call that would change too many notes.
var sentence = regexp.MustCompile(`^This changes 4 notes\. Repeat with confirm='([^']+)'$`)

// Over every transport, a call over the limit changes nothing until it is repeated with the id from its error.
func TestManyNotesAreChangedOnlyOnceConfirmed(t *testing.T) {
	files := map[string]string{"Hub.md": "h", "Other.md": "", "A.md": "[[Hub]]", "B.md": "[[Hub]]", "C.md": "[[Hub]]", "D.md": "[[Other]]"}
	for name, connect := range transportsToServer {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
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
				t.Errorf("a change of two notes needs to be confirmed: %q", text)
			}
			call["confirm"] = id
			if text, isError := ask("rename_note", call); isError {
				t.Fatalf("the id is not accepted: %q", text)
			}
			if got := notes.Files(); got["Centre.md"] != "h" || got["A.md"] != "[[Centre]]" || got["C.md"] != "[[Centre]]" {
				t.Errorf("confirmed, but not changed: %q", got)
			}
			undoConfirmed(t, ask, notes)
		})
	}
}

// undoConfirmed undoes the last change, which is as large and has to be confirmed as well.
func undoConfirmed(t *testing.T, ask caller, notes *mem.Store) {
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
		t.Fatalf("undone without confirmation: %q", text)
	}
	undo["confirm"] = found[1]
	if text, isError := ask("undo_change", undo); isError || notes.Files()["Hub.md"] != "h" || notes.Files()["A.md"] != "[[Hub]]" {
		t.Errorf("confirmed, but not undone: %q", text)
	}
}
