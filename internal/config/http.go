package config

import (
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"
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

// Secret is a text that shows itself to nobody by accident.
type Secret string

// Reveal is the secret itself.
func (s Secret) Reveal() string { return string(s) }

// String hides the secret.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return "[redacted]"
}

// GoString hides the secret.
func (s Secret) GoString() string { return s.String() }

// LogValue hides the secret.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// httpSettings lists the rows of serving over HTTP.
func httpSettings() []Setting {
	return []Setting{
		{Name: "host", Variables: []string{"HOST"}, Default: "127.0.0.1", About: "the address that `http` listens on; any other than loopback needs a token, OAuth or `insecure_no_auth`", set: text(func(c *Config) *string { return &c.HTTP.Host })},
		{Name: "port", Variables: []string{"PORT"}, Default: "1065", About: "the port that `http` listens on", set: port(func(c *Config) *int { return &c.HTTP.Port })},
		{Name: "token", Variables: []string{"OBSIDIAN_MCP_TOKEN"}, About: "bearer token for `http`, without limits; several are separated by commas. The config file's `tokens` have limits", set: secret(func(c *Config) *Secret { return &c.HTTP.Token })},
		{Name: "allowed_hosts", Variables: []string{"OBSIDIAN_MCP_ALLOWED_HOSTS"}, About: "names by which clients and proxies reach the server, beside the loopback names and `host`; `*.example.ts.net` for all below", set: list(func(c *Config) *[]string { return &c.HTTP.AllowedHosts })},
		{Name: "allowed_origins", Variables: []string{"OBSIDIAN_MCP_ALLOWED_ORIGINS"}, About: "web pages that may call, such as `https://claude.ai`", set: list(func(c *Config) *[]string { return &c.HTTP.AllowedOrigins })},
		{Name: "trusted_proxies", Variables: []string{"OBSIDIAN_MCP_TRUSTED_PROXIES"}, About: "addresses or networks of proxies whose `X-Forwarded-For` counts", set: list(func(c *Config) *[]string { return &c.HTTP.TrustedProxies })},
		{Name: "insecure_no_auth", Variables: []string{"OBSIDIAN_MCP_INSECURE_NO_AUTH"}, Default: "false", Switch: true, About: "listen beyond loopback without any login: the network is the guard", set: truth(func(c *Config) *bool { return &c.HTTP.InsecureNoAuth })},
		{Name: "public_url", Variables: []string{"OBSIDIAN_MCP_PUBLIC_URL"}, About: "where clients reach the server, such as `https://notes.example.com`; OAuth needs it", set: checked(checkAddress, func(c *Config) *string { return &c.HTTP.PublicURL })},
		{Name: "oauth_issuer", Variables: []string{"OBSIDIAN_MCP_OAUTH_ISSUER"}, About: "the OAuth authorization server whose access tokens count", set: text(func(c *Config) *string { return &c.HTTP.OAuth.Issuer })},
		{Name: "oauth_audience", Variables: []string{"OBSIDIAN_MCP_OAUTH_AUDIENCE"}, Default: "`public_url` + /mcp", About: "what access tokens must be made for", set: text(func(c *Config) *string { return &c.HTTP.OAuth.Audience })},
		{Name: "oauth_users", Variables: []string{"OBSIDIAN_MCP_OAUTH_USERS"}, About: "who may come in with an access token: subjects or verified e-mail addresses; `*`: everyone to whom the issuer gives one", set: users},
		{Name: "oauth_scopes", Variables: []string{"OBSIDIAN_MCP_OAUTH_SCOPES"}, Default: "on", About: "access tokens need the scope `notes:read`, or `notes:write` to write; `off`: scopes are not looked at", set: truth(func(c *Config) *bool { return &c.HTTP.OAuth.Scopes })},
		{Name: "metrics", Variables: []string{"OBSIDIAN_MCP_METRICS"}, Default: "false", Switch: true, About: "serve `/metrics` for Prometheus, to callers without limits", set: truth(func(c *Config) *bool { return &c.HTTP.Metrics })},
		{Name: "page", Variables: []string{"OBSIDIAN_MCP_PAGE"}, Default: "on", About: "the page for people at `/`, with the same login as the API; `off`: there is none", set: truth(func(c *Config) *bool { return &c.HTTP.Page })},
		{Name: "max_body", Variables: []string{"OBSIDIAN_MCP_MAX_BODY"}, Default: "4194304", About: "bytes of one request", set: positive(func(c *Config) *int { return &c.HTTP.Limits.Body })},
		{Name: "max_header", Variables: []string{"OBSIDIAN_MCP_MAX_HEADER"}, Default: "16384", About: "bytes of a request's headers", set: positive(func(c *Config) *int { return &c.HTTP.Limits.Header })},
		{Name: "max_connections", Variables: []string{"OBSIDIAN_MCP_MAX_CONNECTIONS"}, Default: "256", About: "connections at a time", set: positive(func(c *Config) *int { return &c.HTTP.Limits.Connections })},
		{Name: "max_connections_per_address", Variables: []string{"OBSIDIAN_MCP_MAX_CONNECTIONS_PER_ADDRESS"}, Default: "32, on loopback `max_connections`", About: "of these, from one address", set: positive(func(c *Config) *int { return &c.HTTP.Limits.PerAddress })},
		{Name: "max_sessions", Variables: []string{"OBSIDIAN_MCP_MAX_SESSIONS"}, Default: "1000", About: "sessions at a time, 0: any number; the longest idle one gives way", set: number(func(c *Config) *int { return &c.HTTP.Limits.Sessions })},
		{Name: "session_idle", Variables: []string{"OBSIDIAN_MCP_SESSION_IDLE"}, Default: "10m", About: "after which an unused session ends", set: duration(func(c *Config) *time.Duration { return &c.HTTP.Limits.SessionIdle })},
		{Name: "max_in_flight", Variables: []string{"OBSIDIAN_MCP_MAX_IN_FLIGHT"}, Default: "64", About: "calls that are worked on at a time; 0: any number", set: number(func(c *Config) *int { return &c.HTTP.Limits.InFlight })},
		{Name: "max_in_flight_per_session", Variables: []string{"OBSIDIAN_MCP_MAX_IN_FLIGHT_PER_SESSION"}, Default: "8", About: "of these, for one session", set: number(func(c *Config) *int { return &c.HTTP.Limits.PerSession })},
		{Name: "rate_calls", Variables: []string{"OBSIDIAN_MCP_RATE_CALLS"}, Default: "600, on loopback 0", About: "calls a minute of one client; 0: any number", set: number(func(c *Config) *int { return &c.HTTP.Limits.Calls })},
		{Name: "rate_writes", Variables: []string{"OBSIDIAN_MCP_RATE_WRITES"}, Default: "120, on loopback 0", About: "of these, calls that change notes", set: number(func(c *Config) *int { return &c.HTTP.Limits.Writes })},
		{Name: "failed_logins", Variables: []string{"OBSIDIAN_MCP_FAILED_LOGINS"}, Default: "5", About: "a minute, from one address; then it waits. 0: any number", set: number(func(c *Config) *int { return &c.HTTP.Limits.FailedLogins })},
		{Name: "header_timeout", Variables: []string{"OBSIDIAN_MCP_HEADER_TIMEOUT"}, Default: "5s", About: "for the headers of a request to arrive", set: duration(func(c *Config) *time.Duration { return &c.HTTP.Limits.HeaderTimeout })},
		{Name: "read_timeout", Variables: []string{"OBSIDIAN_MCP_READ_TIMEOUT"}, Default: "30s", About: "for a whole request to arrive; its body has `header_timeout`, and a second more for each KB that came", set: duration(func(c *Config) *time.Duration { return &c.HTTP.Limits.ReadTimeout })},
		{Name: "idle_timeout", Variables: []string{"OBSIDIAN_MCP_IDLE_TIMEOUT"}, Default: "60s", About: "after which an unused connection is closed", set: duration(func(c *Config) *time.Duration { return &c.HTTP.Limits.IdleTimeout })},
		{Name: "write_timeout", Variables: []string{"OBSIDIAN_MCP_WRITE_TIMEOUT"}, Default: "10s", About: "for a client to take one event of a stream", set: duration(func(c *Config) *time.Duration { return &c.HTTP.Limits.WriteTimeout })},
	}
}

