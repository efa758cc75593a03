package config

import (
	"time"

	"go.yaml.in/yaml/v3"
)

// HTTP holds the settings of serving over HTTP.
type HTTP struct {
	Host           string
	Port           int
	InsecureNoAuth bool
	AllowedHosts   []string
	AllowedOrigins []string
	TrustedProxies []string
	PublicURL      string
	Token          Secret // several are separated by commas
	TokenGiven     bool   // somebody wanted one, even if it came out empty
	OAuth          OAuth
	Metrics        bool
	Page           bool
	Limits         Limits

	Tokens []Token // of the config file
}

// OAuth says whose access tokens count.
type OAuth struct {
	Issuer   string
	Audience string // "": the public URL's /mcp
	Scopes   bool   // whether the scopes of a token are looked at
	Users    []User
}

// Limits are those of serving over HTTP. 0 means none.
type Limits struct {
	Body          int
	Header        int
	Connections   int
	PerAddress    int
	Sessions      int
	SessionIdle   time.Duration
	InFlight      int
	PerSession    int
	Calls         int // a minute and client; Automatic: as the address that is listened on demands
	Writes        int
	FailedLogins  int
	HeaderTimeout time.Duration
	ReadTimeout   time.Duration
	IdleTimeout   time.Duration
	WriteTimeout  time.Duration
}

// Automatic is the value of a limit that depends on where the server listens.
const Automatic = -1

// In gives the limits that depend on where the server listens. On loopback
// clients are trusted not to call too often, and have one address, as those
// behind a proxy on the same machine do.
func (l Limits) In(loopback bool) Limits {
	for _, one := range []struct {
		limit           *int
		here, elsewhere int
	}{{&l.Calls, 0, 600}, {&l.Writes, 0, 120}, {&l.PerAddress, l.Connections, 32}} {
		switch {
		case *one.limit == Automatic && loopback:
			*one.limit = one.here
		case *one.limit == Automatic:
			*one.limit = one.elsewhere
		}
	}
	return l
}

