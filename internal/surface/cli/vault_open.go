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
	ctx := p.showing(cmd.Context(), line)
	return run(func(name string, arguments map[string]string) (tool.Answer, error) {
		encoded, err := json.Marshal(arguments)
		if err != nil {
			return tool.Answer{}, err
		}
		defer line.clear()
		return p.run(ctx, settings, tools, name, encoded)
	})
}

// takeParams gives a command the parameters of a tool as flags, but for those
// that it takes otherwise.
func (p Program) takeParams(cmd *cobra.Command, name string, but ...string) {
	one, err := p.Tools.Find(name)
	if err != nil {
		return // who runs the command is told that there is no such tool
	}
	for _, param := range one.Params {
		if !slices.Contains(but, param.Name) {
			addFlag(cmd, param)
		}
	}
}

// given are the arguments that were given as flags.
func (p Program) given(cmd *cobra.Command, name string) map[string]string {
	one, _ := p.Tools.Find(name)
	arguments := map[string]string{}
	for _, param := range one.Params {
		if flag := cmd.Flags().Lookup(flagName(param)); flag != nil && flag.Changed {
			arguments[param.Name] = flag.Value.String()
		}
	}
	return arguments
}
