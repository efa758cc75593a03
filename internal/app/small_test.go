package app

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// shownBytes is the size of what a model is shown of the tools: names, descriptions and input schemas.
func shownBytes(t *testing.T, c *client) (bytes int, names []string) {
	t.Helper()
	var listed struct {
		Tools []struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			InputSchema json.RawMessage `json:"inputSchema"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(c.request("tools/list", map[string]any{}).Result, &listed); err != nil {
		t.Fatal(err)
	}
	for _, tool := range listed.Tools {
		names = append(names, tool.Name)
	}
	shown, err := json.Marshal(listed.Tools)
	if err != nil {
		t.Fatal(err)
	}
	return len(shown), names
}

// TestToolsFitTheirBudgets bounds what the tools cost every conversation.
func TestToolsFitTheirBudgets(t *testing.T) {
	t.Parallel()
	for toolsets, most := range map[string]int{"default": 32_000, "small": 10_000} {
		c := start(t, t.TempDir(), "OBSIDIAN_MCP_TOOLSETS="+toolsets)
		c.initialize("2025-11-25")
		if shown, names := shownBytes(t, c); shown > most {
			t.Errorf("the %d tools of %s show %d bytes, more than %d", len(names), toolsets, shown, most)
		} else {
			t.Logf("the %d tools of %s show %d bytes", len(names), toolsets, shown)
		}
		if whole := len(c.request("tools/list", map[string]any{}).Result); whole > 48_000 {
			t.Errorf("tools/list of %s has %d bytes", toolsets, whole)
		}
		c.end()
	}
}

// TestSmallSurfaceReachesEveryTool: each tool that is not shown can be found and called, and is recorded, confirmed and
// refused as itself.
func TestSmallSurfaceReachesEveryTool(t *testing.T) {
	t.Parallel()
	vault, audit := t.TempDir(), filepath.Join(t.TempDir(), "audit.jsonl")
	writeFiles(t, vault, map[string]string{"A.md": "# Goals\n\ntext [[B]]\n", "B.md": "---\ntags: [old]\n---\nb\n"})
	c := start(t, vault, "OBSIDIAN_MCP_TOOLSETS=small", "OBSIDIAN_MCP_CONTEXT=off", "OBSIDIAN_MCP_AUDIT_LOG="+audit)
	c.initialize("2025-11-25")
	_, small := shownBytes(t, c)

	var all struct {
		Tools []struct{ Name string }
	}
	if err := json.Unmarshal([]byte(c.call("find_tool", nil).Content[0].Text), &all); err != nil {
		t.Fatal(err)
	}
	offered := map[string]bool{}
	for _, tool := range all.Tools {
		offered[tool.Name] = true
	}
	for _, tool := range vaultTools() {
		if !offered[tool.Name] {
			t.Errorf("find_tool does not list %s", tool.Name)
		}
		delete(offered, tool.Name)
	}
	if len(offered) > 0 || !slices.Contains(small, "call_tool") {
		t.Errorf("find_tool also lists %v; shown are %v", slices.Collect(maps.Keys(offered)), small)
	}

	if found := c.call("find_tool", map[string]any{"query": "backlinks of a note"}).Content[0].Text; !strings.Contains(found, `"backlinks_search"`) || !strings.Contains(found, `"input_schema"`) {
		t.Errorf("find_tool: %s", found)
	}
	read := c.call("call_read_tool", map[string]any{"tool": "read_section", "arguments": map[string]any{"name": "A", "section": "Goals"}})
	if read.IsError || read.Content[0].Text != "text [[B]]" {
		t.Errorf("call_read_tool: %+v", read)
	}
	for _, refused := range []struct {
		tool      string
		arguments map[string]any
		want      string
	}{
		{"call_read_tool", map[string]any{"tool": "append_note", "arguments": map[string]any{"name": "A", "text": "x"}}, "'append_note' writes"},
		{"call_tool", map[string]any{"tool": "call_tool", "arguments": map[string]any{}}, "unknown tool 'call_tool'"},
		{"call_tool", map[string]any{"tool": "apend_note", "arguments": map[string]any{}}, "append_note"},
		{"call_tool", map[string]any{"tool": "add_tag", "arguments": map[string]any{"name": "A", "tag": "new"}}, "Tags not in allowed list"},
		{"call_tool", map[string]any{"tool": "append_note", "arguments": map[string]any{"nam": "A"}}, "did you mean 'name'"},
	} {
		if answer := c.call(refused.tool, refused.arguments); !answer.IsError || !strings.Contains(answer.Content[0].Text, refused.want) {
			t.Errorf("%s %v: %+v; want %q", refused.tool, refused.arguments, answer, refused.want)
		}
	}
	for called, want := range map[string]string{
		"get_headings": `{"hints":["Call it through call_read_tool."]}`, "append_note": `{"hints":["Call it through call_tool."]}`, "raed_note": `{"hints":["Did you mean: read_note?"]}`,
	} {
		if answer := c.request("tools/call", map[string]any{"name": called}); answer.Error == nil || string(answer.Error.Data) != want {
			t.Errorf("%s: %s, want %s", called, answer.raw, want)
		}
	}
	if answer := c.call("call_tool", map[string]any{"tool": "append_note", "arguments": map[string]any{"name": "A", "text": "more"}}); answer.IsError {
		t.Errorf("call_tool: %+v", answer)
	}
	if now, _ := os.ReadFile(filepath.Join(vault, "A.md")); !strings.HasSuffix(string(now), "more\n") && !strings.HasSuffix(string(now), "more") {
		t.Errorf("the note is %q", now)
	}
	c.end()
	recorded, _ := os.ReadFile(audit)
	if !strings.Contains(string(recorded), `"tool":"append_note"`) || strings.Contains(string(recorded), `"tool":"call_tool"`) {
		t.Errorf("the audit log has %s", recorded)
	}
}

// TestSmallSurfaceReadsOnly: where writing is off, call_read_tool is the only way to other tools.
func TestSmallSurfaceReadsOnly(t *testing.T) {
	t.Parallel()
	c := start(t, t.TempDir(), "OBSIDIAN_MCP_TOOLSETS=small", "OBSIDIAN_MCP_READ_ONLY=true")
	c.initialize("2025-11-25")
	if _, names := shownBytes(t, c); slices.Contains(names, "call_tool") || !slices.Contains(names, "call_read_tool") || slices.Contains(names, "create_note") {
		t.Errorf("shown are %v", names)
	}
	c.end()
}