// httpSettings lists the rows of serving over HTTP.
func httpSettings() []Setting {
	return []Setting{
		{
			Name: "host", Variables: []string{"HOST"},
			Default: "127.0.0.1", Generic: true, HTTPOnly: true,
			About: "the address that `http` listens on; any other than loopback needs a token, OAuth or `insecure_no_auth`",
			set:   text(func(c *Config) *string { return &c.HTTP.Host }),
		},
		{
			Name: "port", Variables: []string{"PORT"},
			Default: "1065", Generic: true, HTTPOnly: true,
			About: "the port that `http` listens on",
			set:   port(func(c *Config) *int { return &c.HTTP.Port }),
		},
		{
			Name: "token", Variables: []string{"OBSIDIAN_MCP_TOKEN"},
			Secret: true, ForURL: true, HTTPOnly: true,
			About: "bearer token for `http`, without limits; several are separated by commas. The config file's `tokens` have limits",
			set:   secret(func(c *Config) *Secret { return &c.HTTP.Token }),
			given: func(c *Config) *bool { return &c.HTTP.TokenGiven },
		},
		{
			Name: "allowed_hosts", Variables: []string{"OBSIDIAN_MCP_ALLOWED_HOSTS"},
			HTTPOnly: true,
			About:    "names by which clients and proxies reach the server, beside the loopback names and `host`; `*.example.ts.net` for all below",
			set:      list(func(c *Config) *[]string { return &c.HTTP.AllowedHosts }),
		},
		{
			Name: "allowed_origins", Variables: []string{"OBSIDIAN_MCP_ALLOWED_ORIGINS"},
			HTTPOnly: true,
			About:    "web pages that may call, such as `https://claude.ai`",
			set:      list(func(c *Config) *[]string { return &c.HTTP.AllowedOrigins }),
		},
		{
			Name: "trusted_proxies", Variables: []string{"OBSIDIAN_MCP_TRUSTED_PROXIES"},
			HTTPOnly: true,
			About:    "addresses or networks of proxies whose `X-Forwarded-For` counts",
			set:      list(func(c *Config) *[]string { return &c.HTTP.TrustedProxies }),
		},
		{
			Name: "insecure_no_auth", Variables: []string{"OBSIDIAN_MCP_INSECURE_NO_AUTH"},
			Default: "false", Switch: true, Kind: KindBool, HTTPOnly: true,
			About: "listen beyond loopback without any login: the network is the guard",
			set:   truth(func(c *Config) *bool { return &c.HTTP.InsecureNoAuth }),
		},
		{
			Name: "public_url", Variables: []string{"OBSIDIAN_MCP_PUBLIC_URL"},
			HTTPOnly: true,
			About:    "where clients reach the server, such as `https://notes.example.com`; OAuth needs it",
			set:      checked(checkAddress, func(c *Config) *string { return &c.HTTP.PublicURL }),
		},
		{
			Name: "oauth_issuer", Variables: []string{"OBSIDIAN_MCP_OAUTH_ISSUER"},
			HTTPOnly: true,
			About:    "the OAuth authorization server whose access tokens count",
			set:      text(func(c *Config) *string { return &c.HTTP.OAuth.Issuer }),
		},
		{
			Name: "oauth_audience", Variables: []string{"OBSIDIAN_MCP_OAUTH_AUDIENCE"},
			Default: "`public_url` + /mcp", deferred: true, HTTPOnly: true,
			About: "what access tokens must be made for",
			set:   text(func(c *Config) *string { return &c.HTTP.OAuth.Audience }),
		},
		{
			Name: "oauth_users", Variables: []string{"OBSIDIAN_MCP_OAUTH_USERS"},
			HTTPOnly: true,
			About:    "who may come in with an access token: subjects or verified e-mail addresses; `*`: everyone to whom the issuer gives one",
			set:      users,
			fromFile: func(f *fileSettings, node *yaml.Node) (err error) { f.users, err = parseUsers(node); return err },
		},
		{
			Name: "oauth_scopes", Variables: []string{"OBSIDIAN_MCP_OAUTH_SCOPES"},
			Default: "on", Kind: KindBool, HTTPOnly: true,
			About: "access tokens need the scope `notes:read`, or `notes:write` to write; `off`: scopes are not looked at",
			set:   truth(func(c *Config) *bool { return &c.HTTP.OAuth.Scopes }),
		},
		{
			Name: "metrics", Variables: []string{"OBSIDIAN_MCP_METRICS"},
			Default: "false", Switch: true, Kind: KindBool, HTTPOnly: true,
			About: "serve `/metrics` for Prometheus, to callers without limits",
			set:   truth(func(c *Config) *bool { return &c.HTTP.Metrics }),
		},
		{
			Name: "page", Variables: []string{"OBSIDIAN_MCP_PAGE"},
			Default: "on", Kind: KindBool, HTTPOnly: true,
			About: "the page for people at `/`, with the same login as the API; `off`: there is none",
			set:   truth(func(c *Config) *bool { return &c.HTTP.Page }),
		},
		{
			Name: "max_body", Variables: []string{"OBSIDIAN_MCP_MAX_BODY"},
			Default: "4194304", HTTPOnly: true,
			About: "bytes of one request",
			set:   positive(func(c *Config) *int { return &c.HTTP.Limits.Body }),
		},
		{
			Name: "max_header", Variables: []string{"OBSIDIAN_MCP_MAX_HEADER"},
			Default: "16384", HTTPOnly: true,
			About: "bytes of a request's headers",
			set:   positive(func(c *Config) *int { return &c.HTTP.Limits.Header }),
		},
		{
			Name: "max_connections", Variables: []string{"OBSIDIAN_MCP_MAX_CONNECTIONS"},
			Default: "256", HTTPOnly: true,
			About: "connections at a time",
			set:   positive(func(c *Config) *int { return &c.HTTP.Limits.Connections }),
		},
		{
			Name: "max_connections_per_address", Variables: []string{"OBSIDIAN_MCP_MAX_CONNECTIONS_PER_ADDRESS"},
			Default: "32, on loopback `max_connections`", deferred: true, HTTPOnly: true,
			About: "of these, from one address",
			set:   positive(func(c *Config) *int { return &c.HTTP.Limits.PerAddress }),
		},
		{
			Name: "max_sessions", Variables: []string{"OBSIDIAN_MCP_MAX_SESSIONS"},
			Default: "1000", HTTPOnly: true,
			About: "sessions at a time, 0: any number; the longest idle one gives way",
			set:   number(func(c *Config) *int { return &c.HTTP.Limits.Sessions }),
		},
		{
			Name: "session_idle", Variables: []string{"OBSIDIAN_MCP_SESSION_IDLE"},
			Default: "10m", HTTPOnly: true,
			About: "after which an unused session ends",
			set:   duration(func(c *Config) *time.Duration { return &c.HTTP.Limits.SessionIdle }),
		},
		{
			Name: "max_in_flight", Variables: []string{"OBSIDIAN_MCP_MAX_IN_FLIGHT"},
			Default: "64", HTTPOnly: true,
			About: "calls that are worked on at a time; 0: any number",
			set:   number(func(c *Config) *int { return &c.HTTP.Limits.InFlight }),
		},
		{
			Name: "max_in_flight_per_session", Variables: []string{"OBSIDIAN_MCP_MAX_IN_FLIGHT_PER_SESSION"},
			Default: "8", HTTPOnly: true,
			About: "of these, for one session",
			set:   number(func(c *Config) *int { return &c.HTTP.Limits.PerSession }),
		},
		{
			Name: "rate_calls", Variables: []string{"OBSIDIAN_MCP_RATE_CALLS"},
			Default: "600, on loopback 0", deferred: true, HTTPOnly: true,
			About: "calls a minute of one client; 0: any number",
			set:   number(func(c *Config) *int { return &c.HTTP.Limits.Calls }),
		},
		{
			Name: "rate_writes", Variables: []string{"OBSIDIAN_MCP_RATE_WRITES"},
			Default: "120, on loopback 0", deferred: true, HTTPOnly: true,
			About: "of these, calls that change notes",
			set:   number(func(c *Config) *int { return &c.HTTP.Limits.Writes }),
		},
		{
			Name: "failed_logins", Variables: []string{"OBSIDIAN_MCP_FAILED_LOGINS"},
			Default: "5", HTTPOnly: true,
			About: "a minute, from one address; then it waits. 0: any number",
			set:   number(func(c *Config) *int { return &c.HTTP.Limits.FailedLogins }),
		},
		{
			Name: "header_timeout", Variables: []string{"OBSIDIAN_MCP_HEADER_TIMEOUT"},
			Default: "5s", HTTPOnly: true,
			About: "for the headers of a request to arrive",
			set:   duration(func(c *Config) *time.Duration { return &c.HTTP.Limits.HeaderTimeout }),
		},
		{
			Name: "read_timeout", Variables: []string{"OBSIDIAN_MCP_READ_TIMEOUT"},
			Default: "30s", HTTPOnly: true,
			About: "for a whole request to arrive; its body has `header_timeout`, and a second more for each KB that came",
			set:   duration(func(c *Config) *time.Duration { return &c.HTTP.Limits.ReadTimeout }),
		},
		{
			Name: "idle_timeout", Variables: []string{"OBSIDIAN_MCP_IDLE_TIMEOUT"},
			Default: "60s", HTTPOnly: true,
			About: "after which an unused connection is closed",
			set:   duration(func(c *Config) *time.Duration { return &c.HTTP.Limits.IdleTimeout }),
		},
		{
			Name: "write_timeout", Variables: []string{"OBSIDIAN_MCP_WRITE_TIMEOUT"},
			Default: "10s", HTTPOnly: true,
			About: "for a client to take one event of a stream",
			set:   duration(func(c *Config) *time.Duration { return &c.HTTP.Limits.WriteTimeout }),
		},
	}
}

// users reads the users who have all rights. Those of the config file, who may
// have fewer, are read there.
func users(c *Config, value string) error {
	for _, name := range split(value) {
		c.HTTP.OAuth.Users = append(c.HTTP.OAuth.Users, User{Subject: name})
	}
	return nil
}
