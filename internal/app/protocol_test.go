package app

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"obsidian-mcp/internal/testkit/mode"
	"obsidian-mcp/internal/testkit/vaultgen"
)

// smallVault is a vault with a note of instructions for AI clients.
func smallVault(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{
		"AI Text Quality.md": "---\ntags: [claude]\ndescription: Read before generating\n  any text for the user.\n---\n",
		"Plain.md":           "#vc and #vc/project, see [[Missing]]\n",
		"@Ann.md":            "---\ntags: Person\n---\n",
	})
	return dir
}

const smallContext = `

---
## Your personal notes

- "AI Text Quality" — Read before generating any text for the user.

Use read_note() to access full content when needed.

## Allowed tags

Person, claude, vc, vc/project

NEVER create new tags without explicit user permission.
---`

func TestEveryLegacyVersion(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			c := start(t, smallVault(t))
			defer c.end()
			var result struct {
				ProtocolVersion string
				ServerInfo      struct{ Name string }
				Capabilities    map[string]any
				Instructions    string
			}
			if err := json.Unmarshal(c.initialize(version).Result, &result); err != nil {
				t.Fatal(err)
			}
			if result.ProtocolVersion != version || result.ServerInfo.Name != "obsidian-mcp" || result.Capabilities["tools"] == nil || result.Instructions == "" {
				t.Errorf("%+v", result)
			}
			checkSession(t, c)
		})
	}
}

// shownToModels is the size of what clients show a model of each tool: its name, description and input schema.
func shownToModels(t *testing.T, tools []map[string]any) int {
	t.Helper()
	size := 0
	for _, listed := range tools {
		encoded, err := json.Marshal(map[string]any{"name": listed["name"], "description": listed["description"], "inputSchema": listed["inputSchema"]})
		if err != nil {
			t.Fatal(err)
		}
		size += len(encoded)
	}
	return size
}

// checkSession lists and calls tools, and checks the context block.
func checkSession(t *testing.T, c *client) {
	listed := c.request("tools/list", map[string]any{})
	var list struct{ Tools []map[string]any }
	if err := json.Unmarshal(listed.Result, &list); err != nil || len(list.Tools) < 27 {
		t.Fatalf("%d tools: %v", len(list.Tools), err)
	}
	if shown := shownToModels(t, list.Tools); len(listed.raw) > 48<<10 || shown > 32<<10 {
		t.Errorf("tools/list has %d bytes, and models are shown %d of them", len(listed.raw), shown)
	}
	if failed := c.call("read_note", map[string]any{"name": "none"}); !failed.IsError || failed.Content[0].Text != "Note 'none' not found" {
		t.Errorf("%+v", failed)
	}
	first := c.call("read_note", map[string]any{"name": "Plain"})
	want := []contentItem{{Type: "text", Text: "#vc and #vc/project, see [[Missing]]\n"}, {Type: "text", Text: smallContext}}
	if diff := cmp.Diff(want, first.Content); diff != "" {
		t.Errorf("the context block must be an item of its own (-want +got):\n%s", diff)
	}
	changed := c.call("append_note", map[string]any{"name": "plain.md", "text": "More."})
	if len(changed.Content) != 2 || !changeHint.MatchString(changed.Content[1].Text) || !slices.Equal(changed.Content[1].Annotations.Audience, []string{"assistant"}) {
		t.Errorf("a hint for the assistant must name the change: %+v", changed.Content)
	}
	misspelt := c.call("read_note", map[string]any{"name": "Plian"})
	if len(misspelt.Content) != 2 || misspelt.Content[0].Text != "Note 'Plian' not found" || misspelt.Content[1].Text != "Did you mean: Plain?" {
		t.Errorf("a hint must suggest the note: %+v", misspelt.Content)
	}
	if hash, _ := first.Meta["hash"].(string); len(hash) != 64 || first.StructuredContent != nil {
		t.Errorf("meta %v, structured %s", first.Meta, first.StructuredContent)
	}
	second := c.call("search_notes", map[string]any{"query": "plain"})
	if second.Content[0].Text != `[{"name":"Plain","path":"Plain.md"}]` || string(second.StructuredContent) != `{"result":[{"name":"Plain","path":"Plain.md"}]}` {
		t.Errorf("%+v %s", second, second.StructuredContent)
	}
	if total, _ := second.Meta["total"].(float64); total != 1 {
		t.Errorf("meta %v", second.Meta)
	}
	if unknown := c.request("tools/call", map[string]any{"name": "nope"}); unknown.Error == nil || unknown.Error.Code != -32602 {
		t.Errorf("%s", unknown.raw)
	}
}

