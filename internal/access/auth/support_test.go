package auth_test

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"obsidian-mcp/internal/access/auth"
)

// noon is the time of tests that do not set another.
var noon = time.Date(2027, 5, 1, 12, 0, 0, 0, time.UTC)

// clock is a clock that stands still until it is advanced.
type clock struct{ time.Time }

func (c *clock) now() time.Time          { return c.Time }
func (c *clock) advance(d time.Duration) { c.Time = c.Add(d) }

// guarded is a handler behind a guard. It remembers the last admitted caller.
type guarded struct {
	guard   *auth.Guard
	handler http.Handler
	log     bytes.Buffer
	caller  *auth.Principal // the last one that was admitted
	header  http.Header     // of the last admitted request
}

func newGuarded(t *testing.T, options auth.Options) *guarded {
	t.Helper()
	g := &guarded{}
	options.Log = slog.New(slog.NewJSONHandler(&g.log, nil))
	guard, err := auth.New(options)
	if err != nil {
		t.Fatal(err)
	}
	g.guard = guard
	g.handler = guard.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.caller, g.header = auth.Of(r.Context()), r.Header
		_, _ = io.WriteString(w, "welcome")
	}))
	return g
}

// answer is the answer to a request.
type answer struct {
	status    int
	header    http.Header
	body      string
	who       *auth.Principal
	Error     string `json:"error"`
	About     string `json:"error_description"`
	challenge string
}

// ask sends a request with an Authorization header ("": none). Neither the answer nor the log may repeat any of it.
func (g *guarded) ask(t *testing.T, authorization string) answer {
	t.Helper()
	request := httptest.NewRequest(http.MethodPost, "/mcp", nil)
	if authorization != "" {
		request.Header.Set("Authorization", authorization)
	}
	return g.send(t, request)
}

// bearer sends a request with a token.
func (g *guarded) bearer(t *testing.T, token string) answer {
	t.Helper()
	return g.ask(t, "Bearer "+token)
}

func (g *guarded) send(t *testing.T, request *http.Request) answer {
	t.Helper()
	g.caller, g.header = nil, nil
	before := len(request.Header.Values("Authorization"))
	recorder := httptest.NewRecorder()
	g.handler.ServeHTTP(recorder, request)
	got := answer{status: recorder.Code, header: recorder.Header(), body: recorder.Body.String(), who: g.caller, challenge: recorder.Header().Get("WWW-Authenticate")}
	if sent := request.Header.Values("Authorization"); len(sent) != before {
		t.Error("the request itself was changed")
	}
	if got.status == http.StatusOK {
		if g.header.Get("Authorization") != "" {
			t.Error("the handler sees the token")
		}
		return got
	}
	if g.caller != nil {
		t.Errorf("status %d, but the handler was called", got.status)
	}
	if err := json.Unmarshal([]byte(got.body), &got); err != nil || got.Error == "" || got.About == "" {
		t.Errorf("the body %q: %v", got.body, err)
	}
	if got.header.Get("Cache-Control") != "no-store" {
		t.Errorf("status %d may be cached", got.status)
	}
	g.checkSecrets(t, request, got)
	return got
}

// checkSecrets looks for parts of the credentials in the answer and the log.
func (g *guarded) checkSecrets(t *testing.T, request *http.Request, got answer) {
	t.Helper()
	var shown strings.Builder
	_ = got.header.Write(&shown)
	shown.WriteString(got.body)
	shown.Write(g.log.Bytes())
	sent := strings.Join(request.Header.Values("Authorization"), " ") + " " + request.URL.Query().Get("access_token")
	for _, piece := range strings.FieldsFunc(sent, func(r rune) bool { return strings.ContainsRune(" .,", r) }) {
		if len(piece) > 8 && strings.Contains(shown.String(), piece) {
			t.Errorf("%q from the request is in the answer or the log:\n%s", piece, shown.String())
		}
	}
}

// token makes a token for the config file.
func token(t *testing.T, name string, grant auth.Grant) (string, auth.Token) {
	t.Helper()
	secret, hash := auth.NewToken()
	digest, err := auth.ParseHash(hash)
	if err != nil {
		t.Fatal(err)
	}
	return secret, auth.Token{Name: name, SHA256: digest, Grant: grant}
}

// expect fails unless the answer has a status and, if refused, an error.
func (a answer) expect(t *testing.T, status int, code string) {
	t.Helper()
	if a.status != status || a.Error != code {
		t.Fatalf("status %d, error %q (%s), want %d, %q", a.status, a.Error, a.About, status, code)
	}
}
