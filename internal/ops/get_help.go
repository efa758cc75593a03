package ops

import (
	"context"

	"obsidian-mcp/internal/tool"
)

// GetHelp has no parameters.
type GetHelp struct{}

// ToolHelp describes a tool.
type ToolHelp struct {
	Name        string `json:"name"`
	Params      string `json:"params"`
	Description string `json:"description"`
}

var getHelp = tool.New(tool.Spec{
	Name: "get_help", Toolset: "notes", Title: "Help", Effect: tool.Reads,
	About: "Lists every tool with its parameters and what it is for.",
}, (*Ops).GetHelp)

// GetHelp describes the tools on offer.
func (o *Ops) GetHelp(context.Context, GetHelp) (tool.List[ToolHelp], error) {
	var list []ToolHelp
	for _, offered := range o.help.All() {
		list = append(list, ToolHelp{offered.Name, offered.Signature(), offered.About})
	}
	return tool.List[ToolHelp]{Items: list}, nil
}
