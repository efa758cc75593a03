package cli

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/install/clients"
)

// usage is an error in how a command was typed.
type usage struct{ error }

func isUsage(err error) bool {
	_, ok := errors.AsType[*usage](err)
	return ok || err != nil && len(err.Error()) > 15 && err.Error()[:15] == "unknown command"
}

// inOurWords says of a value that is no number what it is, rather than which
// function did not take it.
func inOurWords(err error) error {
	invalid, ok := errors.AsType[*pflag.InvalidValueError](err)
	if !ok {
		return err
	}
	switch flag := invalid.GetFlag(); flag.Value.Type() {
	case "int":
		return fmt.Errorf("--%s: '%s' is not a whole number", flag.Name, invalid.GetValue())
	case "bool":
		return fmt.Errorf("--%s: '%s' is neither true nor false", flag.Name, invalid.GetValue())
	}
	return err
}

// withNearestFlag tells which flag an unknown one may have been meant to be.
func withNearestFlag(cmd *cobra.Command, err error) error {
	unknown, ok := strings.CutPrefix(err.Error(), "unknown flag: --")
	if !ok {
		return err
	}
	var known []string
	cmd.Flags().VisitAll(func(flag *pflag.Flag) { known = append(known, flag.Name) })
	if near := fault.Nearest(unknown, known); near != "" {
		return fmt.Errorf("%w (did you mean --%s?)", err, near)
	}
	return err
}

// noArgs is for commands that take no arguments; one that has subcommands was
// meant to run one.
func noArgs(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return nil
	case isFolder(args[0]): // as other servers take the vault
		return &usage{fmt.Errorf("%s takes no folder (did you mean --vault-path %s?)", cmd.CommandPath(), clients.ShellWord(args[0]))}
	case !cmd.HasSubCommands():
		return &usage{fmt.Errorf("%s takes no arguments, and '%s' is one", cmd.CommandPath(), args[0])}
	}
	var known []string
	for _, one := range cmd.Commands() {
		known = append(known, one.Name())
	}
	if near := fault.Nearest(args[0], known); near != "" {
		return &usage{fmt.Errorf("unknown command %q (did you mean %q?)", args[0], near)}
	}
	return &usage{fmt.Errorf("unknown command %q", args[0])}
}

func isFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}
