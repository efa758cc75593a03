package app

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"obsidian-mcp/internal/store/livesync/couchtest"
	"obsidian-mcp/internal/tool"
)

// notePrompts are the prompts that are notes, each with its arguments.
func notePrompts(t *testing.T, result json.RawMessage) (signatures []string) {
	t.Helper()
	var list struct {
		Prompts []struct {
			Name, Title, Description string
			Arguments                []struct {
				Name     string
				Required bool
			}
		}
	}
	if err := json.Unmarshal(result, &list); err != nil {
		t.Fatal(err)
	}
	for _, prompt := range list.Prompts {
		if slices.Contains([]string{"adr", "context", "devlog", "gather", "review"}, prompt.Name) {
			continue
		}
		signature := prompt.Name
		for _, argument := range prompt.Arguments {
			signature += fmt.Sprintf(" %s/%v", argument.Name, argument.Required)
		}
		signatures = append(signatures, signature)
	}
	return signatures
}

// promptedText is the only message of a prompt, which must be the user's.
func promptedText(t *testing.T, answer message) string {
	t.Helper()
	var result struct {
		Messages []struct {
			Role    string
			Content struct{ Type, Text string }
		}
	}
	if err := json.Unmarshal(answer.Result, &result); err != nil || len(result.Messages) != 1 || result.Messages[0].Role != "user" {
		t.Fatalf("%s: %v", answer.raw, err)
	}
	return result.Messages[0].Content.Text
}

func TestNotePrompts(t *testing.T) {
	t.Parallel()
	vault := func(t *testing.T) string {
		dir := filepath.Join(t.TempDir(), "v")
		writeFiles(t, dir, map[string]string{
			"Prompts/Weekly review.md": "---\ndescription: Look back\narguments: [{name: project, required: true}]\n---\nReview [[{{project}}]] with {{tone}} words.\n",
			"Prompts/adr.md":           "Not the built-in one.\n",
			"work/Plan.md":             "---\nproject: Apollo\ntone: kind\n---\n",
			"marker.md":                "mark 0",
		})
		return dir
	}
	inEveryEra(t, vault, func(t *testing.T, c *eraClient, dir string) {
		list := func() []string { return notePrompts(t, c.ask("prompts/list", map[string]any{}).Result) }
		if got, want := list(), []string{"adr-2", "weekly-review project/true tone/false"}; !slices.Equal(got, want) {
			t.Errorf("%q", got)
		}
		get := func(name string, arguments map[string]any) message {
			return c.ask("prompts/get", map[string]any{"name": name, "arguments": arguments})
		}
		if got := promptedText(t, get("weekly-review", map[string]any{"project": "{{tone}}", "tone": "kind"})); got != "Review [[{{tone}}]] with kind words." {
			t.Errorf("%q", got)
		}
		if got := get("weekly-review", map[string]any{"tone": "kind"}); got.Error == nil || got.Error.Code != -32602 || !strings.Contains(got.Error.Message, "'project'") {
			t.Errorf("without a required argument: %s", got.raw)
		}
		if got := get("none", nil); got.Error == nil || got.Error.Code != -32602 {
			t.Errorf("an unknown prompt: %s", got.raw)
		}
		if values, _, _ := c.complete(map[string]any{"type": "ref/prompt", "name": "weekly-review"}, "project", "a", ""); !slices.Equal(values, []string{"Apollo"}) {
			t.Errorf("%q", values)
		}
		awaitFollowing(t, c.client.stderr)
		c.subscribe(markerURI)
		const changed = "notifications/prompts/list_changed"
		file := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
		write := func(name, text string) func() error {
			return func() error { return os.WriteFile(file(name), []byte(text), 0o644) }
		}
		for _, step := range []struct {
			what string
			do   func() error
			want []string
		}{
			{"another text", write("Prompts/adr.md", "Another text."), nil},
			{"another argument", write("Prompts/adr.md", "{{decision}}"), []string{changed}},
			{"another description", write("Prompts/adr.md", "---\ndescription: d\n---\n{{decision}}"), []string{changed}},
			{"a new prompt", write("Prompts/New.md", ""), []string{changed, "list_changed"}},
			{"a note elsewhere", write("New.md", "{{x}}"), []string{"list_changed"}},
			{"a renamed prompt", func() error {
				c.callTool("rename_note", map[string]any{"old_name": "Prompts/New", "new_name": "Newer"})
				return nil
			}, []string{changed, "list_changed"}},
			{"a deleted prompt", func() error { return os.Remove(file("Prompts/Newer.md")) }, []string{changed, "list_changed"}},
		} {
			if err := step.do(); err != nil {
				t.Fatal(err)
			}
			c.checkNotified(step.what, file("marker.md"), step.want...)
		}
		if got := list(); !slices.Equal(got, []string{"adr-2 decision/false", "weekly-review project/true tone/false"}) {
			t.Errorf("%q", got)
		}
	})
}

