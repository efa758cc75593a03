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

// connections say how to set up each client for this server: by its address and, for callers who may know the paths on
// this machine, as a program that the client starts.
func (p *page) connections(r *http.Request, who *auth.Principal) []web.Connection {
	remote := clients.Server{Name: install.DefaultName, URL: p.address(r)}
	if !p.service.guard.Open() {
		remote.Token = "YOUR_TOKEN"
	}
	local := install.Running(p.settings, p.service.app.store.variables)
	var all []web.Connection
	for _, client := range clients.All() {
		connection := web.Connection{ID: client.ID, Name: client.Name, After: client.Next, Remote: blockOf(client, remote)}
		if who.Grant.Unlimited() {
			connection.Local = blockOf(client, local)
		}
		if connection.Remote != nil || connection.Local != nil {
			all = append(all, connection)
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
