package ops

import (
	"context"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/tool"
)

// GetHeadings are the parameters of get_headings.
type GetHeadings struct {
	Name string `json:"name" jsonschema:"note name or path"`
}

// Heading is one line of an outline.
type Heading struct {
	Level int    `json:"level"`
	Text  string `json:"text"`
}

var getHeadings = tool.New(tool.Spec{
	Name: "get_headings", Toolset: "notes", Title: "Outline of a note", Effect: tool.Reads,
	About: "Lists a note's headings in order. Use read_section for the text under one.",
}, (*Ops).GetHeadings)

// GetHeadings returns a note's outline.
func (o *Ops) GetHeadings(ctx context.Context, in GetHeadings) (tool.List[Heading], error) {
	s, path, err := o.findNote(ctx, in.Name)
	if err != nil {
		return tool.List[Heading]{}, err
	}
	entry := s.Entry(path)
	if entry == nil {
		return tool.List[Heading]{}, index.NotFound(in.Name)
	}
	headings := make([]Heading, len(entry.Headings))
	for i, heading := range entry.Headings {
		headings[i] = Heading(heading)
	}
	return tool.List[Heading]{Items: headings}, nil
}
