package clients

import (
	"maps"
	"slices"

	"obsidian-mcp/internal/install/entry"
)

// Entry is an entry for this server in a client's configuration.
type Entry struct {
	Client Client
	Server
	Off bool  // the entry is switched off
	Err error // why the client's configuration cannot be read; nothing else is known then
}

// Entries returns the entries for this server, under any name, in the configurations of all clients. A configuration that
// cannot be read gives an Entry with Err.
func Entries(m Machine) []Entry {
	var all []Entry
	for _, client := range table {
		if file := client.File(m); file != "" {
			all = append(all, client.entries(file)...)
		}
	}
	return all
}

// entries returns the entries in one configuration file.
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
		existing, _ := servers[name].(map[string]any)
		if isOurs(existing, Server{}) {
			isOff := existing["disabled"] == true || existing["enabled"] == false
			all = append(all, Entry{Client: c, Server: serverOf(name, existing), Off: isOff})
		}
	}
	return all
}

// serverOf reads the fields of an entry that this program knows.
func serverOf(name string, existing map[string]any) Server {
	s := Server{Name: name, URL: addressIn(existing)}
	s.Command, _ = existing["command"].(string)
	args, _ := existing["args"].([]any)
	for _, arg := range args {
		text, _ := arg.(string)
		s.Args = append(s.Args, text)
	}
	s.Runner, s.Args = cutRunner(s.Args)
	env, _ := existing["env"].(map[string]any)
	for _, variable := range slices.Sorted(maps.Keys(env)) {
		text, _ := env[variable].(string)
		s.Env = append(s.Env, Variable{variable, text})
	}
	return s
}
