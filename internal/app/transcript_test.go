package app

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/tools/txtar"

	"obsidian-mcp/internal/docgen"
	"obsidian-mcp/internal/testkit/golden"
	"obsidian-mcp/internal/testkit/mode"
)

// A transcript is what a model does with the example vault, and what it is shown: a txtar archive of calls and answers. A
// section "call" holds a tool and its arguments; "call b" makes it in the session of another client. "write PATH" changes
// a file as another program would. "settings" are settings of the server. In arguments, CHANGE and CONFIRM stand for the
// last ids that were shown.
type transcript struct {
	t        *testing.T
	vault    string
	settings []string
	sessions map[string]*sdk.ClientSession
	changes  []string // ids that were shown
	confirm  string

	title string
	calls int
	bytes int // of the texts that the model was shown
	tools []string
}

// runTranscript makes the calls of a file through the protocol's own client, and compares what is shown.
func runTranscript(t *testing.T, name string) *transcript {
	t.Helper()
	archive, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	run := &transcript{t: t, title: strings.TrimSpace(string(archive.Comment)), vault: t.TempDir(), sessions: map[string]*sdk.ClientSession{}}
	run.copyExample()
	for i := range archive.Files {
		file := &archive.Files[i]
		kind, rest, _ := strings.Cut(file.Name, " ")
		switch kind {
		case "settings":
			run.settings = strings.Fields(string(file.Data))
		case "write":
			run.write(rest, file.Data)
		case "call":
			shown := []byte(run.call(rest, file.Data))
			if i+1 == len(archive.Files) || archive.Files[i+1].Name != "shown" {
				t.Fatalf("%s: a call without the section shown", name)
			}
			archive.Files[i+1].Data = shown
		}
	}
	for _, session := range run.sessions {
		if err := session.Close(); err != nil {
			t.Error(err)
		}
	}
	golden.Check(t, name, txtar.Format(archive))
	return run
}

// copyExample copies the example vault. The order of some results depends on when notes were changed, so that is the same
// in every run.
func (r *transcript) copyExample() {
	r.t.Helper()
	err := os.CopyFS(r.vault, os.DirFS("../../examples/vault"))
	changed := time.Date(2026, 11, 14, 9, 0, 0, 0, time.UTC)
	if err == nil {
		err = filepath.WalkDir(r.vault, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			changed = changed.Add(time.Minute)
			return os.Chtimes(path, changed, changed)
		})
	}
	if err != nil {
		r.t.Fatal(err)
	}
}

// write changes a file. REPEAT n text makes a long one.
func (r *transcript) write(path string, data []byte) {
	r.t.Helper()
	var times int
	if n, _ := fmt.Sscanf(string(data), "REPEAT %d", &times); n == 1 {
		_, line, _ := strings.Cut(string(data), "\n")
		data = nil
		for i := range times {
			data = fmt.Appendf(data, "## Day %d\n\n%s\n", i+1, line)
		}
	}
	writeFiles(r.t, r.vault, map[string]string{path: string(data)})
}

