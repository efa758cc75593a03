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

// isOurs reports whether an entry starts this program or calls its address.
func isOurs(existing map[string]any, s Server) bool {
	if command, _ := existing["command"].(string); command != "" {
		return isOurProgram(command) || isOurPackage(existing) || command == s.Command && len(s.Runner) == 0
	}
	address := addressIn(existing)
	return address != "" && (address == s.URL || isOurAddress(address))
}

// isOurProgram recognizes the program by its name on any system, including the names of released files such as
// obsidian-mcp-linux-amd64.
func isOurProgram(command string) bool {
	name := strings.ToLower(path.Base(strings.ReplaceAll(command, `\`, "/")))
	rest, ok := strings.CutPrefix(strings.TrimSuffix(name, ".exe"), "obsidian-mcp")
	return ok && releaseName.MatchString(rest)
}

// releaseName matches what follows the program's name in the name of a file for one version or system, or of a file that
// was downloaded twice. Other programs have other words there.
var releaseName = regexp.MustCompile(`^([-_.]v?[0-9][0-9a-z._+-]*|` +
	`([-_.](linux|darwin|macos|windows|freebsd|amd64|x86_64|arm64|aarch64|386|armv[67]))+)?( ?\([0-9]+\))?$`)

// addressNames are the fields in which clients keep the URL of an entry.
var addressNames = []string{"url", "serverUrl", "httpUrl"}

// addressIn returns the URL of an existing entry.
func addressIn(existing map[string]any) string {
	for _, name := range addressNames {
		if address, _ := existing[name].(string); address != "" {
			return address
		}
	}
	return ""
}

// addressOf returns the URL of a new entry.
func addressOf(fresh entry.Object) string {
	for _, name := range addressNames {
		if value, found := named(fresh, name); found {
			return value.(string)
		}
	}
	return ""
}

// isOurAddress recognizes a server by its default port.
func isOurAddress(address string) bool {
	parsed, err := url.Parse(address)
	if err != nil {
		return false
	}
	_, port, err := net.SplitHostPort(parsed.Host)
	return err == nil && port == "1065"
}

// The fields that say how to reach a server. Some are always replaced. Fields for programs stay only if the new entry
// starts a program, and fields for addresses only if it has the same address: Codex refuses an entry with both, and
// credentials for one server must not be sent to another.
var (
	replaced    = []string{"type", "command", "args", "env", "url", "serverUrl", "httpUrl", "bearer_token"}
	ofPrograms  = []string{"cwd", "env_vars", "envFile"}
	ofAddresses = []string{"headers", "http_headers", "env_http_headers", "headersHelper", "http_headers_helper",
		"bearer_token_env_var", "auth", "oauth", "oauth_resource", "authProviderType", "targetAudience", "targetServiceAccount"}
)

// merged returns a new entry together with what a person added to the existing one: other fields, a program's other
// variables and options, other headers for the same address. Fields that it does not know stay, since they may limit the
// server. lost names the fields that cannot stay.
func merged(fresh entry.Object, existing map[string]any, o Options) (all entry.Object, lost []string, err error) {
	sameAddress := !starter(fresh) && addressOf(fresh) == addressIn(existing)
	switch {
	case existing == nil:
		return fresh, nil, nil
	case existing["command"] != nil && starter(fresh):
		fresh, err = withProgram(fresh, existing, o)
	case sameAddress:
		fresh, existing, err = withToken(fresh, existing)
	}
	if err != nil {
		return nil, nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(existing)) {
		_, isSet := named(fresh, name)
		switch {
		case slices.Contains(replaced, name) || isSet:
		case slices.Contains(ofPrograms, name) && !starter(fresh), slices.Contains(ofAddresses, name) && !sameAddress:
			lost = append(lost, namesIn(name, existing[name])...)
		default:
			fresh = append(fresh, entry.Field{Name: name, Value: existing[name]})
		}
	}
	return fresh, lost, nil
}

// withProgram keeps the options and variables of an earlier entry.
func withProgram(fresh entry.Object, existing map[string]any, o Options) (entry.Object, error) {
	options, err := optionsOf(existing["args"])
	if err != nil {
		return nil, err
	}
	_, options = cutRunner(options)
	variables, ok := existing["env"].(map[string]any)
	if !ok && existing["env"] != nil {
		return nil, errors.New("'env' of the entry must map names to values")
	}
	return withVariables(withOptions(fresh, options, o), variables, o), nil
}

// withToken replaces the existing credentials for the same address with a new token, if there is one. The other headers
// stay.
func withToken(fresh entry.Object, existing map[string]any) (entry.Object, map[string]any, error) {
	at := slices.IndexFunc(fresh, func(f entry.Field) bool { return slices.Contains(ofAddresses, f.Name) })
	if at < 0 {
		return fresh, existing, nil
	}
	existing = maps.Clone(existing)
	delete(existing, "bearer_token_env_var")
	for _, name := range []string{fresh[at].Name, "env_http_headers"} {
		earlier, ok := existing[name].(map[string]any)
		if !ok && existing[name] != nil {
			return nil, nil, fmt.Errorf("'%s' of the entry must map headers to values", name)
		}
		others := maps.Clone(earlier)
		maps.DeleteFunc(others, func(header string, _ any) bool { return strings.EqualFold(header, "Authorization") })
		existing[name] = others
		if len(others) == 0 {
			delete(existing, name)
		}
	}
	headers := fresh[at].Value.(entry.Object)
	others, _ := existing[fresh[at].Name].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(others)) {
		headers = append(headers, entry.Field{Name: name, Value: others[name]})
	}
	fresh[at].Value = headers
	return fresh, existing, nil
}

// namesIn returns the names of the headers in a field, or the name of the field itself.
func namesIn(field string, value any) []string {
	inside, _ := value.(map[string]any)
	if len(inside) == 0 || !strings.Contains(field, "headers") {
		return []string{field}
	}
	return slices.Sorted(maps.Keys(inside))
}

// named returns the value of a field of an entry.
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

// optionsOf returns an entry's arguments. People write numbers and true without quotes; nothing else can be an argument.
func optionsOf(args any) ([]string, error) {
	list, ok := args.([]any)
	if !ok && args != nil {
		return nil, errors.New("'args' of the entry must be a list of strings")
	}
	options := make([]string, len(list))
	for n, arg := range list {
		switch arg.(type) {
		case string, bool, json.Number, int64, float64:
			options[n] = fmt.Sprint(arg)
		default:
			return nil, fmt.Errorf("'args' of the entry must be a list of strings; item %d is not a string", n+1)
		}
	}
	return options, nil
}

// withOptions keeps the options of an earlier entry, after the new ones.
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

// withVariables keeps the variables of an earlier entry that the new entry does not set.
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
