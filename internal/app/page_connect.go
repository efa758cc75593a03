package app

import (
	"net/http"
	"net/url"
	"strings"

	"obsidian-mcp/internal/auth"
	"obsidian-mcp/internal/cli"
	"obsidian-mcp/internal/clients"
	"obsidian-mcp/internal/door"
	"obsidian-mcp/internal/web"
)

// connections tell how each client is set up for this server: by its address
// and, to who may know where things are on this machine, as a program here.
func (p *page) connections(r *http.Request, who *auth.Principal) []web.Connection {
	remote := clients.Server{Name: "obsidian", URL: p.address(r)}
	if !p.guard.Open() {
		remote.Token = "YOUR_TOKEN"
	}
	var all []web.Connection
	for _, client := range clients.All() {
		one := web.Connection{ID: client.ID, Name: client.Name, After: client.Next, Remote: blockOf(client, remote)}
		if who.Grant.Unlimited() {
			one.Local = blockOf(client, p.program())
		}
		if one.Remote != nil || one.Local != nil {
			all = append(all, one)
		}
	}
	return all
}

func blockOf(client clients.Client, server clients.Server) *web.Block {
	block, ok := client.Block(server)
	if !ok {
		return nil
	}
	return &web.Block{Where: block.Where, Text: strings.TrimSuffix(block.Text, "\n")}
}

// address is where clients reach the server.
func (p *page) address(r *http.Request) string {
	if p.settings.HTTP.PublicURL != "" {
		return strings.TrimSuffix(p.settings.HTTP.PublicURL, "/") + "/mcp"
	}
	return (&url.URL{Scheme: door.Scheme(r), Host: r.Host, Path: "/mcp"}).String()
}

// program is how this very program is started for the same vault. Secrets are
// left to files, whose names the person fills in.
func (p *page) program() clients.Server {
	server := clients.Server{Name: "obsidian", Command: cli.Executable()}
	set := func(name, value string) { server.Env = append(server.Env, clients.Variable{Name: name, Value: value}) }
	if served := p.settings.LiveSync; served.Configured() {
		set("COUCHDB_BASE_URL", served.URL)
		set("COUCHDB_DATABASE_NAME", served.Database)
		if served.User != "" {
			set("COUCHDB_USER", served.User)
			set("COUCHDB_PASSWORD_FILE", "/path/to/password")
		}
		if served.Passphrase != "" {
			set("VAULT_PASSPHRASE_FILE", "/path/to/passphrase")
		}
		return server
	}
	set("OBSIDIAN_VAULT_PATH", p.folder)
	return server
}
