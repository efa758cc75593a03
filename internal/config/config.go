// Package config is the table of settings. One row makes a setting's flag, its environment variables,
// its key in the config file, its line in the help and its row in docs/CONFIGURATION.md; whatever is
// special about a setting is a field of its row.
//
// Load promises that a flag wins over a variable, a variable over the config file, and the file over
// the default; that an error names the place a person has to change; and that no message or print
// shows a secret. What a setting then does is up to the packages that read Config.
package config

import (
	"slices"
	"strings"
	"time"

	"obsidian-mcp/internal/fault"
)

// Config holds the settings in force.
type Config struct {
	VaultPath   string
	Vault       string
	VaultID     string // "" for the name of the folder or database
	Toolsets    string
	ReadOnly    bool
	Style       string
	TagPolicy   string
	Semantic    Semantic
	Context     bool
	CallTimeout time.Duration
	ConfirmOver int
	ReadLimit   int
	Prompts     string // the folder of the vault whose notes are prompts; "" for none
	StateDir    string
	CacheDir    string // "" for no cache
	LogLevel    string
	LogFormat   string
	History     History
	AuditLog    string // a file; "" for no audit log
	LiveSync    LiveSync
	HTTP        HTTP

	TagRules []TagRule // nil for the defaults

	Timezone *time.Location // nil for the system's
	Locale   string
	Layout   Layout
	Outside  Outside

	File  string           // the config file that was read, or ""
	given map[string]Given // the settings that are not defaults, by name
}

// TagRule is a rule of the config file's tag_rules.
type TagRule struct {
	Tag        string
	NamePrefix string
	Requires   []string
	Error      string
}

// Source is where settings come from.
type Source struct {
	Flags  map[string]string // by the setting's name
	Lookup func(variable string) (string, bool)
	File   string // the config file; "" means the user's own, if there is one
	Quiet  bool   // only errors are logged, unless log_level says otherwise
	Pipes  bool   // a file may be a pipe that a shell has handed to this process
}

// Load reads the settings.
func Load(source Source) (Config, error) {
	file, err := readFile(source.File, source.Pipes)
	if err != nil {
		return Config{}, err
	}
	config := Config{TagRules: file.rules, File: file.name, given: map[string]Given{}}
	config.HTTP.Tokens, config.Layout, config.Outside = file.tokens, file.layout, file.outside
	limits := &config.HTTP.Limits
	limits.Calls, limits.Writes, limits.WriteBytes, limits.PerAddress = Automatic, Automatic, Automatic, Automatic
	source = source.nearestVault(file)
	for _, setting := range Settings() {
		if setting.given != nil {
			*setting.given(&config) = source.gives(setting, file)
		}
		given, err := source.find(setting, file)
		if err != nil {
			return Config{}, err
		}
		if given.by == byNothing {
			continue
		}
		if given.by != byDefault {
			config.given[setting.Name] = given
		}
		if err := setting.apply(&config, given.Value(), given.From); err != nil {
			return Config{}, err
		}
	}
	if config.HTTP.OAuth.Users == nil {
		config.HTTP.OAuth.Users = file.users
	}
	return config, nil
}

// Unknown lists the variables of an environment that look like settings but are not, each with the most similar name.
func Unknown(environment []string) []string {
	var names, unknown []string
	for _, setting := range Settings() {
		names = append(names, setting.names()...)
	}
	for _, entry := range environment {
		name, _, _ := strings.Cut(entry, "=")
		isOurs := strings.HasPrefix(name, "OBSIDIAN_MCP_") && !strings.HasPrefix(name, "OBSIDIAN_MCP_TEST_")
		if !isOurs || slices.Contains(names, name) {
			continue
		}
		if near := fault.Nearest(name, names); near != "" {
			name += " (did you mean " + near + "?)"
		}
		unknown = append(unknown, name)
	}
	return unknown
}
