package config

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"obsidian-mcp/internal/fault"
)

// Setting is a row of the table. Everything that is special about a setting is a
// field of its row, so that no other list in the program names settings.
type Setting struct {
	Name      string   // its key in the config file; with dashes, its flag
	Variables []string // its environment variables, the preferred one first
	Default   string   // as documents show it; "" if there is none
	About     string
	Kind      Kind
	Valid     []string // the only valid values; nil for any
	Switch    bool     // the bare flag means true

	Vault    VaultRole
	HTTPOnly bool // only a server over HTTP uses it, so it is never written into a client's entry
	ForURL   bool // a client that connects to a running server uses it too
	Generic  bool // its variables are read by other programs as well, so they may not be meant for this one
	Secret   bool // its value is neither shown nor written into a client's entry

	hidden   bool                                  // its value is not secret but may contain a secret: messages omit it
	mayBeOff bool                                  // for a path: "off" means none
	path     func(*Config) *string                 // where a path is stored; set otherwise
	set      func(*Config, string) error           // checks and stores a value
	computed func(Source) (string, error)          // finds the default; "" means Default itself
	deferred bool                                  // decided once the vault or the address is known; Default describes it
	given    func(*Config) *bool                   // records whether it was given at all, even as an empty value
	fromFile func(*fileSettings, *yaml.Node) error // reads a richer form that only the config file has
}

// Kind says what the values of a setting are.
type Kind int

// The kinds of values.
const (
	KindText Kind = iota
	KindBool
	KindBoolOrAuto
	KindFolder
	KindFile
	KindVaultName // a vault in Obsidian's own registry
	KindToolsets
)

// VaultRole says what a setting has to do with the choice of the vault.
type VaultRole int

// The roles of settings in the choice of the vault.
const (
	NoVaultRole   VaultRole = iota
	VaultFolder             // it names a vault on this disk; two such settings exclude each other
	VaultDatabase           // it names a LiveSync database, or opens it
	VaultDetail             // it says something else about one particular vault
)

// Settings lists all rows.
func Settings() []Setting {
	return slices.Concat(vaultSettings(), semanticSettings(), daySettings(), historySettings(), liveSyncSettings(), httpSettings())
}

// Flag returns the setting's name on the command line.
func (s Setting) Flag() string { return strings.ReplaceAll(s.Name, "_", "-") }

// HasVariable reports whether an environment variable gives the setting, or
// names the file that holds its value.
func (s Setting) HasVariable(name string) bool {
	return slices.Contains(s.Variables, strings.TrimSuffix(name, fileSuffix))
}

// IsSecretVariable reports whether an environment variable gives a setting that is secret.
func IsSecretVariable(name string) bool {
	return slices.ContainsFunc(Settings(), func(s Setting) bool { return (s.Secret || s.hidden) && s.HasVariable(name) })
}

// fileSuffix makes a variable name the file that holds the value.
const fileSuffix = "_FILE"

// names returns all variables that give the setting, directly or by a file.
func (s Setting) names() []string {
	var all []string
	for _, variable := range s.Variables {
		all = append(all, variable, variable+fileSuffix)
	}
	return all
}

// Path returns the path in force of a setting that names a folder or file; "" if it is off.
func (s Setting) Path(c Config) (path string, isPath bool) {
	if s.path == nil {
		return "", false
	}
	return *s.path(&c), true
}

// apply checks a value and stores it.
func (s Setting) apply(config *Config, value, from string) error {
	if len(s.Valid) > 0 {
		value = strings.ToLower(value)
	}
	if len(s.Valid) > 0 && !slices.Contains(s.Valid, value) {
		return fault.InvalidArgument.Errorf("%s: '%s' is not valid", from, value).
			WithHint("use %s", strings.Join(s.Valid, ", "))
	}
	if s.path != nil {
		s.applyPath(config, value)
		return nil
	}
	err := s.set(config, value)
	switch {
	case err != nil && (s.hidden || s.Secret):
		return fault.InvalidArgument.Errorf("%s %w", from, err)
	case err != nil:
		return fault.InvalidArgument.Errorf("%s: '%s' %w", from, value, err)
	}
	return nil
}

func (s Setting) applyPath(config *Config, value string) {
	if s.mayBeOff && strings.EqualFold(value, "off") {
		value = ""
	}
	*s.path(config) = expandHome(value)
}
