package tool

import (
	"context"
	"encoding/json"
	"fmt"
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
	if found, ok := r.get(name); ok {
		return found, nil
	}
	err := fault.InvalidArgument.Errorf("unknown tool '%s'", name)
	if near := fault.Nearest(name, r.names()); near != "" {
		return Tool{}, err.WithHint("did you mean '%s'?", near)
	}
	return Tool{}, err
}

func (r *Registry) get(name string) (Tool, bool) {
	at := slices.IndexFunc(r.tools, func(t Tool) bool { return t.Name == name })
	if at < 0 {
		return Tool{}, false
	}
	return r.tools[at], true
}

func (r *Registry) names() []string {
	names := make([]string, len(r.tools))
	for i, t := range r.tools {
		names[i] = t.Name
	}
	return names
}

// Suggest returns a hint for a caller of a tool that is not on offer: which one is meant, or through which it is reached;
// "" if there is nothing to say.
func (r *Registry) Suggest(name string) string {
	if _, known := r.get(name); known {
		return ""
	}
	for _, t := range r.tools {
		if t.reaching != callsTools {
			continue
		}
		if inner, ok := t.reach.get(name); ok && (inner.Effect == Reads || t.Effect != Reads) {
			return fmt.Sprintf("Call it through %s.", t.Name)
		}
	}
	if near := fault.Nearest(name, r.names()); near != "" {
		return fmt.Sprintf("Did you mean: %s?", near)
	}
	return ""
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
