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

	"obsidian-mcp/internal/install/entry"
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

// addressNames are the names that clients have for the URL of an entry.
var addressNames = []string{"url", "serverUrl", "httpUrl"}

// addressIn is the URL of an entry that is there.
func addressIn(there map[string]any) string {
	for _, name := range addressNames {
		if address, _ := there[name].(string); address != "" {
			return address
		}
	}
	return ""
}

// addressOf is the URL of a new entry.
func addressOf(fresh entry.Object) string {
	for _, name := range addressNames {
		if value, found := named(fresh, name); found {
			return value.(string)
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

// The fields that say how a server is reached. Some are replaced whatever they
// say. Of the others, those of programs stay beside a program alone, and those of
// addresses beside the address that they were for: Codex refuses an entry with
// both, and what lets a client in at one server must not be sent to another.
var (
	replaced    = []string{"type", "command", "args", "env", "url", "serverUrl", "httpUrl", "bearer_token"}
	ofPrograms  = []string{"cwd", "env_vars", "envFile"}
	ofAddresses = []string{"headers", "http_headers", "env_http_headers", "headersHelper", "http_headers_helper", "bearer_token_env_var",
		"auth", "oauth", "oauth_resource", "authProviderType", "targetAudience", "targetServiceAccount"}
)

// merged is a new entry with what a person has added to the one that is there:
// other fields, of a program that is started other variables and options, and of
// the same address other headers. What cannot be understood there is not dropped:
// it may be what limits the server. What cannot stay is lost, and named.
func merged(fresh entry.Object, there map[string]any, o Options) (whole entry.Object, lost []string, err error) {
	sameAddress := !starter(fresh) && addressOf(fresh) == addressIn(there)
	switch {
	case there == nil:
		return fresh, nil, nil
	case there["command"] != nil && starter(fresh):
		fresh, err = withProgram(fresh, there, o)
	case sameAddress:
		fresh, there, err = withToken(fresh, there)
	}
	if err != nil {
		return nil, nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(there)) {
		_, isSet := named(fresh, name)
		switch {
		case slices.Contains(replaced, name) || isSet:
		case slices.Contains(ofPrograms, name) && !starter(fresh), slices.Contains(ofAddresses, name) && !sameAddress:
			lost = append(lost, namesIn(name, there[name])...)
		default:
			fresh = append(fresh, entry.Field{Name: name, Value: there[name]})
		}
	}
	return fresh, lost, nil
}

// withProgram keeps the options and variables of an earlier entry.
func withProgram(fresh entry.Object, there map[string]any, o Options) (entry.Object, error) {
	options, err := optionsOf(there["args"])
	if err != nil {
		return nil, err
	}
	variables, ok := there["env"].(map[string]any)
	if !ok && there["env"] != nil {
		return nil, errors.New("'env' of the entry must hold variables by their names")
	}
	return withVariables(withOptions(fresh, options, o), variables, o), nil
}

// withToken lets a new token, if there is one, take the place of what has let the
// client in at the same address. The other headers stay.
func withToken(fresh entry.Object, there map[string]any) (entry.Object, map[string]any, error) {
	at := slices.IndexFunc(fresh, func(f entry.Field) bool { return slices.Contains(ofAddresses, f.Name) })
	if at < 0 {
		return fresh, there, nil
	}
	there = maps.Clone(there)
	delete(there, "bearer_token_env_var")
	for _, name := range []string{fresh[at].Name, "env_http_headers"} {
		earlier, ok := there[name].(map[string]any)
		if !ok && there[name] != nil {
			return nil, nil, fmt.Errorf("'%s' of the entry must hold headers by their names", name)
		}
		others := maps.Clone(earlier)
		maps.DeleteFunc(others, func(header string, _ any) bool { return strings.EqualFold(header, "Authorization") })
		there[name] = others
		if len(others) == 0 {
			delete(there, name)
		}
	}
	headers := fresh[at].Value.(entry.Object)
	others, _ := there[fresh[at].Name].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(others)) {
		headers = append(headers, entry.Field{Name: name, Value: others[name]})
	}
	fresh[at].Value = headers
	return fresh, there, nil
}

// namesIn are the names of what a field holds, or its own.
func namesIn(field string, value any) []string {
	inside, _ := value.(map[string]any)
	if len(inside) == 0 || !strings.Contains(field, "headers") {
		return []string{field}
	}
	return slices.Sorted(maps.Keys(inside))
}

// named is a field of an entry.
func named(object entry.Object, name string) (value any, found bool) {
	at := slices.IndexFunc(object, func(f entry.Field) bool { return f.Name == name })
	if at < 0 {
		return nil, false
	}
	return object[at].Value, true
}

// starter reports whether an entry starts a program.
func starter(object entry.Object) bool {
	_, found := named(object, "command")
	return found
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
