// Package config is the table of settings: one row makes a setting's flag,
// its variable, its key in the config file, its line in the help and its row
// in the README.
package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/system"
)

// Config holds the settings in force.
type Config struct {
	VaultPath   string
	Vault       string
	VaultID     string // "": the name of the folder or database
	Toolsets    string
	ReadOnly    bool
	Style       string
	TagPolicy   string
	Context     bool
	CallTimeout time.Duration
	ConfirmOver int
	StateDir    string
	CacheDir    string // "": no cache
	LogLevel    string
	LogFormat   string
	History     History
	AuditLog    string // a file; "": none is kept
	LiveSync    LiveSync
	HTTP        HTTP

	TagRules []TagRule // nil: the defaults

	File  string           // the config file that was read; "": none
	given map[string]Given // the settings that are not defaults, by name
}

// TagRule is a rule of the config file's tag_rules.
type TagRule struct {
	Tag        string
	NamePrefix string
	Requires   []string
	Error      string
}

// Setting is a row of the table.
type Setting struct {
	Name      string   // the key in the config file; the flag with dashes
	Variables []string // the environment variables, the proper one first
	Default   string
	About     string
	Valid     []string // the values that it may have; nil: any
	Switch    bool     // its flag may stand alone, and means true
	hidden    bool     // its value is in no message
	set       func(*Config, string) error
}

// Settings lists all rows.
func Settings() []Setting {
	return slices.Concat(vaultSettings(), historySettings(), liveSyncSettings(), httpSettings())
}

// vaultSettings lists the rows of the vault and its tools.
func vaultSettings() []Setting {
	return []Setting{
		{Name: "vault_path", Variables: []string{"OBSIDIAN_VAULT_PATH", "VAULT_PATH"}, About: "the vault's folder", set: text(func(c *Config) *string { return &c.VaultPath })},
		{Name: "vault", Variables: []string{"OBSIDIAN_VAULT"}, About: "the vault's name in Obsidian's own registry, instead of a path", set: text(func(c *Config) *string { return &c.Vault })},
		{Name: "vault_id", Variables: []string{"VAULT_ID"}, Default: "folder or database name", About: "the vault's id in resource URIs", set: text(func(c *Config) *string { return &c.VaultID })},
		{Name: "toolsets", Variables: []string{"OBSIDIAN_MCP_TOOLSETS"}, Default: "default", About: "toolsets that servers offer, comma-separated (`notes`, `find`, `agent`, `graph`, `history`); `all`; `-name` takes one out", set: text(func(c *Config) *string { return &c.Toolsets })},
		{Name: "read_only", Variables: []string{"OBSIDIAN_MCP_READ_ONLY"}, Default: "false", Switch: true, About: "no tool that writes is offered or runs", set: truth(func(c *Config) *bool { return &c.ReadOnly })},
		{Name: "style", Variables: []string{"OBSIDIAN_MCP_STYLE"}, Default: "plain", Valid: []string{"plain", "contract"}, About: "how results and errors are dressed: `plain`, `contract`", set: text(func(c *Config) *string { return &c.Style })},
		{Name: "tag_policy", Variables: []string{"OBSIDIAN_MCP_TAG_POLICY"}, Default: "notes", Valid: []string{"off", "notes", "strict"}, About: "which writes may bring in new tags: `off` (all), `notes`, `strict`", set: text(func(c *Config) *string { return &c.TagPolicy })},
		{Name: "context", Variables: []string{"OBSIDIAN_MCP_CONTEXT"}, Default: "on", About: "`off`: no context block is appended to a session's first result", set: truth(func(c *Config) *bool { return &c.Context })},
		{Name: "call_timeout", Variables: []string{"OBSIDIAN_MCP_CALL_TIMEOUT"}, Default: "30s", About: "time for one tool call", set: duration(func(c *Config) *time.Duration { return &c.CallTimeout })},
		{Name: "confirm_over", Variables: []string{"OBSIDIAN_MCP_CONFIRM_OVER"}, Default: "100", About: "notes that one call may change without `confirm`; 0: no limit", set: number(func(c *Config) *int { return &c.ConfirmOver })},
		{Name: "cache_dir", Variables: []string{"OBSIDIAN_MCP_CACHE_DIR"}, Default: "the user's cache folder", About: "where the index, with the notes' text, is kept for the next start (mode 0600); `off`: nowhere", set: folderOrOff(func(c *Config) *string { return &c.CacheDir })},
		{Name: "state_dir", Variables: []string{"OBSIDIAN_MCP_STATE_DIR"}, Default: "the user's state folder", About: "where journals and the history are kept", set: text(func(c *Config) *string { return &c.StateDir })},
		{Name: "log_level", Variables: []string{"LOG_LEVEL"}, Default: "info", Valid: []string{"debug", "info", "warn", "error"}, About: "`debug`, `info`, `warn`, `error`; to stderr, never note content", set: text(func(c *Config) *string { return &c.LogLevel })},
		{Name: "log_format", Variables: []string{"LOG_FORMAT"}, Default: "text", Valid: []string{"text", "json"}, About: "`text` or `json`", set: text(func(c *Config) *string { return &c.LogFormat })},
	}
}

