//go:build unix

package app

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"obsidian-mcp/internal/testkit/mode"
)

// A call should take at most bombTime of processor time, whatever its arguments are. Even processor time stretches on a
// machine that is shared with others, so slower calls are only counted. A bomb that works takes minutes: a call that takes
// exploded fails the test.
const (
	bombTime = time.Second
	exploded = 30 * time.Second
)

// TestNoteBombs gives the program notes and canvases that cost a naive reader minutes or all memory. Each call is answered,
// with a result or an error, in a time that fits its input, and the program stays within its memory.
func TestNoteBombs(t *testing.T) {
	t.Parallel()
	canvases := canvasBombs()
	b := startBombs(t, canvases)
	runBombs(b, noteBombs(), b.note)
	runBombs(b, canvases, func(path, _ string) { b.call("note_read", map[string]any{"path": path}) })
	if mode.Full() {
		b.run("renaming with canvases", func() {
			b.call("rename_note", map[string]any{"old_name": "Plain", "new_name": "Renamed"})
			b.call("rename_note", map[string]any{"old_name": "Renamed", "new_name": "Plain"})
		})
	}
	b.end()
}

// TestQueryBombs does the same with patterns, globs and queries.
func TestQueryBombs(t *testing.T) {
	t.Parallel()
	b := startBombs(t, map[string]string{"Fuel.md": fuel()})
	runBombs(b, patternBombs(), func(_, pattern string) {
		b.call("vault_search", map[string]any{"query": pattern})
		b.call("find_notes", map[string]any{"query": "/" + strings.ReplaceAll(pattern, "/", `\/`) + "/"})
	})
	runBombs(b, globBombs(), func(_, glob string) {
		b.call("vault_search", map[string]any{"query": "plain", "path_filter": glob})
	})
	runBombs(b, queryBombs(), func(_, query string) { b.query(query) })
	b.end()
}

// startBombs starts the program on a vault with a plain note among others.
func startBombs(t *testing.T, files map[string]string) *bombs {
	vault := t.TempDir()
	writeFiles(t, vault, files)
	writeFiles(t, vault, map[string]string{"Plain.md": "plain [[Fuel]] text\n"})
	c := start(t, vault, "OBSIDIAN_MCP_CONTEXT=off", "OBSIDIAN_MCP_TOOLSETS=all")
	c.initialize("2025-11-25")
	return &bombs{t: t, client: c}
}

// runBombs throws all bombs in the long form of the test, and some of them otherwise.
func runBombs(b *bombs, all map[string]string, do func(name, bomb string)) {
	every := mode.Pick(18, 6, 1)
	for i, name := range slices.Sorted(maps.Keys(all)) {
		if i%every == 0 {
			b.run(name, func() { do(name, all[name]) })
		}
	}
}

// end checks that the program still finds the plain note, and stops it.
func (b *bombs) end() {
	b.client.t = b.t
	if found := b.call("vault_search", map[string]any{"query": "^plain .* text$"}); len(found.Content) == 0 || !strings.Contains(found.Content[0].Text, "Plain.md") {
		b.t.Errorf("after all bombs: %+v", found)
	}
	peak := b.client.peakMemory()
	b.t.Logf("%d calls took %v, the longest %v (%s), %d more than %v; peak memory %d MB",
		b.calls, b.total, b.longest, b.which, b.slow, bombTime, peak>>20)
	if peak > maxMemory {
		b.t.Errorf("the server needed %d MB", peak>>20)
	}
	b.client.end()
}

// bombs counts what is thrown at a server.
type bombs struct {
	t       *testing.T
	client  *client
	calls   int
	slow    int // calls that took longer than bombTime
	total   time.Duration
	longest time.Duration
	which   string
}

func (b *bombs) run(name string, do func()) {
	outer := b.t
	b.t.Run(name, func(t *testing.T) {
		b.t, b.client.t = t, t
		do()
	})
	b.t = outer
}

