package web

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"obsidian-mcp/internal/access/auth"
	"obsidian-mcp/internal/access/scope"
	"obsidian-mcp/internal/observe/pulse"
	"obsidian-mcp/internal/ops"
	"obsidian-mcp/internal/ops/resource"
	"obsidian-mcp/internal/store/mem"
	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/vault"
	"obsidian-mcp/internal/vault/call"
	"obsidian-mcp/internal/vault/history"
)

// TestMain checks that no goroutine outlives the tests.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// notes is the vault of the tests.
var notes = map[string]string{
	"Home.md":             "---\ntags: [start]\n---\nSee [[Garden]] and [[Plans/Shed|the shed]].\n",
	"Garden.md":           "# Garden\n\nTomatoes and [[Plans/Shed]].\n",
	"Plans/Shed.md":       "# Shed\n\nWood, nails. Back to [[Home]].\n",
	"Secret/Diary.md":     "Nobody reads the canary. [[Garden]]\n",
	"<b>bold</b> & co.md": "A name with markup. <script>alert(1)</script>\n",
}

// site is a served page and a browser that looks at it.
type site struct {
	t      *testing.T
	store  *mem.Store
	page   *Page
	url    string
	client *http.Client
	now    time.Time
	over   int // notes that a call may change without confirmation
	calls  []string
	tested []Database
	called bool // whether a tool was called within the last hour
}

// open serves the page of a vault. Without tokens no login is needed.
func open(t *testing.T, tokens ...auth.Token) *site {
	t.Helper()
	return openVault(t, notes, tokens...)
}

// openVault serves the page of the given vault.
func openVault(t *testing.T, files map[string]string, tokens ...auth.Token) *site {
	t.Helper()
	s := &site{t: t, store: mem.New(files), now: time.Now()}
	dir := filepath.Join(t.TempDir(), "history")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	v := vault.Open(s.store, slog.New(slog.DiscardHandler), vault.Options{History: history.Open(history.Options{Dir: dir})})
	t.Cleanup(func() { v.Close() })
	if _, err := v.Snapshot(t.Context()); err != nil {
		t.Fatal(err)
	}
	guard, err := auth.New(auth.Options{Tokens: tokens, FailedLogins: 5, Now: func() time.Time { return s.now }})
	if err != nil {
		t.Fatal(err)
	}
	s.page = New(Options{
		Guard: guard, Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return s.now }, Server: s.server(v),
	})
	listening := httptest.NewServer(s.page)
	t.Cleanup(listening.Close)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	s.url, s.client = listening.URL, &http.Client{
		Jar: jar, Transport: &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return s
}

// server returns a stand-in for the program behind the page.
func (s *site) server(v *vault.Vault) Server {
	bind := func(who *auth.Principal) *tool.Registry {
		_, tools := ops.New(v.View(who.Grant.Scope), ops.Options{
			TagPolicy: ops.TagsOff, ConfirmOver: s.over, Secret: []byte("test"), VaultID: "vault",
		})
		return tools
	}
	return Server{
		Vault: "vault",
		Tools: func(who *auth.Principal) (*tool.Registry, error) {
			return bind(who).Only(func(t tool.Tool) bool { return t.Effect == tool.Reads || !who.Grant.ReadOnly }).Around(named), nil
		},
		Enter:   func(*http.Request, bool) (func(), error) { return func() {}, nil },
		Observe: func(name, kind string, _ time.Duration) { s.calls = append(s.calls, name+" "+kind) },
		Status: func(_ context.Context, who *auth.Principal) Status {
			now := Status{Vault: "vault", ReadOnly: who.Grant.ReadOnly, Ready: true, Files: len(notes), Notes: len(notes), Tags: 1}
			if who.Grant.Unlimited() {
				calls := pulse.New(time.Now)
				if s.called {
					calls.Call("read_note", "ok", time.Millisecond)
				}
				now.Whole = &Whole{Version: "v1", Store: "folder", Place: "/the/place", History: "2 changes", Minutes: calls.Last()}
			}
			return now
		},
		File: func(ctx context.Context, who *auth.Principal, path string) ([]byte, error) {
			files := resource.New(v.View(who.Grant.Scope), resource.Options{VaultID: "vault"})
			content, err := files.Read(ctx, files.URI(path))
			return append([]byte(content.Text), content.Blob...), err
		},
		Connections: func(*http.Request, *auth.Principal) []Connection {
			return []Connection{{ID: "claude-code", Name: "Claude Code", Remote: &Block{"a terminal", "claude mcp add <obsidian>"}, After: "Start it again."}}
		},
		Access: func() []Access {
			return []Access{{Name: "phone", From: "tokens", ReadOnly: true, Allow: []string{"Plans/"}}}
		},
		TestLiveSync: func(_ context.Context, to Database) []Check {
			s.tested = append(s.tested, to)
			return []Check{{"ok", "server: answers"}, {"failed", "login: wrong; see COUCHDB_USER"}}
		},
		CallTimeout: 10 * time.Second,
	}
}

