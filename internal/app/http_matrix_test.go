package app

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"obsidian-mcp/internal/tool"
)

// sensibleCalls are the arguments of a successful call of each tool on notes in a folder. Calls of tools that write change
// something there.
var sensibleCalls = map[string]func(folder string) map[string]any{
	"read_note":   onNote("read_note"),
	"create_note": func(folder string) map[string]any { return map[string]any{"name": folder + "New", "content": "new"} },
	"append_note": onNote("append_note", "text", "More."),
	"update_note": onNote("update_note", "content", "Another body."),
	"delete_note": onNote("delete_note"),
	"rename_note": func(folder string) map[string]any {
		return map[string]any{"old_name": folder + "rename_note", "new_name": folder + "Renamed"}
	},
	"search_notes":      func(string) map[string]any { return map[string]any{"query": "apples", "mode": "content"} },
	"get_links":         onNote("get_links"),
	"get_note_metadata": onNote("get_note_metadata"),
	"set_frontmatter":   onNote("set_frontmatter", "key", "status", "value", "done"),
	"add_tag":           onNote("add_tag", "tag", "garden"),
	"remove_tag":        onNote("remove_tag", "tag", "work"),
	"list_files":        func(folder string) map[string]any { return map[string]any{"folder": strings.TrimSuffix(folder, "/")} },
	"read_file":         onNote("read_file"),
	"write_file":        func(folder string) map[string]any { return map[string]any{"name": folder + "new.txt", "text": "new"} },
	"list_notes":        func(folder string) map[string]any { return map[string]any{"folder": strings.TrimSuffix(folder, "/")} },
	"replace_text":      onNote("replace_text", "old_text", "apples", "new_text", "plums"),
	"insert_text":       onNote("insert_text", "text", "More.", "after", "# Goals"),
	"read_section":      onNote("read_section", "section", "Goals"),
	"append_section":    onNote("append_section", "section", "Goals", "text", "More."),
	"update_section":    onNote("update_section", "section", "Goals", "content", "Less."),
	"delete_section":    onNote("delete_section", "section", "Goals"),
	"get_headings":      onNote("get_headings"),
	"find_broken_links": func(string) map[string]any { return map[string]any{} },
	"get_help":          func(string) map[string]any { return map[string]any{} },
	"vault_info":        func(string) map[string]any { return map[string]any{} },
	"find_notes":        func(folder string) map[string]any { return map[string]any{"query": "apples", "path_prefix": folder} },
	"summarise_note": func(folder string) map[string]any {
		return map[string]any{"uri": "mcp-obsidian://v/" + folder + "summarise_note.md"}
	},
	"note_read": func(folder string) map[string]any { return map[string]any{"path": folder + "note_read.md"} },
	"note_upsert": func(folder string) map[string]any {
		return map[string]any{"path": folder + "note_upsert.md", "content": "More."}
	},
	"vault_search":     func(string) map[string]any { return map[string]any{"query": "apples"} },
	"backlinks_search": onNote("backlinks_search"),
	"graph_neighbors":  onNote("graph_neighbors"),
	"link_add": func(folder string) map[string]any {
		return map[string]any{"source": folder + "link_add", "target": folder + "read_note"}
	},
	"edit_canvas": func(folder string) map[string]any {
		return map[string]any{"name": folder + "edit_canvas.canvas", "ops": []any{map[string]any{"add": "text", "text": "New"}}}
	},
	"read_notes": func(folder string) map[string]any {
		return map[string]any{"names": []any{folder + "read_notes", folder + "read_note#Goals"}}
	},
	"rename_in_vault": func(folder string) map[string]any {
		return map[string]any{"kind": "heading", "note": folder + "rename_in_vault", "from": "Goals", "to": "Aims"}
	},
	"compose_notes": func(folder string) map[string]any {
		return map[string]any{"action": "extract", "note": folder + "compose_notes", "section": "Goals", "target": folder + "Extracted"}
	},
	"edit_notes": func(folder string) map[string]any {
		return map[string]any{"names": []any{folder + "edit_notes"}, "ops": []any{map[string]any{"op": "append", "text": "More."}}}
	},
	"find_properties": func(folder string) map[string]any { return map[string]any{"folder": folder} },
	"graph_report":    func(folder string) map[string]any { return map[string]any{"kind": "orphans", "folder": folder} },
	"periodic_note":   periodOf,
	"append_periodic_note": func(folder string) map[string]any {
		arguments := periodOf(folder)
		arguments["text"] = "More."
		return arguments
	},
	"create_from_template": func(folder string) map[string]any {
		return map[string]any{"template": folder + "create_from_template", "name": folder + "From template"}
	},
	"find_tasks": func(folder string) map[string]any { return map[string]any{"folder": folder} },
	"gather_context": func(folder string) map[string]any {
		return map[string]any{"notes": []string{folder + "gather_context"}}
	},
	"query_vault": func(folder string) map[string]any {
		return map[string]any{"query": "LIST FROM \"" + strings.TrimSuffix(folder, "/") + "\""}
	},
	"update_task": func(folder string) map[string]any {
		return map[string]any{"note": folder + "update_task", "text": "Weed the beds", "action": "create"}
	},
	"list_changes": func(string) map[string]any { return map[string]any{} },
	"show_change":  func(string) map[string]any { return map[string]any{"id": newestChange} },
	"undo_change":  func(string) map[string]any { return map[string]any{"id": newestChange} },
	"restore_note": func(string) map[string]any { return map[string]any{"name": newestNote, "change_id": newestChange} },
}

