// Package clients is the table of AI clients: where each keeps its
// configuration and its logs on each system, what an entry for this server looks
// like there, and what to do afterwards.
//
// From a row follow the blocks that people paste, and the change that install
// makes: a Plan, which is computed first, can be shown as a diff, and is written
// as one step with a backup beside it, unless the file has changed meanwhile.
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
	file     func(Machine) string   // nil: it has none on this machine
	signs    func(Machine) []string // folders that show that it is there
	program  string                 // which shows the same where it is on the PATH
	local    func(Server) entry.Object
	remote   func(Server) entry.Object
	command  func(Server) string // what does the same in a shell
	advice   func(Server) string // what a person does by hand, where there is no file
	logFiles func(Machine) []pattern
}

// Server is what a client is told about this server.
type Server struct {
	Name    string // of the entry
	Command string
	Args    []string
	Env     []Variable
	URL     string // set: over HTTP, and nothing is started
	Token   string // for the URL; may be empty
}

// Variable is one of a server's environment.
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

// All lists the clients in the order in which people are shown them.
func All() []Client { return slices.Clone(table) }

// IDs lists the ids of all clients.
func IDs() []string {
	ids := make([]string, len(table))
	for n, client := range table {
		ids[n] = client.ID
	}
	return ids
}

// List is the ids of all clients in one line.
func List() string { return strings.Join(IDs(), ", ") }

// Find returns the client with an id.
func Find(id string) (Client, error) {
	for _, client := range table {
		if client.ID == id {
			return client, nil
		}
	}
	known := IDs()
	hint := "known clients: " + List()
	if near := fault.Nearest(id, known); near != "" {
		return Client{}, fault.InvalidArgument.Errorf("there is no client '%s' (did you mean '%s'?)", id, near).WithHint("%s", hint)
	}
	return Client{}, fault.InvalidArgument.Errorf("there is no client '%s'", id).WithHint("%s", hint)
}

// HasFile reports whether the client keeps a configuration on the machine that
// it runs on, which can be edited.
func (c Client) HasFile() bool { return c.file != nil }

// Takes reports whether the client's configuration can hold the server: not
// every client can start programs, and not every one can be given a URL.
func (c Client) Takes(s Server) bool {
	if s.URL != "" {
		return c.remote != nil
	}
	return c.local != nil
}

// shape is the client's entry for a server.
func (c Client) shape(s Server) entry.Object {
	if s.URL != "" {
		return c.remote(s)
	}
	return c.local(s)
}

// starts is the entry of a program to start. What is empty is left out.
func starts(fields ...entry.Field) func(Server) entry.Object {
	return func(s Server) entry.Object {
		object := append(slices.Clone(fields), entry.Field{Name: "command", Value: s.Command})
		if len(s.Args) > 0 {
			object = append(object, entry.Field{Name: "args", Value: s.Args})
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

// calls is the entry of a URL, under the names that a client has for it and for
// the headers that go with it.
func calls(url, headers string, fields ...entry.Field) func(Server) entry.Object {
	return func(s Server) entry.Object {
		object := append(slices.Clone(fields), entry.Field{Name: url, Value: s.URL})
		if s.Token != "" {
			object = append(object, entry.Field{Name: headers, Value: entry.Object{{Name: "Authorization", Value: "Bearer " + s.Token}}})
		}
		return object
	}
}