var changeHint = regexp.MustCompile(`^Change [0-9a-z]{8}-[0-9a-z]{4}; undo_change reverts it\.$`)

// meta2026 is the _meta of every request of protocol version 2026-07-28.
func meta2026(client string) map[string]any {
	return map[string]any{
		"io.modelcontextprotocol/protocolVersion":    "2026-07-28",
		"io.modelcontextprotocol/clientCapabilities": map[string]any{},
		"io.modelcontextprotocol/clientInfo":         map[string]any{"name": client, "version": "1"},
	}
}

func TestSessionlessVersion(t *testing.T) {
	t.Parallel()
	c := start(t, smallVault(t))
	defer c.end()
	discovered := c.request("server/discover", map[string]any{"_meta": meta2026("a")})
	if discovered.Error != nil || !strings.Contains(string(discovered.Result), "2026-07-28") {
		t.Fatalf("%s", discovered.raw)
	}
	listed := c.request("tools/list", map[string]any{"_meta": meta2026("a")})
	if listed.Error != nil || !strings.Contains(string(listed.Result), "read_note") {
		t.Fatalf("%s", listed.raw)
	}
	texts := []string{}
	for _, client := range []string{"a", "a", "b"} {
		answer := c.request("tools/call", map[string]any{"name": "get_headings", "arguments": map[string]any{"name": "Plain"}, "_meta": meta2026(client)})
		if answer.Error != nil {
			t.Fatalf("%s", answer.raw)
		}
		texts = append(texts, decodeResult(t, answer).shown())
	}
	if want := []string{"[]" + smallContext, "[]", "[]" + smallContext}; !slices.Equal(texts, want) {
		t.Errorf("each client must get the context block once: %q", texts)
	}
	resource := c.request("resources/read", map[string]any{"uri": "obsidian-mcp://context", "_meta": meta2026("a")})
	if resource.Error != nil || !strings.Contains(string(resource.Result), "AI Text Quality") {
		t.Errorf("%s", resource.raw)
	}
	prompt := c.request("prompts/get", map[string]any{"name": "context", "_meta": meta2026("a")})
	if prompt.Error != nil || !strings.Contains(string(prompt.Result), "AI Text Quality") {
		t.Errorf("%s", prompt.raw)
	}
}

func TestBatchesWhereTheProtocolHasThem(t *testing.T) {
	t.Parallel()
	c := start(t, smallVault(t), "OBSIDIAN_MCP_CONTEXT=off")
	defer c.end()
	c.initialize("2025-03-26")
	c.send(`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/x"},{"jsonrpc":"2.0","id":"b","method":"tools/call","params":{"name":"get_headings","arguments":{"name":"Plain"}}},7]`)
	line := <-c.lines
	var answers []message
	if err := json.Unmarshal(line, &answers); err != nil || len(answers) != 3 {
		t.Fatalf("%s: %v", line, err)
	}
	ids := []string{}
	for _, answer := range answers {
		ids = append(ids, string(answer.ID))
	}
	slices.Sort(ids)
	if !slices.Equal(ids, []string{`"b"`, "1", "null"}) {
		t.Errorf("%s", line)
	}
}

func TestContractStyle(t *testing.T) {
	t.Parallel()
	c := start(t, smallVault(t), "OBSIDIAN_MCP_STYLE=contract")
	defer c.end()
	c.initialize("2025-11-25")
	for _, call := range []struct {
		tool      string
		arguments map[string]any
		want      string
	}{
		{"obsidian_read_note", map[string]any{"name": "Plain"}, `{"success":true,"data":{"text":"#vc and #vc/project, see [[Missing]]\n"}}`},
		{"obsidian_create_note", map[string]any{"name": "New", "content": "<&>"}, `{"success":true,"data":{"name":"New","path":"New.md","created":true}}`},
		{"obsidian_find_broken_links", map[string]any{}, `{"success":true,"data":[{"source":"Plain","target":"Missing"}]}`},
	} {
		got := c.call(call.tool, call.arguments)
		if got.Content[0].Text != call.want || string(got.StructuredContent) != call.want {
			t.Errorf("%s: %s", call.tool, got.Content[0].Text)
		}
	}
	if help := c.call("obsidian_get_help", nil); !strings.Contains(help.Content[0].Text, `{"name":"obsidian_read_note"`) {
		t.Errorf("%s", help.Content[0].Text)
	}
	for _, failure := range []struct {
		tool      string
		arguments map[string]any
		code      int
		errorCode string
	}{
		{"obsidian_read_note", map[string]any{"name": "none"}, -32003, "NOT_FOUND"},
		{"obsidian_create_note", map[string]any{"name": "New"}, -32000, "ALREADY_EXISTS"},
		{"obsidian_read_note", map[string]any{"name": "../x"}, -32005, "PERMISSION_DENIED"},
		{"obsidian_add_tag", map[string]any{"name": "New", "tag": "career"}, -32602, "TAG_NOT_ALLOWED"},
		{"obsidian_get_links", map[string]any{"name": "New", "direction": "up"}, -32602, "INVALID_ARGUMENT"},
	} {
		got := c.request("tools/call", map[string]any{"name": failure.tool, "arguments": failure.arguments})
		if got.Error == nil || got.Error.Code != failure.code || !strings.HasPrefix(string(got.Error.Data), `{"errorCode":"`+failure.errorCode+`"`) {
			t.Errorf("%s: %s", failure.tool, got.raw)
		}
	}
}

