package cli

import (
	"fmt"
	"slices"
	"strings"

	"obsidian-mcp/internal/clients"
	"obsidian-mcp/internal/config"
)

// namesAVault reports whether a variable of an earlier entry says which vault it
// is: beside a new one it would contradict it.
func namesAVault(variable string) bool {
	return slices.ContainsFunc(config.Settings(), func(setting config.Setting) bool {
		isVault := strings.HasPrefix(setting.Name, "vault") || strings.HasPrefix(setting.Name, "couchdb_") || setting.Name == "use_path_obfuscation"
		return isVault && isVariableOf(setting, variable)
	})
}

// isStale reports whether a variable of an earlier entry must go: it says which
// vault it is, or is a form of a setting that the new entry gives.
func isStale(server clients.Server) func(variable string) bool {
	return func(variable string) bool {
		return namesAVault(variable) || slices.ContainsFunc(config.Settings(), func(setting config.Setting) bool {
			return isVariableOf(setting, variable) && isGiven(setting, server)
		})
	}
}

// isVariableOf reports whether a variable gives a setting, or names the file
// that holds it.
func isVariableOf(setting config.Setting, variable string) bool {
	return slices.Contains(setting.Variables, strings.TrimSuffix(variable, "_FILE"))
}

// isGiven reports whether an entry gives a setting.
func isGiven(setting config.Setting, server clients.Server) bool {
	return slices.ContainsFunc(server.Env, func(variable clients.Variable) bool { return isVariableOf(setting, variable.Name) })
}

// keeps picks the arguments of an earlier entry that stay: all but the options,
// with their values, that would contradict the new entry.
func (i *installer) keeps(server clients.Server) func(args []string) []string {
	return func(args []string) (kept []string) {
		for n := 0; n < len(args); n++ {
			name, value, joined := strings.Cut(args[n], "=")
			option, isOption := strings.CutPrefix(name, "--")
			flag := i.cmd.Root().PersistentFlags().Lookup(option)
			whole := args[n : n+1]
			if isOption && flag != nil && !joined && flag.NoOptDefVal == "" && n+1 < len(args) {
				n++
				value, whole = args[n], args[n-1:n+1]
			}
			switch {
			case !isOption || flag == nil:
			case flag.Name == "config" && !i.fits(value, server), contradicts(flag.Name, server):
				continue
			}
			kept = append(kept, whole...)
		}
		return kept
	}
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
		i.dropped = fmt.Sprintf("--config %s of the earlier entry is left out, with all that it sets: %s", printable(file), printable(err.Error()))
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
