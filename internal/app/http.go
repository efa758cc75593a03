package app

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"obsidian-mcp/internal/access/auth"
	"obsidian-mcp/internal/access/door"
	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/observe/metrics"
	"obsidian-mcp/internal/observe/pulse"
	"obsidian-mcp/internal/surface/mcp/transport"
	"obsidian-mcp/internal/surface/web"
)

// serveHTTP serves the vault over HTTP until ctx ends. It returns when the calls in flight are answered.
func serveHTTP(ctx context.Context, settings config.Config) error {
	log := logger(settings)
	guard, err := newGuard(settings, log)
	if err != nil {
		return err
	}
	listener, err := listen(ctx, settings)
	if err != nil {
		return err
	}
	defer listener.Close()
	a, err := open(settings, log)
	if err != nil {
		return err
	}
	defer a.Close()
	service, err := newService(a, settings, guard, log)
	if err != nil {
		return err
	}
	defer service.mcp.Close()
	go a.warnOfIdleRules(ctx, settings.HTTP, log)
	warnOfNames(settings.HTTP, log)
	log.Info("serving", service.facts(listener.Addr())...)
	context.AfterFunc(ctx, func() { log.Info("stopping: calls in flight are answered", "calls", service.mcp.InFlight()) })
	return a.start.guard(ctx, func(ctx context.Context) error {
		context.AfterFunc(ctx, service.mcp.Stop)
		return service.door.Serve(ctx, listener, service.handler())
	})
}

// facts are the attributes of the log line that says where the server listens. A browser on this machine can open the
// addresses.
func (s *service) facts(at net.Addr) []any {
	host, port, err := net.SplitHostPort(at.String())
	if address, bad := netip.ParseAddr(host); err == nil && bad == nil && address.IsUnspecified() {
		host = "127.0.0.1"
	}
	base := "http://" + net.JoinHostPort(host, port)
	page := "off"
	if s.page != nil {
		page = base + "/"
	}
	return []any{"url", base + "/mcp", "page", page, "login", !s.guard.Open()}
}

// warnOfNames warns if the server listens on a network but no machine there can call it yet.
func warnOfNames(settings config.HTTP, log *slog.Logger) {
	if settings.Nameless() {
		log.Warn("other machines get 403 until OBSIDIAN_MCP_ALLOWED_HOSTS has the names or addresses that they use for this server",
			"host", settings.Host)
	}
}

// newGuard makes the guard that the settings ask for. Without a login the server must listen on loopback, unless
// --insecure-no-auth allows more.
func newGuard(all config.Config, log *slog.Logger) (*auth.Guard, error) {
	settings := all.HTTP
	options := auth.Options{FailedLogins: settings.Limits.FailedLogins, Address: door.Address, Log: log}
	var err error
	if options.Tokens, err = tokens(all, log); err != nil {
		return nil, err
	}
	if options.OAuth, err = oauth(all); err != nil {
		return nil, err
	}
	guard, err := auth.New(options)
	if err != nil {
		return nil, err
	}
	if guard.Open() && settings.TokenGiven {
		return nil, fault.InvalidArgument.Errorf("%s is set, but contains no token", all.From("token")).
			WithHint("unset it to serve only this machine, without a login")
	}
	if guard.Open() && !door.IsLoopback(settings.Host) && !settings.InsecureNoAuth {
		return nil, fault.InvalidArgument.Errorf("%s: without a login the server listens on loopback only, not on '%s'",
			all.From("host"), settings.Host).
			WithHint("set OBSIDIAN_MCP_TOKEN (`obsidian-mcp token new` makes one), or OBSIDIAN_MCP_OAUTH_ISSUER; " +
				"or use --insecure-no-auth if the network itself keeps everyone else out")
	}
	if guard.Open() && !door.IsLoopback(settings.Host) {
		log.Warn("everyone who reaches this address may read and write the vault", "host", settings.Host)
	}
	if guard.Open() && (settings.PublicURL != "" || len(settings.TrustedProxies) > 0) {
		log.Warn("there is no login, but a proxy may forward requests of other machines: " +
			"set OBSIDIAN_MCP_TOKEN unless the proxy requires a login")
	}
	return guard, nil
}

// service is the server over HTTP: MCP, the web page, health and metrics.
type service struct {
	app     *app
	guard   *auth.Guard
	door    *door.Door
	mcp     *transport.HTTP
	metrics *metrics.Metrics // nil if they are off
	pulse   *pulse.Pulse
	page    *web.Page // nil if it is off
}

func newService(a *app, settings config.Config, guard *auth.Guard, log *slog.Logger) (*service, error) {
	s := &service{app: a, guard: guard, pulse: pulse.New(time.Now)}
	if settings.HTTP.Metrics {
		s.metrics = metrics.New(moduleVersion(), metrics.Known{Routes: routes, Tools: toolNames()})
	}
	limits := settings.HTTP.Limits.In(door.IsLoopback(settings.HTTP.Host))
	roles := newRoles(a, settings, s.observe, log)
	s.mcp = transport.NewHTTP(transport.HTTPOptions{
		Server: roles.server, Sessions: limits.Sessions, Idle: limits.SessionIdle,
		InFlight: limits.InFlight, PerSession: limits.PerSession, Calls: limits.Calls, Writes: limits.Writes, WriteBytes: limits.WriteBytes,
		Messages: publicPath(settings.HTTP) + "/messages", Client: clientOf, Refused: s.metrics.Refused, Log: log,
	})
	if settings.HTTP.Page {
		s.page = newPage(s, roles, settings, log)
	}
	proxies, err := prefixes(settings.HTTP.TrustedProxies)
	if err != nil {
		return nil, err
	}
	s.door, err = door.New(door.Options{
		Host: settings.HTTP.Host, Hosts: settings.HTTP.Hosts(), Origins: settings.HTTP.AllowedOrigins,
		Proxies: proxies, Visits: s.isPage, MaxHeader: limits.Header, MaxBody: int64(limits.Body),
		Connections: limits.Connections, PerAddress: limits.PerAddress,
		HeaderTimeout: limits.HeaderTimeout, ReadTimeout: limits.ReadTimeout,
		IdleTimeout: limits.IdleTimeout, WriteTimeout: limits.WriteTimeout,
		Drain: settings.CallTimeout + 5*time.Second, Settle: s.mcp.Settle, Log: log, Meter: s.metrics,
	})
	return s, err
}

// observe counts a call.
func (s *service) observe(tool, kind string, took time.Duration) {
	s.metrics.Call(tool, kind, took)
	s.pulse.Call(tool, kind, took)
}

// clientOf is the client whose limits a request counts against: the principal that has logged in, or else the address.
func clientOf(r *http.Request) string {
	if who := auth.Of(r.Context()); !who.Anonymous() {
		return who.ID
	}
	return door.Address(r)
}

// publicPath is the prefix that a proxy puts before the paths of the server.
func publicPath(settings config.HTTP) string {
	public, err := url.Parse(settings.PublicURL)
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(public.EscapedPath(), "/")
}

// prefixes reads addresses and networks.
func prefixes(texts []string) ([]netip.Prefix, error) {
	var all []netip.Prefix
	for _, text := range texts {
		prefix, err := netip.ParsePrefix(text)
		if address, single := netip.ParseAddr(text); single == nil {
			prefix, err = netip.PrefixFrom(address, address.BitLen()), nil
		}
		if err != nil {
			return nil, fault.InvalidArgument.Errorf("'%s' is neither an address nor a network such as 10.0.0.0/8", text)
		}
		all = append(all, prefix)
	}
	return all, nil
}