// Flag is the setting's name on the command line.
func (s Setting) Flag() string { return strings.ReplaceAll(s.Name, "_", "-") }

func text(field func(*Config) *string) func(*Config, string) error {
	return func(c *Config, value string) error { *field(c) = value; return nil }
}

// folderOrOff is a folder, or "" for off.
func folderOrOff(field func(*Config) *string) func(*Config, string) error {
	return func(c *Config, value string) error {
		if strings.EqualFold(value, "off") {
			value = ""
		}
		*field(c) = value
		return nil
	}
}

func truth(field func(*Config) *bool) func(*Config, string) error {
	return func(c *Config, value string) error {
		switch strings.ToLower(value) {
		case "true", "on", "yes", "1":
			*field(c) = true
		case "false", "off", "no", "0":
			*field(c) = false
		default:
			return fmt.Errorf("must be true or false")
		}
		return nil
	}
}

func number(field func(*Config) *int) func(*Config, string) error {
	return func(c *Config, value string) error {
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 {
			return fmt.Errorf("must be a whole number from 0")
		}
		*field(c) = n
		return nil
	}
}

func duration(field func(*Config) *time.Duration) func(*Config, string) error {
	return func(c *Config, value string) error {
		d, err := time.ParseDuration(value)
		if err != nil || d <= 0 {
			return fmt.Errorf("must be a time such as 30s or 2m")
		}
		*field(c) = d
		return nil
	}
}

// Source is where settings come from.
type Source struct {
	Flags  map[string]string // by the setting's name
	Lookup func(variable string) (string, bool)
	File   string // the config file; "" means the user's own, if there is one
	Quiet  bool   // only errors are logged, unless log_level says otherwise
	Pipes  bool   // a file may be a pipe that a shell has handed to this process
}

// Load reads the settings: a flag wins over a variable, that over the config
// file, that over the default.
func Load(source Source) (Config, error) {
	file, err := readFile(source.File, source.Pipes)
	if err != nil {
		return Config{}, err
	}
	config := Config{TagRules: file.rules, File: file.name, given: map[string]Given{}}
	config.HTTP.Tokens = file.tokens
	config.HTTP.TokenGiven = source.gives("token", file)
	config.HTTP.Limits.Calls, config.HTTP.Limits.Writes, config.HTTP.Limits.PerAddress = Automatic, Automatic, Automatic
	source = source.onlyVault(file)
	for _, setting := range Settings() {
		value, from, err := setting.value(source, file)
		if err != nil {
			return Config{}, err
		}
		if err := setting.apply(&config, value, from); err != nil {
			return Config{}, err
		}
	}
	if config.HTTP.OAuth.Users == nil {
		config.HTTP.OAuth.Users = file.users
	}
	return config, nil
}

