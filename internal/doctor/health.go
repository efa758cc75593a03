package doctor

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

// Health asks the server that runs with the same settings for its state: at /healthz whether it is alive, at /readyz
// whether it answers calls.
func Health(ctx context.Context, settings config.HTTP, path string) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	status, body, err := askServer(ctx, settings, path)
	if err != nil {
		return fault.Internal.Errorf("no server answers: %w", err).
			WithHint("start one with obsidian-mcp http, or set --host and --port (HOST, PORT) to where it listens")
	}
	switch state := stateIn(body); {
	case state == "indexing" && status != http.StatusOK:
		return fault.Internal.Errorf("the server runs, but has not read all notes yet").WithHint("wait, and try again")
	case state == stateUnreachable:
		return fault.Internal.Errorf("the server runs, but its vault is unreachable").WithHint("%s", unreachableHint)
	case state == "" || status != http.StatusOK:
		return fault.Internal.Errorf("the server at %s does not answer like obsidian-mcp: it answered %d %s",
			OwnAddress(settings), status, http.StatusText(status)).
			WithHint("another program may have the port: set --host and --port (HOST, PORT) to where obsidian-mcp listens")
	}
	return nil
}

// stateUnreachable is the state of a server whose vault is away.
const stateUnreachable = "vault unreachable"

const unreachableHint = "check that the vault's folder is where it was, and that its drive or database is connected; " +
	"then it serves again"

// stateIn is the state in an answer about a server's health; "" if the answer is not from obsidian-mcp.
func stateIn(body string) string {
	state, isState := strings.CutPrefix(strings.TrimSpace(body), `{"status":"`)
	state, ends := strings.CutSuffix(state, `"}`)
	if !isState || !ends || !slices.Contains([]string{"ok", "ready", "indexing", stateUnreachable}, state) {
		return ""
	}
	return state
}

// askServer asks a server on this machine, and returns the beginning of its answer.
func askServer(ctx context.Context, settings config.HTTP, path string) (status int, body string, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+OwnAddress(settings)+path, nil)
	if err != nil {
		return 0, "", err
	}
	client := &http.Client{
		Transport: &http.Transport{DisableKeepAlives: true}, // without a proxy
		// a redirect leads to another server, and says nothing about this one
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	answer, err := client.Do(request)
	if err != nil {
		return 0, "", err
	}
	defer answer.Body.Close()
	begin, _ := io.ReadAll(io.LimitReader(answer.Body, 200))
	return answer.StatusCode, string(begin), nil
}

// OwnAddress is where this machine reaches its own server. A server that listens everywhere is reached on loopback.
func OwnAddress(settings config.HTTP) string {
	host := settings.BareHost()
	if address := net.ParseIP(host); host == "" || address != nil && address.IsUnspecified() {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, strconv.Itoa(settings.Port))
}

// RunningServer is the state of an obsidian-mcp that already listens on the address of these settings. False means that
// no server, or another program, listens there.
func RunningServer(ctx context.Context, settings config.HTTP) (state string, ours bool) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	if _, alive, err := askServer(ctx, settings, "/healthz"); err != nil || stateIn(alive) != "ok" {
		return "", false
	}
	_, ready, err := askServer(ctx, settings, "/readyz")
	state = stateIn(ready)
	return state, err == nil && state != "" && state != "ok"
}
