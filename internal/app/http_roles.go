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

// roles hands out the role of each caller. Callers with the same rights share a role.
type roles struct {
	app      *app
	settings config.Config
	observe  func(tool, kind string, took time.Duration)
	log      *slog.Logger

	mu    sync.Mutex       // guards byKey
	byKey map[string]*role // by the key of the grant
}

// role is the offer for callers with the same rights, and the MCP server that serves it.
type role struct {
	offer  offer
	server *mcp.Server
}

func newRoles(
	a *app, settings config.Config, observe func(tool, kind string, took time.Duration), log *slog.Logger,
) *roles {
	return &roles{app: a, settings: settings, observe: observe, log: log, byKey: map[string]*role{}}
}

// server is the MCP server for a caller.
func (r *roles) server(_ context.Context, who *auth.Principal) (transport.Server, error) {
	role, err := r.of(who)
	if err != nil {
		return nil, err
	}
	return role.server, nil
}

// of is the role of a caller.
func (r *roles) of(who *auth.Principal) (*role, error) {
	key := who.Grant.Key()
	r.mu.Lock()
	defer r.mu.Unlock()
	if existing := r.byKey[key]; existing != nil {
		return existing, nil
	}
	to, err := r.app.offer(r.settings, who.Grant)
	if err != nil {
		return nil, err
	}
	options := r.app.serverOptions(r.settings, to, r.log)
	options.Observe = r.observe
	created := &role{to, mcp.New(options)}
	r.byKey[key] = created
	return created, nil
}

// tokens are the bearer tokens of the settings.
func tokens(settings config.Config, log *slog.Logger) ([]auth.Token, error) {
	var all []auth.Token
	for i, token := range settings.HTTP.PlainTokens() {
		digest, err := auth.HashToken(token)
		if err != nil {
			return nil, blameToken(settings, err)
		}
		if auth.IsWeak(token) {
			log.Warn("OBSIDIAN_MCP_TOKEN is short, and might be guessed; obsidian-mcp token new makes a better one")
		}
		all = append(all, auth.Token{Name: tokenName(i), SHA256: digest})
	}
	for _, token := range settings.HTTP.Tokens {
		digest, err := auth.ParseHash(token.SHA256)
		if err != nil {
			return nil, fault.InvalidArgument.Errorf("token '%s': %w", token.Name, err).WithHint("%s", fault.HintOf(err))
		}
		granted, err := grant(token.Grant, settings)
		if err != nil {
			return nil, fault.InvalidArgument.Errorf("token '%s': %w", token.Name, err).WithHint("%s", fault.HintOf(err))
		}
		all = append(all, auth.Token{Name: token.Name, SHA256: digest, Expires: token.Expires, Grant: granted})
	}
	return all, nil
}

// blameToken names the setting that holds an invalid token.
func blameToken(settings config.Config, err error) error {
	from, hint := settings.From("token"), fault.HintOf(err)
	if strings.HasSuffix(from, "_FILE") {
		hint = "the file must contain only the token (omcp_…), not the rest of the output of obsidian-mcp token new"
	}
	return fault.InvalidArgument.Errorf("%s: %w", from, err).WithHint("%s", hint)
}

// tokenName is the name of a token of OBSIDIAN_MCP_TOKEN, which may hold several.
func tokenName(i int) string {
	if i == 0 {
		return "OBSIDIAN_MCP_TOKEN"
	}
	return "OBSIDIAN_MCP_TOKEN " + strconv.Itoa(i+1)
}

// grant reads the grant of a token or user from the settings. It refuses a grant that leaves no tool to call.
func grant(configured config.Grant, settings config.Config) (auth.Grant, error) {
	if err := checkRules(configured, settings); err != nil {
		return auth.Grant{}, err
	}
	open, err := scope.New(configured.Allow, configured.Deny)
	if err != nil {
		return auth.Grant{}, err
	}
	granted := auth.Grant{ReadOnly: configured.ReadOnly, Scope: open, Toolsets: slices.Clone(configured.Toolsets)}
	if len(configured.Toolsets) > 0 {
		if _, err := Tools().Toolsets(strings.Join(configured.Toolsets, ",")); err != nil {
			return auth.Grant{}, err
		}
	}
	_, err = offered(Tools(), settings, granted)
	return granted, err
}