// gives reports whether a setting is given, if only as nothing.
func (s Source) gives(name string, file fileSettings) bool {
	_, asFlag := s.Flags[name]
	_, inFile := file.values[name]
	given := asFlag || inFile
	for _, setting := range Settings() {
		for _, variable := range setting.Variables {
			if setting.Name == name {
				_, plain := s.Lookup(variable)
				_, asFile := s.Lookup(variable + "_FILE")
				given = given || plain || asFile
			}
		}
	}
	return given
}

// Unknown lists the variables of an environment that look like settings and
// are none, each with the one that may be meant.
func Unknown(environment []string) []string {
	var known, unknown []string
	for _, setting := range Settings() {
		for _, variable := range setting.Variables {
			known = append(known, variable, variable+"_FILE")
		}
	}
	for _, entry := range environment {
		name, _, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(name, "OBSIDIAN_MCP_") || strings.HasPrefix(name, "OBSIDIAN_MCP_TEST_") || slices.Contains(known, name) {
			continue
		}
		if near := fault.Nearest(name, known); near != "" {
			name += " (did you mean " + near + "?)"
		}
		unknown = append(unknown, name)
	}
	return unknown
}

// onlyVault lets the nearer of the two ways to name a vault hide the other:
// --vault wins over OBSIDIAN_VAULT_PATH, and that over a vault in the file.
func (s Source) onlyVault(file fileSettings) Source {
	vaults := []string{"vault", "vault_path"}
	lookup := s.Lookup
	for _, name := range vaults {
		if s.Flags[name] != "" {
			s.Lookup = func(variable string) (string, bool) {
				if slices.Contains(vaultVariables, strings.TrimSuffix(variable, "_FILE")) {
					return "", false
				}
				return lookup(variable)
			}
			delete(file.values, "vault")
			delete(file.values, "vault_path")
		}
	}
	for _, variable := range vaultVariables {
		for _, name := range []string{variable, variable + "_FILE"} {
			if value, ok := lookup(name); ok && value != "" {
				delete(file.values, "vault")
				delete(file.values, "vault_path")
			}
		}
	}
	return s
}

var vaultVariables = []string{"OBSIDIAN_VAULT", "OBSIDIAN_VAULT_PATH", "VAULT_PATH"}

func (s Setting) apply(config *Config, value, from string) error {
	if from == "" {
		return nil
	}
	if !strings.HasPrefix(from, defaultOf) {
		config.given[s.Name] = Given{Setting: s, From: from, value: func() string { return value }}
	}
	if slices.Contains([]string{"vault_path", "state_dir", "cache_dir", "audit_log"}, s.Name) {
		value = expandHome(value)
	}
	if len(s.Valid) > 0 {
		value = strings.ToLower(value)
	}
	if len(s.Valid) > 0 && !slices.Contains(s.Valid, value) {
		return fault.InvalidArgument.Errorf("%s: '%s' is not valid", from, value).WithHint("use %s", strings.Join(s.Valid, ", "))
	}
	err := s.set(config, value)
	switch {
	case err != nil && s.hidden:
		return fault.InvalidArgument.Errorf("%s %w", from, err)
	case err != nil:
		return fault.InvalidArgument.Errorf("%s: '%s' %w", from, value, err)
	}
	return nil
}

// expandHome does what a shell does with ~/, since most settings never see one.
func expandHome(path string) string {
	rest, ok := strings.CutPrefix(path, "~/")
	if !ok {
		return path
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return path
	}
	return filepath.Join(home, rest)
}

// value finds a setting's value and says where it is from.
func (s Setting) value(source Source, file fileSettings) (value, from string, err error) {
	if value, ok := source.Flags[s.Name]; ok {
		return value, "--" + s.Flag(), nil
	}
	value, from, err = s.fromEnvironment(source)
	if err != nil || from != "" {
		return value, from, err
	}
	if value, ok := file.values[s.Name]; ok {
		return value, s.Name + " in " + file.name, nil
	}
	switch s.Name {
	case "state_dir":
		value, err = defaultStateDir(source.Lookup)
	case "cache_dir":
		value = defaultCacheDir(source.Lookup)
	case "log_level":
		if value = s.Default; source.Quiet {
			value = "error"
		}
	case "vault_id", "oauth_audience": // whoever knows the vault, or the address
	case "rate_calls", "rate_writes", "max_connections_per_address": // whoever knows where the server listens
		return "", "", nil
	default:
		value = s.Default
	}
	return value, defaultOf + s.Name, err
}

