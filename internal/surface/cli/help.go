package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/fault"
)

// addHelp has commands explain themselves.
func addHelp(root *cobra.Command) {
	root.SetHelpCommand(&cobra.Command{Use: "help", Short: "this text, or a command's", RunE: func(cmd *cobra.Command, args []string) error {
		found, rest, err := cmd.Root().Find(args)
		if err == nil {
			err = noArgs(found, rest)
		}
		if err != nil {
			return fault.InvalidArgument.Errorf("%w", err).WithHint("see %s --help", found.CommandPath())
		}
		return found.Help()
	}})
	whole := root.UsageFunc()
	root.SetUsageFunc(func(cmd *cobra.Command) error {
		if listsSettings(cmd) {
			return whole(cmd)
		}
		return withoutSettings(cmd, whole)
	})
}

// briefHelp is what the program says to a person who gave no command: so short
// that its commands are still to be seen.
func briefHelp(root *cobra.Command) error {
	whole := root.UsageFunc()
	root.SetUsageFunc(func(cmd *cobra.Command) error { return withoutSettings(cmd, whole) })
	return root.Help()
}

// withoutSettings explains a command, and says where the settings are.
func withoutSettings(cmd *cobra.Command, explain func(*cobra.Command) error) error {
	hideSettings(cmd)
	if err := explain(cmd); err != nil {
		return err
	}
	_, err := fmt.Fprintf(cmd.OutOrStderr(), "\nSettings are flags too, such as --vault-path and --read-only: %s --help lists them.\n", cmd.Root().Name())
	return err
}

// hideSettings leaves the flags of the settings out of what is shown.
func hideSettings(cmd *cobra.Command) {
	for _, setting := range config.Settings() {
		cmd.Root().PersistentFlags().Lookup(setting.Flag()).Hidden = true
	}
}

// listsSettings reports whether a command's help has the settings: all commands
// take them, but among so many the flags of the command itself would be lost.
func listsSettings(cmd *cobra.Command) bool {
	return !cmd.HasParent() || cmd.Parent() == cmd.Root() && (cmd.Name() == "stdio" || cmd.Name() == "http")
}
