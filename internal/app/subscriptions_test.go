package app

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"obsidian-mcp/internal/testkit/mode"
	"obsidian-mcp/internal/testkit/vaultgen"
)

// subscribe subscribes to URIs, and to changes of lists.
func (c *eraClient) subscribe(uris ...string) {
	c.client.t.Helper()
	if !c.sessionless() {
		for _, uri := range uris {
			if got := c.ask("resources/subscribe", map[string]any{"uri": uri}); got.Error != nil {
				c.client.t.Fatalf("%s", got.raw)
			}
		}
		return
	}
	c.listenAs("listening", uris, true)
}

// listenAs begins a subscription under an id, and waits until it is acknowledged.
func (c *eraClient) listenAs(id string, uris []string, lists bool) {
	c.client.t.Helper()
	c.listening = id
	c.listen(id, uris, lists)
	if ack := c.client.read(); ack.Method != "notifications/subscriptions/acknowledged" || !strings.Contains(string(ack.Params), `"`+id+`"`) {
		c.client.t.Fatalf("%s", ack.raw)
	}
}

func (c *eraClient) listen(id string, uris []string, lists bool) {
	c.client.t.Helper()
	params := c.params(map[string]any{"notifications": map[string]any{"resourceSubscriptions": uris, "resourcesListChanged": lists, "promptsListChanged": lists}})
	encoded, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": "subscriptions/listen", "params": params})
	if err != nil {
		c.client.t.Fatal(err)
	}
	c.client.send(string(encoded))
}

// markerURI is a note that changes only to mark an end: notifications that come before the marker's belong to an earlier
// change.
const markerURI = "mcp-obsidian://v/marker.md"

// checkNotified checks which notifications a change causes: the wanted ones, and no others before that of the marker.
func (c *eraClient) checkNotified(change, markerFile string, want ...string) {
	c.client.t.Helper()
	var got []string
	for range want {
		got = append(got, c.notification(change))
	}
	c.marks++
	if err := os.WriteFile(markerFile, fmt.Append(nil, "mark ", c.marks), 0o644); err != nil {
		c.client.t.Fatal(err)
	}
	for next := c.notification(change); next != "updated "+markerURI; next = c.notification(change) {
		got = append(got, next)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		c.client.t.Errorf("%s: notified of %q, want %q", change, got, want)
	}
}

// notification reads a notification, and returns its method and URI.
func (c *eraClient) notification(change string) string {
	c.client.t.Helper()
	message := c.client.read()
	var params struct {
		URI  string
		Meta map[string]any `json:"_meta"`
	}
	_ = json.Unmarshal(message.Params, &params)
	if id := params.Meta["io.modelcontextprotocol/subscriptionId"]; c.sessionless() && id != c.listening {
		c.client.t.Errorf("%s: the subscription is %v, want %s", change, id, c.listening)
	}
	return strings.TrimSpace(strings.TrimPrefix(message.Method, "notifications/resources/") + " " + params.URI)
}

// callTool calls a tool. The notifications that it causes are left to be read.
func (c *eraClient) callTool(name string, arguments map[string]any) {
	c.client.t.Helper()
	encoded, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": "tool", "method": "tools/call", "params": c.params(map[string]any{"name": name, "arguments": arguments})})
	if err != nil {
		c.client.t.Fatal(err)
	}
	c.client.send(string(encoded))
	if answer := c.client.answer(); string(answer.ID) != `"tool"` || answer.Error != nil || decodeResult(c.client.t, answer).IsError {
		c.client.t.Fatalf("%s", answer.raw)
	}
}

func TestSubscriptions(t *testing.T) {
	t.Parallel()
	vault := func(t *testing.T) string {
		dir := filepath.Join(t.TempDir(), "v")
		writeFiles(t, dir, map[string]string{"A.md": "a", "B.md": "see [[A]]", "sub/C.md": "c", "marker.md": "mark 0"})
		return dir
	}
	inEveryEra(t, vault, func(t *testing.T, c *eraClient, dir string) {
		const root = "mcp-obsidian://v/"
		c.ask("resources/list", map[string]any{})
		awaitFollowing(t, c.client.stderr)
		c.subscribe(root+"a.MD", root+"sub/C.md", root+"new.md", "obsidian-mcp://context", markerURI)
		file := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
		for _, step := range []struct {
			what string
			do   func() error
			want []string
		}{
			{"an outside edit", func() error { return os.WriteFile(file("A.md"), []byte("b"), 0o644) }, []string{"updated " + root + "a.MD"}},
			{"an edit of a note that nobody follows", func() error { return os.WriteFile(file("B.md"), []byte("[[A]] and more"), 0o644) }, nil},
			{"an atomic save", func() error {
				if err := os.WriteFile(file("sub/.tmp"), []byte("d"), 0o644); err != nil {
					return err
				}
				return os.Rename(file("sub/.tmp"), file("sub/C.md"))
			}, []string{"updated " + root + "sub/C.md"}},
			{"a new note", func() error { return os.WriteFile(file("new.md"), []byte("#tag"), 0o644) },
				[]string{"list_changed", "updated " + root + "new.md", "updated obsidian-mcp://context"}},
			{"a deleted note", func() error { return os.Remove(file("new.md")) },
				[]string{"list_changed", "updated " + root + "new.md", "updated obsidian-mcp://context"}},
			{"a tool's edit", func() error {
				c.callTool("append_note", map[string]any{"name": "A", "text": "more"})
				return nil
			}, []string{"updated " + root + "a.MD"}},
			{"a tool's rename", func() error {
				c.callTool("rename_note", map[string]any{"old_name": "A", "new_name": "D"})
				return nil
			}, []string{"list_changed", "updated " + root + "a.MD"}},
			{"a tool's deletion", func() error {
				c.callTool("delete_note", map[string]any{"name": "C"})
				return nil
			}, []string{"list_changed", "updated " + root + "sub/C.md"}},
			{"a deleted folder", func() error { return os.RemoveAll(file("sub")) }, nil},
		} {
			if err := step.do(); err != nil {
				t.Fatal(err)
			}
			c.checkNotified(step.what, file("marker.md"), step.want...)
		}
		c.checkUnsubscribe(root+"a.MD", file("A.md"), file("marker.md"))
	})
}

