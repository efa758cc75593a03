package cli

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/doctor"
	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/install/clients"
)

var markColours = map[doctor.Mark]string{doctor.OK: green, doctor.Look: yellow, doctor.Failed: red}

func (p Program) doctor() *cobra.Command {
	cmd := &cobra.Command{Use: "doctor", Args: noArgs,
		Short: "check the vault, permissions, the index and the settings of http, and say how to fix problems"}
	verbose := cmd.Flags().Bool("verbose", false, "show where each setting comes from")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		settings, err := p.settings(cmd)
		if err != nil {
			return err
		}
		quiet, _ := cmd.Flags().GetBool("quiet")
		line := p.progress(cmd, "files")
		defer line.clear()
		out := line.over(p.Out)
		err = p.Doctor(p.showing(cmd.Context(), line), doctor.Request{
			Settings: settings, Source: p.source(cmd), Verbose: *verbose, Entries: p.entries(),
			Report: func(found doctor.Finding) { p.printFinding(out, found, quiet) },
		})
		switch {
		case cmd.Context().Err() != nil:
			line.clear()
			fmt.Fprintln(p.Err, "obsidian-mcp: interrupted")
			return &exit{130}
		case err != nil:
			return &exit{1}
		}
		return nil
	}
	return cmd
}

// printFinding prints a line for a check. With quiet, a check that is passed has none.
func (p Program) printFinding(out io.Writer, found doctor.Finding, quiet bool) {
	if found.Mark != doctor.OK || !quiet {
		fmt.Fprintf(out, "%s  %s\n", p.paint(markColours[found.Mark], fmt.Sprintf("%-6s", found.Mark)), found)
	}
}

// entries returns this server's entries in the clients on this machine.
func (p Program) entries() []doctor.Entry {
	return doctor.Entries(clients.UserMachine(), argumentReader{p})
}

// argumentReader reads the arguments in clients' entries as the program itself reads them.
type argumentReader struct{ program Program }

// Source says where the settings come from if the program is started with these arguments.
func (c argumentReader) Source(args []string) (config.Source, error) {
	root := c.program.root()
	cmd, rest, err := root.Find(args)
	if err != nil {
		return config.Source{}, err
	}
	if err := cmd.ParseFlags(rest); err != nil {
		return config.Source{}, cmd.FlagErrorFunc()(cmd, err)
	}
	if err := cmd.ValidateArgs(cmd.Flags().Args()); err != nil {
		return config.Source{}, err
	}
	return c.program.source(cmd), nil
}

// CheckServes refuses arguments with which the program would not serve the client that starts it.
func (c argumentReader) CheckServes(args []string) error {
	root := c.program.root()
	cmd, rest, err := root.Find(args)
	if err != nil {
		return nil
	}
	shown := cmd.CommandPath()
	if cmd == root || cmd.Name() == "stdio" {
		parsing := cmd.ParseFlags(rest)
		switch version, _ := cmd.Flags().GetBool("version"); {
		case version:
			shown += " --version"
		case errors.Is(parsing, pflag.ErrHelp):
			shown += " --help"
		default:
			return nil
		}
	}
	return fault.InvalidArgument.Errorf("'%s' does not serve over stdin and stdout", shown).
		WithHint("the entry's args must begin with stdio or contain only options; for a server over HTTP the entry needs a url")
}
