package app

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"obsidian-mcp/internal/access/auth"
	"obsidian-mcp/internal/access/door"
	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/surface/web"
	"obsidian-mcp/internal/text/amount"
	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/vault/call"
)

// page answers the web page's questions to the server.
type page struct {
	service  *service
	roles    *roles
	settings config.Config
	started  time.Time
}

func newPage(s *service, roles *roles, settings config.Config, log *slog.Logger) *web.Page {
	p := &page{service: s, roles: roles, settings: settings, started: time.Now()}
	database, name := settings.LiveSync, ""
	if s.app.store.folder != "" {
		name = filepath.Base(s.app.store.folder)
	}
	return web.New(web.Options{
		Base: publicPath(settings.HTTP), Secure: p.overTLS, Guard: s.guard, Log: log,
		Server: web.Server{
			Tools: p.tools, Enter: s.mcp.Enter, Observe: s.observe, Status: p.status, File: p.file,
			Connections: p.connections, Access: p.access, TestLiveSync: p.testLiveSync,
			NoHistory: settings.History.Mode == config.HistoryOff, CallTimeout: settings.CallTimeout,
			Vault: name, Database: web.Database{URL: database.URL, Name: database.Database, User: database.User},
		},
	})
}

// overTLS reports whether a browser came by TLS as far as this server can know: a proxy says so, or the browser used
// the host name of an https public URL. With another name it may have come directly.
func (p *page) overTLS(r *http.Request) bool {
	public, err := url.Parse(p.settings.HTTP.PublicURL)
	named := &url.URL{Host: r.Host}
	isPublic := err == nil && public.Scheme == "https" && strings.EqualFold(public.Hostname(), named.Hostname())
	return isPublic || door.Scheme(r) == "https"
}

func (p *page) tools(who *auth.Principal) (*tool.Registry, error) {
	role, err := p.roles.of(who)
	if err != nil {
		return nil, err
	}
	return role.offer.tools, nil
}

// status counts what the caller may see; callers without limits also get the state of the server.
func (p *page) status(ctx context.Context, who *auth.Principal) web.Status {
	now := web.Status{
		Vault: p.service.app.options.VaultID, ReadOnly: p.settings.ReadOnly || who.Grant.ReadOnly,
		Seen: int(p.service.app.vault.Seen()),
	}
	role, err := p.roles.of(who)
	if err != nil {
		now.Problem = err.Error()
		return now
	}
	if snapshot := role.offer.view.Ready(); snapshot != nil {
		now.Ready, now.Files, now.Tags = true, snapshot.Len(), len(snapshot.Tags())
		now.Notes = len(snapshot.Names())
	}
	if !who.Grant.Scope.All() {
		now.Seen = 0 // do not reveal how many files are closed to the caller
	}
	if !p.service.reachable(ctx) {
		now.Problem = "the vault cannot be reached; obsidian-mcp doctor says why"
	}
	if who.Grant.Unlimited() {
		now.Changed, now.Whole = p.service.app.vault.LastChange(), p.serverStatus(ctx)
	}
	return now
}

// serverStatus is the state of the server, which is the same for all callers who may see it.
func (p *page) serverStatus(ctx context.Context) *web.Whole {
	now := &web.Whole{
		Version: moduleVersion(), Started: p.started, Store: p.service.app.store.kind, Place: p.service.app.store.location,
		Sessions: p.service.mcp.Sessions(), InFlight: p.service.mcp.InFlight(), Minutes: p.service.pulse.Last(),
		Sync: p.service.app.lastSync(),
	}
	if about, leaves := aboutMeaning(p.settings.Semantic); about != "" {
		now.Meaning = &web.Meaning{Model: about, Leaves: leaves}
		if err := p.service.app.vault.MeaningFailure(); err != nil {
			now.Meaning.Problem = err.Error()
		}
	}
	if p.settings.History.Mode == config.HistoryOff {
		return now
	}
	if state, err := p.service.app.vault.HistoryState(ctx); err == nil {
		now.History = "no changes yet"
		if state.Changes > 0 {
			now.History = fmt.Sprintf("%s in %s KB", amount.Of(state.Changes, "change"), amount.Number(int(state.Bytes/1000)))
		}
	}
	return now
}

// file reads an attachment for callers who may read files.
func (p *page) file(ctx context.Context, who *auth.Principal, path string) ([]byte, error) {
	role, err := p.roles.of(who)
	if err != nil {
		return nil, err
	}
	if !role.offer.readsFiles() {
		return nil, fault.PermissionDenied.Errorf("this login may not read files")
	}
	ctx = call.WithCaller(ctx, call.Caller{Client: "web page", Token: who.Name})
	content, err := role.offer.files.Read(ctx, role.offer.files.URI(path))
	if err != nil {
		return nil, err
	}
	if content.Blob == nil {
		return []byte(content.Text), nil
	}
	return content.Blob, nil
}

// access lists the tokens and users that may log in.
func (p *page) access() []web.Access {
	var all []web.Access
	add := func(name, from string, expires time.Time, grant config.Grant) {
		all = append(all, web.Access{
			Name: name, From: from, Expires: expires, ReadOnly: grant.ReadOnly || p.settings.ReadOnly,
			Allow: grant.Allow, Deny: grant.Deny, Toolsets: grant.Toolsets,
		})
	}
	for range p.settings.HTTP.PlainTokens() {
		add(tokenName(len(all)), "OBSIDIAN_MCP_TOKEN", time.Time{}, config.Grant{})
	}
	for _, token := range p.settings.HTTP.Tokens {
		add(token.Name, "tokens", token.Expires, token.Grant)
	}
	for _, user := range p.settings.HTTP.OAuth.Users {
		add(user.Subject, "oauth_users", time.Time{}, user.Grant)
	}
	return all
}
