package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/fault"
)

// addHelp adds the help command, and leaves the settings out of the help of most commands.
func addHelp(root *cobra.Command) {
	help := &cobra.Command{Use: "help", Short: "show this text, or a command's"}
	help.RunE = func(cmd *cobra.Command, args []string) error {
		found, rest, err := cmd.Root().Find(args)
		if err == nil {
			err = noArgs(found, rest)
		}
		if err != nil {
			return fault.InvalidArgument.Errorf("%w", err).WithHint("see %s --help", found.CommandPath())
		}
		return found.Help()
	}
	root.SetHelpCommand(help)
	fullUsage := root.UsageFunc()
	root.SetUsageFunc(func(cmd *cobra.Command) error {
		if listsSettings(cmd) {
			return fullUsage(cmd)
		}
		return withoutSettings(cmd, fullUsage)
	})
}

// briefHelp prints the help for a call without a command. It leaves the settings out, so that the commands fit on one
// screen.
func briefHelp(root *cobra.Command) error {
	fullUsage := root.UsageFunc()
	root.SetUsageFunc(func(cmd *cobra.Command) error { return withoutSettings(cmd, fullUsage) })
	return root.Help()
}

// withoutSettings prints a command's usage without the settings, and says where to find them.
func withoutSettings(cmd *cobra.Command, printUsage func(*cobra.Command) error) error {
	hideSettings(cmd)
	if err := printUsage(cmd); err != nil {
		return err
	}
	_, err := fmt.Fprintf(cmd.OutOrStderr(),
		"\nSettings are flags too, such as --vault-path and --read-only: %s --help lists them.\n", cmd.Root().Name())
	return err
}

// hideSettings hides the flags of the settings.
func hideSettings(cmd *cobra.Command) {
	for _, setting := range config.Settings() {
		cmd.Root().PersistentFlags().Lookup(setting.Flag()).Hidden = true
	}
}

// listsSettings reports whether a command's help lists the settings. All commands accept them, but the command's own
// flags would be lost among so many.
func listsSettings(cmd *cobra.Command) bool {
	return !cmd.HasParent() || cmd.Parent() == cmd.Root() && (cmd.Name() == "stdio" || cmd.Name() == "http")
}
