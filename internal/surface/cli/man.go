package cli

import (
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/docgen"
	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/text/order"
)

// man prints the manual page.
func (p Program) man() *cobra.Command {
	return &cobra.Command{Use: "man", Short: "print the manual page, in the format of man(1)", Args: noArgs,
		Long: "Prints the manual page in the format of man(1): obsidian-mcp man > obsidian-mcp.1; man ./obsidian-mcp.1",
		RunE: func(*cobra.Command, []string) error {
			_, err := io.WriteString(p.Out, p.ManPage())
			return err
		}}
}

// ManPage returns the manual page, generated from the commands and the settings.
func (p Program) ManPage() string { return docgen.Man(p.Manual()) }

// Manual returns what the manual page says about the commands.
func (p Program) Manual() docgen.Manual {
	root := p.root()
	manual := docgen.Manual{Name: root.Name(), Short: root.Short, Long: root.Long, Statuses: statuses()}
	isSetting := map[string]bool{} // settings have a section of their own
	for _, setting := range config.Settings() {
		isSetting[setting.Flag()] = true
	}
	root.PersistentFlags().VisitAll(func(flag *pflag.Flag) {
		if !isSetting[flag.Name] {
			manual.Flags = append(manual.Flags, manualFlag(flag))
		}
	})
	for _, cmd := range allCommands(root) {
		if cmd.IsAvailableCommand() && (cmd.Parent() == root || cmd.Parent().Name() != "call") {
			manual.Commands = append(manual.Commands, manualCommand(cmd))
		}
	}
	for _, t := range p.Tools.All() {
		manual.Tools = append(manual.Tools, docgen.ManualTool{Name: t.Name, Title: t.Title, Signature: t.Signature()})
	}
	return manual
}

func manualCommand(cmd *cobra.Command) docgen.ManualCommand {
	use := strings.TrimPrefix(cmd.Parent().CommandPath()+" "+cmd.Use, cmd.Root().Name()+" ")
	command := docgen.ManualCommand{Use: use, Short: cmd.Short, Long: cmd.Long}
	cmd.LocalNonPersistentFlags().VisitAll(func(flag *pflag.Flag) {
		if flag.Name != "help" {
			command.Flags = append(command.Flags, manualFlag(flag))
		}
	})
	return command
}

func manualFlag(flag *pflag.Flag) docgen.ManualFlag {
	entry := docgen.ManualFlag{Name: "--" + flag.Name, About: flag.Usage}
	if flag.Shorthand != "" {
		entry.Name = "-" + flag.Shorthand + ", " + entry.Name
	}
	if flag.Value.Type() != "bool" && flag.NoOptDefVal == "" {
		entry.Value = "value"
	}
	return entry
}

// statuses says what each exit status means.
func statuses() []docgen.ManualStatus {
	kinds := map[int][]string{}
	for _, kind := range fault.Kinds() {
		kinds[exitStatus(kind)] = append(kinds[exitStatus(kind)], kind.Code())
	}
	all := []docgen.ManualStatus{{Status: 0, About: "success"}}
	for status, codes := range kinds {
		all = append(all, docgen.ManualStatus{Status: status, About: strings.Join(codes, ", ")})
	}
	order.By(all, func(a, b docgen.ManualStatus) int { return a.Status - b.Status })
	all[1].About += "; also a failed check of doctor or verify"
	return all
}