// session returns the session of a client, and starts the program for it if necessary.
func (r *transcript) session(name string) *sdk.ClientSession {
	r.t.Helper()
	if session := r.sessions[name]; session != nil {
		return session
	}
	cmd := command(r.t, r.vault, "stdio")
	cmd.Env = append(cmd.Env, "TZ=UTC", "OBSIDIAN_MCP_CONTEXT=off", "VAULT_ID=example")
	cmd.Env = append(cmd.Env, r.settings...)
	client := sdk.NewClient(&sdk.Implementation{Name: "client" + name, Version: "1"}, nil)
	session, err := client.Connect(r.t.Context(), &sdk.CommandTransport{Command: cmd, TerminateDuration: time.Minute}, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	r.sessions[name] = session
	if _, err := session.CallTool(r.t.Context(), &sdk.CallToolParams{Name: "list_notes", Arguments: map[string]any{"limit": 0}}); err != nil {
		r.t.Fatal(err) // it waits for the index, on which some answers depend
	}
	return session
}

// call makes a call and returns what the model is shown.
func (r *transcript) call(client string, data []byte) string {
	r.t.Helper()
	change := ""
	if len(r.changes) > 0 {
		change = r.changes[len(r.changes)-1]
	}
	text := strings.NewReplacer("CHANGE", change, "CONFIRM", r.confirm).Replace(string(data))
	var called struct {
		Tool      string
		Arguments map[string]any
	}
	if err := json.Unmarshal([]byte(text), &called); err != nil {
		r.t.Fatalf("%s: %v", text, err)
	}
	ctx, cancel := context.WithTimeout(r.t.Context(), mode.Patience)
	defer cancel()
	result, err := r.session(client).CallTool(ctx, &sdk.CallToolParams{Name: called.Tool, Arguments: called.Arguments})
	if err != nil {
		return "protocol error: " + err.Error() + "\n"
	}
	r.calls++
	r.tools = append(r.tools, called.Tool)
	var out strings.Builder
	if result.IsError {
		out.WriteString("error: ")
	}
	for _, item := range result.Content {
		content, isText := item.(*sdk.TextContent)
		if !isText {
			out.WriteString(r.media(item))
			continue
		}
		r.bytes += len(content.Text)
		if content.Annotations != nil {
			out.WriteString("» ")
			r.remember(content.Text)
		}
		out.WriteString(strings.TrimSuffix(abridged(r.steady(content.Text)), "\n") + "\n")
	}
	return out.String()
}

// media describes a picture, a sound or a reference.
func (r *transcript) media(item sdk.Content) string {
	switch item := item.(type) {
	case *sdk.ImageContent:
		r.bytes += base64.StdEncoding.EncodedLen(len(item.Data))
		return fmt.Sprintf("[picture: %s, %d bytes]\n", item.MIMEType, len(item.Data))
	case *sdk.AudioContent:
		r.bytes += base64.StdEncoding.EncodedLen(len(item.Data))
		return fmt.Sprintf("[sound: %s, %d bytes]\n", item.MIMEType, len(item.Data))
	case *sdk.ResourceLink:
		return fmt.Sprintf("[reference: %s %s]\n", item.MIMEType, item.URI)
	}
	return fmt.Sprintf("[%T]\n", item)
}

// remember keeps the ids that a hint names.
func (r *transcript) remember(hint string) {
	if found := changeHint.FindString(hint); found != "" {
		r.changes = append(r.changes, strings.TrimSuffix(strings.Fields(found)[1], ";"))
	}
	if _, after, ok := strings.Cut(hint, "confirm='"); ok {
		r.confirm, _, _ = strings.Cut(after, "'")
	}
}

// What differs in every run.
var unsteady = []struct {
	pattern *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`\b[0-9a-f]{64}\b`), "HASH"},
	{regexp.MustCompile(`confirm='[^']+'`), "confirm='CONFIRM'"},
	{regexp.MustCompile(`"(today|path_today)":"[^"]+"`), `"$1":"TODAY"`},
	{regexp.MustCompile(`\b20[0-9]{2}-[01][0-9]-[0-3][0-9]T[0-9:.]+Z`), "TIME"},
	{regexp.MustCompile(`\bchanged 20[0-9]{2}-[01][0-9]-[0-3][0-9]\b`), "changed DAY"},
	{regexp.MustCompile(`"session":"[^"]+"`), `"session":"SESSION"`},
	{regexp.MustCompile(`"score":[0-9.]+`), `"score":SCORE`},
}

func (r *transcript) steady(text string) string {
	for _, id := range r.changes {
		text = strings.ReplaceAll(text, id, "CHANGE")
	}
	for _, u := range unsteady {
		text = u.pattern.ReplaceAllString(text, u.instead)
	}
	return text
}

// abridged leaves out the middle of a long text.
func abridged(text string) string {
	const head, tail = 1200, 300
	if runes := []rune(text); len(runes) > 4*head {
		return fmt.Sprintf("%s\n… %d characters …\n%s", string(runes[:head]), len(runes)-head-tail, string(runes[len(runes)-tail:]))
	}
	return text
}

// TestTasks are whole tasks as a model does them, with a table of what each costs.
func TestTasks(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("testdata/tasks/*.txt")
	if err != nil || len(names) < 10 {
		t.Fatalf("%d tasks, %v", len(names), err)
	}
	rows := make([]string, len(names))
	t.Run("all", func(t *testing.T) {
		for i, name := range names {
			t.Run(filepath.Base(name), func(t *testing.T) {
				t.Parallel()
				run := runTranscript(t, name)
				rows[i] = fmt.Sprintf("| [%s](../internal/app/%s) | %s | %d | %.1f |\n",
					run.title, filepath.ToSlash(name), strings.Join(slices.Compact(run.tools), ", "), run.calls, float64(run.bytes)/1000)
			})
		}
	})
	table := "| task | tools, in order | calls | KB shown |\n|---|---|---:|---:|\n" + strings.Join(rows, "")
	document, err := os.ReadFile("../../docs/TASKS.md")
	if err != nil {
		t.Fatal(err)
	}
	filled, err := docgen.Fill(string(document), "tasks", table)
	if err != nil {
		t.Fatal(err)
	}
	if !t.Failed() && !testing.Short() { // which skips the tasks
		golden.Check(t, "../../docs/TASKS.md", []byte(filled))
	}
}

// TestSeen shows, for every tool, what a model sees of a good call, a refused one and, if its answer can be cut, a cut one.
func TestSeen(t *testing.T) {
	t.Parallel()
	for _, tool := range vaultTools() {
		t.Run(tool.Name, func(t *testing.T) {
			t.Parallel()
			name := filepath.Join("testdata/seen", tool.Name+".txt")
			runTranscript(t, name)
			content, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			shown := strings.Split(string(content), "-- shown --\n")[1:]
			refused, good := false, false
			for _, answer := range shown {
				if strings.HasPrefix(answer, "error: ") || strings.HasPrefix(answer, "protocol error") {
					refused = true
				} else {
					good = true
				}
			}
			if !good || !refused && len(tool.Params) > 0 {
				t.Errorf("%s has no good or no refused call", name)
			}
			for _, param := range tool.Params {
				if param.Name == "limit" && !strings.Contains(string(content), "» ") {
					t.Errorf("%s shows no answer that was cut", name)
				}
			}
		})
	}
}
