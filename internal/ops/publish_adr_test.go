package ops_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/ops"
	"obsidian-mcp/internal/outside/github"
	"obsidian-mcp/internal/outside/github/githubtest"
	"obsidian-mcp/internal/store/mem"
	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/vault"
)

// decisionTools are the tools of a vault whose decision records are published on a server.
func decisionTools(t *testing.T, server *githubtest.Server, folder vpath.Path, files map[string]string) (*mem.Store, *tool.Registry) {
	t.Helper()
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte(githubtest.Token), 0o600); err != nil {
		t.Fatal(err)
	}
	store := mem.New(files)
	open := vault.Open(store, slog.New(slog.DiscardHandler), vault.Options{History: newHistory(t)})
	t.Cleanup(func() { open.Close() })
	options := transcriptOptions("")
	options.Decisions = &ops.Decisions{Folder: folder, Path: "docs/adr", Host: github.New(github.Options{
		API: server.API(), Repo: githubtest.Repo, Mode: github.PullRequest, TokenFile: token,
	})}
	_, registry := ops.New(open.Whole(), options)
	return store, registry
}

const acceptedNote = "---\nstatus: Accepted\nrelated: \"[[ADR-001]]\"\n---\n# Use a queue\n\nAs [[Secret plan]] says, see [[ADR-001#Why?]].\n\n![[diagram.png]] %%hush%%\n"