// Placeholders for the last change that a caller sees, and for a note of it.
const newestChange, newestNote = "newest change", "newest note"

var listedChange = regexp.MustCompile(`"id":"([^"]+)".*?"notes":\["([^"]+)"`)

// withNewest replaces the placeholders in a call by the last change.
func withNewest(t *testing.T, c rpcCaller, call map[string]any) map[string]any {
	t.Helper()
	arguments := call["arguments"].(map[string]any)
	if arguments["id"] != newestChange && arguments["change_id"] != newestChange {
		return call
	}
	prefix, _, _ := strings.Cut(call["name"].(string), "show_change")
	if prefix == call["name"] {
		prefix = ""
	}
	list := decodeResult(t, c.request("tools/call", map[string]any{"name": prefix + "list_changes", "arguments": map[string]any{"limit": 1}}))
	found := listedChange.FindSubmatch(list.StructuredContent)
	if found == nil {
		t.Fatalf("no change is listed: %s", list.StructuredContent)
	}
	arguments = maps.Clone(arguments)
	for key, value := range arguments {
		switch value {
		case newestChange:
			arguments[key] = string(found[1])
		case newestNote:
			arguments[key] = string(found[2])
		}
	}
	return map[string]any{"name": call["name"], "arguments": arguments}
}

// onNote are arguments about a note in the folder. Each tool has a note of its own.
func onNote(note string, further ...any) func(string) map[string]any {
	return func(folder string) map[string]any {
		arguments := map[string]any{"name": folder + note}
		for i := 0; i < len(further); i += 2 {
			arguments[further[i].(string)] = further[i+1]
		}
		return arguments
	}
}

// periodOf are the period and date of a note in a folder. In matrixVault, daily notes are in projects, and weekly ones in a
// closed folder.
func periodOf(folder string) map[string]any {
	if !strings.HasPrefix(folder, "projects/") || strings.Contains(folder, "..") {
		return map[string]any{"period": "weekly"}
	}
	return map[string]any{"period": "daily", "date": dayOf(folder)}
}

