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

// explainValue says what is wrong with a flag's value, where pflag names the Go function that rejected it.
func explainValue(err error) error {
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

// suggestFlag adds the most similar flag to the error about an unknown one.
func suggestFlag(cmd *cobra.Command, err error) error {
	unknown, ok := strings.CutPrefix(err.Error(), "unknown flag: --")
	if !ok {
		return err
	}
	var names []string
	cmd.Flags().VisitAll(func(flag *pflag.Flag) { names = append(names, flag.Name) })
	if near := fault.Nearest(unknown, names); near != "" {
		return fmt.Errorf("%w (did you mean --%s?)", err, near)
	}
	return err
}

// noArgs refuses arguments. For a command with subcommands it treats the argument as a misspelt subcommand.
func noArgs(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return nil
	case isFolder(args[0]): // other servers take the vault as an argument
		return &usage{fmt.Errorf("%s takes no folder (did you mean --vault-path %s?)",
			cmd.CommandPath(), clients.ShellWord(args[0]))}
	case !cmd.HasSubCommands():
		return &usage{fmt.Errorf("%s takes no arguments, but got '%s'", cmd.CommandPath(), args[0])}
	}
	var names []string
	for _, subcommand := range cmd.Commands() {
		names = append(names, subcommand.Name())
	}
	if near := fault.Nearest(args[0], names); near != "" {
		return &usage{fmt.Errorf("unknown command %q (did you mean %q?)", args[0], near)}
	}
	return &usage{fmt.Errorf("unknown command %q", args[0])}
}

func isFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}
