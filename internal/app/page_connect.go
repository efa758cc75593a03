package app

import (
	"net/http"
	"net/url"
	"path/filepath"
	"strings"

	"obsidian-mcp/internal/access/auth"
	"obsidian-mcp/internal/access/door"
	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/install/clients"
	"obsidian-mcp/internal/surface/cli"
	"obsidian-mcp/internal/surface/web"
)

// connections tell how each client is set up for this server: by its address
// and, to who may know where things are on this machine, as a program here.
func (p *page) connections(r *http.Request, who *auth.Principal) []web.Connection {
	remote := clients.Server{Name: "obsidian", URL: p.address(r)}
	if !p.guard.Open() {
		remote.Token = "YOUR_TOKEN"
	}
	local := p.program()
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

// program is how this very program is started for the same vault, with the
// settings that hold here: what is read-only must not be written to by another
// way. Secrets are left to files, whose names the person fills in.
func (p *page) program() clients.Server {
	server := clients.Server{Name: "obsidian", Command: cli.Executable()}
	if file, err := filepath.Abs(p.settings.File); err == nil && p.settings.File != "" {
		server.Args = []string{"--config", file}
	}
	set := func(name, value string) { server.Env = append(server.Env, clients.Variable{Name: name, Value: value}) }
	p.place(set)
	for _, given := range p.settings.Given() {
		setting, value := given.Setting, given.Value()
		if path, _ := setting.Path(p.settings); path != "" {
			value, _ = filepath.Abs(path)
		}
		isPlace := setting.Vault == config.VaultFolder || setting.Vault == config.VaultDatabase
		if value != "" && !isPlace && !setting.HTTPOnly && given.MeantForUs() && !given.InFile() {
			set(setting.Variables[0], value)
		}
	}
	return server
}

// place says where the vault is.
func (p *page) place(set func(name, value string)) {
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
		return
	}
	set("OBSIDIAN_VAULT_PATH", p.folder)
}
