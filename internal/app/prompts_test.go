package app

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// promptVault has values for the completion of every argument.
func promptVault(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "v")
	files := map[string]string{
		"Meeting.md":         "# Agenda\n## Open points\n# Agenda\n",
		"work/Team meet.md":  "---\nproject: Éclair\nStatus: open\ntags: [Work/Team, urgent]\n---\n",
		"work/Plan.md":       "---\nProject: [apollo, Éclair]\nstatus: done\n\"due date\": 1\n---\n#work",
		"other/Plan.md":      "no frontmatter: here\n",
		"devlog/auth.md":     "---\nproject: apollo\n---\n",
		"devlog/old/deep.md": "",
		"media/meet.png":     "x",
	}
	for i := range 150 {
		files[fmt.Sprintf("many/Number %03d.md", i)] = ""
	}
	writeFiles(t, dir, files)
	return dir
}

func TestCompletion(t *testing.T) {
	t.Parallel()
	inEveryEra(t, promptVault, func(t *testing.T, c *eraClient, _ string) {
		prompt := func(name string) map[string]any { return map[string]any{"type": "ref/prompt", "name": name} }
		template := map[string]any{"type": "ref/resource", "uri": "mcp-obsidian://v/{+path}"}
		for _, completion := range []struct {
			ref             map[string]any
			argument, value string
			note            string
			want            []string
		}{
			{prompt("review"), "note", "mEE", "", []string{"Meeting", "Team meet"}},
			{prompt("review"), "note", "work/", "", []string{"work/Plan", "work/Team meet"}},
			{prompt("review"), "note", "plan", "", []string{"other/Plan", "work/Plan"}},
			{prompt("review"), "note", "no such", "", nil},
			{prompt("review"), "heading", "", "Meeting", []string{"Agenda", "Open points"}},
			{prompt("review"), "heading", "p", "meeting", []string{"Open points"}},
			{prompt("review"), "heading", "", "", nil},
			{prompt("review"), "heading", "", "none", nil},
			{prompt("review"), "heading", "", "Plan", nil},
			{prompt("review"), "heading", "", "../x", nil},
			{prompt("gather"), "tag", "", "", []string{"Work/Team", "urgent", "work"}},
			{prompt("gather"), "tag", "#WORK", "", []string{"Work/Team", "work"}},
			{prompt("gather"), "tag", "te", "", []string{"Work/Team"}},
			{prompt("gather"), "property", "", "", []string{"Project", "Status", "due date", "tags"}},
			{prompt("gather"), "property", "AT", "", []string{"Status", "due date"}},
			{prompt("devlog"), "topic", "", "", []string{"auth"}},
			{prompt("devlog"), "project", "", "", []string{"apollo", "Éclair"}},
			{prompt("devlog"), "project", "é", "", []string{"Éclair"}},
			{prompt("adr"), "title", "x", "", nil},
			{prompt("adr"), "project", "a", "", []string{"apollo", "Éclair"}},
			{template, "path", "media/", "", []string{"media/meet.png"}},
			{template, "path", "meet", "", []string{"Meeting.md", "media/meet.png", "work/Team meet.md"}},
		} {
			got, _, _ := c.complete(completion.ref, completion.argument, completion.value, completion.note)
			if !slices.Equal(got, completion.want) {
				t.Errorf("%v %s=%q: got %q, want %q", completion.ref, completion.argument, completion.value, got, completion.want)
			}
		}
		values, total, more := c.complete(template, "path", "number", "")
		if len(values) != 100 || total != 150 || !more || values[0] != "many/Number 000.md" || values[99] != "many/Number 099.md" {
			t.Errorf("%d of %d, more: %v", len(values), total, more)
		}
		for _, bad := range []map[string]any{
			{"ref": prompt("none"), "argument": map[string]any{"name": "note", "value": ""}},
			{"ref": prompt("review"), "argument": map[string]any{"name": "none", "value": ""}},
			{"ref": map[string]any{"type": "ref/resource", "uri": "x://{+path}"}, "argument": map[string]any{"name": "path", "value": ""}},
			{"ref": map[string]any{"type": "ref/none"}, "argument": map[string]any{"name": "path", "value": ""}},
			{"argument": map[string]any{"name": "path", "value": ""}},
			{"ref": prompt("review")},
		} {
			if got := c.ask("completion/complete", bad); got.Error == nil || got.Error.Code != -32602 {
				t.Errorf("%v: %s", bad, got.raw)
			}
		}
	})
}

