package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"obsidian-mcp/internal/access/auth"
)

func (p Program) stdio() *cobra.Command {
	return &cobra.Command{Use: "stdio", Short: "serve over stdin and stdout", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return p.serve(cmd) }}
}

func (p Program) serve(cmd *cobra.Command) error {
	settings, err := p.settings(cmd)
	if err != nil {
		return err
	}
	dropOthers(cmd)
	return p.Serve(cmd.Context(), settings, p.In, p.Out)
}

// dropOthers removes all other commands. A server runs for a long time and does not need most of their hundreds of flags.
func dropOthers(cmd *cobra.Command) {
	root := cmd.Root()
	for _, other := range root.Commands() {
		if other != cmd {
			root.RemoveCommand(other)
		}
	}
}

func (p Program) http() *cobra.Command {
	return &cobra.Command{Use: "http", Args: noArgs,
		Short: "serve Streamable HTTP at /mcp, HTTP+SSE at /sse, and a web page at /",
		RunE: func(cmd *cobra.Command, _ []string) error {
			settings, err := p.settings(cmd)
			if err != nil {
				return err
			}
			line := p.progress(cmd, "files")
			if !line.bar {
				line.out = nil // the server logs its progress
			}
			line.fades = time.Second
			defer line.clear()
			dropOthers(cmd)
			return p.ServeHTTP(p.showing(cmd.Context(), line), settings)
		}}
}

func (p Program) health() *cobra.Command {
	command := &cobra.Command{Use: "health", Args: noArgs,
		Short: "ask the server that http started with these settings whether it is alive",
		RunE: func(cmd *cobra.Command, _ []string) error {
			settings, err := p.settings(cmd)
			if err != nil {
				return err
			}
			path := "/healthz"
			if ready, _ := cmd.Flags().GetBool("ready"); ready {
				path = "/readyz"
			}
			return p.Health(cmd.Context(), settings, path)
		}}
	command.Flags().Bool("ready", false, "ask whether it is ready: the index is built and the vault is available")
	return command
}

func (p Program) token() *cobra.Command {
	group := &cobra.Command{Use: "token", Short: "bearer tokens for http", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	create := &cobra.Command{Use: "new", Short: "create a bearer token, and the entry for the config file", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			name, _ := cmd.Flags().GetString("name")
			token, hash := auth.NewToken()
			_, err := fmt.Fprintf(p.Out, newToken, token, name, hash)
			return err
		}}
	create.Flags().String("name", "client", "what to call it in the config file and in logs")
	group.AddCommand(create)
	return group
}

const newToken = `token: %s

The client sends it as "Authorization: Bearer ...". It is shown only once. Give it to the server as OBSIDIAN_MCP_TOKEN,
or, with limits, put its hash into the config file:

tokens:
  - name: %q
    sha256: %s
    # read_only: true
    # allow: [projects/]        # folders or globs; default: all
    # deny: [private/]          # wins over allow
    # toolsets: [notes, find]
    # expires: 2027-01-01
`
