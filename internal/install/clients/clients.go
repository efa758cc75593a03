// Package clients is the table of AI clients: where each keeps its
// configuration and its logs on each system, what an entry for this server looks
// like there, and what to do after installing it.
//
// The blocks that people paste and the changes that install makes are derived
// from the table. A change is a Plan: it is computed first, can be shown as a
// diff, and is written in one step with a backup beside it, unless the file has
// changed in the meantime.
package clients

import (
	"slices"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/install/entry"
)

// Client is a program that talks to MCP servers.
type Client struct {
	ID   string // on the command line
	Name string
	Next string // what to do once its configuration has changed

	where    string // its configuration, for people on any system
	format   entry.Format
	key      string                 // of the object that holds the servers
	file     func(Machine) string   // nil if it keeps no file on this machine
	signs    func(Machine) []string // folders that show that it is installed
	program  string                 // a program on the PATH that shows the same
	local    func(Server) entry.Object
	remote   func(Server) entry.Object
	command  func(Server) string // the shell command that adds the server
	advice   func(Server) string // instructions for a client without a file
	logFiles func(Machine) []pattern
}

// Server describes this server to a client.
type Server struct {
	Name    string // of the entry
	Command string
	Runner  []string // the arguments that come before Args if Command is not this program but starts it, as npx does
	Args    []string
	Env     []Variable
	URL     string // if set, the client calls it and starts nothing
	Token   string // for the URL; optional
}

// Variable is an environment variable of a server.
type Variable struct{ Name, Value string }

// Variable looks up a variable of the entry, as os.LookupEnv does in the environment.
func (s Server) Variable(name string) (string, bool) {
	for _, variable := range s.Env {
		if variable.Name == name {
			return variable.Value, true
		}
	}
	return "", false
}

// All lists the clients in the order in which they are shown.
func All() []Client { return slices.Clone(table) }

// IDs lists the ids of all clients.
func IDs() []string {
	ids := make([]string, len(table))
	for n, client := range table {
		ids[n] = client.ID
	}
	return ids
}

// List returns the ids of all clients on one line.
func List() string { return strings.Join(IDs(), ", ") }

// Find returns the client with an id.
func Find(id string) (Client, error) {
	for _, client := range table {
		if client.ID == id {
			return client, nil
		}
	}
	hint := "known clients: " + List()
	if near := fault.Nearest(id, IDs()); near != "" {
		return Client{}, fault.InvalidArgument.Errorf("there is no client '%s' (did you mean '%s'?)", id, near).WithHint("%s", hint)
	}
	return Client{}, fault.InvalidArgument.Errorf("there is no client '%s'", id).WithHint("%s", hint)
}

// HasFile reports whether the client keeps an editable configuration file on its machine.
func (c Client) HasFile() bool { return c.file != nil }

// Takes reports whether the client supports the server: some clients cannot start programs, others do not accept a URL.
func (c Client) Takes(s Server) bool {
	if s.URL != "" {
		return c.remote != nil
	}
	return c.local != nil
}

// shape returns the client's entry for a server.
func (c Client) shape(s Server) entry.Object {
	if s.URL != "" {
		return c.remote(s)
	}
	return c.local(s)
}

// starts makes entries for a program to start. Empty fields are left out.
func starts(fields ...entry.Field) func(Server) entry.Object {
	return func(s Server) entry.Object {
		object := append(slices.Clone(fields), entry.Field{Name: "command", Value: s.Command})
		if args := slices.Concat(s.Runner, s.Args); len(args) > 0 {
			object = append(object, entry.Field{Name: "args", Value: args})
		}
		if len(s.Env) > 0 {
			var variables entry.Object
			for _, variable := range s.Env {
				variables = append(variables, entry.Field{Name: variable.Name, Value: variable.Value})
			}
			object = append(object, entry.Field{Name: "env", Value: variables})
		}
		return object
	}
}

// calls makes entries for a URL. Clients differ in what they call the fields for the URL and its headers.
func calls(url, headers string, fields ...entry.Field) func(Server) entry.Object {
	return func(s Server) entry.Object {
		object := append(slices.Clone(fields), entry.Field{Name: url, Value: s.URL})
		if s.Token != "" {
			authorization := entry.Object{{Name: "Authorization", Value: "Bearer " + s.Token}}
			object = append(object, entry.Field{Name: headers, Value: authorization})
		}
		return object
	}
}