// call makes a call that must not take long. It measures processor time, so that a busy machine does not matter.
func (b *bombs) call(tool string, arguments map[string]any) (result toolResult) {
	b.t.Helper()
	begun, before := time.Now(), b.client.processorTime()
	answer := b.request(tool, arguments)
	took := b.client.processorTime() - before
	if before == 0 {
		took = time.Since(begun)
	}
	b.calls++
	b.total += took
	if took > b.longest {
		b.longest, b.which = took, b.t.Name()+" "+tool
	}
	if took > bombTime {
		b.slow++
	}
	if took > exploded {
		b.t.Errorf("%s takes %v", tool, took)
	}
	if answer.Error == nil {
		result = decodeResult(b.t, answer)
	}
	return result
}

// request is a call that may wait long for its turn on a busy machine.
func (b *bombs) request(tool string, arguments map[string]any) message {
	b.t.Helper()
	id := fmt.Sprintf("bomb %d", b.calls)
	text, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": map[string]any{"name": tool, "arguments": arguments},
	})
	if err != nil {
		b.t.Fatal(err)
	}
	b.client.send(string(text))
	for tooLong := time.After(mode.Patience); ; {
		select {
		case line := <-b.client.lines:
			if answer := decodeMessage(line); answer.isTo(id) {
				return answer
			}
		case <-tooLong:
			b.t.Fatalf("%s is not answered\n%s", tool, b.client.stderr)
		}
	}
}

// processorTime is the processor time that the process has used so far; 0 if the system does not say.
func (c *client) processorTime() time.Duration {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", c.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest)
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}

// note creates a note and calls all tools that read or write it.
func (b *bombs) note(name, text string) {
	named := map[string]any{"name": name}
	created := b.call("create_note", map[string]any{"name": name, "content": text, "overwrite": true})
	if created.IsError {
		b.t.Errorf("%s", created.Content[0].Text)
	}
	for _, tool := range []string{"read_note", "get_note_metadata", "get_headings", "get_links", "summarise_note"} {
		b.call(tool, named)
	}
	b.call("find_broken_links", map[string]any{"kind": "all"})
	b.call("find_tasks", map[string]any{"note": name})
	b.call("update_task", map[string]any{"note": name, "text": "a"})
	b.call("append_note", map[string]any{"name": name, "text": "more"})
	b.call("set_frontmatter", map[string]any{"name": name, "key": "added", "value": "yes"})
	b.call("add_tag", map[string]any{"name": name, "tag": "bomb"})
	b.call("replace_text", map[string]any{"name": name, "old_text": "a", "new_text": "aa", "replace_all": true})
	b.call("rename_note", map[string]any{"old_name": name, "new_name": name + " renamed"})
	b.call("delete_note", map[string]any{"name": name + " renamed"})
}

// query passes a text to every tool that takes one.
func (b *bombs) query(query string) {
	b.call("find_notes", map[string]any{"query": query})
	b.call("find_tasks", map[string]any{"query": query})
	b.call("vault_search", map[string]any{"query": query})
	for _, mode := range []string{"name", "name_partial", "content", "tag"} {
		b.call("search_notes", map[string]any{"query": query, "mode": mode})
	}
	b.call("find_notes", map[string]any{"path_prefix": query, "tags": []string{query}})
	b.call("find_notes", map[string]any{"properties": map[string]any{"a": query}})
	b.call("list_notes", map[string]any{"folder": query})
	b.call("backlinks_search", map[string]any{"name": query})
	b.call("replace_text", map[string]any{"name": "Fuel", "old_text": query, "new_text": query})
	b.call("read_section", map[string]any{"name": "Fuel", "section": query})
	b.call("set_frontmatter", map[string]any{"name": "Plain", "key": "bomb", "value": query})
}

// fuel is a text on which backtracking patterns take very long.
func fuel() string {
	return strings.Join([]string{
		strings.Repeat("a", 30_000) + "!", strings.Repeat("ab", 20_000) + "?", strings.Repeat("x=", 10_000),
		strings.Repeat("word ", 10_000) + "!", strings.Repeat("aaaa\n", 20_000), strings.Repeat("é", 10_000), strings.Repeat("\t ", 10_000) + ".",
		strings.Repeat(`{"id":"a","x":12},`, 5_000),
	}, "\n")
}
