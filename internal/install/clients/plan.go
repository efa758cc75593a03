package clients

import (
	"bytes"
	"errors"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/install/entry"
)

// State is what a configuration says about a server.
type State int

// The possible states of the entry with the server's name.
const (
	Absent    State = iota // no entry
	Same                   // exactly the wanted entry
	Different              // this program, set up differently
	Foreign                // another program's entry
)

// String returns the state in words.
func (s State) String() string {
	return [...]string{"not set up", "set up", "set up differently", "another program has the name"}[s]
}

// Options say how a configuration may be changed.
type Options struct {
	Force bool // replace or remove another program's entry of the name
	// Stale reports whether a variable of an earlier entry must go. If nil, all variables stay.
	Stale func(variable string) bool
	// Keep picks the arguments of an earlier entry that stay. If nil, all arguments stay.
	Keep func(args []string) []string
}

// Plan is a change to a client's configuration that has not been made yet.
type Plan struct {
	Client Client
	File   string
	State  State // before
	Before []byte
	After  []byte

	Earlier Server   // this server's earlier entry; its Name is empty if there was none
	Lost    []string // headers and fields of that entry that cannot stay

	source source
}

// Install plans to add the server to a configuration file. What a person added to an earlier entry stays.
func (c Client) Install(file string, s Server, o Options) (Plan, error) {
	if !c.Takes(s) {
		return Plan{}, c.refuse(s)
	}
	taken := func(map[string]any) error {
		return fault.AlreadyExists.Errorf("%s: '%s' already exists and belongs to another program", file, s.Name).
			WithHint("choose another name with --name, or replace the entry with --force")
	}
	var lost []string
	plan, err := c.plan(file, s, o, taken, func(text entry.Text, existing map[string]any) (after []byte, err error) {
		var wanted entry.Object
		if wanted, lost, err = merged(c.shape(s), existing, o); err != nil {
			return nil, err
		}
		return text.Set(wanted, c.key, s.Name)
	})
	plan.Lost = lost
	return plan, err
}

// Uninstall plans to remove the server from a configuration file. It needs the server's name, and recognizes the entry by
// the URL or the command.
func (c Client) Uninstall(file string, s Server, o Options) (Plan, error) {
	if c.file == nil {
		return Plan{}, fault.InvalidArgument.Errorf("%s keeps no configuration on this machine", c.Name).
			WithHint("delete the connector in %s's Settings > Apps & Connectors", c.Name)
	}
	taken := func(existing map[string]any) error {
		hint := "nothing was changed; "
		if address := addressIn(existing); address != "" {
			hint += "if it is this server's, --url " + shownAddress(address) + " removes it; "
		}
		return fault.AlreadyExists.Errorf("%s: '%s' belongs to another program", file, s.Name).
			WithHint("%s", hint+"--force removes it anyway")
	}
	return c.plan(file, s, o, taken, func(text entry.Text, _ map[string]any) ([]byte, error) {
		return text.Remove(c.key, s.Name)
	})
}

// shownAddress returns an address as it may be shown: not if it may contain a secret.
func shownAddress(address string) string {
	if strings.ContainsAny(address, "@?#") {
		return "with its address"
	}
	return ShellWord(address)
}

// refuse explains why a client does not support a server.
func (c Client) refuse(s Server) error {
	switch {
	case c.file == nil:
		return fault.InvalidArgument.Errorf("%s keeps no configuration on this machine", c.Name).
			WithHint("add a URL by hand: obsidian-mcp install %s --url https://…/mcp shows how", c.ID)
	case s.URL != "":
		return fault.InvalidArgument.Errorf("%s takes no URL in its configuration", c.Name).
			WithHint("leave out --url, so that it starts the program itself")
	}
	return fault.InvalidArgument.Errorf("%s cannot start programs", c.Name).
		WithHint("give it the server's address with --url")
}

// plan reads a file and edits its text. If the name belongs to another program's entry, it returns the error of taken.
func (c Client) plan(
	file string, s Server, o Options, taken func(existing map[string]any) error,
	change func(text entry.Text, existing map[string]any) ([]byte, error),
) (Plan, error) {
	from, err := readSource(file)
	if err != nil {
		return Plan{}, err
	}
	p := Plan{Client: c, File: file, Before: from.text, source: from}
	text, err := entry.Read(from.text, c.format)
	if err != nil {
		return p, unreadable(file, err)
	}
	value, found, err := text.Get(c.key, s.Name)
	if err != nil {
		return p, unreadable(file, err)
	}
	existing, _ := value.(map[string]any)
	ours := found && isOurs(existing, s)
	if found && !ours && !o.Force {
		p.State = Foreign
		return p, taken(existing)
	}
	if ours {
		p.Earlier = serverOf(s.Name, existing)
	} else {
		existing = nil
	}
	if p.After, err = change(text, existing); err != nil {
		return p, unreadable(file, err)
	}
	switch {
	case found && bytes.Equal(p.Before, p.After):
		p.State = Same
	case found && ours:
		p.State = Different
	case found:
		p.State = Foreign
	}
	return p, nil
}

// unreadable explains why a file cannot be edited, or that a value cannot be written to any file.
func unreadable(file string, err error) error {
	if _, ok := errors.AsType[*entry.ValueError](err); ok {
		return fault.InvalidArgument.Errorf("%w", err).
			WithHint("nothing was changed; rename the folder or file, or change the setting")
	}
	return fault.InvalidArgument.Errorf("%s: %w", file, err).WithHint("nothing was changed; fix the file and try again")
}

// Changes reports whether there is anything to write.
func (p Plan) Changes() bool { return !bytes.Equal(p.Before, p.After) }
