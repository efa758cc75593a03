package app

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"obsidian-mcp/internal/outside/github/githubtest"
)

// decisionVault is a vault with decision records, and a config file that has them published on a server. The lines follow
// in the config file.
func decisionVault(t *testing.T, server *githubtest.Server, lines string) (vault, config, token string) {
	t.Helper()
	vault, token = t.TempDir(), filepath.Join(t.TempDir(), "token")
	writeFiles(t, vault, map[string]string{
		"adr/ADR-001 Use a queue.md": decisionNote, "adr/ADR-002.md": "---\nstatus: proposed\n---\n", "Diary.md": "---\nstatus: accepted\n---\nhush\n",
	})
	if err := os.WriteFile(token, []byte(githubtest.Token+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("adr: {folder: adr, repo: %s, token_file: '%s', api: '%s'}\n%s", githubtest.Repo, token, server.API(), lines)
	return vault, configFile(t, text), token
}

const decisionNote = "---\nstatus: accepted\n---\n# Use a queue\n\nSee [[ADR-002]] and [[Diary]].\n"

func TestPublishADROverHTTP(t *testing.T) {
	t.Parallel()
	server := githubtest.New(t, map[string]string{})
	limited, first := testToken("phone", "allow: [adr/]")
	readOnly, second := testToken("reader", "read_only: true")
	whole, third := testToken("laptop")
	vault, config, _ := decisionVault(t, server, "tokens:\n"+first+second+third)
	s := startHTTP(t, vault, config)
	for _, token := range []string{limited, readOnly} {
		c := rpcTransports[0].connect(s, token)
		if listedTools(t, c)["publish_adr"] {
			t.Error("a caller with limits is offered publish_adr")
		}
		checkUnknownTool(t, c, map[string]any{"name": "publish_adr", "arguments": map[string]any{"name": "ADR-001 Use a queue"}})
	}
	if made := server.Requests(); len(made) != 0 {
		t.Errorf("the requests are %q", made)
	}
	c := rpcTransports[0].connect(s, whole)
	if !listedTools(t, c)["publish_adr"] {
		t.Error("a caller without limits is not offered publish_adr")
	}
	published := decodeResult(t, c.request("tools/call", map[string]any{"name": "publish_adr", "arguments": map[string]any{"name": "ADR-001 Use a queue"}}))
	if want := `{"url":"https://github.example/octo/decisions/pull/1","branch":"adr/adr-001-use-a-queue","dry_run":false}`; published.IsError || string(published.StructuredContent) != want {
		t.Errorf("got %s %+v, want %s", published.StructuredContent, published, want)
	}
}

// TestPublishADROverStdio: the note gets the address, and undo_change takes it back.
func TestPublishADROverStdio(t *testing.T) {
	t.Parallel()
	server := githubtest.New(t, map[string]string{})
	vault, config, _ := decisionVault(t, server, "")
	c := start(t, vault, config)
	defer c.end()
	c.initialize("2025-06-18")
	published := c.call("publish_adr", map[string]any{"name": "ADR-001 Use a queue"})
	if published.IsError {
		t.Fatalf("%+v", published)
	}
	hints := ""
	for _, item := range published.Content[1:] {
		hints += item.Text + "\n"
	}
	if !strings.Contains(hints, "1 link to something else in the vault is plain text") || !strings.Contains(hints, "undo_change reverts it") {
		t.Errorf("the hints are %q", hints)
	}
	if got, want := server.Files("adr/adr-001-use-a-queue")["docs/adr/adr-001-use-a-queue.md"], "---\nstatus: accepted\n---\n# Use a queue\n\nSee [ADR-002](adr-002.md) and Diary.\n"; got != want {
		t.Errorf("the file is %q, want %q", got, want)
	}
	read := func() string {
		text, err := os.ReadFile(filepath.Join(vault, "adr", "ADR-001 Use a queue.md"))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if want := strings.Replace(decisionNote, "accepted\n", "accepted\ngithub: https://github.example/octo/decisions/pull/1\n", 1); read() != want {
		t.Errorf("the note is %q, want %q", read(), want)
	}
	if undone := c.call("undo_change", map[string]any{"id": published.Meta["change_id"]}); undone.IsError || read() != decisionNote {
		t.Errorf("%+v; the note is %q", undone, read())
	}
}

func TestPublishADROnTheCommandLine(t *testing.T) {
	t.Parallel()
	server := githubtest.New(t, map[string]string{})
	vault, config, token := decisionVault(t, server, "")
	settings := []string{"OBSIDIAN_VAULT_PATH=" + vault, "OBSIDIAN_MCP_STATE_DIR=" + t.TempDir()}
	run := func(args ...string) ended { return runProgram(t, settings, append([]string{config}, args...)...) }
	if done := runProgram(t, settings, "call", "publish_adr", "--name", "ADR-002"); done.status != 2 || !strings.Contains(done.errors, "the config file has no 'adr'") {
		t.Errorf("without a repository: %+v", done)
	}
	if done := run("call", "publish_adr", "--name", "ADR-002"); done.status != 2 || !strings.Contains(done.errors, "has the status 'proposed'") {
		t.Errorf("a proposed decision: %+v", done)
	}
	if done := run("call", "publish_adr", "--name", "Diary"); done.status != 2 || !strings.Contains(done.errors, "adr.folder") {
		t.Errorf("another note: %+v", done)
	}
	if made := server.Requests(); len(made) != 0 {
		t.Errorf("the requests are %q", made)
	}
	if done := run("call", "publish_adr", "--name", "ADR-001 Use a queue", "--dry-run"); done.status != 0 || !strings.Contains(done.out, `"dry_run":true`) || !strings.Contains(done.errors, "This would create 'docs/adr/adr-001-use-a-queue.md'") || len(server.Branches()) != 1 {
		t.Errorf("a dry run: %+v", done)
	}
	if done := run("doctor"); !strings.Contains(done.out, "adr: the token can see octo/decisions, default branch main") || strings.Contains(done.out, "token_file") {
		t.Errorf("%+v", done)
	}
	if err := os.Chmod(token, 0o644); err != nil {
		t.Fatal(err)
	}
	if done := run("doctor"); runtime.GOOS != "windows" && !strings.Contains(done.out, "other users of this machine may read the file of adr.token_file") {
		t.Errorf("%+v", done)
	}
	if err := os.WriteFile(token, []byte("wrong"), 0o600); err != nil {
		t.Fatal(err)
	}
	if done := run("call", "publish_adr", "--name", "ADR-001 Use a queue"); done.status != 4 || !strings.Contains(done.errors, "adr.token_file") || strings.Contains(done.errors, "wrong") {
		t.Errorf("a bad token: %+v", done)
	}
	if done := run("doctor"); done.status == 0 || !strings.Contains(done.out, "does not accept the token") || !strings.Contains(done.out, "adr.token_file") {
		t.Errorf("%+v", done)
	}
	if err := os.Remove(token); err != nil {
		t.Fatal(err)
	}
	if done := run("doctor"); done.status == 0 || !strings.Contains(done.out, "adr.token_file: the file cannot be read") {
		t.Errorf("%+v", done)
	}
}
