package clients

import (
	"runtime"
	"slices"
	"strings"
)

// Package is the name under which npm has this program.
const Package = "@obsidian-mcp/server"

// NPX returns the command and the arguments before all others that start this program with npm's npx. On Windows npx is a
// script, which most clients cannot start themselves.
func NPX() (command string, runner []string) {
	if runtime.GOOS == "windows" {
		return "cmd", []string{"/c", "npx", "-y", Package}
	}
	return "npx", []string{"-y", Package}
}

// cutRunner separates the arguments that make npx, or a program like it, start this one from those that this one gets.
func cutRunner(args []string) (runner, rest []string) {
	at := slices.IndexFunc(args, func(arg string) bool { return arg == Package || strings.HasPrefix(arg, Package+"@") })
	if at < 0 {
		return nil, args
	}
	return args[:at+1], args[at+1:]
}

// isOurPackage reports whether an entry starts this program by its package.
func isOurPackage(existing map[string]any) bool {
	options, err := optionsOf(existing["args"])
	runner, _ := cutRunner(options)
	return err == nil && len(runner) > 0
}
