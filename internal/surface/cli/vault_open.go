package cli

import (
	"encoding/json"
	"slices"

	"github.com/spf13/cobra"

	"obsidian-mcp/internal/tool"
)

// caller calls a tool of an open vault.
type caller func(name string, arguments map[string]string) (tool.Answer, error)

// withTools opens the vault for as long as a command runs.
func (p Program) withTools(cmd *cobra.Command, run func(caller) error) error {
	settings, err := p.settings(cmd)
	if err != nil {
		return err
	}
	tools, closer, err := p.Open(cmd.Context(), settings)
	if err != nil {
		return err
	}
	defer closer.Close()
	line := p.progress(cmd, "files")
	ctx := asShell(p.showing(cmd.Context(), line))
	return run(func(name string, arguments map[string]string) (tool.Answer, error) {
		encoded, err := json.Marshal(arguments)
		if err != nil {
			return tool.Answer{}, err
		}
		defer line.clear()
		return p.run(ctx, settings, tools, name, encoded)
	})
}

// addParamFlags adds a tool's parameters to a command as flags, except those that the command takes in another way.
func (p Program) addParamFlags(cmd *cobra.Command, name string, except ...string) {
	called, err := p.Tools.Find(name)
	if err != nil {
		return // running the command reports that the tool does not exist
	}
	for _, param := range called.Params {
		if !slices.Contains(except, param.Name) {
			addFlag(cmd, param)
		}
	}
}

// arguments returns the arguments for a tool that were set by flags.
func (p Program) arguments(cmd *cobra.Command, name string) map[string]string {
	called, _ := p.Tools.Find(name)
	arguments := map[string]string{}
	for _, param := range called.Params {
		if flag := cmd.Flags().Lookup(flagName(param)); flag != nil && flag.Changed {
			arguments[param.Name] = flag.Value.String()
		}
	}
	return arguments
}
