package config

import "obsidian-mcp/internal/fault"

// Given is a setting that is not left at its default.
type Given struct {
	Setting Setting
	From    string // a flag, a variable, or a key and its file
	by      giver
	value   func() string // a function, so that no print shows the value: it may be a secret
}

// giver says how a setting was given.
type giver int

const (
	byNothing giver = iota
	byDefault
	byFile
	byVariable
	byFlag
)

func newGiven(setting Setting, by giver, from, value string) Given {
	return Given{Setting: setting, From: from, by: by, value: func() string { return value }}
}

// Value returns the value that was given.
func (g Given) Value() string { return g.value() }

// ByFlag reports whether it was given on the command line.
func (g Given) ByFlag() bool { return g.by == byFlag }

// InFile reports whether it was given in the config file.
func (g Given) InFile() bool { return g.by == byFile }

// MeantForUs reports whether the setting was certainly meant for this program: a variable such as LOG_LEVEL may be set
// for another.
func (g Given) MeantForUs() bool { return g.by != byVariable || !g.Setting.Generic }

// Given lists the settings that are not left at their defaults, and where each was given.
func (c Config) Given() []Given {
	var all []Given
	for _, setting := range Settings() {
		if given, ok := c.given[setting.Name]; ok {
			all = append(all, given)
		}
	}
	return all
}

// IsGiven reports whether a setting is not left at its default.
func (c Config) IsGiven(name string) bool {
	_, ok := c.given[name]
	return ok
}

// From returns where a setting was given, so that an error can name what a person has to change: "--vault-path",
// "OBSIDIAN_VAULT_PATH", "vault_path in FILE". For a setting that was not given it returns the variable.
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

// Blame adds to an error which setting it comes from. Its kind and hint stay the same.
func (c Config) Blame(name string, err error) error {
	if err == nil {
		return nil
	}
	message := c.From(name) + ": " + err.Error()
	return &fault.Error{Kind: fault.KindOf(err), Message: message, Hint: fault.HintOf(err), Err: err}
}
