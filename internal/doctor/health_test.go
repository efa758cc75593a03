package doctor

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/fault"
)

// answering starts a server that answers everything in the same way, and returns the settings to ask it with.
func answering(t *testing.T, status int, body string) config.HTTP {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if status == http.StatusFound && r.URL.Path != "/well" {
			w.Header().Set("Location", "/well")
		} else if status == http.StatusFound {
			status = http.StatusOK
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(server.Close)
	at, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	port, _ := strconv.Atoi(at.Port())
	return config.HTTP{Host: at.Hostname(), Port: port}
}

func TestHealthExplainsAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		body   string
		want   string // of the error; "" if the server is healthy
	}{
		"alive":             {200, `{"status":"ok"}` + "\n", ""},
		"ready":             {200, `{"status":"ready"}` + "\n", ""},
		"indexing":          {503, `{"status":"indexing"}` + "\n", "the server runs, but has not read all notes yet"},
		"no vault":          {503, `{"status":"vault unreachable"}` + "\n", "the server runs, but its vault is unreachable"},
		"another program":   {404, "<!DOCTYPE HTML>\n<html>", "does not answer like obsidian-mcp: it answered 404 Not Found"},
		"200 without state": {200, "OK", "does not answer like obsidian-mcp: it answered 200 OK"},
		"a redirect":        {302, `{"status":"ok"}`, "does not answer like obsidian-mcp: it answered 302 Found"},
		"another state":     {200, `{"status":"pass"}`, "does not answer like obsidian-mcp"},
	} {
		t.Run(name, func(t *testing.T) {
			err := Health(t.Context(), answering(t, c.status, c.body), "/readyz")
			switch {
			case c.want == "" && err != nil:
				t.Error(err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || strings.ContainsAny(err.Error(), `<{"`) || fault.HintOf(err) == ""):
				t.Errorf("%v; %s", err, fault.HintOf(err))
			}
		})
	}
}

func TestRunningServerIsReported(t *testing.T) {
	for state, want := range map[string]string{
		"ready":          "ok      http: obsidian-mcp serves at http://127.0.0.1:1065/mcp (ready)\n",
		"indexing":       "ok      http: obsidian-mcp serves at http://127.0.0.1:1065/mcp (indexing)\n",
		stateUnreachable: "look    http: obsidian-mcp runs at http://127.0.0.1:1065/mcp, but its vault cannot be reached; check that ",
	} {
		got := lines(func(r *Report) { r.serving(config.HTTP{Host: "127.0.0.1", Port: 1065}, state) })
		if !strings.HasPrefix(got, want) {
			t.Errorf("%s: got %s, want %s", state, got, want)
		}
	}
}