// named records the tool's name for the history.
func named(called tool.Tool, next tool.Handler) tool.Handler {
	return func(ctx context.Context, args json.RawMessage) (tool.Answer, error) {
		ctx, _ = call.Begin(ctx, called.Name)
		return next(ctx, args)
	}
}

// pageResponse is a response of the page with its body.
type pageResponse struct {
	*http.Response
	body string
}

func (s *site) get(path string, headers ...string) pageResponse {
	s.t.Helper()
	return s.send(http.MethodGet, path, nil, headers...)
}

// post sends a form with a valid form token.
func (s *site) post(path string, values url.Values, headers ...string) pageResponse {
	s.t.Helper()
	if values == nil {
		values = url.Values{}
	}
	values.Set("form", s.formToken("/tools"))
	return s.send(http.MethodPost, path, values, headers...)
}

var formField = regexp.MustCompile(`name="form" value="([^"]+)"`)

func (s *site) formToken(path string) string {
	s.t.Helper()
	for _, page := range []string{path, "/tools/get_help"} {
		if found := formField.FindStringSubmatch(s.get(page).body); found != nil {
			return found[1]
		}
	}
	s.t.Fatalf("there is no form on %s", path)
	return ""
}

func (s *site) send(method, path string, form url.Values, headers ...string) pageResponse {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, strings.NewReader(form.Encode()))
	if err != nil {
		s.t.Fatal(err)
	}
	if form != nil {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		request.Header.Set(name, value)
	}
	response, err := s.client.Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return pageResponse{response, string(body)}
}

// expect checks the status of a response, and that its body contains the parts.
func (a pageResponse) expect(t *testing.T, status int, parts ...string) {
	t.Helper()
	if a.StatusCode != status {
		t.Errorf("%s %s: status %d, want %d\n%s", a.Request.Method, a.Request.URL, a.StatusCode, status, a.main())
	}
	for _, part := range parts {
		if !strings.Contains(a.body, part) {
			t.Errorf("%s %s: %q is not in\n%s", a.Request.Method, a.Request.URL, part, a.main())
		}
	}
}

// main returns the part of a page that differs from other pages.
func (a pageResponse) main() string {
	if _, main, ok := strings.Cut(a.body, "<main"); ok {
		return main
	}
	return a.body
}

// lacks checks that the body contains none of the parts.
func (a pageResponse) lacks(t *testing.T, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if strings.Contains(a.body, part) {
			t.Errorf("%s %s: %q is in\n%s", a.Request.Method, a.Request.URL, part, a.main())
		}
	}
}

// token makes a token with limits, and returns its text, too.
func token(t *testing.T, name string, grant auth.Grant) (string, auth.Token) {
	t.Helper()
	text, _ := auth.NewToken()
	digest, err := auth.HashToken(text)
	if err != nil {
		t.Fatal(err)
	}
	return text, auth.Token{Name: name, SHA256: digest, Grant: grant}
}

// plansOnly returns a grant to read one folder.
func plansOnly(t *testing.T) auth.Grant {
	t.Helper()
	open, err := scope.New([]string{"Plans/"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return auth.Grant{ReadOnly: true, Scope: open}
}

// logIn sends the login form.
func (s *site) logIn(token, next string) pageResponse {
	s.t.Helper()
	return s.send(http.MethodPost, "/login", url.Values{"form": {s.formToken("/login")}, "token": {token}, "next": {next}})
}
