package cli

import (
	"cmp"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/install"
	"obsidian-mcp/internal/install/clients"
)

// ClientVault is what an AI client's entry leads to.
type ClientVault struct {
	Client   string   // its name, and the entry's, where that is not the usual one or one of several
	Anew     string   // how the entry is written anew
	Vault    string   // its folder, name or database; "": it names none
	URL      string   // set: it calls a server there, and starts none; without a login or a query
	Relative string   // a path that leads elsewhere from another folder; "": there is none
	Unknown  []string // variables that look like settings and are none
	Off      bool     // the entry is switched off
	Broken   error    // why the client's configuration cannot be read; nothing else is known then
	Doubts   []error  // what may not be as a person expects, though the server may start
	Err      error    // why the server will not start, or not serve the client

	Settings config.Config // with which the server is started, as far as they can be read

	source config.Source
}

// IsFilledIn reports whether the client itself may put another vault in the
// place of what the entry has.
func (v ClientVault) IsFilledIn() bool { return isFilledIn(v.Vault) }

// clientVaults are the vaults, and the addresses, that are in the configurations
// of the clients on this machine.
func (p Program) clientVaults() []ClientVault {
	entries := clients.Entries(clients.UserMachine())
	entriesOf := map[string]int{}
	for _, entry := range entries {
		entriesOf[entry.Client.ID]++
	}
	var all []ClientVault
	for _, entry := range entries {
		found := p.lookInto(entry)
		if entry.Name != "" && (entry.Name != install.DefaultName || entriesOf[entry.Client.ID] > 1) {
			found.Client += " (" + entry.Name + ")"
		}
		all = append(all, found)
	}
	return all
}

// lookInto reads an entry as the server will that the client starts.
func (p Program) lookInto(entry clients.Entry) ClientVault {
	found := ClientVault{Client: entry.Client.Name, Off: entry.Off, Broken: entry.Err}
	found.Anew = byInstall(entry, "writes the entry anew", "name a vault in the entry")
	if found.Broken != nil {
		return found
	}
	if entry.URL != "" {
		found.URL = withoutLogin(entry.URL)
		return found
	}
	if err := offPath(entry); err != nil {
		found.Doubts = append(found.Doubts, err)
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
	theirs, unread := startedFrom(found.source)
	if unread != "" && !entry.Off {
		found.Doubts = append(found.Doubts, notRead(entry, unread))
	}
	if found.Settings, found.Err = config.Load(theirs); found.Err == nil {
		found.Err = found.Settings.CheckVault()
	}
	switch path := found.Settings.VaultPath; {
	case found.Err != nil:
	case path != "" && !filepath.IsAbs(path):
		found.Relative = path
	default:
		found.Vault = found.Settings.VaultName()
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
