package doctor

import (
	"context"
	"errors"
	"net"
	"slices"
	"strconv"

	"obsidian-mcp/internal/access/auth"
	"obsidian-mcp/internal/access/door"
	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/fault"
)

// http tries the settings of obsidian-mcp http as a start would.
func (r *Report) http(ctx context.Context, settings config.Config, program Program) {
	guard, err := program.Guard(settings)
	if err != nil {
		r.noHTTP(settings, err)
		return
	}
	listener, err := program.Listen(ctx, settings)
	if errors.Is(err, fault.Conflict) {
		if state, ours := RunningServer(ctx, settings.HTTP); ours {
			r.serving(settings.HTTP, state)
			return
		}
	}
	if err != nil {
		r.noHTTP(settings, err)
		return
	}
	_ = listener.Close()
	r.names(settings.HTTP)
	address := net.JoinHostPort(settings.HTTP.BareHost(), strconv.Itoa(settings.HTTP.Port))
	if slices.ContainsFunc(settings.HTTP.PlainTokens(), auth.IsWeak) {
		r.look("obsidian-mcp token new makes a better one", "http: OBSIDIAN_MCP_TOKEN is short, and might be guessed")
	}
	switch {
	case guard.Open() && !door.IsLoopback(settings.HTTP.Host):
		r.look("set OBSIDIAN_MCP_TOKEN unless the network itself keeps everyone else out",
			"http: everyone who reaches %s may read and write the vault", address)
	case guard.Open():
		r.ok("http: %s is free; there is no login, and only this machine is served", address)
	default:
		r.ok("http: %s is free; clients have to log in", address)
	}
}

// serving reports on a server that runs already.
func (r *Report) serving(settings config.HTTP, state string) {
	r.names(settings)
	if state == stateUnreachable {
		r.look(unreachableHint, "http: obsidian-mcp runs at http://%s/mcp, but its vault cannot be reached", OwnAddress(settings))
		return
	}
	r.ok("http: obsidian-mcp serves at http://%s/mcp (%s)", OwnAddress(settings), state)
}

// names reports that only this machine can call the server.
func (r *Report) names(settings config.HTTP) {
	if settings.Nameless() {
		r.look("set OBSIDIAN_MCP_ALLOWED_HOSTS to the names or addresses that they use for this server",
			"http: other machines get 403 for now")
	}
}

// noHTTP says why http would not start. It is a failure only if the address is set, which means that somebody wants it
// to start.
func (r *Report) noHTTP(settings config.Config, err error) {
	if settings.IsGiven("host") || settings.IsGiven("port") {
		r.fail(remedyFor(err), "http: it would not start: %s", err)
	} else {
		r.look(remedyFor(err), "http: it would not start: %s", err)
	}
}
