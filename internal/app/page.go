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

// page answers what the page asks of the server.
type page struct {
	*service
	roles    *roles
	settings config.Config
	started  time.Time
	folder   string // the vault's, found once: its drive may be gone by the time somebody asks; "" of a database
}

func newPage(s *service, roles *roles, settings config.Config, log *slog.Logger) *web.Page {
	p := &page{service: s, roles: roles, settings: settings, started: time.Now()}
	if dir, err := vaultFolder(settings); err == nil && !settings.LiveSync.Configured() {
		p.folder = realFolder(dir)
	}
	served, name := settings.LiveSync, ""
	if p.folder != "" {
		name = filepath.Base(p.folder)
	}
	return web.New(web.Options{
		Base: publicPath(settings.HTTP), Secure: p.overTLS, Guard: s.guard, Log: log,
		Server: web.Server{
			Tools: p.tools, Enter: s.mcp.Enter, Observe: s.observe, Status: p.status, File: p.file, Connections: p.connections, Access: p.access,
			TestLiveSync: p.testLiveSync, NoHistory: settings.History.Mode == config.HistoryOff, Vault: name, Database: web.Database{URL: served.URL, Name: served.Database, User: served.User}, CallTimeout: settings.CallTimeout,
		},
	})
}

// overTLS reports whether a browser came by TLS, as far as is known: up to a
// proxy that says so, or by the name for which that is so. By other names it may
// have come directly.
func (p *page) overTLS(r *http.Request) bool {
	public, err := url.Parse(p.settings.HTTP.PublicURL)
	named := &url.URL{Host: r.Host}
	return door.Scheme(r) == "https" || err == nil && public.Scheme == "https" && strings.EqualFold(public.Hostname(), named.Hostname())
}

func (p *page) tools(who *auth.Principal) (*tool.Registry, error) {
	one, err := p.roles.of(who)
	if err != nil {
		return nil, err
	}
	return one.tools, nil
}

// status counts what the caller may see, and tells those without limits how the
// server is.
func (p *page) status(ctx context.Context, who *auth.Principal) web.Status {
	now := web.Status{Vault: p.app.options.VaultID, ReadOnly: p.settings.ReadOnly || who.Grant.ReadOnly, Seen: int(p.app.vault.Seen())}
	one, err := p.roles.of(who)
	if err != nil {
		now.Problem = err.Error()
		return now
	}
	if snapshot := one.view.Ready(); snapshot != nil {
		now.Ready, now.Files, now.Tags = true, snapshot.Len(), len(snapshot.Tags())
		now.Notes = len(snapshot.Names())
	}
	if !who.Grant.Scope.All() {
		now.Seen = 0 // how much there is beside what is open is nobody's business
	}
	if !p.reachable(ctx) {
		now.Problem = "the vault cannot be reached; obsidian-mcp doctor says why"
	}
	if who.Grant.Unlimited() {
		now.Changed, now.Whole = p.app.vault.LastChange(), p.whole(ctx)
	}
	return now
}

func (p *page) whole(ctx context.Context) *web.Whole {
	now := &web.Whole{
		Version: moduleVersion(), Started: p.started, Store: "folder", Place: p.folder,
		Sessions: p.mcp.Sessions(), InFlight: p.mcp.InFlight(), Minutes: p.pulse.Last(),
	}
	if p.settings.LiveSync.Configured() {
		now.Store, now.Place = "LiveSync", p.settings.LiveSync.URL+" ("+p.settings.LiveSync.Database+")"
	}
	if p.settings.History.Mode == config.HistoryOff {
		return now
	}
	if state, err := p.app.vault.HistoryState(ctx); err == nil {
		now.History = "no changes yet"
		if state.Changes > 0 {
			now.History = fmt.Sprintf("%s in %s KB", amount.Of(state.Changes, "change"), amount.Number(int(state.Bytes/1000)))
		}
	}
	return now
}

// file reads an attachment for who may read files.
func (p *page) file(ctx context.Context, who *auth.Principal, path string) ([]byte, error) {
	one, err := p.roles.of(who)
	if err != nil {
		return nil, err
	}
	if !one.readsFiles() {
		return nil, fault.PermissionDenied.Errorf("this login may not read files")
	}
	ctx = call.WithCaller(ctx, call.Caller{Client: "web page", Token: who.Name})
	content, err := one.files.Read(ctx, one.files.URI(path))
	if err != nil {
		return nil, err
	}
	if content.Blob == nil {
		return []byte(content.Text), nil
	}
	return content.Blob, nil
}

// access lists who may come in.
func (p *page) access() []web.Access {
	var all []web.Access
	add := func(name, from string, expires time.Time, given config.Grant) {
		all = append(all, web.Access{Name: name, From: from, ReadOnly: given.ReadOnly || p.settings.ReadOnly, Allow: given.Allow, Deny: given.Deny, Toolsets: given.Toolsets, Expires: expires})
	}
	for range givenTokens(p.settings.HTTP) {
		add(tokenName(len(all)), "OBSIDIAN_MCP_TOKEN", time.Time{}, config.Grant{})
	}
	for _, one := range p.settings.HTTP.Tokens {
		add(one.Name, "tokens", one.Expires, one.Grant)
	}
	for _, one := range p.settings.HTTP.OAuth.Users {
		add(one.Subject, "oauth_users", time.Time{}, one.Grant)
	}
	return all
}
