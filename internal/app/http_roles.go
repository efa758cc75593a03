package app

import (
	"context"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"obsidian-mcp/internal/access/auth"
	"obsidian-mcp/internal/access/scope"
	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/surface/mcp"
	"obsidian-mcp/internal/surface/mcp/transport"
	"obsidian-mcp/internal/tool"
)

// roles are what is served to callers: those with the same rights share one,
// with its own view of the vault and its own tools.
type roles struct {
	app      *app
	settings config.Config
	observe  func(tool, kind string, took time.Duration)
	log      *slog.Logger

	mu    sync.Mutex // guards known
	known map[string]*role
}

// role is what callers with the same rights have.
type role struct {
	offer
	server *mcp.Server
}

func newRoles(a *app, settings config.Config, observe func(tool, kind string, took time.Duration), log *slog.Logger) *roles {
	return &roles{app: a, settings: settings, observe: observe, log: log, known: map[string]*role{}}
}

// server is the one for a caller.
func (r *roles) server(_ context.Context, who *auth.Principal) (transport.Server, error) {
	one, err := r.of(who)
	if err != nil {
		return nil, err
	}
	return one.server, nil
}

// of is the role of a caller.
func (r *roles) of(who *auth.Principal) (*role, error) {
	key := who.Grant.Key()
	r.mu.Lock()
	defer r.mu.Unlock()
	if known := r.known[key]; known != nil {
		return known, nil
	}
	to, err := r.app.offer(r.settings, who.Grant)
	if err != nil {
		return nil, err
	}
	options := r.app.serverOptions(r.settings, to, r.log)
	options.Observe = r.observe
	made := &role{to, mcp.New(options)}
	r.known[key] = made
	return made, nil
}

// tokens are the bearer tokens of the settings.
func tokens(settings config.Config, log *slog.Logger) ([]auth.Token, error) {
	var all []auth.Token
	for i, one := range settings.HTTP.PlainTokens() {
		digest, err := auth.HashToken(one)
		if err != nil {
			return nil, blameToken(settings, err)
		}
		if auth.IsWeak(one) {
			log.Warn("OBSIDIAN_MCP_TOKEN is short, and might be guessed; obsidian-mcp token new makes a better one")
		}
		all = append(all, auth.Token{Name: tokenName(i), SHA256: digest})
	}
	for _, one := range settings.HTTP.Tokens {
		digest, err := auth.ParseHash(one.SHA256)
		if err != nil {
			return nil, fault.InvalidArgument.Errorf("token '%s': %w", one.Name, err).WithHint("%s", fault.HintOf(err))
		}
		granted, err := grant(one.Grant, settings)
		if err != nil {
			return nil, fault.InvalidArgument.Errorf("token '%s': %w", one.Name, err).WithHint("%s", fault.HintOf(err))
		}
		all = append(all, auth.Token{Name: one.Name, SHA256: digest, Expires: one.Expires, Grant: granted})
	}
	return all, nil
}

// blameToken says where a token was given that none can be.
func blameToken(settings config.Config, err error) error {
	from, hint := settings.From("token"), fault.HintOf(err)
	if strings.HasSuffix(from, "_FILE") {
		hint = "the file must hold the token alone (omcp_…), without the rest of what obsidian-mcp token new prints"
	}
	return fault.InvalidArgument.Errorf("%s: %w", from, err).WithHint("%s", hint)
}

// tokenName is what such a token is called.
func tokenName(i int) string {
	if i == 0 {
		return "OBSIDIAN_MCP_TOKEN"
	}
	return "OBSIDIAN_MCP_TOKEN " + strconv.Itoa(i+1)
}

// grant is what somebody may do. It must leave something to be done.
func grant(given config.Grant, settings config.Config) (auth.Grant, error) {
	if err := checkRules(given, settings); err != nil {
		return auth.Grant{}, err
	}
	open, err := scope.New(given.Allow, given.Deny)
	if err != nil {
		return auth.Grant{}, err
	}
	made := auth.Grant{ReadOnly: given.ReadOnly, Scope: open, Toolsets: slices.Clone(given.Toolsets)}
	if len(given.Toolsets) > 0 {
		if _, err := Tools().Toolsets(strings.Join(given.Toolsets, ",")); err != nil {
			return auth.Grant{}, err
		}
	}
	_, err = offered(Tools(), settings, made)
	return made, err
}

// oauth is whose access tokens count; nil if no issuer is set.
func oauth(settings config.Config) (*auth.OAuth, error) {
	given, public := settings.HTTP.OAuth, settings.HTTP.PublicURL
	if given.Issuer == "" {
		if len(given.Users) > 0 || given.Audience != "" {
			return nil, fault.InvalidArgument.Errorf("OAuth users or an audience are set, but OBSIDIAN_MCP_OAUTH_ISSUER is not")
		}
		return nil, nil
	}
	if public == "" {
		return nil, fault.InvalidArgument.Errorf("OAuth needs OBSIDIAN_MCP_PUBLIC_URL").WithHint("set it to where clients reach the server, such as https://notes.example.com")
	}
	if len(given.Users) == 0 {
		return nil, fault.InvalidArgument.Errorf("OBSIDIAN_MCP_OAUTH_USERS not set").
			WithHint("name who may come in (subjects or e-mail addresses), or * for everyone to whom the issuer gives a token for this server")
	}
	if err := auth.CheckAddress("issuer", given.Issuer); err != nil {
		return nil, settings.Blame("oauth_issuer", err)
	}
	if err := auth.CheckAddress("resource", public); err != nil {
		return nil, settings.Blame("public_url", err)
	}
	base := strings.TrimSuffix(public, "/")
	made := &auth.OAuth{
		Issuer: given.Issuer, Resource: base + "/mcp", Audience: given.Audience, RequireScopes: given.Scopes,
		Others: []auth.Endpoint{{Paths: []string{"/sse", "/messages"}, Resource: base + "/sse"}},
	}
	for _, user := range given.Users {
		granted, err := grant(user.Grant, settings)
		if err != nil {
			return nil, fault.InvalidArgument.Errorf("oauth_users, '%s': %w", user.Subject, err).WithHint("%s", fault.HintOf(err))
		}
		one := auth.User{Subject: user.Subject, Grant: granted}
		if strings.Contains(user.Subject, "@") {
			one.Subject, one.Email = "", user.Subject
		}
		made.Users = append(made.Users, one)
	}
	return made, nil
}

// offered are the tools that a grant leaves of those that are served.
func offered(all *tool.Registry, settings config.Config, granted auth.Grant) (*tool.Registry, error) {
	served, err := usable(all, settings, granted).Toolsets(settings.Toolsets)
	if err != nil || len(granted.Toolsets) == 0 {
		return served, err
	}
	return served.Toolsets(strings.Join(granted.Toolsets, ","))
}

// usable are the tools without those that could only fail.
func usable(all *tool.Registry, settings config.Config, granted auth.Grant) *tool.Registry {
	return all.Only(func(t tool.Tool) bool {
		writes := t.Effect != tool.Reads && (settings.ReadOnly || granted.ReadOnly)
		return !writes && (t.Toolset != "history" || settings.History.Mode != config.HistoryOff)
	})
}