func (c *eraClient) complete(ref map[string]any, argument, value, note string) (values []string, total int, more bool) {
	c.client.t.Helper()
	params := map[string]any{"ref": ref, "argument": map[string]any{"name": argument, "value": value}}
	if note != "" {
		params["context"] = map[string]any{"arguments": map[string]string{"note": note}}
	}
	var result struct {
		Completion struct {
			Values  []string
			Total   int
			HasMore bool
		}
	}
	c.answer("completion/complete", params, &result)
	if result.Completion.Values == nil {
		c.client.t.Errorf("values must be a list")
	}
	return result.Completion.Values, result.Completion.Total, result.Completion.HasMore
}

func TestPrompts(t *testing.T) {
	t.Parallel()
	inEveryEra(t, promptVault, func(t *testing.T, c *eraClient, _ string) {
		var list struct {
			Prompts []struct {
				Name, Title, Description string
				Arguments                []struct {
					Name, Description string
					Required          bool
				}
			}
		}
		c.answer("prompts/list", map[string]any{}, &list)
		var got []string
		for _, listed := range list.Prompts {
			signature := listed.Name
			for _, argument := range listed.Arguments {
				signature += fmt.Sprintf(" %s/%v", argument.Name, argument.Required)
				if argument.Description == "" {
					t.Errorf("%s %s is not described", listed.Name, argument.Name)
				}
			}
			if listed.Title == "" || listed.Description == "" {
				t.Errorf("%s is not described", listed.Name)
			}
			got = append(got, signature)
		}
		if want := []string{"adr title/false project/false", "context", "devlog topic/false project/false", "gather tag/true property/false", "review note/true heading/false"}; !slices.Equal(got, want) {
			t.Errorf("%q", got)
		}
		for _, prompt := range []struct {
			name      string
			arguments map[string]any
			want      []string
		}{
			{"devlog", map[string]any{"topic": "auth", "project": "apollo"}, []string{"auth", "apollo"}},
			{"devlog", map[string]any{}, []string{"ask the user"}},
			{"adr", map[string]any{"title": "Use Go"}, []string{"Use Go"}},
			{"review", map[string]any{"note": "Meeting"}, []string{`"Meeting"`, "read_note"}},
			{"review", map[string]any{"note": "Meeting", "heading": "Open points"}, []string{`"Meeting"`, `"Open points"`, "read_section"}},
			{"gather", map[string]any{"tag": "#work"}, []string{" #work.", `query "work"`, "search_notes"}},
			{"gather", map[string]any{"tag": "work", "property": "status"}, []string{`"status"`}},
		} {
			var result struct {
				Messages []struct {
					Role    string
					Content struct{ Type, Text string }
				}
			}
			c.answer("prompts/get", map[string]any{"name": prompt.name, "arguments": prompt.arguments}, &result)
			for _, want := range prompt.want {
				if text := result.Messages[0].Content.Text; !strings.Contains(text, want) {
					t.Errorf("%s %v: no %s in\n%s", prompt.name, prompt.arguments, want, text)
				}
			}
		}
		for _, name := range []string{"review", "gather"} {
			if got := c.ask("prompts/get", map[string]any{"name": name, "arguments": map[string]any{"x": "y"}}); got.Error == nil || got.Error.Code != -32602 {
				t.Errorf("%s without arguments: %s", name, got.raw)
			}
		}
	})
}

// TestPromptsFitTheTools: a prompt that needs tools which are not offered is not listed, and the others name tools in the
// server's style.
func TestPromptsFitTheTools(t *testing.T) {
	t.Parallel()
	for _, server := range []struct {
		settings []string
		devlog   bool
		tool     string
	}{
		{[]string{"OBSIDIAN_MCP_READ_ONLY=true"}, false, " read_note "},
		{[]string{"OBSIDIAN_MCP_TOOLSETS=notes"}, false, " read_note "},
		{[]string{"OBSIDIAN_MCP_STYLE=contract"}, true, " obsidian_read_note "},
	} {
		c := start(t, promptVault(t), server.settings...)
		c.initialize("2025-11-25")
		if listed := c.request("prompts/list", map[string]any{}); strings.Contains(string(listed.Result), `"devlog"`) != server.devlog || !strings.Contains(string(listed.Result), `"review"`) {
			t.Errorf("%v: %s", server.settings, listed.raw)
		}
		if got := c.request("prompts/get", map[string]any{"name": "review", "arguments": map[string]any{"note": "Meeting"}}); !strings.Contains(string(got.Result), server.tool) {
			t.Errorf("%v: %s", server.settings, got.raw)
		}
		if got := c.request("resources/read", map[string]any{"uri": "mcp-obsidian://v/Meeting.md"}); got.Error != nil {
			t.Errorf("%v: %s", server.settings, got.raw)
		}
		c.end()
	}
}
