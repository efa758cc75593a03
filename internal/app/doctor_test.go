package app

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/doctor"
)

// advised matches a line that says what to do.
var advised = regexp.MustCompile(`^(FAILED|look  )  .+; .+`)

// wantAdvice checks that each line says what to do, unless it is ok.
func wantAdvice(t *testing.T, out string) {
	t.Helper()
	for _, line := range lines(out) {
		if !strings.HasPrefix(line, "ok      ") && !advised.MatchString(line) {
			t.Errorf("it does not say what to do: %s", line)
		}
	}
}

// TestDoctorSaysWhatToDo causes each failure that can be caused in a folder.
func TestDoctorSaysWhatToDo(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		env    []string
		status int
		want   string
	}{
		"all is well":       {[]string{"OBSIDIAN_VAULT_PATH=$HOME/vault", "PORT=0"}, 0, "(?m)^ok      http: .* is free"},
		"no vault":          {nil, 1, "(?m)^FAILED  vault: OBSIDIAN_VAULT_PATH not set; set it .*obsidian-mcp install"},
		"no folder":         {[]string{"OBSIDIAN_VAULT_PATH=$HOME/none"}, 1, `(?m)^FAILED  vault: OBSIDIAN_VAULT_PATH \(.*/none\): there is no such folder; correct the path`},
		"a closed folder":   {[]string{"OBSIDIAN_VAULT_PATH=$CLOSED"}, 1, "(?m)^FAILED  vault: .*this user may not open the folder; change the folder's owner or mode"},
		"not to be written": {[]string{"OBSIDIAN_VAULT_PATH=$LOCKED"}, 1, "(?m)^FAILED  permissions: .*; change its owner or mode, or set OBSIDIAN_MCP_READ_ONLY=true$"},
		"state":             {[]string{"OBSIDIAN_VAULT_PATH=$HOME/vault", "OBSIDIAN_MCP_STATE_DIR=$HOME/empty"}, 1, "(?m)^FAILED  state: .*; set OBSIDIAN_MCP_STATE_DIR to a folder that can be written$"},
		"history":           {[]string{"OBSIDIAN_VAULT_PATH=$HOME/vault", "OBSIDIAN_MCP_HISTORY=off"}, 0, "(?m)^look    history: off, .*; set OBSIDIAN_MCP_HISTORY=required"},
		"audit":             {[]string{"OBSIDIAN_VAULT_PATH=$HOME/vault", "OBSIDIAN_MCP_AUDIT_LOG=$HOME/empty/x.jsonl"}, 1, "(?m)^FAILED  audit: .*; .+"},
		"cache":             {[]string{"OBSIDIAN_VAULT_PATH=$HOME/vault", "OBSIDIAN_MCP_CACHE_DIR=$HOME/empty"}, 0, "(?m)^look    cache: .*; set OBSIDIAN_MCP_CACHE_DIR"},
		"toolsets":          {[]string{"OBSIDIAN_VAULT_PATH=$HOME/vault", "OBSIDIAN_MCP_TOOLSETS=nots"}, 1, "(?m)^FAILED  settings: OBSIDIAN_MCP_TOOLSETS: .*; did you mean 'notes'"},
		"a silent model":    {[]string{"OBSIDIAN_VAULT_PATH=$HOME/vault", "OBSIDIAN_MCP_SEMANTIC=endpoint", "OBSIDIAN_MCP_SEMANTIC_MODEL=m", "OBSIDIAN_MCP_SEMANTIC_URL=http://0.0.0.0:9", "OBSIDIAN_MCP_SEMANTIC_SEND_NOTES=true"}, 1, "(?m)^FAILED  semantic: the server .* at 0.0.0.0:9 cannot be used: .*; start the server, or check OBSIDIAN_MCP_SEMANTIC_URL\nlook    semantic: the texts of all notes leave this machine: .*; OBSIDIAN_MCP_SEMANTIC=builtin keeps them here"},
		"a shy model":       {[]string{"OBSIDIAN_VAULT_PATH=$HOME/vault", "OBSIDIAN_MCP_SEMANTIC=endpoint", "OBSIDIAN_MCP_SEMANTIC_MODEL=m", "OBSIDIAN_MCP_SEMANTIC_URL=https://ai.example.com"}, 1, "(?m)^FAILED  settings: OBSIDIAN_MCP_SEMANTIC_URL: the texts of all notes would be sent to another machine; if that is wanted, set OBSIDIAN_MCP_SEMANTIC_SEND_NOTES=true"},
		"a misspelt name":   {[]string{"OBSIDIAN_VAULT_PATH=$HOME/vault", "OBSIDIAN_MCP_TOKNE=x"}, 0, `(?m)^look    config: unknown setting OBSIDIAN_MCP_TOKNE \(did you mean OBSIDIAN_MCP_TOKEN\?\); correct its name`},
		"http, no login":    {[]string{"OBSIDIAN_VAULT_PATH=$HOME/vault", "HOST=0.0.0.0"}, 1, "(?m)^FAILED  http: it would not start: HOST: without a login .*; set OBSIDIAN_MCP_TOKEN"},
		"http, OAuth":       {[]string{"OBSIDIAN_VAULT_PATH=$HOME/vault", "OBSIDIAN_MCP_OAUTH_ISSUER=https://x.example"}, 0, "(?m)^look    http: it would not start: OAuth needs OBSIDIAN_MCP_PUBLIC_URL.*; .+"},
		"http, origins":     {[]string{"OBSIDIAN_VAULT_PATH=$HOME/vault", "OBSIDIAN_MCP_ALLOWED_ORIGINS=*"}, 0, "(?m)^look    http: it would not start: OBSIDIAN_MCP_ALLOWED_ORIGINS: .*; give each origin"},
		"http, short token": {[]string{"OBSIDIAN_VAULT_PATH=$HOME/vault", "PORT=0", "OBSIDIAN_MCP_TOKEN=abc"}, 0, "(?m)^look    http: OBSIDIAN_MCP_TOKEN is short.*; obsidian-mcp token new"},
		"no audit log yet":  {[]string{"OBSIDIAN_VAULT_PATH=$HOME/vault", "OBSIDIAN_MCP_AUDIT_LOG=$HOME/none/x.jsonl"}, 0, "(?m)^look    audit: the folder .*/none does not exist; .*; check that"},
		"invalid app.json":  {[]string{"OBSIDIAN_VAULT_PATH=$HOME/unclosed", "PORT=0"}, 0, `(?m)^look    settings: \.obsidian/app\.json, line 2, is not valid JSON, so Obsidian's defaults are used; fix the file`},
		"unreadable parts":  {[]string{"OBSIDIAN_VAULT_PATH=$HOME/partly", "PORT=0"}, 0, "(?m)^look    permissions: 1 folder and 1 note cannot be read: secret/, shut.md; change their owner or mode, or run as the user who owns them\n(.*\n)*ok      watching: "},
		"http, open":        {[]string{"OBSIDIAN_VAULT_PATH=$HOME/vault", "HOST=0.0.0.0", "PORT=0", "OBSIDIAN_MCP_INSECURE_NO_AUTH=true"}, 0, "(?m)^look    http: other machines get 403 .*; set OBSIDIAN_MCP_ALLOWED_HOSTS .*\nlook    http: everyone who reaches 0.0.0.0:0 may .*; set OBSIDIAN_MCP_TOKEN"},
		"http, no names":    {[]string{"OBSIDIAN_VAULT_PATH=$HOME/vault", "HOST=::", "PORT=0", "OBSIDIAN_MCP_TOKEN=" + strings.Repeat("t", 32)}, 0, `(?m)^look    http: other machines get 403 .*; set OBSIDIAN_MCP_ALLOWED_HOSTS .*\nok      http: \[::\]:0 is free; clients have to log in$`},
		"http, names":       {[]string{"OBSIDIAN_VAULT_PATH=$HOME/vault", "HOST=0.0.0.0", "PORT=0", "OBSIDIAN_MCP_TOKEN=" + strings.Repeat("t", 32), "OBSIDIAN_MCP_ALLOWED_HOSTS=notes.lan"}, 0, `(?m)[^3]\nok      http: 0\.0\.0\.0:0 is free; clients have to log in$`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home, locked := userFolder(t), closedFolder(t)
			if err := os.Chmod(locked, 0o555); err != nil {
				t.Fatal(err)
			}
			for _, closed := range []string{"secret", "shut.md"} {
				name := filepath.Join(home, "partly", closed)
				if err := os.Chmod(name, 0); err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = os.Chmod(name, 0o700) }) // so that it can be removed
			}
			got := runDoctor(t, home, strings.NewReplacer("$HOME", home, "$CLOSED", closedFolder(t), "$LOCKED", locked), c.env)
			if got.status != c.status || got.errors != "" || !regexp.MustCompile(c.want).MatchString(got.out) {
				t.Errorf("status %d, want %d and %s\n%s%s", got.status, c.status, c.want, got.out, got.errors)
			}
			wantAdvice(t, got.out)
		})
	}
}