func TestPublishADR(t *testing.T) {
	server := githubtest.New(t, map[string]string{"README.md": "hi"})
	store, registry := decisionTools(t, server, "adr", map[string]string{
		"adr/ADR-002 Use a queue.md": acceptedNote, "adr/ADR-001.md": "# Old\n\n## Why?\n", "private/Secret plan.md": "", "diagram.png": "",
	})
	arguments := map[string]any{"name": "ADR-002 Use a queue", "dry_run": true}
	answer, err := invoke(t.Context(), t, registry, "publish_adr", arguments)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"url":"","branch":"adr/adr-002-use-a-queue","dry_run":true}`; answer.Text != want {
		t.Errorf("the dry run answers %s, want %s", answer.Text, want)
	}
	want := []string{
		"This would create 'docs/adr/adr-002-use-a-queue.md' on the new branch 'adr/adr-002-use-a-queue' and open a pull request to 'main'.",
		"In the published text, 1 link to something else in the vault is plain text, 1 embed is only named, 1 comment is left out.",
	}
	if got := answer.HintLines(); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("the hints are %q, want %q", got, want)
	}
	if len(server.Branches()) != 1 || store.Files()["adr/ADR-002 Use a queue.md"] != acceptedNote {
		t.Error("the dry run changed something")
	}

	delete(arguments, "dry_run")
	if answer, err = invoke(t.Context(), t, registry, "publish_adr", arguments); err != nil {
		t.Fatal(err)
	}
	if want := `{"url":"https://github.example/octo/decisions/pull/1","branch":"adr/adr-002-use-a-queue","dry_run":false}`; answer.Text != want {
		t.Errorf("the answer is %s, want %s", answer.Text, want)
	}
	file := "---\nstatus: Accepted\nrelated: \"[ADR-001](adr-001.md)\"\n---\n# Use a queue\n\nAs Secret plan says, see [ADR-001 > Why?](adr-001.md#why).\n\n(embedded: diagram.png) \n"
	if got := server.Files("adr/adr-002-use-a-queue")["docs/adr/adr-002-use-a-queue.md"]; got != file {
		t.Errorf("the file is %q, want %q", got, file)
	}
	note := strings.Replace(acceptedNote, "\n---\n#", "\ngithub: https://github.example/octo/decisions/pull/1\n---\n#", 1)
	if got := store.Files()["adr/ADR-002 Use a queue.md"]; got != note {
		t.Errorf("the note is %q, want %q", got, note)
	}
	if pulls := server.Pulls(); len(pulls) != 1 || pulls[0].Title != "ADR-002 Use a queue" {
		t.Errorf("the pull requests are %+v", pulls)
	}

	// The property is not part of the file: a second call finds nothing to do.
	server.Requests()
	if _, err = invoke(t.Context(), t, registry, "publish_adr", arguments); err != nil {
		t.Fatal(err)
	}
	for _, made := range server.Requests() {
		if !strings.HasPrefix(made, "GET ") {
			t.Errorf("the second call made the request %s", made)
		}
	}
	server.Merge(1)
	if answer, err = invoke(t.Context(), t, registry, "publish_adr", map[string]any{"name": "ADR-002 Use a queue", "dry_run": true}); err != nil || !strings.Contains(answer.HintLines()[0], "is already up to date on the branch 'main'") {
		t.Errorf("after the merge: %q, %v", answer.HintLines(), err)
	}
}

// TestPublishADRRefuses: what is not an accepted decision record is refused before any request.
func TestPublishADRRefuses(t *testing.T) {
	server := githubtest.New(t, map[string]string{})
	_, registry := decisionTools(t, server, "adr", map[string]string{
		"Plan.md": "---\nstatus: accepted\n---\n", "adr/New.md": "---\nstatus: proposed\n---\n", "adr/None.md": "# None\n", "adr/List.md": "---\nstatus: [accepted]\n---\n",
		"adr/Board.canvas": "{}", "adr/a.png": "", "adr/!!.md": "---\nstatus: accepted\n---\n", "adr/Same name.md": "---\nstatus: accepted\n---\n", "adr/same-name.md": "",
		"adr/Broken.md": "---\nstatus: accepted\na: b: c\n---\n", "adr/Huge.md": "---\nstatus: accepted\n---\n" + strings.Repeat("x", github.MaxFile),
	})
	for _, test := range []struct {
		name    string
		kind    fault.Kind
		message string
	}{
		{"Plan", fault.InvalidArgument, "'Plan' is not in 'adr', the folder of decision records"},
		{"New", fault.InvalidArgument, "'New' has the status 'proposed'; only accepted"},
		{"None", fault.InvalidArgument, "'None' has no status; only accepted"},
		{"List", fault.InvalidArgument, "'List' has no status"},
		{"adr/Board.canvas", fault.InvalidArgument, "not a Markdown note"},
		{"adr/a.png", fault.InvalidArgument, "not a Markdown note"},
		{"adr/!!", fault.InvalidArgument, "cannot be the name of a file"},
		{"adr/Same name", fault.AlreadyExists, "'adr/Same name.md' and 'adr/same-name.md' would both be the file 'docs/adr/same-name.md'"},
		{"Broken", fault.InvalidArgument, "line 3"},
		{"Huge", fault.InvalidArgument, "too large to publish"},
		{"Nobody", fault.NotFound, "not found"},
	} {
		_, err := invoke(t.Context(), t, registry, "publish_adr", map[string]any{"name": test.name})
		if fault.KindOf(err) != test.kind || !strings.Contains(err.Error(), test.message) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
	if _, err := invoke(t.Context(), t, registry, "publish_adr", map[string]any{"name": "same-name", "expected_hash": "other"}); !errors.Is(err, fault.Conflict) {
		t.Errorf("with another hash: %v", err)
	}
	if made := server.Requests(); len(made) != 0 {
		t.Errorf("the requests are %q", made)
	}
}

// TestPublishADRFromTheWholeVault: without a folder, only notes that are decisions themselves become links.
func TestPublishADRFromTheWholeVault(t *testing.T) {
	server := githubtest.New(t, map[string]string{})
	_, registry := decisionTools(t, server, "", map[string]string{
		"log/One.md": "---\nstatus: accepted\n---\n[[Two]] [[Three]] [[Diary]]\n", "Two.md": "---\nstatus: superseded\ngithub: https://example.com\n---\n", "Three.md": "---\nstatus: accepted\n---\n", "private/Diary.md": "",
		"log/one!.md": "the same file name, but not a decision",
	})
	if _, err := invoke(t.Context(), t, registry, "publish_adr", map[string]any{"name": "log/One"}); err != nil {
		t.Fatal(err)
	}
	if got, want := server.Files("adr/log--one")["docs/adr/log/one.md"], "---\nstatus: accepted\n---\n[Two](../two.md) [Three](../three.md) Diary\n"; got != want {
		t.Errorf("the file is %q, want %q", got, want)
	}
}

// TestPublishADRWithoutTheProperty: the answer has the URL even if the note cannot be changed.
func TestPublishADRWithoutTheProperty(t *testing.T) {
	server := githubtest.New(t, map[string]string{})
	store, registry := decisionTools(t, server, "adr", map[string]string{"adr/One.md": "---\nstatus: accepted\n---\n"})
	server.Before = func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/pulls") {
			store.Outside("adr/One.md", []byte("---\nstatus: accepted\na: b: c\n---\n"))
		}
		return false
	}
	answer, err := invoke(context.Background(), t, registry, "publish_adr", map[string]any{"name": "One"})
	if err != nil || !strings.Contains(answer.Text, "/pull/1") || len(answer.HintLines()) != 1 || !strings.HasPrefix(answer.HintLines()[0], "It is published, but the note's property github could not be set: ") {
		t.Errorf("%s, %q, %v", answer.Text, answer.HintLines(), err)
	}
}