func port(field func(*Config) *int) func(*Config, string) error {
	return func(c *Config, value string) error {
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 || n > 65535 {
			return fmt.Errorf("must be a port from 0 to 65535")
		}
		*field(c) = n
		return nil
	}
}

func positive(field func(*Config) *int) func(*Config, string) error {
	return func(c *Config, value string) error {
		if err := number(field)(c, value); err != nil || *field(c) == 0 {
			return fmt.Errorf("must be a whole number from 1")
		}
		return nil
	}
}

func secret(field func(*Config) *Secret) func(*Config, string) error {
	return func(c *Config, value string) error { *field(c) = Secret(value); return nil }
}

func list(field func(*Config) *[]string) func(*Config, string) error {
	return func(c *Config, value string) error {
		*field(c) = split(value)
		return nil
	}
}

// split reads a list with commas.
func split(value string) []string {
	var items []string
	for _, item := range strings.Split(value, ",") {
		if item = strings.TrimSpace(item); item != "" {
			items = append(items, item)
		}
	}
	return items
}

// users reads the users who have all rights. Those of the config file, who may
// have fewer, are read there.
func users(c *Config, value string) error {
	for _, name := range split(value) {
		c.HTTP.OAuth.Users = append(c.HTTP.OAuth.Users, User{Subject: name})
	}
	return nil
}
