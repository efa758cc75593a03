package ops

import (
	"context"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/tool"
)

// GetLinks are the parameters of get_links.
type GetLinks struct {
	Name      string `json:"name" jsonschema:"name or path"`
	Direction string `json:"direction" jsonschema:"in, out or both" default:"both"`
}

// Links is the result of get_links.
type Links struct {
	Name     string    `json:"name"`
	Outgoing *[]string `json:"outgoing,omitempty"`
	Incoming *[]string `json:"incoming,omitempty"`
}

var getLinks = tool.New(tool.Spec{
	Name: "get_links", Toolset: "notes", Title: "Links of a note", Effect: tool.Reads,
	About: "Names the notes that a note links to, also missing ones, and the notes that link to it. Use backlinks_search for the lines, graph_neighbors for more steps.",
}, (*Ops).GetLinks)

// GetLinks names a note's neighbours.
func (o *Ops) GetLinks(ctx context.Context, in GetLinks) (Links, error) {
	if in.Direction != "in" && in.Direction != "out" && in.Direction != "both" {
		return Links{}, badDirection(in.Direction)
	}
	s, path, err := o.find(ctx, in.Name)
	if err != nil {
		return Links{}, err
	}
	result := Links{Name: s.Name(path)}
	if in.Direction != "in" {
		names := outgoing(s, path)
		result.Outgoing = &names
	}
	if in.Direction != "out" {
		names := s.Sources(path)
		result.Incoming = &names
	}
	return result, nil
}

func badDirection(direction string) error {
	return fault.InvalidArgument.Errorf("Invalid direction: %s. Valid: in, out, both", direction)
}

// outgoing names what a note links to, in the order of the links. A missing target is
// named as the link spells it.
func outgoing(s *index.Snapshot, path vpath.Path) []string {
	names := []string{}
	seen := map[string]bool{}
	for _, link := range s.Outgoing(path) {
		name := link.Path
		if link.To != "" {
			name = s.Name(link.To)
		}
		if !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	return names
}
