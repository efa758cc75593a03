package tool

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"obsidian-mcp/internal/fault"
)

// Registry is the tools on offer, in their order.
type Registry struct{ tools []Tool }

// NewRegistry makes a registry.
func NewRegistry(tools []Tool) *Registry { return &Registry{tools: tools} }

// All lists the tools.
func (r *Registry) All() []Tool { return r.tools }

// Find is the tool of a name.
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

// Only is the registry without the tools that keep refuses.
func (r *Registry) Only(keep func(Tool) bool) *Registry {
	return &Registry{tools: slices.DeleteFunc(slices.Clone(r.tools), func(t Tool) bool { return !keep(t) })}
}

// Handler runs a tool.
type Handler func(ctx context.Context, args json.RawMessage) (Answer, error)

// Around is the registry with something done around each call. A tool that
// panics has failed by then.
func (r *Registry) Around(wrap func(Tool, Handler) Handler) *Registry {
	wrapped := slices.Clone(r.tools)
	for i, one := range r.tools {
		wrapped[i].call = wrap(one, one.Call)
	}
	return &Registry{tools: wrapped}
}

// defaultSets are the toolsets of a server that was not told otherwise.
var defaultSets = []string{"notes", "find", "agent", "graph", "history"}

// Toolsets reads a list of toolsets: names, "default", "all", and "-name" to
// take one out.
func (r *Registry) Toolsets(list string) (*Registry, error) {
	known := slices.Clone(defaultSets)
	for _, tool := range r.tools {
		if !slices.Contains(known, tool.Toolset) {
			known = append(known, tool.Toolset)
		}
	}
	chosen := map[string]bool{}
	given := strings.Split(list, ",")
	if strings.HasPrefix(strings.TrimSpace(given[0]), "-") {
		given = append([]string{"default"}, given...)
	}
	for _, word := range given {
		name, out := strings.CutPrefix(strings.TrimSpace(word), "-")
		sets := []string{name}
		switch {
		case name == "":
			continue
		case name == "default":
			sets = defaultSets
		case name == "all":
			sets = known
		case !slices.Contains(known, name):
			err := fault.InvalidArgument.Errorf("there is no toolset '%s'", name)
			if near := fault.Nearest(name, append(known, "default", "all")); near != "" {
				return nil, err.WithHint("did you mean '%s'?", near)
			}
			return nil, err.WithHint("toolsets are: %s, default, all", strings.Join(known, ", "))
		}
		for _, set := range sets {
			chosen[set] = !out
		}
	}
	left := r.Only(func(t Tool) bool { return chosen[t.Toolset] })
	if len(left.tools) == 0 {
		return nil, fault.InvalidArgument.Errorf("the toolsets '%s' hold no tool", list)
	}
	return left, nil
}