func TestNotePromptsAreOff(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{"Prompts/A.md": "a", "work/B.md": "b"})
	for setting, want := range map[string][]string{"-": nil, "work": {"b"}, "": {"a"}} {
		c := start(t, dir, "OBSIDIAN_MCP_PROMPTS_FOLDER="+setting)
		c.initialize("2025-11-25")
		if got := notePrompts(t, c.request("prompts/list", map[string]any{}).Result); !slices.Equal(got, want) {
			t.Errorf("%q: %q", setting, got)
		}
		c.end()
	}
}

// TestPromptsOfLiveSync lists and fills the prompts of a LiveSync vault, with the client of the Go SDK.
func TestPromptsOfLiveSync(t *testing.T) {
	t.Parallel()
	settings := databaseSettings(couchtest.New(t), "VAULT_PASSPHRASE=x", "USE_PATH_OBFUSCATION=true")
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{"Prompts/Greet.md": "Greet {{who}}.", "People.md": "---\nwho: Ann\n---\n"})
	if got := runProgram(t, settings, "livesync", "push", dir); got.status != 0 {
		t.Fatalf("%+v", got)
	}
	changed := make(chan struct{}, 10)
	client := sdk.NewClient(&sdk.Implementation{Name: "client", Version: "1"}, &sdk.ClientOptions{
		PromptListChangedHandler: func(context.Context, *sdk.PromptListChangedRequest) { changed <- struct{}{} },
	})
	cmd := command(t, "", "stdio")
	cmd.Env = append(cmd.Env, settings...)
	session, err := client.Connect(t.Context(), &sdk.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	got, err := session.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: "greet", Arguments: map[string]string{"who": "Ben"}})
	if err != nil || got.Messages[0].Content.(*sdk.TextContent).Text != "Greet Ben." {
		t.Errorf("%+v, %v", got, err)
	}
	done, err := session.Complete(t.Context(), &sdk.CompleteParams{
		Ref: &sdk.CompleteReference{Type: "ref/prompt", Name: "greet"}, Argument: sdk.CompleteParamsArgument{Name: "who"},
	})
	if err != nil || !slices.Equal(done.Completion.Values, []string{"Ann"}) {
		t.Errorf("%+v, %v", done, err)
	}
	if _, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "create_note", Arguments: map[string]any{"name": "Prompts/Part", "content": "x"}}); err != nil {
		t.Fatal(err)
	}
	<-changed
	list, err := session.ListPrompts(t.Context(), nil)
	if err != nil || !slices.ContainsFunc(list.Prompts, func(prompt *sdk.Prompt) bool { return prompt.Name == "part" }) {
		t.Errorf("%+v, %v", list, err)
	}
}