func TestReadOnlyAndToolsets(t *testing.T) {
	t.Parallel()
	c := start(t, smallVault(t), "OBSIDIAN_MCP_READ_ONLY=true", "OBSIDIAN_MCP_TOOLSETS=default,-graph")
	defer c.end()
	c.initialize("2025-11-25")
	listed := string(c.request("tools/list", map[string]any{}).Result)
	for name, want := range map[string]bool{`"read_note"`: true, `"create_note"`: false, `"note_upsert"`: false, `"get_links"`: true, `"backlinks_search"`: false} {
		if strings.Contains(listed, `"name":`+name) != want {
			t.Errorf("%s is listed: %v", name, !want)
		}
	}
	if refused := c.request("tools/call", map[string]any{"name": "create_note", "arguments": map[string]any{"name": "x"}}); refused.Error == nil || refused.Error.Code != -32602 {
		t.Errorf("%s", refused.raw)
	}
}

// TestEndOfInput pipes calls into the program and closes the pipe at once. Every call is answered, and the exit status is 0.
func TestEndOfInput(t *testing.T) {
	t.Parallel()
	vault := smallVault(t)
	for round := range mode.Pick(3, 20, 20) {
		for _, end := range []string{"", `{"jsonrpc":"2.0","method":"exit"}` + "\n"} {
			c := command(t, vault)
			c.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"search_notes","arguments":{"query":"vc","mode":"content"}}}
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"append_note","arguments":{"name":"Plain","text":"more"}}}
` + end + strings.TrimSuffix(`{"jsonrpc":"2.0","id":4,"method":"ping"}`, "\n"))
			out, err := c.Output()
			if err != nil {
				t.Fatalf("round %d: %v", round, err)
			}
			for _, id := range []string{`"id":1,"result"`, `"id":2,"result"`, `"id":3,"result"`} {
				if !strings.Contains(string(out), id) {
					t.Fatalf("round %d: no %s in\n%s", round, id, out)
				}
			}
			if strings.Contains(string(out), `"id":4`) != (end == "") {
				t.Fatalf("round %d: a message after exit must not be answered, a last line without a newline must be\n%s", round, out)
			}
		}
	}
}

// The tools see the changes that other programs make to the files. BenchmarkOutsideChange measures how soon.
func TestOutsideChanges(t *testing.T) {
	t.Parallel()
	vault := smallVault(t)
	c := start(t, vault, "OBSIDIAN_MCP_CONTEXT=off", debugLog)
	defer c.end()
	c.initialize("2025-11-25")
	c.call("list_notes", nil)
	awaitFollowing(t, c.stderr)
	for _, change := range []struct {
		what  string
		do    func() error
		tool  string
		args  map[string]any
		wants string
	}{
		{"an edit", func() error {
			return os.WriteFile(filepath.Join(vault, "Plain.md"), []byte("# Now\n[[@Ann]]\n"), 0o644)
		}, "get_headings", map[string]any{"name": "Plain"}, `[{"level":1,"text":"Now"}]`},
		{"a new note in a new folder", func() error {
			writeFiles(t, vault, map[string]string{"new/folder/Note.md": "[[Plain]]"})
			return nil
		}, "get_links", map[string]any{"name": "Plain", "direction": "in"}, `{"name":"Plain","incoming":["Note"]}`},
		{"an atomic save", func() error {
			if err := os.WriteFile(filepath.Join(vault, "new/folder/.tmp"), []byte("[[@Ann]]"), 0o644); err != nil {
				return err
			}
			return os.Rename(filepath.Join(vault, "new/folder/.tmp"), filepath.Join(vault, "new/folder/Note.md"))
		}, "get_links", map[string]any{"name": "Plain", "direction": "in"}, `{"name":"Plain","incoming":[]}`},
		{"a renamed folder", func() error { return os.Rename(filepath.Join(vault, "new"), filepath.Join(vault, "old")) }, "search_notes", map[string]any{"query": "Note", "mode": "name"}, `[{"name":"Note","path":"old/folder/Note.md"}]`},
		{"a deleted folder", func() error { return os.RemoveAll(filepath.Join(vault, "old")) }, "search_notes", map[string]any{"query": "Note", "mode": "name"}, `[]`},
	} {
		if err := change.do(); err != nil {
			t.Fatal(err)
		}
		eventually(t, change.what+" is not seen", mode.Patience, func() bool {
			return c.call(change.tool, change.args).Content[0].Text == change.wants
		})
	}
}

// TestManyCallsAtOnce edits one note with many concurrent calls. No edit is lost.
func TestManyCallsAtOnce(t *testing.T) {
	t.Parallel()
	vault := smallVault(t)
	c := start(t, vault, "OBSIDIAN_MCP_CONTEXT=off")
	c.initialize("2025-11-25")
	const calls = 100
	go func() {
		for i := range calls {
			fmt.Fprintf(c.in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"append_note","arguments":{"name":"Plain","text":"line %d"}}}`+"\n", i, i)
		}
	}()
	for range calls {
		if answer := c.answer(); answer.Error != nil || decodeResult(t, answer).IsError {
			t.Errorf("%s", answer.raw)
		}
	}
	c.end()
	content, err := os.ReadFile(filepath.Join(vault, "Plain.md"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range calls {
		if !strings.Contains(string(content), fmt.Sprintf("\nline %d\n", i)) {
			t.Errorf("line %d is lost", i)
		}
	}
}

// TestBrokenPipe: the program ends when nobody reads its output.
func TestBrokenPipe(t *testing.T) {
	t.Parallel()
	c := command(t, smallVault(t))
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	out.Close()
	for range 3 {
		io.WriteString(in, `{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n")
	}
	in.Close()
	done := make(chan error, 1)
	go func() { done <- c.Wait() }()
	select {
	case <-done:
	case <-time.After(mode.Patience):
		c.Process.Kill()
		t.Error("the program keeps running without a reader")
	}
}

// TestPipelinedBatchWithExit sends everything at once. The batch is accepted as soon as initialize is answered, and exit
// waits for its calls.
func TestPipelinedBatchWithExit(t *testing.T) {
	t.Parallel()
	c := command(t, smallVault(t))
	c.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}
[{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"get_headings","arguments":{"name":"Plain"}}},{"jsonrpc":"2.0","method":"exit"}]
`)
	out, err := c.Output()
	if err != nil || !strings.Contains(string(out), `[{"jsonrpc":"2.0","id":2,"result"`) {
		t.Errorf("%v:\n%s", err, out)
	}
}

// TestSignals: a signal ends the server although its input is still open.
func TestSignals(t *testing.T) {
	t.Parallel()
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		c := start(t, smallVault(t))
		c.initialize("2025-11-25")
		c.call("list_notes", nil)
		if err := c.cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() { done <- c.cmd.Wait() }()
		select {
		case err := <-done:
			if err != nil {
				t.Errorf("%v: %v", signal, err)
			}
		case <-time.After(mode.Patience):
			c.cmd.Process.Kill()
			t.Errorf("%v does not end the server", signal)
		}
	}
}

// TestProtocolErrors: errors have the codes that the protocol defines.
func TestProtocolErrors(t *testing.T) {
	t.Parallel()
	c := start(t, smallVault(t), "OBSIDIAN_MCP_STYLE=contract", "OBSIDIAN_MCP_CONTEXT=off")
	defer c.end()
	if early := c.request("tools/list", map[string]any{}); early.Error == nil || early.Error.Code != -32600 {
		t.Errorf("before initialize: %s", early.raw)
	}
	c.initialize("2025-06-18")
	for line, code := range map[string]int{
		`"method":"tools/call"`: -32602,
		`"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"0"}}`: -32600,
		`"method":"resources/read","params":{"uri":"mcp-obsidian://x/y.md"}`:                                                        -32002,
		`"method":"prompts/get","params":{"name":"nope"}`:                                                                           -32602,
	} {
		c.send(`{"jsonrpc":"2.0","id":1,` + line + `}`)
		if answer := c.answer(); answer.Error == nil || answer.Error.Code != code {
			t.Errorf("%s: %s", line, answer.raw)
		}
	}
	named := c.request("tools/call", map[string]any{"name": "obsidian_read_note", "arguments": map[string]any{"name": "Go json: x"}})
	if named.Error == nil || named.Error.Message != "Note 'Go json: x' not found" {
		t.Errorf("%s", named.raw)
	}
	if listed := string(c.request("tools/list", map[string]any{}).Result); strings.Contains(listed, " read_section ") || !strings.Contains(listed, "obsidian_read_section") {
		t.Errorf("descriptions mention tools that do not exist in this style")
	}
	if resource := c.request("resources/read", map[string]any{"uri": "obsidian-mcp://context"}); resource.Error != nil {
		t.Errorf("the context cannot be read: %s", resource.raw)
	}
	c.send(`{"jsonrpc":"2.0","id":"big","method":"tools/call","params":{"name":"x","arguments":{"text":"` + strings.Repeat("a", 5<<20) + `"}}}`)
	if answer := c.answer(); string(answer.ID) != `"big"` || answer.Error == nil {
		t.Errorf("%.200s", answer.raw)
	}
}

// TestElicitation: a client that can ask its user is asked before many notes are changed, with and without a session.
func TestElicitation(t *testing.T) {
	t.Parallel()
	vault := t.TempDir()
	writeFiles(t, vault, map[string]string{"A.md": "a", "B.md": "[[A]]", "C.md": "[[A]]"})
	call := map[string]any{"name": "rename_note", "arguments": map[string]any{"old_name": "A", "new_name": "N"}}
	for _, action := range []string{"decline", "accept"} {
		c := start(t, vault, "OBSIDIAN_MCP_CONFIRM_OVER=2", "OBSIDIAN_MCP_CONTEXT=off")
		c.request("initialize", map[string]any{
			"protocolVersion": "2025-11-25", "capabilities": map[string]any{"elicitation": map[string]any{}}, "clientInfo": map[string]any{"name": "t", "version": "1"},
		})
		c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		encoded, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": call})
		c.send(string(encoded))
		asked := c.read()
		if asked.Method != "elicitation/create" || !strings.Contains(string(asked.Params), "This changes 3 notes") {
			t.Fatalf("%s", asked.raw)
		}
		c.send(`{"jsonrpc":"2.0","id":` + string(asked.ID) + `,"result":{"action":"` + action + `","content":{}}}`)
		answer := c.answer()
		if result := decodeResult(t, answer); result.IsError != (action == "decline") {
			t.Errorf("%s: %s", action, answer.raw)
		}
		c.end()
	}
	if content, err := os.ReadFile(filepath.Join(vault, "B.md")); err != nil || string(content) != "[[N]]" {
		t.Errorf("%q, %v", content, err)
	}

	c := start(t, vault, "OBSIDIAN_MCP_CONFIRM_OVER=2", "OBSIDIAN_MCP_CONTEXT=off")
	defer c.end()
	meta := meta2026("a")
	meta["io.modelcontextprotocol/clientCapabilities"] = map[string]any{"elicitation": map[string]any{"form": map[string]any{}}}
	call["arguments"], call["_meta"] = map[string]any{"old_name": "N", "new_name": "A"}, meta
	first := c.request("tools/call", call)
	if !strings.Contains(string(first.Result), `"inputRequests"`) || !strings.Contains(string(first.Result), "This changes 3 notes") {
		t.Fatalf("%s", first.raw)
	}
	call["inputResponses"] = map[string]any{"confirm": map[string]any{"action": "accept", "content": map[string]any{}}}
	if second := c.request("tools/call", call); second.Error != nil || decodeResult(t, second).IsError {
		t.Errorf("%s", second.raw)
	}
}

// initialize and tools/list are answered before a call that needs the whole index, though all are sent at once.
// BenchmarkStart measures how soon.
func TestInitializeDoesNotWaitForTheIndex(t *testing.T) {
	t.Parallel()
	programPath(t)
	vault, notes := t.TempDir(), mode.Pick(1000, 4000, 4000)
	if err := vaultgen.Write(vault, vaultgen.Options{Notes: notes, Seed: 1}); err != nil {
		t.Fatal(err)
	}
	c := start(t, vault)
	defer c.end()
	c.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}`)
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	c.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"list_notes","arguments":{"limit":0}}}`)
	c.send(`{"jsonrpc":"2.0","id":3,"method":"tools/list"}`)
	first := c.answer()
	answers := map[string]string{string(first.ID): string(first.raw)}
	for range 2 {
		answer := c.answer()
		answers[string(answer.ID)] = string(answer.raw)
	}
	if string(first.ID) != "1" || answers["3"] == "" {
		t.Errorf("%s is answered first", first.raw)
	}
	if total := fmt.Sprintf(`\"total\":%d`, notes); !strings.Contains(answers["2"], total) {
		t.Errorf("answered from an incomplete index: %s", answers["2"])
	}
}
