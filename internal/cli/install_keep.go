package cli

import (
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
			name, _, joined := strings.Cut(args[n], "=")
			option, isOption := strings.CutPrefix(name, "--")
			flag := i.cmd.Root().PersistentFlags().Lookup(option)
			switch {
			case !isOption || flag == nil || !contradicts(flag.Name, server):
				kept = append(kept, args[n])
			case !joined && flag.NoOptDefVal == "":
				n++ // its value
			}
		}
		return kept
	}
}

// contradicts reports whether an option of an earlier entry says which vault it
// is, or would win over a variable of the new entry.
func contradicts(option string, server clients.Server) bool {
	if option == "config" { // which may name a vault
		return true
	}
	return slices.ContainsFunc(config.Settings(), func(setting config.Setting) bool {
		return setting.Flag() == option && (isGiven(setting, server) || namesAVault(setting.Variables[0]))
	})
}
