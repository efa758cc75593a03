package ops

import (
	"context"
	"slices"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/tool"
)

// ObsidianCommand are the parameters of obsidian_command.
type ObsidianCommand struct {
	ID string `json:"id" jsonschema:"id of the command, such as daily-notes"`
}

// CommandRun is the result of obsidian_command.
type CommandRun struct {
	ID     string `json:"id"`
	Output string `json:"output"`
}

var obsidianCommand = tool.New(tool.Spec{
	Name: "obsidian_command", Toolset: "app", Title: "Run an Obsidian command", Effect: tool.Destroys, Needs: tool.NeedsApp,
	About: "Runs a command of the running Obsidian app or of a plugin by its id, if the config file allows that id. What it does cannot be undone here; prefer the other tools, which can.",
}, (*Ops).ObsidianCommand)

// maxCommandOutput is how many bytes of a command's output are shown.
const maxCommandOutput = 4000

// ObsidianCommand runs a command of the app.
func (o *Ops) ObsidianCommand(ctx context.Context, in ObsidianCommand) (CommandRun, error) {
	switch {
	case len(o.appCommands) == 0:
		return CommandRun{}, fault.PermissionDenied.Errorf("app_commands in the config file allows no command").
			WithHint("the user can list the ids there that may be run")
	case !slices.Contains(o.appCommands, in.ID):
		return CommandRun{}, fault.PermissionDenied.Errorf("app_commands in the config file does not allow the command '%s'", in.ID).
			WithHint("it allows %s", strings.Join(o.appCommands, ", "))
	}
	output, err := o.app.Command(ctx, in.ID)
	if len(output) > maxCommandOutput {
		output = strings.ToValidUTF8(output[:maxCommandOutput], "") + "…"
	}
	return CommandRun{in.ID, output}, err
}
