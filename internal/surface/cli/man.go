package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/docgen"
	"obsidian-mcp/internal/fault"
)

// man prints the manual page.
func (p Program) man() *cobra.Command {
	return &cobra.Command{Use: "man", Short: "the manual page, in the format of man(1)", Args: noArgs,
		Long: "Prints the manual page in the format of man(1): obsidian-mcp man > obsidian-mcp.1; man ./obsidian-mcp.1",
		RunE: func(*cobra.Command, []string) error {
			_, err := io.WriteString(p.Out, p.ManPage())
			return err
		}}
}

// ManPage is the manual page, made of the commands and the settings.
func (p Program) ManPage() string { return docgen.Man(p.Manual()) }

// Manual is what there is to be told of the commands.
func (p Program) Manual() docgen.Manual {
	root := p.root()
	manual := docgen.Manual{Name: root.Name(), Short: root.Short, Long: root.Long, Statuses: statuses()}
	own := map[string]bool{} // the flags of settings have a section of their own
	for _, setting := range config.Settings() {
		own[setting.Flag()] = true
	}
	root.PersistentFlags().VisitAll(func(flag *pflag.Flag) {
		if !own[flag.Name] {
			manual.Flags = append(manual.Flags, manualFlag(flag))
		}
	})
	for _, cmd := range allCommands(root) {
		if cmd.IsAvailableCommand() && (cmd.Parent() == root || cmd.Parent().Name() != "call") {
			manual.Commands = append(manual.Commands, manualCommand(cmd))
		}
	}
	for _, one := range p.Tools.All() {
		manual.Tools = append(manual.Tools, docgen.ManualTool{Name: one.Name, Title: one.Title, Signature: one.Signature()})
	}
	return manual
}

func manualCommand(cmd *cobra.Command) docgen.ManualCommand {
	use := strings.TrimPrefix(cmd.Parent().CommandPath()+" "+cmd.Use, cmd.Root().Name()+" ")
	made := docgen.ManualCommand{Use: use, Short: cmd.Short, Long: cmd.Long}
	cmd.LocalNonPersistentFlags().VisitAll(func(flag *pflag.Flag) {
		if flag.Name != "help" {
			made.Flags = append(made.Flags, manualFlag(flag))
		}
	})
	return made
}

func manualFlag(flag *pflag.Flag) docgen.ManualFlag {
	made := docgen.ManualFlag{Name: "--" + flag.Name, About: flag.Usage}
	if flag.Shorthand != "" {
		made.Name = "-" + flag.Shorthand + ", " + made.Name
	}
	if flag.Value.Type() != "bool" && flag.NoOptDefVal == "" {
		made.Value = "value"
	}
	return made
}

// statuses tells what each exit status means.
func statuses() []docgen.ManualStatus {
	kinds := map[int][]string{}
	for _, kind := range fault.Kinds() {
		kinds[exitStatus(kind)] = append(kinds[exitStatus(kind)], kind.Code())
	}
	all := []docgen.ManualStatus{{Status: 0, About: "all is well"}}
	for status, codes := range kinds {
		all = append(all, docgen.ManualStatus{Status: status, About: strings.Join(codes, ", ")})
	}
	slices.SortFunc(all, func(a, b docgen.ManualStatus) int { return a.Status - b.Status })
	all[1].About += fmt.Sprintf("; also a check of %s that failed", "doctor or verify")
	return all
}
