package cli

import (
	"fmt"
	"slices"
	"strings"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/install/clients"
	"obsidian-mcp/internal/text/visible"
)

// namesAVault reports whether a variable of an earlier entry says which vault it
// is: beside a new one it would contradict it.
func namesAVault(variable string) bool {
	return slices.ContainsFunc(config.Settings(), func(setting config.Setting) bool {
		return setting.Vault != config.NoVaultRole && setting.HasVariable(variable)
	})
}

// isStale reports whether a variable of an earlier entry must go: it says which
// vault it is, or is a form of a setting that the new entry gives.
func isStale(server clients.Server) func(variable string) bool {
	return func(variable string) bool {
		return namesAVault(variable) || slices.ContainsFunc(config.Settings(), func(setting config.Setting) bool {
			return setting.HasVariable(variable) && isGiven(setting, server)
		})
	}
}

// isGiven reports whether an entry gives a setting.
func isGiven(setting config.Setting, server clients.Server) bool {
	return slices.ContainsFunc(server.Env, func(variable clients.Variable) bool { return setting.HasVariable(variable.Name) })
}

// keeps picks the arguments of an earlier entry that stay: all but the options,
// with their values, that would contradict the new entry.
func (i *installer) keeps(server clients.Server) func(args []string) []string {
	return func(args []string) (kept []string) {
		for _, one := range i.arguments(args) {
			if one.option == "config" && !i.fits(one.value, server) || contradicts(one.option, server) {
				continue
			}
			kept = append(kept, one.words...)
		}
		return kept
	}
}

// argument is one of an entry's, with its value.
type argument struct {
	option string // of this program, without its dashes; "": it is none
	value  string
	words  []string // as the entry has them
}

// arguments tells the options of this program in an entry from what else there
// is.
func (i *installer) arguments(args []string) (all []argument) {
	for n := 0; n < len(args); n++ {
		name, value, joined := strings.Cut(args[n], "=")
		option, isOption := strings.CutPrefix(name, "--")
		flag := i.cmd.Root().PersistentFlags().Lookup(option)
		if !isOption || flag == nil {
			all = append(all, argument{words: args[n : n+1]})
			continue
		}
		words := args[n : n+1]
		if !joined && flag.NoOptDefVal == "" && n+1 < len(args) {
			n++
			value, words = args[n], args[n-1:n+1]
		}
		all = append(all, argument{flag.Name, value, words})
	}
	return all
}

// fits reports whether the config file of an earlier entry can stay: no other is
// given, and a server can be started with it and the new entry's variables. It
// may hold limits, so that it does not go without a word.
func (i *installer) fits(file string, server clients.Server) bool {
	if file == "" || slices.Contains(server.Args, "--config") {
		return false
	}
	settings, err := config.Load(config.Source{File: file, Lookup: func(name string) (string, bool) {
		at := slices.IndexFunc(server.Env, func(variable clients.Variable) bool { return variable.Name == name })
		if at < 0 {
			return "", false
		}
		return server.Env[at].Value, true
	}})
	if err == nil {
		err = settings.OneVault()
	}
	if err != nil {
		i.drop(fmt.Sprintf("--config %s of the earlier entry is left out, with all that it sets: %s", visible.Name(file), visible.Name(err.Error())))
	}
	return err == nil
}

// contradicts reports whether an option of an earlier entry says which vault it
// is, or would win over a variable of the new entry.
func contradicts(option string, server clients.Server) bool {
	return slices.ContainsFunc(config.Settings(), func(setting config.Setting) bool {
		return setting.Flag() == option && (isGiven(setting, server) || namesAVault(setting.Variables[0]))
	})
}
