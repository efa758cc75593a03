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

// What may be found under the server's name.
const (
	Absent    State = iota // nothing
	Same                   // just what is wanted
	Different              // this program, set up otherwise
	Foreign                // another program
)

// String is the state for people.
func (s State) String() string {
	return [...]string{"not set up", "set up", "set up otherwise", "another program has the name"}[s]
}

// Options say how a configuration may be changed.
type Options struct {
	Force bool // replace or remove another program's entry of the name
	// Stale reports whether a variable of an earlier entry must not stay beside
	// the new ones. Nil: all of them stay.
	Stale func(variable string) bool
	// Keep picks those of an earlier entry's arguments that stay beside the new
	// ones. Nil: all of them stay.
	Keep func(args []string) []string
}

// Plan is a change to a client's configuration that has not been made.
type Plan struct {
	Client Client
	File   string
	State  State // before
	Before []byte
	After  []byte

	Earlier Server   // what the entry of this server says before; its name is "" if there is none
	Lost    []string // the headers and fields of that entry which cannot stay

	source source
}

// Install plans that a configuration file gets the server. What a person has
// added to an earlier entry stays.
func (c Client) Install(file string, s Server, o Options) (Plan, error) {
	if !c.Takes(s) {
		return Plan{}, c.cannot(s)
	}
	taken := func(map[string]any) error {
		return fault.AlreadyExists.Errorf("%s: '%s' is there already, and is another program's", file, s.Name).
			WithHint("choose another name with --name; --force goes ahead nevertheless")
	}
	var lost []string
	plan, err := c.plan(file, s, o, taken, func(text entry.Text, there map[string]any) (after []byte, err error) {
		var wanted entry.Object
		if wanted, lost, err = merged(c.shape(s), there, o); err != nil {
			return nil, err
		}
		return text.Set(wanted, c.key, s.Name)
	})
	plan.Lost = lost
	return plan, err
}

// Uninstall plans that a configuration file loses the server. Of the server,
// its name counts, and its URL or command to know it by.
func (c Client) Uninstall(file string, s Server, o Options) (Plan, error) {
	if c.file == nil {
		return Plan{}, fault.InvalidArgument.Errorf("%s keeps no configuration on this machine", c.Name).WithHint("delete the connector in %s's Settings > Apps & Connectors", c.Name)
	}
	taken := func(there map[string]any) error {
		hint := "nothing was changed; "
		if address := addressIn(there); address != "" {
			hint += "if it is this server's, --url " + shownAddress(address) + " takes it out; "
		}
		return fault.AlreadyExists.Errorf("%s: '%s' is another program's", file, s.Name).WithHint("%s", hint+"--force takes it out nevertheless")
	}
	return c.plan(file, s, o, taken, func(text entry.Text, _ map[string]any) ([]byte, error) {
		return text.Remove(c.key, s.Name)
	})
}

// shownAddress is an address, unless it may hold a secret.
func shownAddress(address string) string {
	if strings.ContainsAny(address, "@?#") {
		return "with its address"
	}
	return ShellWord(address)
}

// cannot says why a client does not take a server.
func (c Client) cannot(s Server) error {
	switch {
	case c.file == nil:
		return fault.InvalidArgument.Errorf("%s keeps no configuration on this machine", c.Name).WithHint("%s", "it is given a URL by hand: obsidian-mcp install "+c.ID+" --url https://…/mcp says how")
	case s.URL != "":
		return fault.InvalidArgument.Errorf("%s takes no URL in its configuration", c.Name).WithHint("leave out --url, so that it starts the program itself")
	}
	return fault.InvalidArgument.Errorf("%s cannot start programs", c.Name).WithHint("give it the server's address with --url")
}

// plan reads a file and edits it, unless what is there under the server's name
// is somebody else's: then it is taken.
func (c Client) plan(file string, s Server, o Options, taken func(there map[string]any) error, change func(text entry.Text, there map[string]any) ([]byte, error)) (Plan, error) {
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
	there, _ := value.(map[string]any)
	ours := found && isOurs(there, s)
	if found && !ours && !o.Force {
		p.State = Foreign
		return p, taken(there)
	}
	if ours {
		p.Earlier = serverOf(s.Name, there)
	} else {
		there = nil
	}
	if p.After, err = change(text, there); err != nil {
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

// unreadable says why a file cannot be edited, or that what should be written
// cannot be.
func unreadable(file string, err error) error {
	if _, ok := errors.AsType[*entry.ValueError](err); ok {
		return fault.InvalidArgument.Errorf("%w", err).WithHint("nothing was changed; give the folder or file another name, or the setting another value")
	}
	return fault.InvalidArgument.Errorf("%s: %w", file, err).WithHint("nothing was changed; mend the file, and try again")
}

// Changes reports whether there is anything to write.
func (p Plan) Changes() bool { return !bytes.Equal(p.Before, p.After) }
