package app

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"slices"
	"strconv"

	"obsidian-mcp/internal/access/auth"
	"obsidian-mcp/internal/access/door"
	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/fault"
)

// http tries the settings of http, as obsidian-mcp http would take them.
func (e *examination) http(ctx context.Context, settings config.Config) {
	guard, err := newGuard(settings, slog.New(slog.DiscardHandler))
	if err != nil {
		e.noHTTP(settings, err)
		return
	}
	listener, err := listen(ctx, settings)
	if errors.Is(err, fault.Conflict) {
		if state, ours := otherServer(ctx, settings.HTTP); ours {
			e.serving(settings.HTTP, state)
			return
		}
	}
	if err != nil {
		e.noHTTP(settings, err)
		return
	}
	_ = listener.Close()
	e.names(settings.HTTP)
	address := net.JoinHostPort(bareHost(settings.HTTP), strconv.Itoa(settings.HTTP.Port))
	if slices.ContainsFunc(givenTokens(settings.HTTP), auth.IsWeak) {
		e.look("obsidian-mcp token new makes a better one", "http: OBSIDIAN_MCP_TOKEN is short, and might be guessed")
	}
	switch {
	case guard.Open() && !door.IsLoopback(settings.HTTP.Host):
		e.look("set OBSIDIAN_MCP_TOKEN unless the network itself keeps everyone else out", "http: everybody who reaches %s may read and write the vault", address)
	case guard.Open():
		e.ok("http: %s is free; there is no login, and this machine alone is served", address)
	default:
		e.ok("http: %s is free; clients have to log in", address)
	}
}

// serving tells of a server that runs.
func (e *examination) serving(settings config.HTTP, state string) {
	e.names(settings)
	if state == stateUnreachable {
		e.look(unreachableHint, "http: obsidian-mcp runs at http://%s/mcp, but its vault cannot be reached", ownAddress(settings))
		return
	}
	e.ok("http: obsidian-mcp serves at http://%s/mcp (%s)", ownAddress(settings), state)
}

// names tells of a server that nobody but this machine can call.
func (e *examination) names(settings config.HTTP) {
	if nameless(settings) {
		e.look("set OBSIDIAN_MCP_ALLOWED_HOSTS to the names or addresses that they call this server by", "http: other machines get 403 so far")
	}
}

// noHTTP tells why http would not start. Whoever has set where it listens wants
// it to; nobody else need.
func (e *examination) noHTTP(settings config.Config, err error) {
	if settings.IsGiven("host") || settings.IsGiven("port") {
		e.fail(adviceOf(err), "http: it would not start: %s", err)
	} else {
		e.look(adviceOf(err), "http: it would not start: %s", err)
	}
}