// TestLimitsOfPrompts: a caller with limits gets only the prompts that it may read, hears only about changes of those,
// and cannot write where prompts are.
func TestLimitsOfPrompts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	files := map[string]string{
		"Prompts/Open.md": "Open {{x}}.", "Prompts/closed/Hidden.md": "Hidden {{x}}.", "projects/Marker.md": "mark 0\n",
		"projects/Linked.md": "a note", "Prompts/Linking.md": "See [[Linked]].\n", "Prompts/Tags.md": "#garden", ".obsidian/daily-notes.json": `{"folder":"Prompts"}`,
	}
	for name := range sensibleCalls {
		files["Prompts/"+name+".md"] = "---\ntags: [work]\nstatus: draft\n---\n# Goals\nGrow apples.\n\n## More\nAnd pears.\n"
	}
	writeFiles(t, dir, files)
	token, entry := testToken("limited", "allow: [projects/, Prompts/]", "deny: [Prompts/closed/]")
	all, allEntry := testToken("all")
	s := startHTTP(t, dir, configFile(t, "tokens:\n"+entry+allEntry), "OBSIDIAN_MCP_CONTEXT=off", "VAULT_ID=v", "LOG_LEVEL=debug")
	owner := s.session(all)
	list := func(c rpcCaller) []string { return notePrompts(t, c.request("prompts/list", map[string]any{}).Result) }
	if got := list(owner); !slices.Contains(got, "closed-hidden x/false") {
		t.Errorf("%q", got)
	}
	c := s.session(token)
	if got := list(c); slices.Contains(got, "closed-hidden x/false") || !slices.Contains(got, "open x/false") {
		t.Errorf("%q", got)
	}
	for _, question := range []question{
		{"prompts/get", map[string]any{"name": "NAME", "arguments": map[string]any{"x": "y"}}},
		{"completion/complete", map[string]any{"ref": map[string]any{"type": "ref/prompt", "name": "NAME"}, "argument": map[string]any{"name": "x", "value": ""}}},
	} {
		ask := func(name string) string {
			text, _ := json.Marshal(question.params)
			var params map[string]any
			_ = json.Unmarshal([]byte(strings.ReplaceAll(string(text), "NAME", name)), &params)
			got := c.request(question.method, params)
			if got.Error == nil {
				t.Fatalf("%s", got.raw)
			}
			return strings.ReplaceAll(fmt.Sprint(got.Error.Code, got.Error.Message, string(got.Error.Data)), name, "NAME")
		}
		if got, want := ask("closed-hidden"), ask("no-such-one"); got != want {
			t.Errorf("%s of a closed prompt: %s\nof an unknown one: %s", question.method, got, want)
		}
	}
	checkPromptsClosedToWrites(t, dir, c, owner)
	checkPromptNotices(t, s, dir, token, all)
}

var changeIDPattern = regexp.MustCompile(`"change_id":"([^"]+)"`)

