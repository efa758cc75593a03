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
	TokenGiven     bool   // a token was given, even if it is empty
	OAuth          OAuth
	Metrics        bool
	Page           bool
	Limits         Limits

	Tokens []Token // from the config file
}

// OAuth says whose access tokens are accepted.
type OAuth struct {
	Issuer   string
	Audience string // "" for the public URL's /mcp
	Scopes   bool   // whether the scopes of a token are checked
	Users    []User
}

// Limits are the limits of serving over HTTP. 0 means no limit.
type Limits struct {
	Body          int
	Header        int
	Connections   int
	PerAddress    int
	Sessions      int
	SessionIdle   time.Duration
	InFlight      int
	PerSession    int
	Calls         int // per minute and client; Automatic if it depends on where the server listens
	Writes        int
	WriteBytes    int // per minute and client; Automatic likewise
	FailedLogins  int
	HeaderTimeout time.Duration
	ReadTimeout   time.Duration
	IdleTimeout   time.Duration
	WriteTimeout  time.Duration
}

// Automatic is the value of a limit that depends on where the server listens.
const Automatic = -1

// In fills in the limits that depend on where the server listens. On loopback, clients are trusted not to call too
// often, and all have the same address, including those behind a proxy on the same machine.
func (l Limits) In(loopback bool) Limits {
	for _, row := range []struct {
		limit               *int
		onLoopback, outside int
	}{{&l.Calls, 0, 600}, {&l.Writes, 0, 120}, {&l.WriteBytes, 0, 32 << 20}, {&l.PerAddress, l.Connections, 32}} {
		switch {
		case *row.limit == Automatic && loopback:
			*row.limit = row.onLoopback
		case *row.limit == Automatic:
			*row.limit = row.outside
		}
	}
	return l
}

