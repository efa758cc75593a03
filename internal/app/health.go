package app

import (
	"context"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/fault"
)

// health asks the server that runs with the same settings how it is.
func health(ctx context.Context, settings config.Config, path string) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	status, body, err := askServer(ctx, settings.HTTP, path)
	if err != nil {
		return fault.Internal.Errorf("no server answers: %w", err).
			WithHint("start one with obsidian-mcp http, or name with --host and --port (HOST, PORT) where it listens")
	}
	switch state := stateOf(body); {
	case state == "indexing" && status != http.StatusOK:
		return fault.Internal.Errorf("it runs, but has not read all notes yet").WithHint("wait, and ask again")
	case state == stateUnreachable:
		return fault.Internal.Errorf("it runs, but its vault is unreachable").WithHint("%s", unreachableHint)
	case state == "" || status != http.StatusOK:
		return fault.Internal.Errorf("what listens on %s does not answer as obsidian-mcp does: it says %d %s", ownAddress(settings.HTTP), status, http.StatusText(status)).
			WithHint("another program may have the port: name with --host and --port (HOST, PORT) where obsidian-mcp listens")
	}
	return nil
}

// stateUnreachable is what a server says of itself whose vault is away.
const stateUnreachable = "vault unreachable"

const unreachableHint = "see whether the vault's folder is where it was, and its drive or database is connected; then it serves again"

// stateOf is the state in an answer about a server's health; "": no server of
// ours has answered.
func stateOf(body string) string {
	state, isState := strings.CutPrefix(strings.TrimSpace(body), `{"status":"`)
	state, ends := strings.CutSuffix(state, `"}`)
	if !isState || !ends || !slices.Contains([]string{"ok", "ready", "indexing", stateUnreachable}, state) {
		return ""
	}
	return state
}

// askServer asks a server on this machine, and gives the beginning of its
// answer. One that listens everywhere is asked on loopback.
func askServer(ctx context.Context, settings config.HTTP, path string) (status int, body string, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+ownAddress(settings)+path, nil)
	if err != nil {
		return 0, "", err
	}
	transport := &http.Transport{DisableKeepAlives: true}                                 // by no proxy
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse } // another server's health is not asked for
	answer, err := (&http.Client{Transport: transport, CheckRedirect: stay}).Do(request)
	if err != nil {
		return 0, "", err
	}
	defer answer.Body.Close()
	begin, _ := io.ReadAll(io.LimitReader(answer.Body, 200))
	return answer.StatusCode, string(begin), nil
}

// bareHost is the host that is listened on, without the brackets of a URL.
func bareHost(settings config.HTTP) string {
	return strings.TrimSuffix(strings.TrimPrefix(settings.Host, "["), "]")
}

// ownAddress is where this machine reaches a server.
func ownAddress(settings config.HTTP) string {
	host := bareHost(settings)
	if address := net.ParseIP(host); host == "" || address != nil && address.IsUnspecified() {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, strconv.Itoa(settings.Port))
}

// otherServer is the state of another obsidian-mcp that listens where these
// settings would have us listen; false: it is none that says so. It is known by
// how it tells of its health.
func otherServer(ctx context.Context, settings config.HTTP) (state string, ours bool) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	if _, alive, err := askServer(ctx, settings, "/healthz"); err != nil || stateOf(alive) != "ok" {
		return "", false
	}
	_, ready, err := askServer(ctx, settings, "/readyz")
	state = stateOf(ready)
	return state, err == nil && state != "" && state != "ok"
}