// checkPromptsClosedToWrites calls all tools that write on notes in the folder of prompts.
func checkPromptsClosedToWrites(t *testing.T, dir string, limited, owner rpcCaller) {
	t.Helper()
	call := func(c rpcCaller, name string, arguments map[string]any) message {
		return c.request("tools/call", map[string]any{"name": name, "arguments": arguments})
	}
	edited := call(owner, "append_note", map[string]any{"name": "Prompts/Open", "text": "More {{x}}."})
	removed := call(owner, "delete_note", map[string]any{"name": "Prompts/Tags"})
	id, removedID := string(changeIDPattern.FindSubmatch(edited.Result)[1]), string(changeIDPattern.FindSubmatch(removed.Result)[1])
	before := hashFolder(t, dir)
	refused := func(name string, arguments map[string]any) {
		t.Helper()
		got := call(limited, name, arguments)
		if result := decodeResult(t, got); !result.IsError || result.Meta["error_code"] != "PERMISSION_DENIED" || !strings.Contains(result.Content[0].Text, "folder of prompts") {
			t.Errorf("%s %v: %s", name, arguments, got.raw)
		}
		if after := hashFolder(t, dir); after != before {
			t.Errorf("%s %v changed %q", name, arguments, differentLines(before, after))
			before = after
		}
	}
	for _, registered := range vaultTools() {
		if registered.Effect == tool.Reads || registered.Toolset == "history" {
			continue
		}
		for _, folder := range []string{"Prompts/", "prompts/"} {
			arguments := toolCall(t, registered.Name, folder)["arguments"].(map[string]any)
			if registered.Name == "append_periodic_note" {
				arguments = map[string]any{"text": "More."} // to today's note, which the settings want in that folder
			}
			refused(registered.Name, arguments)
		}
	}
	refused("create_note", map[string]any{"name": "PROMPTS/sub/New", "content": "x"})
	refused("create_note", map[string]any{"name": "Prompts/Open", "content": "x", "overwrite": true})
	refused("note_upsert", map[string]any{"path": "Prompts/New.md", "content": "x"})
	for _, dry := range []bool{true, false} {
		refused("rename_note", map[string]any{"old_name": "Prompts/Open", "new_name": "projects/Open", "dry_run": dry})
		refused("rename_note", map[string]any{"old_name": "projects/Marker", "new_name": "Prompts/Marker", "dry_run": dry})
		refused("delete_note", map[string]any{"name": "Prompts/Open", "dry_run": dry})
		refused("undo_change", map[string]any{"id": id, "dry_run": dry})
		refused("undo_change", map[string]any{"id": removedID, "dry_run": dry, "force": true})
	}
	refused("restore_note", map[string]any{"name": "Prompts/Open", "change_id": id})
	refused("restore_note", map[string]any{"name": "Prompts/Tags", "change_id": removedID})
	linking := func() string {
		text, err := os.ReadFile(filepath.Join(dir, "Prompts", "Linking.md"))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	renamed := call(limited, "rename_note", map[string]any{"old_name": "projects/Linked", "new_name": "Renamed"})
	if decodeResult(t, renamed).IsError || linking() != "See [[projects/Renamed]].\n" {
		t.Errorf("the link in a prompt: %q, %s", linking(), renamed.raw)
	}
	undone := call(limited, "undo_change", map[string]any{"id": string(changeIDPattern.FindSubmatch(renamed.Result)[1])})
	if decodeResult(t, undone).IsError || linking() != "See [[Linked]].\n" {
		t.Errorf("the link after the undo: %q, %s", linking(), undone.raw)
	}
	if got := call(owner, "append_note", map[string]any{"name": "Prompts/Open", "text": "By the owner."}); decodeResult(t, got).IsError {
		t.Errorf("%s", got.raw)
	}
}

// checkPromptNotices changes a closed prompt, which only its owner hears about, and then an open one.
func checkPromptNotices(t *testing.T, s *httpServer, dir, token, all string) {
	t.Helper()
	const changed, marker = "notifications/prompts/list_changed", "mcp-obsidian://v/projects/Marker.md"
	awaitFollowing(t, s.stderr)
	for _, transport := range rpcTransports {
		c, owner := transport.connect(s.in(t), token), transport.connect(s.in(t), all)
		c.request("prompts/list", map[string]any{})
		c.listen(marker)
		owner.listen(marker)
		writeFiles(t, dir, map[string]string{"Prompts/closed/Hidden.md": "Hidden {{" + transport.name + "}}."})
		owner.awaitNotified(changed)
		writeFiles(t, dir, map[string]string{"projects/Marker.md": "mark " + transport.name})
		if got := c.awaitNotified("notifications/resources/updated " + marker); slices.Contains(got, changed) {
			t.Errorf("%s: notified of a closed prompt", transport.name)
		}
		writeFiles(t, dir, map[string]string{"Prompts/Open.md": "Open {{" + transport.name + "}}."})
		c.awaitNotified(changed)
	}
}