// httpSettings lists the settings of serving over HTTP.
func httpSettings() []Setting {
	return []Setting{
		{
			Name: "host", Variables: []string{"HOST"},
			Default: "127.0.0.1", Generic: true, HTTPOnly: true,
			About: "address that `http` listens on; any but loopback needs a token, OAuth or `insecure_no_auth`",
			set:   text(func(c *Config) *string { return &c.HTTP.Host }),
		},
		{
			Name: "port", Variables: []string{"PORT"},
			Default: "1065", Generic: true, HTTPOnly: true,
			About: "port that `http` listens on",
			set:   port(func(c *Config) *int { return &c.HTTP.Port }),
		},
		{
			Name: "token", Variables: []string{"OBSIDIAN_MCP_TOKEN"},
			Secret: true, ForURL: true, HTTPOnly: true,
			About: "bearer token for `http` with all rights; several are separated by commas. " +
				"Tokens with limits go into `tokens` in the config file",
			set:   secret(func(c *Config) *Secret { return &c.HTTP.Token }),
			given: func(c *Config) *bool { return &c.HTTP.TokenGiven },
		},
		{
			Name: "allowed_hosts", Variables: []string{"OBSIDIAN_MCP_ALLOWED_HOSTS"},
			HTTPOnly: true,
			About: "host names that clients and proxies use, besides the loopback names and `host`; " +
				"`*.example.ts.net` covers all names below",
			set: list(func(c *Config) *[]string { return &c.HTTP.AllowedHosts }),
		},
		{
			Name: "allowed_origins", Variables: []string{"OBSIDIAN_MCP_ALLOWED_ORIGINS"},
			HTTPOnly: true,
			About:    "origins of web pages that may call, such as `https://claude.ai`",
			set:      list(func(c *Config) *[]string { return &c.HTTP.AllowedOrigins }),
		},
		{
			Name: "trusted_proxies", Variables: []string{"OBSIDIAN_MCP_TRUSTED_PROXIES"},
			HTTPOnly: true,
			About:    "addresses or networks of proxies whose `X-Forwarded-For` is trusted",
			set:      list(func(c *Config) *[]string { return &c.HTTP.TrustedProxies }),
		},
		{
			Name: "insecure_no_auth", Variables: []string{"OBSIDIAN_MCP_INSECURE_NO_AUTH"},
			Default: "false", Switch: true, Kind: KindBool, HTTPOnly: true,
			About: "listen beyond loopback without any login, because the network itself keeps others out",
			set:   truth(func(c *Config) *bool { return &c.HTTP.InsecureNoAuth }),
		},
		{
			Name: "public_url", Variables: []string{"OBSIDIAN_MCP_PUBLIC_URL"},
			HTTPOnly: true,
			About:    "URL at which clients reach the server, such as `https://notes.example.com`; needed for OAuth",
			set:      checked(checkAddress, func(c *Config) *string { return &c.HTTP.PublicURL }),
		},
		{
			Name: "oauth_issuer", Variables: []string{"OBSIDIAN_MCP_OAUTH_ISSUER"},
			HTTPOnly: true,
			About:    "OAuth authorization server whose access tokens are accepted",
			set:      text(func(c *Config) *string { return &c.HTTP.OAuth.Issuer }),
		},
		{
			Name: "oauth_audience", Variables: []string{"OBSIDIAN_MCP_OAUTH_AUDIENCE"},
			Default: "`public_url` + /mcp", deferred: true, HTTPOnly: true,
			About: "audience that access tokens must have",
			set:   text(func(c *Config) *string { return &c.HTTP.OAuth.Audience }),
		},
		{
			Name: "oauth_users", Variables: []string{"OBSIDIAN_MCP_OAUTH_USERS"},
			HTTPOnly: true,
			About: "users whose access tokens are accepted: subjects or verified e-mail addresses; " +
				"`*`: all users of the issuer",
			set:      users,
			fromFile: func(f *fileSettings, node *yaml.Node) (err error) { f.users, err = parseUsers(node); return err },
		},
		{
			Name: "oauth_scopes", Variables: []string{"OBSIDIAN_MCP_OAUTH_SCOPES"},
			Default: "on", Kind: KindBool, HTTPOnly: true,
			About: "require the scope `notes:read`, or `notes:write` to write, in access tokens",
			set:   truth(func(c *Config) *bool { return &c.HTTP.OAuth.Scopes }),
		},
		{
			Name: "metrics", Variables: []string{"OBSIDIAN_MCP_METRICS"},
			Default: "false", Switch: true, Kind: KindBool, HTTPOnly: true,
			About: "serve `/metrics` for Prometheus to callers with all rights",
			set:   truth(func(c *Config) *bool { return &c.HTTP.Metrics }),
		},
		{
			Name: "page", Variables: []string{"OBSIDIAN_MCP_PAGE"},
			Default: "on", Kind: KindBool, HTTPOnly: true,
			About: "serve the web page at `/`, with the same login as the API",
			set:   truth(func(c *Config) *bool { return &c.HTTP.Page }),
		},
		{
			Name: "max_body", Variables: []string{"OBSIDIAN_MCP_MAX_BODY"},
			Default: "4194304", HTTPOnly: true,
			About: "maximum bytes of a request",
			set:   positive(func(c *Config) *int { return &c.HTTP.Limits.Body }),
		},
		{
			Name: "max_header", Variables: []string{"OBSIDIAN_MCP_MAX_HEADER"},
			Default: "16384", HTTPOnly: true,
			About: "maximum bytes of a request's headers",
			set:   positive(func(c *Config) *int { return &c.HTTP.Limits.Header }),
		},
		{
			Name: "max_connections", Variables: []string{"OBSIDIAN_MCP_MAX_CONNECTIONS"},
			Default: "256", HTTPOnly: true,
			About: "maximum open connections",
			set:   positive(func(c *Config) *int { return &c.HTTP.Limits.Connections }),
		},
		{
			Name: "max_connections_per_address", Variables: []string{"OBSIDIAN_MCP_MAX_CONNECTIONS_PER_ADDRESS"},
			Default: "32, on loopback `max_connections`", deferred: true, HTTPOnly: true,
			About: "maximum open connections from one address",
			set:   positive(func(c *Config) *int { return &c.HTTP.Limits.PerAddress }),
		},
		{
			Name: "max_sessions", Variables: []string{"OBSIDIAN_MCP_MAX_SESSIONS"},
			Default: "1000", HTTPOnly: true,
			About: "maximum open sessions, 0: no limit; the longest idle session is closed for a new one",
			set:   number(func(c *Config) *int { return &c.HTTP.Limits.Sessions }),
		},
		{
			Name: "session_idle", Variables: []string{"OBSIDIAN_MCP_SESSION_IDLE"},
			Default: "10m", HTTPOnly: true,
			About: "time after which an unused session ends",
			set:   duration(func(c *Config) *time.Duration { return &c.HTTP.Limits.SessionIdle }),
		},
		{
			Name: "max_in_flight", Variables: []string{"OBSIDIAN_MCP_MAX_IN_FLIGHT"},
			Default: "64", HTTPOnly: true,
			About: "maximum calls in progress; 0: no limit",
			set:   number(func(c *Config) *int { return &c.HTTP.Limits.InFlight }),
		},
		{
			Name: "max_in_flight_per_session", Variables: []string{"OBSIDIAN_MCP_MAX_IN_FLIGHT_PER_SESSION"},
			Default: "8", HTTPOnly: true,
			About: "maximum calls in progress for one session",
			set:   number(func(c *Config) *int { return &c.HTTP.Limits.PerSession }),
		},
		{
			Name: "rate_calls", Variables: []string{"OBSIDIAN_MCP_RATE_CALLS"},
			Default: "600, on loopback 0", deferred: true, HTTPOnly: true,
			About: "maximum calls per minute of one client; 0: no limit",
			set:   number(func(c *Config) *int { return &c.HTTP.Limits.Calls }),
		},
		{
			Name: "rate_writes", Variables: []string{"OBSIDIAN_MCP_RATE_WRITES"},
			Default: "120, on loopback 0", deferred: true, HTTPOnly: true,
			About: "maximum calls per minute of one client that change notes; 0: no limit",
			set:   number(func(c *Config) *int { return &c.HTTP.Limits.Writes }),
		},
		{
			Name: "rate_write_bytes", Variables: []string{"OBSIDIAN_MCP_RATE_WRITE_BYTES"},
			Default: "33554432, on loopback 0", deferred: true, HTTPOnly: true,
			About: "maximum bytes per minute that one client sends in calls that change notes or files; 0: no limit",
			set:   number(func(c *Config) *int { return &c.HTTP.Limits.WriteBytes }),
		},
		{
			Name: "failed_logins", Variables: []string{"OBSIDIAN_MCP_FAILED_LOGINS"},
			Default: "5", HTTPOnly: true,
			About: "failed logins per minute after which an address has to wait; 0: no limit",
			set:   number(func(c *Config) *int { return &c.HTTP.Limits.FailedLogins }),
		},
		{
			Name: "header_timeout", Variables: []string{"OBSIDIAN_MCP_HEADER_TIMEOUT"},
			Default: "5s", HTTPOnly: true,
			About: "time for the headers of a request to arrive",
			set:   duration(func(c *Config) *time.Duration { return &c.HTTP.Limits.HeaderTimeout }),
		},
		{
			Name: "read_timeout", Variables: []string{"OBSIDIAN_MCP_READ_TIMEOUT"},
			Default: "30s", HTTPOnly: true,
			About: "time for a whole request to arrive; its body has `header_timeout`, plus a second for each KB received",
			set:   duration(func(c *Config) *time.Duration { return &c.HTTP.Limits.ReadTimeout }),
		},
		{
			Name: "idle_timeout", Variables: []string{"OBSIDIAN_MCP_IDLE_TIMEOUT"},
			Default: "60s", HTTPOnly: true,
			About: "time after which an unused connection is closed",
			set:   duration(func(c *Config) *time.Duration { return &c.HTTP.Limits.IdleTimeout }),
		},
		{
			Name: "write_timeout", Variables: []string{"OBSIDIAN_MCP_WRITE_TIMEOUT"},
			Default: "10s", HTTPOnly: true,
			About: "time for a client to receive one event of a stream",
			set:   duration(func(c *Config) *time.Duration { return &c.HTTP.Limits.WriteTimeout }),
		},
	}
}

// users sets users with all rights. parseUsers reads those of the config file, which may
// have fewer.
func users(c *Config, value string) error {
	for _, name := range split(value) {
		c.HTTP.OAuth.Users = append(c.HTTP.OAuth.Users, User{Subject: name})
	}
	return nil
}
