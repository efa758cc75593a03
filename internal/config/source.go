package config

import (
	"path/filepath"
	"slices"
	"strings"

	"obsidian-mcp/internal/fault"
)

// find looks up a setting's value in the flags, the environment, the file and the defaults, in this order.
func (s Source) find(setting Setting, file fileSettings) (Given, error) {
	if value, ok := s.Flags[setting.Name]; ok {
		return newGiven(setting, byFlag, "--"+setting.Flag(), value), nil
	}
	value, from, err := s.fromEnvironment(setting)
	if err != nil || from != "" {
		return newGiven(setting, byVariable, from, value), err
	}
	if value, ok := file.values[setting.Name]; ok {
		return newGiven(setting, byFile, setting.Name+" in "+file.name, value), nil
	}
	if name, ok := file.files[setting.Name]; ok {
		from = setting.fileKey() + " in " + file.name
		value, err = s.readValue(name, from, setting.Name)
		return newGiven(setting, byFile, from, value), err
	}
	if setting.deferred {
		return Given{}, nil
	}
	if setting.computed != nil {
		value, err = setting.computed(s)
	}
	if value == "" {
		value = setting.Default
	}
	return newGiven(setting, byDefault, "the default of "+setting.Name, value), err
}

// fromEnvironment reads a setting's variables; NAME_FILE names a file with the value. Two different values are an error.
func (s Source) fromEnvironment(setting Setting) (value, from string, err error) {
	for _, variable := range setting.Variables {
		for _, name := range []string{variable, variable + fileSuffix} {
			found, ok := s.Lookup(name)
			if !ok || found == "" || isUnfilled(found) {
				continue
			}
			if name != variable {
				if found, err = s.readValue(found, name, variable); err != nil {
					return "", "", err
				}
			}
			if setting.Kind == KindFolder {
				found = filepath.Clean(found)
			}
			if from != "" && found != value {
				return "", "", fault.InvalidArgument.Errorf("%s and %s are both set, and differ", from, name).
					WithHint("set one of them")
			}
			value, from = found, name
		}
	}
	return value, from, nil
}

// readValue reads the file that a variable names.
func (s Source) readValue(file, name, variable string) (string, error) {
	content, err := readText(file, s.Pipes)
	if err != nil {
		return "", fault.InvalidArgument.Errorf("%s: %w", name, err).
			WithHint("it names a file that holds the value: make it readable, or set %s instead", variable)
	}
	value := valueIn(content)
	if value == "" {
		return "", fault.InvalidArgument.Errorf("%s: the file is empty", name).
			WithHint("write the value into it, or set %s instead", variable)
	}
	return value, nil
}

// valueIn is the value in a file, without what editors and other programs put around it.
func valueIn(content []byte) string {
	value := strings.TrimPrefix(string(content), "\ufeff") // added by editors on Windows
	return strings.TrimRight(value, "\r\n")
}

// isUnfilled reports whether a value is still the name of a form field: Claude Desktop passes that
// on if the user left an optional field of a bundle empty.
func isUnfilled(value string) bool {
	return strings.HasPrefix(value, "${user_config.") && strings.HasSuffix(value, "}")
}

// gives reports whether a setting is given, even as an empty value.
func (s Source) gives(setting Setting, file fileSettings) bool {
	_, asFlag := s.Flags[setting.Name]
	_, inFile := file.values[setting.Name]
	_, hasFile := file.files[setting.Name]
	return asFlag || inFile || hasFile || slices.ContainsFunc(setting.names(), func(name string) bool {
		_, ok := s.Lookup(name)
		return ok
	})
}

// nearestVault hides all but the strongest way to name a vault on this disk: --vault wins over OBSIDIAN_VAULT_PATH, and
// that over a vault in the file.
func (s Source) nearestVault(file fileSettings) Source {
	var byFlag, byVariable bool
	var names []string
	settings := slices.DeleteFunc(Settings(), func(setting Setting) bool { return setting.Vault != VaultFolder })
	for _, setting := range settings {
		byFlag = byFlag || s.Flags[setting.Name] != ""
		for _, name := range setting.names() {
			value, _ := s.Lookup(name)
			byVariable = byVariable || value != ""
			names = append(names, name)
		}
	}
	if byFlag || byVariable {
		for _, setting := range settings {
			delete(file.values, setting.Name)
		}
	}
	if lookup := s.Lookup; byFlag {
		s.Lookup = func(variable string) (string, bool) {
			if slices.Contains(names, variable) {
				return "", false
			}
			return lookup(variable)
		}
	}
	return s
}