// runDoctor runs doctor as a user with a folder of their own.
func runDoctor(t *testing.T, home string, fill *strings.Replacer, env []string) ended {
	t.Helper()
	cmd := command(t, "", "doctor", "--verbose")
	cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
	for _, variable := range env {
		cmd.Env = append(cmd.Env, fill.Replace(variable))
	}
	asNobody(cmd)
	var out, messages bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &messages
	err := cmd.Run()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		return ended{failed.ExitCode(), out.String(), messages.String()}
	}
	if err != nil {
		t.Fatal(err)
	}
	return ended{0, out.String(), messages.String()}
}

// A check that Ctrl-C interrupts is not reported as a failure, and no other check follows.
func TestDoctorStopsWhenInterrupted(t *testing.T) {
	t.Parallel()
	ctx, interrupt := context.WithCancel(t.Context())
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		interrupt()
		<-r.Context().Done()
	}))
	defer silent.Close()
	settings := config.Config{StateDir: t.TempDir(), LiveSync: config.LiveSync{URL: silent.URL, Database: "notes"}, Toolsets: "default", CallTimeout: time.Minute}
	err := examine(ctx, doctor.Request{Settings: settings, Report: func(found doctor.Finding) {
		if found.Mark == doctor.Failed || strings.Contains(found.Text, "http: ") {
			t.Errorf("%s %s", found.Mark, found)
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("examine = %v, want %v", err, context.Canceled)
	}
}