// dayOf is the date of the daily note in a folder: each has its own.
func dayOf(folder string) string {
	hash := fnv.New32()
	hash.Write([]byte(folder))
	return time.Date(2000, 1, 1+int(hash.Sum32()%9000), 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
}

// toolCall is the successful call of a tool in sensibleCalls.
func toolCall(t *testing.T, name, folder string) map[string]any {
	t.Helper()
	arguments, ok := sensibleCalls[name]
	if !ok {
		t.Fatalf("sensibleCalls has no arguments for %s: add them", name)
	}
	return map[string]any{"name": name, "arguments": arguments(folder)}
}

// matrixRole is a set of rights.
type matrixRole struct {
	name     string
	limits   []string // of a token
	settings []string // with the same effect on a stdio server; nil if there are none
	reads    bool     // it may only read
	toolsets []string // nil for all
	folders  bool     // it may only see projects/
}

var matrixRoles = []matrixRole{
	{name: "unlimited", settings: []string{}},
	{name: "read-only", limits: []string{"read_only: true"}, settings: []string{"OBSIDIAN_MCP_READ_ONLY=true"}, reads: true},
	{name: "finding", limits: []string{"toolsets: [find]"}, settings: []string{"OBSIDIAN_MCP_TOOLSETS=find"}, toolsets: []string{"find"}},
	{name: "limited", limits: []string{"allow: [projects/]"}, folders: true},
}

// vaultTools are the tools that need nothing but the vault, which every server has. What the others need is configured in
// the tests that call them.
func vaultTools() []tool.Tool {
	return Tools().Only(func(t tool.Tool) bool { return t.Needs == tool.NeedsNothing && !t.OnlyNamed }).All()
}

func (r matrixRole) offers(registered tool.Tool) bool {
	return (!r.reads || registered.Effect == tool.Reads) && (r.toolsets == nil || slices.Contains(r.toolsets, registered.Toolset))
}

// writes reports whether the role has a tool that writes.
func (r matrixRole) writes() bool {
	return slices.ContainsFunc(vaultTools(), func(registered tool.Tool) bool {
		return registered.Effect != tool.Reads && r.offers(registered)
	})
}

// TestRolesLimitTools combines all tools, transports and roles. A tool that a role may not call is not listed, answers like
// a tool that does not exist, and changes no byte. A tool that it may call is listed, and works.
func TestRolesLimitTools(t *testing.T) {
	t.Parallel()
	dir := matrixVault(t)
	entries, tokens := "tokens:\n", map[string]string{}
	for _, role := range matrixRoles {
		token, entry := testToken(role.name, role.limits...)
		tokens[role.name], entries = token, entries+entry
	}
	settings := []string{configFile(t, entries), "OBSIDIAN_MCP_CONTEXT=off", "VAULT_ID=v", matrixState(dir)}
	open := startHTTP(t, dir, settings...)
	closed := startHTTP(t, dir, append(settings, "OBSIDIAN_MCP_READ_ONLY=true")...)
	before := hashFolder(t, dir)
	t.Run("nothing changes", func(t *testing.T) {
		for _, role := range matrixRoles {
			for _, transport := range rpcTransports {
				t.Run(role.name+" "+transport.name, func(t *testing.T) {
					t.Parallel()
					role.check(t, transport.connect(open.in(t), tokens[role.name]))
				})
				t.Run(role.name+" "+transport.name+" of a read-only server", func(t *testing.T) {
					t.Parallel()
					reader := role
					reader.reads = true
					reader.check(t, transport.connect(closed.in(t), tokens[role.name]))
				})
			}
			if role.settings != nil {
				t.Run(role.name+" stdio", func(t *testing.T) {
					t.Parallel()
					c := start(t, dir, append(role.settings, "OBSIDIAN_MCP_CONTEXT=off", "VAULT_ID=v", matrixState(dir))...)
					defer c.end()
					c.initialize("2025-11-25")
					role.check(t, c)
				})
			}
		}
	})
	if after := hashFolder(t, dir); after != before {
		t.Fatalf("the vault changed: %q", differentLines(before, after))
	}
	for _, role := range matrixRoles {
		for _, transport := range rpcTransports {
			if !role.writes() {
				continue
			}
			t.Run(role.name+" "+transport.name+" changes", func(t *testing.T) {
				role.checkWrites(t, transport.connect(open.in(t), tokens[role.name]), dir, "projects/"+role.name+"-"+transport.name+"/")
			})
		}
	}
	t.Run("stdio changes", func(t *testing.T) {
		c := start(t, dir, "OBSIDIAN_MCP_CONTEXT=off", "VAULT_ID=v", matrixState(dir))
		defer c.end()
		c.initialize("2025-11-25")
		matrixRoles[0].checkWrites(t, c, dir, "projects/stdio/")
	})
}

// matrixVault has a folder for each role and transport that writes, and a closed folder. Each has a note for every tool.
func matrixVault(t *testing.T) string {
	t.Helper()
	folders := []string{"private/", "projects/reads/", "projects/stdio/"}
	for _, role := range matrixRoles {
		for _, transport := range rpcTransports {
			if !role.writes() {
				continue
			}
			folders = append(folders, "projects/"+role.name+"-"+transport.name+"/")
		}
	}
	files := map[string]string{
		"projects/Tags.md": "#garden\n", ".obsidian/daily-notes.json": `{"folder":"projects"}`, ".obsidian/community-plugins.json": `["periodic-notes"]`,
		".obsidian/plugins/periodic-notes/data.json": `{"weekly":{"enabled":true,"folder":"private"}}`,
	}
	for _, folder := range folders {
		files[folder+dayOf(folder)+".md"] = "A day.\n"
		for name := range sensibleCalls {
			files[folder+name+".md"] = "---\ntags: [work]\nstatus: draft\n---\n# Goals\nGrow apples. [[" + folder + "get_links]]\n\n## More\nAnd pears.\n"
		}
	}
	dir := t.TempDir()
	writeFiles(t, dir, files)
	if done := runProgram(t, []string{"OBSIDIAN_VAULT_PATH=" + dir, matrixState(dir)}, "call", "append_note", "--name", "projects/reads/show_change", "--text", "More."); done.status != 0 {
		t.Fatal(done.errors) // so that there is a change to show
	}
	return dir
}

// matrixState is where all servers of a vault keep its history.
func matrixState(dir string) string { return "OBSIDIAN_MCP_STATE_DIR=" + dir + ".state" }

// hashFolder describes everything in a folder, with a line for each file.
func hashFolder(t *testing.T, dir string) string {
	t.Helper()
	var lines strings.Builder
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		fmt.Fprintf(&lines, "%s %v", name, info.Mode())
		if !entry.IsDir() {
			content, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			fmt.Fprintf(&lines, " %v %x", info.ModTime(), sha256.Sum256(content))
		}
		lines.WriteByte('\n')
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines.String()
}

// check makes all calls that must change nothing: those that are not allowed, and those that read.
func (r matrixRole) check(t *testing.T, c rpcCaller) {
	t.Helper()
	listed := listedTools(t, c)
	for _, registered := range vaultTools() {
		if listed[registered.Name] != r.offers(registered) {
			t.Errorf("%s is listed: %v", registered.Name, listed[registered.Name])
		}
		delete(listed, registered.Name)
		switch call := toolCall(t, registered.Name, "projects/reads/"); {
		case !r.offers(registered):
			checkUnknownTool(t, c, call)
			call["arguments"].(map[string]any)["dry_run"] = true
			checkUnknownTool(t, c, call)
		case registered.Effect == tool.Reads:
			checkCalled(t, c, call)
			for key, value := range map[string]any{"overwrite": true, "content": "x", "text": "x", "confirm": "x", "replace_all": true, "frontmatter": map[string]any{"a": "b"}} {
				call["arguments"].(map[string]any)[key] = value
			}
			c.request("tools/call", call)
		}
	}
	if len(listed) > 0 {
		t.Errorf("%q are listed, but not in the registry or not configured", slices.Sorted(maps.Keys(listed)))
	}
	for _, registered := range Tools().All() {
		if registered.Needs != tool.NeedsNothing || registered.OnlyNamed {
			checkUnknownTool(t, c, map[string]any{"name": registered.Name, "arguments": map[string]any{}})
		}
	}
	for _, name := range []string{"no_such_tool", "CREATE_NOTE", "obsidian_create_note", "create_note.", ""} {
		checkUnknownTool(t, c, map[string]any{"name": name, "arguments": map[string]any{"name": "projects/reads/Other", "content": "x"}})
	}
	r.checkHelp(t, c)
	if prompts := string(c.request("prompts/list", map[string]any{}).Result); strings.Contains(prompts, `"devlog"`) != (!r.reads && r.toolsets == nil) {
		t.Errorf("prompts for tools that the role may not call: %s", prompts)
	}
	if r.folders && !r.reads {
		checkClosedToWrites(t, c)
	}
}

func listedTools(t *testing.T, c rpcCaller) map[string]bool {
	t.Helper()
	var list struct{ Tools []struct{ Name string } }
	answer := c.request("tools/list", map[string]any{})
	if err := json.Unmarshal(answer.Result, &list); err != nil || len(list.Tools) == 0 {
		t.Fatalf("%s: %v", answer.raw, err)
	}
	listed := map[string]bool{}
	for _, entry := range list.Tools {
		listed[entry.Name] = true
	}
	return listed
}

// checkUnknownTool makes a call that must fail like the call of a tool that does not exist.
func checkUnknownTool(t *testing.T, c rpcCaller, call map[string]any) {
	t.Helper()
	name := fmt.Sprint(call["name"])
	got := c.request("tools/call", call)
	if got.Error == nil || got.Error.Code != -32602 || got.Error.Message != fmt.Sprintf("unknown tool %q", name) || strings.Contains(string(got.Error.Data), `"`+name) {
		t.Errorf("%v: %s", call, got.raw)
	}
}

// checkCalled makes a call that must succeed.
func checkCalled(t *testing.T, c rpcCaller, call map[string]any) toolResult {
	t.Helper()
	got := c.request("tools/call", withNewest(t, c, call))
	if got.Error != nil {
		t.Fatalf("%v: %s", call, got.raw)
	}
	result := decodeResult(t, got)
	if result.IsError || len(result.Content) == 0 {
		t.Errorf("%v: %s", call, got.raw)
	}
	return result
}

// checkHelp checks that get_help lists the same tools as tools/list.
func (r matrixRole) checkHelp(t *testing.T, c rpcCaller) {
	t.Helper()
	got := c.request("tools/call", toolCall(t, "get_help", ""))
	if r.toolsets != nil {
		return // its toolsets do not include get_help, as check has seen
	}
	for _, registered := range vaultTools() {
		if strings.Contains(string(got.Result), `\"name\":\"`+registered.Name+`\"`) != r.offers(registered) {
			t.Errorf("get_help and %s: %s", registered.Name, got.raw)
		}
	}
}

// checkClosedToWrites calls all tools that write in closed folders.
func checkClosedToWrites(t *testing.T, c rpcCaller) {
	t.Helper()
	for _, registered := range vaultTools() {
		if registered.Effect == tool.Reads {
			continue
		}
		for _, folder := range []string{"private/", "PRIVATE/", "projects/../private/", "/private/", "new/"} {
			call := toolCall(t, registered.Name, folder)
			if got := c.request("tools/call", call); got.Error == nil && !decodeResult(t, got).IsError {
				t.Errorf("%v: %s", call, got.raw)
			}
		}
	}
	for _, call := range []map[string]any{
		{"name": "rename_note", "arguments": map[string]any{"old_name": "projects/reads/Old", "new_name": "private/Old"}},
		{"name": "rename_note", "arguments": map[string]any{"old_name": "projects/reads/rename_note", "new_name": "private/rename_note"}},
		{"name": "rename_note", "arguments": map[string]any{"old_name": "projects/reads/rename_note", "new_name": "/Renamed"}},
		{"name": "create_note", "arguments": map[string]any{"name": "elsewhere/New", "content": "x"}},
	} {
		if got := c.request("tools/call", call); got.Error == nil && !decodeResult(t, got).IsError {
			t.Errorf("%v: %s", call, got.raw)
		}
	}
}

// checkWrites calls all tools that write in a folder. Each must change something there, and nothing elsewhere.
func (r matrixRole) checkWrites(t *testing.T, c rpcCaller, dir, folder string) {
	t.Helper()
	own := filepath.Join(dir, filepath.FromSlash(folder))
	vaultBefore, before := hashFolder(t, dir), hashFolder(t, own)
	for _, registered := range vaultTools() {
		if registered.Effect == tool.Reads || !r.offers(registered) {
			continue
		}
		checkCalled(t, c, toolCall(t, registered.Name, folder))
		after := hashFolder(t, own)
		if after == before {
			t.Errorf("%s changes nothing", registered.Name)
		}
		before = after
	}
	for _, line := range differentLines(vaultBefore, hashFolder(t, dir)) {
		if !strings.HasPrefix(line, own) && !strings.HasPrefix(line, filepath.Join(dir, ".trash")) {
			t.Errorf("%s changed", line)
		}
	}
}

// differentLines are the lines that only one of two texts has.
func differentLines(a, b string) (lines []string) {
	count := map[string]int{}
	for _, text := range []string{a, b} {
		for line := range strings.Lines(text) {
			count[line]++
		}
	}
	for line, n := range count {
		if n == 1 {
			lines = append(lines, line)
		}
	}
	return lines
}

// TestReadOnlyInContractStyle: tools that write are unknown under both their plain and their contract names.
func TestReadOnlyInContractStyle(t *testing.T) {
	t.Parallel()
	dir := matrixVault(t)
	token, entry := testToken("reads", "read_only: true")
	s := startHTTP(t, dir, configFile(t, "tokens:\n"+entry), "OBSIDIAN_MCP_STYLE=contract", "VAULT_ID=v", matrixState(dir))
	before := hashFolder(t, dir)
	for _, transport := range rpcTransports {
		c := transport.connect(s, token)
		listed := listedTools(t, c)
		for _, registered := range vaultTools() {
			call := toolCall(t, registered.Name, "projects/reads/")
			checkUnknownTool(t, c, call)
			call["name"] = "obsidian_" + registered.Name
			if reads := registered.Effect == tool.Reads; listed["obsidian_"+registered.Name] != reads {
				t.Errorf("%s is listed: %v", registered.Name, !reads)
			} else if reads {
				checkCalled(t, c, call)
			} else {
				checkUnknownTool(t, c, call)
			}
		}
	}
	if after := hashFolder(t, dir); after != before {
		t.Errorf("the vault changed: %q", differentLines(before, after))
	}
}

// TestConcurrentCallersGetTheirOwnAnswers has many clients call at once, with the same ids. Clients with the same rights
// share a server; still each gets the answers to its own calls, and nothing beyond its rights.
func TestConcurrentCallersGetTheirOwnAnswers(t *testing.T) {
	t.Parallel()
	const clients, calls = 6, 40
	files, entries, tokens := map[string]string{}, "tokens:\n", make([]string, clients)
	for i := range clients {
		folder := []string{"private/", "projects/"}[i%2]
		files[fmt.Sprintf("%sOf %d.md", folder, i)] = fmt.Sprintf("only for client %d\n", i)
		token, entry := testToken(fmt.Sprintf("client-%d", i), "allow: ["+folder+"]")
		tokens[i], entries = token, entries+entry
	}
	dir := t.TempDir()
	writeFiles(t, dir, files)
	s := startHTTP(t, dir, configFile(t, entries), "OBSIDIAN_MCP_CONTEXT=off")
	for _, transport := range rpcTransports {
		for i := range clients {
			t.Run(fmt.Sprint(transport.name, " ", i), func(t *testing.T) {
				t.Parallel()
				c := transport.connect(s.in(t), tokens[i])
				for range calls {
					read := map[string]any{"name": "read_note", "arguments": map[string]any{"name": fmt.Sprintf("Of %d", i)}}
					if got := checkCalled(t, c, read).Content[0].Text; got != fmt.Sprintf("only for client %d\n", i) {
						t.Fatalf("got %q", got)
					}
					other := map[string]any{"name": "read_note", "arguments": map[string]any{"name": fmt.Sprintf("Of %d", (i+1)%clients)}}
					if got := c.request("tools/call", other); strings.Contains(string(got.raw), "only for") {
						t.Fatalf("%s", got.raw)
					}
				}
			})
		}
	}
}
