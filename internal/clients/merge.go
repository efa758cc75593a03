package clients

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"obsidian-mcp/internal/entry"
)

// isOurs reports whether an entry starts this program, or leads to it.
func isOurs(there map[string]any, s Server) bool {
	if command, _ := there["command"].(string); command != "" {
		return command == s.Command || isOurProgram(command)
	}
	address := addressIn(there)
	return address != "" && (address == s.URL || isOurAddress(address))
}

// isOurProgram knows the program by its name on any system: as it is, or as
// released files are called, such as obsidian-mcp-linux-amd64.
func isOurProgram(command string) bool {
	name := strings.ToLower(path.Base(strings.ReplaceAll(command, `\`, "/")))
	rest, ok := strings.CutPrefix(strings.TrimSuffix(name, ".exe"), "obsidian-mcp")
	return ok && releaseName.MatchString(rest)
}

// releaseName is what follows the program's name in that of a file for one
// version or system, and in that of a file that was downloaded twice. Another
// program would have another word there.
var releaseName = regexp.MustCompile(`^([-_.]v?[0-9][0-9a-z._+-]*|([-_.](linux|darwin|macos|windows|freebsd|amd64|x86_64|arm64|aarch64|386|armv[67]))+)?( ?\([0-9]+\))?$`)

// addressIn is the URL of an entry, by whichever name a client has for it.
func addressIn(there map[string]any) string {
	for _, name := range []string{"url", "serverUrl", "httpUrl"} {
		if address, _ := there[name].(string); address != "" {
			return address
		}
	}
	return ""
}

// isOurAddress knows a server by the port that it has unless told otherwise.
func isOurAddress(address string) bool {
	parsed, err := url.Parse(address)
	if err != nil {
		return false
	}
	_, port, err := net.SplitHostPort(parsed.Host)
	return err == nil && port == "1065"
}

// transport are the fields that say how a server is reached. They are replaced
// together.
var transport = []string{"type", "command", "args", "env", "url", "serverUrl", "httpUrl", "headers", "http_headers", "env_http_headers", "bearer_token_env_var"}

// merged is a new entry with what a person has added to the one that is there:
// other fields, and of a program that is started other variables and options.
// What cannot be understood there is not dropped: it may be what limits the
// server.
func merged(fresh entry.Object, there map[string]any, o Options) (entry.Object, error) {
	if there == nil {
		return fresh, nil
	}
	if there["command"] != nil && starter(fresh) {
		options, err := optionsOf(there["args"])
		if err != nil {
			return nil, err
		}
		variables, ok := there["env"].(map[string]any)
		if !ok && there["env"] != nil {
			return nil, errors.New("'env' of the entry must hold variables by their names")
		}
		fresh = withOptions(fresh, options, o)
		fresh = withVariables(fresh, variables, o)
	}
	for _, name := range slices.Sorted(maps.Keys(there)) {
		if !slices.Contains(transport, name) {
			fresh = append(fresh, entry.Field{Name: name, Value: there[name]})
		}
	}
	return fresh, nil
}

// optionsOf are an entry's arguments. People write numbers and true without
// quotes; there is nothing else that could become an argument.
func optionsOf(args any) ([]string, error) {
	list, ok := args.([]any)
	if !ok && args != nil {
		return nil, errors.New("'args' of the entry must be a list of texts")
	}
	options := make([]string, len(list))
	for n, arg := range list {
		switch arg.(type) {
		case string, bool, json.Number, int64, float64:
			options[n] = fmt.Sprint(arg)
		default:
			return nil, fmt.Errorf("'args' of the entry must be a list of texts, and number %d is none", n+1)
		}
	}
	return options, nil
}

// starter reports whether an entry starts a program.
func starter(object entry.Object) bool {
	return slices.ContainsFunc(object, func(f entry.Field) bool { return f.Name == "command" })
}

// withOptions keeps the options of an earlier entry, behind new ones.
func withOptions(fresh entry.Object, earlier []string, o Options) entry.Object {
	if o.Keep != nil {
		earlier = o.Keep(earlier)
	}
	if len(earlier) == 0 {
		return fresh
	}
	if at := slices.IndexFunc(fresh, func(f entry.Field) bool { return f.Name == "args" }); at >= 0 {
		fresh[at].Value = slices.Concat(fresh[at].Value.([]string), earlier)
		return fresh
	}
	at := slices.IndexFunc(fresh, func(f entry.Field) bool { return f.Name == "command" }) + 1
	return slices.Insert(fresh, at, entry.Field{Name: "args", Value: earlier})
}

// withVariables keeps the variables of an earlier entry that are not set anew.
func withVariables(fresh entry.Object, earlier map[string]any, o Options) entry.Object {
	at := slices.IndexFunc(fresh, func(f entry.Field) bool { return f.Name == "env" })
	var variables entry.Object
	if at >= 0 {
		variables = fresh[at].Value.(entry.Object)
	}
	for _, name := range slices.Sorted(maps.Keys(earlier)) {
		isSet := slices.ContainsFunc(variables, func(f entry.Field) bool { return f.Name == name })
		if !isSet && (o.Stale == nil || !o.Stale(name)) {
			variables = append(variables, entry.Field{Name: name, Value: earlier[name]})
		}
	}
	switch {
	case len(variables) == 0:
		return fresh
	case at < 0:
		return append(fresh, entry.Field{Name: "env", Value: variables})
	}
	fresh[at].Value = variables
	return fresh
}
