package doctor

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

// Entry is the entry of this server in an AI client's configuration, and what it leads to.
type Entry struct {
	Client   string   // its name; with the entry's name if that is not the usual one, or if there are several
	Remedy   string   // how to rewrite the entry
	Vault    string   // its folder, name or database; "" if the entry names no vault
	URL      string   // set if it calls a server instead of starting one; without a login or a query
	Relative string   // a relative path, which leads elsewhere from another folder
	Unknown  []string // variables that look like settings but are not
	Off      bool     // the entry is switched off
	Broken   error    // why the client's configuration cannot be read; nothing else is known then
	Doubts   []error  // what may surprise a person, although the server may start
	Err      error    // why the server will not start, or will not serve the client

	Settings config.Config // of the server that the client starts, as far as they can be read

	source config.Source
}

// CommandLine is how the program reads its arguments.
type CommandLine interface {
	// Source is where settings come from if the program is started with these arguments and nothing else.
	Source(args []string) (config.Source, error)
	// CheckServes refuses arguments that make the program do anything but serve over stdin and stdout.
	// Arguments that the program itself would refuse are left to Source.
	CheckServes(args []string) error
}

// Entries reads the entries of this server in the configurations of the clients on a machine.
func Entries(machine clients.Machine, commandLine CommandLine) []Entry {
	found := clients.Entries(machine)
	count := map[string]int{}
	for _, entry := range found {
		count[entry.Client.ID]++
	}
	var all []Entry
	for _, entry := range found {
		read := readEntry(entry, commandLine)
		if entry.Name != "" && (entry.Name != install.DefaultName || count[entry.Client.ID] > 1) {
			read.Client += " (" + entry.Name + ")"
		}
		all = append(all, read)
	}
	return all
}

// readEntry reads an entry as the server that the client starts will read it.
func readEntry(entry clients.Entry, commandLine CommandLine) Entry {
	read := Entry{Client: entry.Client.Name, Off: entry.Off, Broken: entry.Err}
	read.Remedy = byInstall(entry, "rewrites the entry", "name a vault in the entry")
	if read.Broken != nil {
		return read
	}
	if entry.URL != "" {
		read.URL = withoutLogin(entry.URL)
		return read
	}
	if err := notOnPath(entry); err != nil {
		read.Doubts = append(read.Doubts, err)
	}
	for _, variable := range entry.Env {
		read.Unknown = append(read.Unknown, config.Unknown([]string{variable.Name + "="})...)
	}
	if isRelativeCommand(entry.Command) {
		read.Relative = entry.Command
		return read
	}
	read.readSettings(entry, commandLine)
	read.Err = cmp.Or(noProgram(entry), commandLine.CheckServes(entry.Args), read.Err)
	return read
}

// readSettings reads what an entry says about the vault.
func (e *Entry) readSettings(entry clients.Entry, commandLine CommandLine) {
	if e.source, e.Err = commandLine.Source(entry.Args); e.Err != nil {
		return
	}
	e.source.Pipes, e.source.Lookup = false, entry.Variable // only the client writes into its pipes
	if e.Relative = relativeFile(e.source, entry.Env); e.Relative != "" {
		return // from the client's folder, that path leads elsewhere
	}
	source, unread := startedFrom(e.source)
	if unread != "" && !entry.Off {
		e.Doubts = append(e.Doubts, notRead(entry, unread))
	}
	if e.Settings, e.Err = config.Load(source); e.Err == nil {
		e.Err = e.Settings.CheckVault()
	}
	switch path := e.Settings.VaultPath; {
	case e.Err != nil:
	case path != "" && !filepath.IsAbs(path):
		e.Relative = path
	default:
		e.Vault = e.Settings.VaultName()
	}
}

// withoutLogin is an address without the parts that may be secret.
func withoutLogin(address string) string {
	parsed, err := url.Parse(address)
	if err != nil {
		return "an address that cannot be read"
	}
	return (&url.URL{Scheme: parsed.Scheme, Host: parsed.Host, Path: parsed.Path}).String()
}

// relativeFile is a file that an entry names by a relative path; "" if there is none.
func relativeFile(source config.Source, env []clients.Variable) string {
	files := []string{source.File}
	for _, variable := range env {
		name, isFile := strings.CutSuffix(variable.Name, "_FILE")
		isSetting := func(setting config.Setting) bool { return slices.Contains(setting.Variables, name) }
		if isFile && slices.ContainsFunc(config.Settings(), isSetting) {
			files = append(files, variable.Value)
		}
	}
	for _, file := range files {
		if file != "" && !filepath.IsAbs(file) && !strings.HasPrefix(file, "${") { // the client fills in ${…}
			return file
		}
	}
	return ""
}
