package cli

import (
	"cmp"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"obsidian-mcp/internal/clients"
	"obsidian-mcp/internal/config"
)

// ClientVault is what the entries of some AI clients lead to.
type ClientVault struct {
	Clients  []string
	Vault    string   // its folder, name or database; "": they name none
	URL      string   // set: they call a server there, and start none; without a login or a query
	Relative string   // a path that leads elsewhere from another folder; "": there is none
	Unknown  []string // variables that look like settings and are none
	Off      bool     // the entry is switched off
	Broken   error    // why their configuration cannot be read; nothing else is known then
	Doubt    error    // what may keep them from the server, which they alone can tell
	Err      error    // why the server will not start, or not serve them

	source   config.Source
	settings config.Config
}

// clientVaults are the vaults, and the addresses, that are in the configurations
// of the clients on this machine. Clients that have the same are told together.
func (p Program) clientVaults() []ClientVault {
	var all []ClientVault
	for _, entry := range clients.Entries(clients.UserMachine()) {
		found := p.lookInto(entry)
		switch at := slices.IndexFunc(all, found.isLike); {
		case at < 0:
			all = append(all, found)
		case !slices.Contains(all[at].Clients, entry.Client.Name):
			all[at].Clients = append(all[at].Clients, entry.Client.Name)
		}
	}
	return all
}

// isLike reports whether there is the same to tell of both.
func (v ClientVault) isLike(other ClientVault) bool {
	return v.Vault == other.Vault && v.URL == other.URL && v.Relative == other.Relative && v.Off == other.Off &&
		slices.Equal(v.Unknown, other.Unknown) && fmt.Sprint(v.Err, v.Doubt, v.Broken) == fmt.Sprint(other.Err, other.Doubt, other.Broken)
}

// lookInto reads an entry as the server will that the client starts.
func (p Program) lookInto(entry clients.Entry) ClientVault {
	found := ClientVault{Clients: []string{entry.Client.Name}, Off: entry.Off, Broken: entry.Err, Doubt: offPath(entry)}
	if found.Broken != nil {
		return found
	}
	if entry.URL != "" {
		found.URL = withoutLogin(entry.URL)
		return found
	}
	for _, variable := range entry.Env {
		found.Unknown = append(found.Unknown, config.Unknown([]string{variable.Name + "="})...)
	}
	if isRelativeCommand(entry.Command) {
		found.Relative = entry.Command
		return found
	}
	found = p.lookAtSettings(found, entry)
	found.Err = cmp.Or(noProgram(entry), p.servesNobody(entry.Args), found.Err)
	return found
}

// lookAtSettings reads what an entry says about the vault.
func (p Program) lookAtSettings(found ClientVault, entry clients.Entry) ClientVault {
	if found.source, found.Err = p.sourceOf(entry.Server); found.Err != nil {
		return found
	}
	if found.Relative = relativeFile(found.source, entry.Env); found.Relative != "" {
		return found // what is at such a place from here says nothing
	}
	if found.settings, found.Err = config.Load(found.source); found.Err == nil {
		found.Err = halfVault(found.settings)
	}
	switch path := found.settings.VaultPath; {
	case found.Err != nil:
	case path != "" && !filepath.IsAbs(path):
		found.Relative = path
	default:
		found.Vault = vaultOf(found.settings)
	}
	return found
}

// withoutLogin is an address without what may be secret in it.
func withoutLogin(address string) string {
	parsed, err := url.Parse(address)
	if err != nil {
		return "an address that cannot be read"
	}
	return (&url.URL{Scheme: parsed.Scheme, Host: parsed.Host, Path: parsed.Path}).String()
}

// sourceOf is where the settings come from if a client starts the server: from
// its entry alone.
func (p Program) sourceOf(server clients.Server) (config.Source, error) {
	root := p.root()
	cmd, args, err := root.Find(server.Args)
	if err != nil {
		return config.Source{}, err
	}
	if err := cmd.ParseFlags(args); err != nil {
		return config.Source{}, cmd.FlagErrorFunc()(cmd, err)
	}
	if err := cmd.ValidateArgs(cmd.Flags().Args()); err != nil {
		return config.Source{}, err
	}
	source := p.source(cmd)
	source.Pipes = false // whoever would write into them is not here
	source.Lookup = func(variable string) (string, bool) {
		at := slices.IndexFunc(server.Env, func(one clients.Variable) bool { return one.Name == variable })
		if at < 0 {
			return "", false
		}
		return server.Env[at].Value, true
	}
	return source, nil
}

// relativeFile is a file of an entry that is named by a relative path; "": there
// is none.
func relativeFile(source config.Source, env []clients.Variable) string {
	files := []string{source.File}
	for _, variable := range env {
		name, isFile := strings.CutSuffix(variable.Name, "_FILE")
		if isFile && slices.ContainsFunc(config.Settings(), func(setting config.Setting) bool { return slices.Contains(setting.Variables, name) }) {
			files = append(files, variable.Value)
		}
	}
	at := slices.IndexFunc(files, func(file string) bool {
		return file != "" && !filepath.IsAbs(file) && !strings.HasPrefix(file, "${") // which the client fills in
	})
	if at < 0 {
		return ""
	}
	return files[at]
}

// halfVault says what is missing, or too much, for one vault.
func halfVault(settings config.Config) error {
	if err := settings.OneVault(); err != nil || !settings.LiveSync.Configured() {
		return err
	}
	return settings.LiveSync.Check()
}

// vaultOf is the vault that settings name, for people; "": they name none.
func vaultOf(settings config.Config) string {
	switch {
	case settings.LiveSync.Configured():
		return fmt.Sprintf("the database '%s' at %s", settings.LiveSync.Database, settings.LiveSync.URL)
	case settings.VaultPath != "":
		return filepath.Clean(settings.VaultPath)
	}
	return settings.Vault
}
