package app

import (
	"net/http"
	"net/url"
	"strings"

	"obsidian-mcp/internal/access/auth"
	"obsidian-mcp/internal/access/door"
	"obsidian-mcp/internal/install"
	"obsidian-mcp/internal/install/clients"
	"obsidian-mcp/internal/surface/web"
)

// connections tell how each client is set up for this server: by its address
// and, to who may know where things are on this machine, as a program here.
func (p *page) connections(r *http.Request, who *auth.Principal) []web.Connection {
	remote := clients.Server{Name: install.DefaultName, URL: p.address(r)}
	if !p.guard.Open() {
		remote.Token = "YOUR_TOKEN"
	}
	local := install.Running(p.settings, p.vaultVariables())
	var all []web.Connection
	for _, client := range clients.All() {
		one := web.Connection{ID: client.ID, Name: client.Name, After: client.Next, Remote: blockOf(client, remote)}
		if who.Grant.Unlimited() {
			one.Local = blockOf(client, local)
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

// vaultVariables name the served vault in an entry. For secrets they name files that the person fills in.
func (p *page) vaultVariables() []clients.Variable {
	served := p.settings.LiveSync
	if !served.Configured() {
		return []clients.Variable{{Name: "OBSIDIAN_VAULT_PATH", Value: p.folder}}
	}
	variables := []clients.Variable{{Name: "COUCHDB_BASE_URL", Value: served.URL}, {Name: "COUCHDB_DATABASE_NAME", Value: served.Database}}
	if served.User != "" {
		variables = append(variables, clients.Variable{Name: "COUCHDB_USER", Value: served.User},
			clients.Variable{Name: "COUCHDB_PASSWORD_FILE", Value: "/path/to/password"})
	}
	if served.Passphrase != "" {
		variables = append(variables, clients.Variable{Name: "VAULT_PASSPHRASE_FILE", Value: "/path/to/passphrase"})
	}
	return variables
}
