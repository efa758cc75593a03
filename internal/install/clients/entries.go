package clients

import (
	"maps"
	"slices"

	"obsidian-mcp/internal/install/entry"
)

// Entry is this server as a client's configuration has it.
type Entry struct {
	Client Client
	Server
	Off bool  // a person has switched it off
	Err error // why the client's configuration cannot be read; nothing else is known then
}

// Entries are the entries of this server, under whichever name, in the
// configurations of all clients, and for each one that is there and cannot be
// read an entry that says why.
func Entries(m Machine) []Entry {
	var all []Entry
	for _, client := range table {
		if file := client.File(m); file != "" {
			all = append(all, client.entries(file)...)
		}
	}
	return all
}

// entries are those of one configuration file.
func (c Client) entries(file string) []Entry {
	from, err := readSource(file)
	if err != nil {
		return []Entry{{Client: c, Err: err}}
	}
	value, _, err := entry.Get(from.text, c.format, c.key)
	if err != nil {
		return []Entry{{Client: c, Err: unreadable(file, err)}}
	}
	servers, _ := value.(map[string]any)
	var all []Entry
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		there, _ := servers[name].(map[string]any)
		if isOurs(there, Server{}) {
			all = append(all, Entry{Client: c, Server: serverOf(name, there), Off: there["disabled"] == true || there["enabled"] == false})
		}
	}
	return all
}

// serverOf is what an entry says, as far as it is about this server.
func serverOf(name string, there map[string]any) Server {
	s := Server{Name: name, URL: addressIn(there)}
	s.Command, _ = there["command"].(string)
	args, _ := there["args"].([]any)
	for _, arg := range args {
		text, _ := arg.(string)
		s.Args = append(s.Args, text)
	}
	env, _ := there["env"].(map[string]any)
	for _, variable := range slices.Sorted(maps.Keys(env)) {
		text, _ := env[variable].(string)
		s.Env = append(s.Env, Variable{variable, text})
	}
	return s
}
