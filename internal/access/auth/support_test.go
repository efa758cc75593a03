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

// noon is when tests happen that do not say otherwise.
var noon = time.Date(2027, 5, 1, 12, 0, 0, 0, time.UTC)

// clock is a clock that stands until it is moved.
type clock struct{ time.Time }

func (c *clock) now() time.Time          { return c.Time }
func (c *clock) advance(d time.Duration) { c.Time = c.Add(d) }

// door is a guard before a handler that says who came in, with its log.
type door struct {
	guard   *auth.Guard
	handler http.Handler
	log     bytes.Buffer
	inside  *auth.Principal // who came in last
	header  http.Header     // what the handler was given
}

func newDoor(t *testing.T, options auth.Options) *door {
	t.Helper()
	d := &door{}
	options.Log = slog.New(slog.NewJSONHandler(&d.log, nil))
	guard, err := auth.New(options)
	if err != nil {
		t.Fatal(err)
	}
	d.guard = guard
	d.handler = guard.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d.inside, d.header = auth.Of(r.Context()), r.Header
		_, _ = io.WriteString(w, "come in")
	}))
	return d
}

// answer is what a request was answered with.
type answer struct {
	status    int
	header    http.Header
	body      string
	who       *auth.Principal
	Error     string `json:"error"`
	About     string `json:"error_description"`
	challenge string
}

// ask sends a request with an Authorization header ("": none). No answer may
// repeat anything of it, and neither may the log.
func (d *door) ask(t *testing.T, authorization string) answer {
	t.Helper()
	request := httptest.NewRequest(http.MethodPost, "/mcp", nil)
	if authorization != "" {
		request.Header.Set("Authorization", authorization)
	}
	return d.send(t, request)
}

// bearer sends a request with a token.
func (d *door) bearer(t *testing.T, token string) answer {
	t.Helper()
	return d.ask(t, "Bearer "+token)
}

func (d *door) send(t *testing.T, request *http.Request) answer {
	t.Helper()
	d.inside, d.header = nil, nil
	before := len(request.Header.Values("Authorization"))
	recorder := httptest.NewRecorder()
	d.handler.ServeHTTP(recorder, request)
	got := answer{status: recorder.Code, header: recorder.Header(), body: recorder.Body.String(), who: d.inside, challenge: recorder.Header().Get("WWW-Authenticate")}
	if sent := request.Header.Values("Authorization"); len(sent) != before {
		t.Error("the request itself was changed")
	}
	if got.status == http.StatusOK {
		if d.header.Get("Authorization") != "" {
			t.Error("the token goes on to the handler")
		}
		return got
	}
	if d.inside != nil {
		t.Errorf("status %d, and the handler was called", got.status)
	}
	if err := json.Unmarshal([]byte(got.body), &got); err != nil || got.Error == "" || got.About == "" {
		t.Errorf("the body %q: %v", got.body, err)
	}
	if got.header.Get("Cache-Control") != "no-store" {
		t.Errorf("status %d may be cached", got.status)
	}
	d.checkSecrets(t, request, got)
	return got
}

// checkSecrets looks for the pieces of what was sent.
func (d *door) checkSecrets(t *testing.T, request *http.Request, got answer) {
	t.Helper()
	var shown strings.Builder
	_ = got.header.Write(&shown)
	shown.WriteString(got.body)
	shown.Write(d.log.Bytes())
	sent := strings.Join(request.Header.Values("Authorization"), " ") + " " + request.URL.Query().Get("access_token")
	for _, piece := range strings.FieldsFunc(sent, func(r rune) bool { return strings.ContainsRune(" .,", r) }) {
		if len(piece) > 8 && strings.Contains(shown.String(), piece) {
			t.Errorf("%q of the request is in the answer or the log:\n%s", piece, shown.String())
		}
	}
}

// token makes a token of the config file.
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