// checkUnsubscribe ends a subscription. Only clients of eras that get list changes without asking hear about a new file.
func (c *eraClient) checkUnsubscribe(uri, file, markerFile string) {
	c.client.t.Helper()
	want := []string{"list_changed"}
	if c.sessionless() {
		c.client.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"listening"}}`)
		c.listenAs("marker only", []string{markerURI}, false)
		want = nil
	} else if got := c.ask("resources/unsubscribe", map[string]any{"uri": uri}); got.Error != nil {
		c.client.t.Errorf("%s", got.raw)
	}
	if err := os.WriteFile(file, []byte("again"), 0o644); err != nil {
		c.client.t.Fatal(err)
	}
	c.checkNotified("a change after the end", markerFile, want...)
}

func TestSubscriptionsToOtherURIsAreRefused(t *testing.T) {
	t.Parallel()
	unknown := []string{"mcp-obsidian://v/None.md", "mcp-obsidian://v/Note", "mcp-obsidian://v/folder", "mcp-obsidian://v/x.md", "mcp-obsidian://v/link.md", "mcp-obsidian://v/%252e%252e/outside.md", "mcp-obsidian://v/" + strings.Repeat("a", 10000)}
	inEveryEra(t, fileVault, func(t *testing.T, c *eraClient, _ string) {
		for _, uri := range notFound {
			if slices.Contains(unknown, uri) || uri == "" && c.sessionless() {
				continue // such a file may be created later
			}
			var got message
			if c.sessionless() {
				c.listen("refused", []string{"mcp-obsidian://v/Note.md", uri}, true)
				got = c.client.read()
			} else {
				got = c.ask("resources/subscribe", map[string]any{"uri": uri})
			}
			if code := map[bool]int{true: -32602, false: -32002}[c.sessionless()]; got.Error == nil || got.Error.Code != code || got.Error.Message != "Resource not found" {
				t.Errorf("%q: %.300s", uri, got.raw)
			}
		}
	})
}

// A checkout of many files causes few notifications.
func TestManyChangesCauseFewNotifications(t *testing.T) {
	t.Parallel()
	programPath(t)
	dir := filepath.Join(t.TempDir(), "v")
	if err := vaultgen.Write(dir, vaultgen.Options{Notes: 300, Seed: 1}); err != nil {
		t.Fatal(err)
	}
	writeFiles(t, dir, map[string]string{"A.md": "a"})
	c := start(t, dir, debugLog)
	defer c.end()
	c.initialize("2025-11-25")
	c.request("resources/subscribe", map[string]any{"uri": "mcp-obsidian://v/A.md"})
	awaitFollowing(t, c.stderr)
	for i := range 300 {
		writeFiles(t, dir, map[string]string{fmt.Sprintf("new/%03d.md", i): "new", "A.md": fmt.Sprint(i)})
	}
	counts, silent := map[string]int{}, false
	for begun := time.Now(); (!silent || len(counts) < 2) && time.Since(begun) < mode.Patience; {
		select {
		case line := <-c.lines:
			var got message
			if err := json.Unmarshal(line, &got); err != nil {
				t.Fatal(err)
			}
			counts[got.Method]++
			silent = false
		case <-time.After(time.Second):
			silent = true
		}
	}
	t.Logf("%v", counts)
	for _, method := range []string{"notifications/resources/updated", "notifications/resources/list_changed"} {
		if counts[method] < 1 || counts[method] > 30 {
			t.Errorf("%s came %d times", method, counts[method])
		}
	}
}

// TestSeveralListeners makes two listening calls in one process, as the newest protocol version allows. Each gets the
// notifications that it asked for, under its own id.
func TestSeveralListeners(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "v")
	writeFiles(t, dir, map[string]string{"A.md": "a", "B.md": "b"})
	c := &eraClient{client: start(t, dir, debugLog), era: "2026-07-28"}
	defer c.client.end()
	c.ask("resources/list", map[string]any{})
	awaitFollowing(t, c.client.stderr)
	c.listen("one", []string{"mcp-obsidian://v/A.md"}, true)
	c.client.read()
	c.listen("two", []string{"mcp-obsidian://v/A.md", "mcp-obsidian://v/B.md"}, false)
	c.client.read()
	check := func(change, text string, want ...string) {
		t.Helper()
		writeFiles(t, dir, map[string]string{change: text})
		got := []string{}
		for range want {
			message := c.client.read()
			id, _, _ := strings.Cut(string(message.Params), "}")
			got = append(got, message.Method[strings.LastIndexByte(message.Method, '/')+1:]+" "+id[strings.LastIndexByte(id, ':')+1:])
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s: notified of %q, want %q", change, got, want)
		}
	}
	check("A.md", "aa", `updated "one"`, `updated "two"`)
	check("B.md", "bb", `updated "two"`)
	check("C.md", "cc", `list_changed "one"`)
	c.client.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"one"}}`)
	c.ask("resources/list", map[string]any{}) // the cancellation has been read before this is answered
	check("A.md", "aaa", `updated "two"`)
}
