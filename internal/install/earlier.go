package install

import (
	"fmt"
	"slices"
	"strings"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/install/clients"
	"obsidian-mcp/internal/text/visible"
)

// NamesVault reports whether a variable says which vault to serve. In an earlier entry it would contradict the vault
// of the new one.
func NamesVault(variable string) bool {
	return slices.ContainsFunc(config.Settings(), func(setting config.Setting) bool {
		return setting.Vault != config.NoVaultRole && setting.HasVariable(variable)
	})
}

// isStale reports whether a variable of an earlier entry must go: it names a vault, or it is another form of a
// setting that the new entry gives.
func isStale(server clients.Server) func(variable string) bool {
	return func(variable string) bool {
		return NamesVault(variable) || slices.ContainsFunc(config.Settings(), func(setting config.Setting) bool {
			return setting.HasVariable(variable) && isGiven(setting, server)
		})
	}
}

// isGiven reports whether the variables of an entry give a setting.
func isGiven(setting config.Setting, server clients.Server) bool {
	return slices.ContainsFunc(server.Env, func(variable clients.Variable) bool {
		return setting.HasVariable(variable.Name)
	})
}

// keeps picks the arguments of an earlier entry that stay: all except the options, with their values, that would
// contradict the new entry.
func (i *Installation) keeps(server clients.Server) func(args []string) []string {
	return func(args []string) (staying []string) {
		for _, arg := range arguments(args) {
			if arg.option == "config" && !i.fits(arg.value, server) || contradicts(arg.option, server) {
				continue
			}
			staying = append(staying, arg.words...)
		}
		return staying
	}
}

// argument is an argument of an entry, with its value.
type argument struct {
	option string // of this program, without its dashes; "" for anything else
	value  string
	words  []string // as the entry has them
}

// arguments separates this program's options in an entry from the other arguments.
func arguments(args []string) (all []argument) {
	for n := 0; n < len(args); n++ {
		name, value, joined := strings.Cut(args[n], "=")
		option, isOption := strings.CutPrefix(name, "--")
		option, takesValue, found := findOption(option)
		if !isOption || !found {
			all = append(all, argument{words: args[n : n+1]})
			continue
		}
		words := args[n : n+1]
		if !joined && takesValue && n+1 < len(args) {
			n++
			value, words = args[n], args[n-1:n+1]
		}
		all = append(all, argument{option, value, words})
	}
	return all
}

// findOption looks up an option that all commands accept, and reports whether the next argument is its value.
func findOption(name string) (option string, takesValue, found bool) {
	option = strings.ReplaceAll(name, "_", "-")
	switch option {
	case "config":
		return option, true, true
	case "quiet":
		return option, false, true
	}
	for _, setting := range config.Settings() {
		if setting.Flag() == option {
			return option, !setting.Switch, true
		}
	}
	return "", false, false
}

// fits reports whether the config file of an earlier entry can stay: no other file is given, and a server starts
// with it and the new entry's variables. The file may hold limits, so its loss is recorded.
func (i *Installation) fits(file string, server clients.Server) bool {
	if file == "" || slices.Contains(server.Args, "--config") {
		return false
	}
	settings, err := config.Load(config.Source{File: file, Lookup: server.Variable})
	if err == nil {
		err = settings.OneVault()
	}
	if err != nil {
		i.addLoss(Loss{Setting: true, Text: fmt.Sprintf("--config %s of the earlier entry is left out, with all that it sets: %s",
			visible.Name(file), visible.Name(err.Error()))})
	}
	return err == nil
}

// contradicts reports whether an option of an earlier entry names a vault, or would win over a variable of the new
// entry.
func contradicts(option string, server clients.Server) bool {
	return slices.ContainsFunc(config.Settings(), func(setting config.Setting) bool {
		return setting.Flag() == option && (isGiven(setting, server) || NamesVault(setting.Variables[0]))
	})
}
