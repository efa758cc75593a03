package tool

import (
	"context"
	"encoding/json"
	"slices"

	"obsidian-mcp/internal/fault"
)

// Registry holds the tools on offer, in display order.
type Registry struct{ tools []Tool }

// NewRegistry returns a registry of tools.
func NewRegistry(tools []Tool) *Registry { return &Registry{tools: tools} }

// All lists the tools.
func (r *Registry) All() []Tool { return r.tools }

// Find returns the tool with a name.
func (r *Registry) Find(name string) (Tool, error) {
	names := make([]string, len(r.tools))
	for i, tool := range r.tools {
		if tool.Name == name {
			return tool, nil
		}
		names[i] = tool.Name
	}
	err := fault.InvalidArgument.Errorf("there is no tool '%s'", name)
	if near := fault.Nearest(name, names); near != "" {
		return Tool{}, err.WithHint("did you mean '%s'?", near)
	}
	return Tool{}, err
}

// Only returns the registry without the tools that keep rejects.
func (r *Registry) Only(keep func(Tool) bool) *Registry {
	return &Registry{tools: slices.DeleteFunc(slices.Clone(r.tools), func(t Tool) bool { return !keep(t) })}
}

// Handler runs a tool.
type Handler func(ctx context.Context, args json.RawMessage) (Answer, error)

// Around returns the registry with each call wrapped. A panic of a tool reaches the
// wrapper as an error.
func (r *Registry) Around(wrap func(Tool, Handler) Handler) *Registry {
	wrapped := slices.Clone(r.tools)
	for i, tool := range r.tools {
		wrapped[i].call = wrap(tool, tool.Call)
	}
	return &Registry{tools: wrapped}
}