// defaultOf is where a setting that was not given comes from.
const defaultOf = "the default of "

// fromEnvironment reads a setting's variables; NAME_FILE names a file that
// holds the value. Two that differ are an error.
func (s Setting) fromEnvironment(source Source) (value, from string, err error) {
	for _, variable := range s.Variables {
		for _, name := range []string{variable, variable + "_FILE"} {
			found, ok := source.Lookup(name)
			if !ok || found == "" || isUnfilled(found) {
				continue
			}
			if name != variable {
				content, err := readText(found, source.Pipes)
				if err != nil {
					return "", "", fault.InvalidArgument.Errorf("%s: %w", name, err).WithHint("it names a file that holds the value: make it readable, or set %s instead", variable)
				}
				found = strings.TrimPrefix(string(content), "\ufeff") // editors on Windows put it there
				if found = strings.TrimRight(found, "\r\n"); found == "" {
					return "", "", fault.InvalidArgument.Errorf("%s: the file is empty", name).WithHint("write the value into it, or set %s instead", variable)
				}
			}
			if s.Name == "vault_path" {
				found = filepath.Clean(found)
			}
			if from != "" && found != value {
				return "", "", fault.InvalidArgument.Errorf("%s and %s are both set, and differ", from, name).WithHint("set one of them")
			}
			value, from = found, name
		}
	}
	return value, from, nil
}

// isUnfilled reports the name of a field in the place of its value: Claude Desktop
// passes that on where nobody has filled in an optional field of a bundle.
func isUnfilled(value string) bool {
	return strings.HasPrefix(value, "${user_config.") && strings.HasSuffix(value, "}")
}

func defaultStateDir(lookup func(string) (string, bool)) (string, error) {
	state := absolute(lookup("XDG_STATE_HOME"))
	home := homeFolder()
	switch {
	case state != "":
	case os.PathSeparator == '\\':
		state, _ = os.UserConfigDir()
	case home != "":
		state = filepath.Join(home, ".local", "state")
	}
	if state == "" {
		return homelessStateDir()
	}
	return filepath.Join(state, "obsidian-mcp"), nil
}

// absolute is the path that a variable holds; one that depends on the folder
// one is in is none, as the specification of these variables has it.
func absolute(path string, _ bool) string {
	if !filepath.IsAbs(path) {
		return ""
	}
	return path
}

// homeFolder is the user's; "" for who has none, as accounts of services do.
func homeFolder() string {
	home, _ := os.UserHomeDir()
	if info, err := os.Stat(home); err == nil && !info.IsDir() {
		return ""
	}
	return absolute(home, true)
}

// homelessStateDir is for a user without a home, in the folder for temporary
// files, which all users share: it must be the user's own, since the history
// holds what notes said.
func homelessStateDir() (string, error) {
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("obsidian-mcp-%d", os.Geteuid()))
	err := os.Mkdir(dir, 0o700)
	if errors.Is(err, fs.ErrExist) {
		err = nil
	}
	if err == nil && !system.IsPrivate(dir) {
		err = fmt.Errorf("%s is not this user's alone", dir)
	}
	if err != nil {
		return "", fault.InvalidArgument.Errorf("OBSIDIAN_MCP_STATE_DIR: it is not set, there is no home folder, and %w", err).
			WithHint("set HOME, or OBSIDIAN_MCP_STATE_DIR to a folder that nobody else can write to")
	}
	return dir, nil
}

func defaultCacheDir(lookup func(string) (string, bool)) string {
	cache := absolute(lookup("XDG_CACHE_HOME"))
	if cache == "" {
		cache, _ = os.UserCacheDir()
	}
	if cache == "" {
		return "off"
	}
	return filepath.Join(cache, "obsidian-mcp")
}