// oauth says which access tokens are accepted; nil if no issuer is set.
func oauth(settings config.Config) (*auth.OAuth, error) {
	configured, public := settings.HTTP.OAuth, settings.HTTP.PublicURL
	if configured.Issuer == "" {
		if len(configured.Users) > 0 || configured.Audience != "" {
			return nil, fault.InvalidArgument.Errorf("OAuth users or an audience are set, but OBSIDIAN_MCP_OAUTH_ISSUER is not")
		}
		return nil, nil
	}
	if public == "" {
		return nil, fault.InvalidArgument.Errorf("OAuth needs OBSIDIAN_MCP_PUBLIC_URL").
			WithHint("set it to the address that clients use, such as https://notes.example.com")
	}
	if len(configured.Users) == 0 {
		return nil, fault.InvalidArgument.Errorf("OBSIDIAN_MCP_OAUTH_USERS not set").
			WithHint("list who may log in (subjects or e-mail addresses), " +
				"or set * for everyone with a token of the issuer for this server")
	}
	if err := auth.CheckAddress("issuer", configured.Issuer); err != nil {
		return nil, settings.Blame("oauth_issuer", err)
	}
	if err := auth.CheckAddress("resource", public); err != nil {
		return nil, settings.Blame("public_url", err)
	}
	base := strings.TrimSuffix(public, "/")
	accepted := &auth.OAuth{
		Issuer: configured.Issuer, Resource: base + "/mcp", Audience: configured.Audience, RequireScopes: configured.Scopes,
		Others: []auth.Endpoint{{Paths: []string{"/sse", "/messages"}, Resource: base + "/sse"}},
	}
	for _, user := range configured.Users {
		granted, err := grant(user.Grant, settings)
		if err != nil {
			return nil, fault.InvalidArgument.Errorf("oauth_users, '%s': %w", user.Subject, err).WithHint("%s", fault.HintOf(err))
		}
		allowed := auth.User{Subject: user.Subject, Grant: granted}
		if strings.Contains(user.Subject, "@") {
			allowed.Subject, allowed.Email = "", user.Subject
		}
		accepted.Users = append(accepted.Users, allowed)
	}
	return accepted, nil
}

// offered are the tools that the settings and a grant allow.
func offered(all *tool.Registry, settings config.Config, granted auth.Grant) (*tool.Registry, error) {
	named := slices.Concat(strings.Split(settings.Toolsets, ","), granted.Toolsets)
	wanted := usable(all, settings, granted).Only(func(t tool.Tool) bool {
		return !t.OnlyNamed || settings.LiveSync.Configured() || tool.Names(named, t.Toolset)
	})
	served, err := wanted.Toolsets(settings.Toolsets)
	if err != nil || len(granted.Toolsets) == 0 {
		return served, err
	}
	return served.Toolsets(strings.Join(granted.Toolsets, ","))
}

// usable leaves out the tools that could only fail: writing tools where writing is off, history tools without history, and
// tools that need what is not configured. Callers with limits get no tool that reaches beyond the notes.
func usable(all *tool.Registry, settings config.Config, granted auth.Grant) *tool.Registry {
	return all.Only(func(t tool.Tool) bool {
		writes := t.Effect != tool.Reads && (settings.ReadOnly || granted.ReadOnly)
		lacks := t.Needs != tool.NeedsNothing && (!settings.Outside.Configures(string(t.Needs)) || !granted.Unlimited())
		return !writes && !lacks && (t.Toolset != "history" || settings.History.Mode != config.HistoryOff)
	})
}
