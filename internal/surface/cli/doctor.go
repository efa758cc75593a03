package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

// Examination is what doctor is asked to do.
type Examination struct {
	Out     io.Writer
	Verbose bool                           // tells of each setting where it was given
	Quiet   bool                           // tells of nothing that is in order
	Paint   func(mark, text string) string // colours a text by its mark, where colours are seen

	Clients  []ClientVault // how AI clients on this machine reach the server
	Borrowed bool          // the vault is that of the clients, as the settings name none
}

// The marks that begin the lines of doctor.
const (
	MarkOK     = "ok"
	MarkLook   = "look"
	MarkFailed = "FAILED"
)

var markColours = map[string]string{MarkOK: green, MarkLook: yellow, MarkFailed: red}

func (p Program) doctor() *cobra.Command {
	cmd := &cobra.Command{Use: "doctor", Short: "check the vault, permissions, the index and http's settings, and say what to do", Args: noArgs}
	verbose := cmd.Flags().Bool("verbose", false, "tell of each setting where it was given")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		settings, err := p.settings(cmd)
		if err != nil {
			return err
		}
		found := p.clientVaults()
		settings, borrowed := borrowVault(settings, p.source(cmd), found)
		quiet, _ := cmd.Flags().GetBool("quiet")
		line := p.progress(cmd, "files")
		defer line.clear()
		err = p.Doctor(p.showing(cmd.Context(), line), settings, Examination{
			Out: line.over(p.Out), Verbose: *verbose, Quiet: quiet,
			Paint:   func(mark, text string) string { return p.paint(markColours[mark], text) },
			Clients: found, Borrowed: borrowed,
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
