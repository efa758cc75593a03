package config

import "obsidian-mcp/internal/fault"

// Given is a setting that is not left at its default.
type Given struct {
	Setting Setting
	From    string        // a flag, a variable, or a key and its file
	value   func() string // which is printed by nothing, since it may be a secret
}

// Value is what was given there.
func (g Given) Value() string { return g.value() }

// Given lists the settings that are not left at their defaults, and where each
// was given.
func (c Config) Given() []Given {
	var all []Given
	for _, setting := range Settings() {
		if given, ok := c.given[setting.Name]; ok {
			all = append(all, given)
		}
	}
	return all
}

// From tells where a setting was given, so that an error can name what a person
// has to change: "--vault-path", "OBSIDIAN_VAULT_PATH", "vault_path in FILE". A
// setting that was not given is called by its variable.
func (c Config) From(name string) string {
	if given, ok := c.given[name]; ok {
		return given.From
	}
	for _, setting := range Settings() {
		if setting.Name == name {
			return setting.Variables[0]
		}
	}
	return name
}

// Blame says in an error which setting it comes from. What the error is, and
// what to do about it, stays the same.
func (c Config) Blame(name string, err error) error {
	if err == nil {
		return nil
	}
	return &fault.Error{Kind: fault.KindOf(err), Message: c.From(name) + ": " + err.Error(), Hint: fault.HintOf(err), Err: err}
}
