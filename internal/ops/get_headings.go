package ops

import (
	"context"
	"strings"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/tool"
)

// GetHeadings are the parameters of get_headings.
type GetHeadings struct {
	Name   string `json:"name" jsonschema:"name or path"`
	Blocks bool   `json:"blocks" jsonschema:"also list the blocks that have an ^id" default:"false"`
}

// Heading is one line of an outline: a heading with its level, or a block with its id and line.
type Heading struct {
	Level int    `json:"level,omitempty"`
	Block string `json:"block,omitempty"`
	Line  int    `json:"line,omitempty"`
	Text  string `json:"text"`
}

var getHeadings = tool.New(tool.Spec{
	Name: "get_headings", Toolset: "notes", Title: "Outline of a note", Effect: tool.Reads,
	About: "Lists a note's headings in order, and its blocks. Use read_section for the text of one.",
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
		headings[i] = Heading{Level: heading.Level, Text: heading.Text}
	}
	if in.Blocks {
		file, err := o.readText(ctx, in.Name, path, maxPart)
		if err != nil {
			return tool.List[Heading]{}, err
		}
		headings = append(headings, blockRows(md.Scan(file.Data))...)
	}
	return tool.List[Heading]{Items: headings}, nil
}

// maxBlockText is how many characters of a block's first line are shown.
const maxBlockText = 100

func blockRows(note *md.Note) []Heading {
	var rows []Heading
	for _, block := range edit.Blocks(note) {
		first, _, _ := strings.Cut(edit.BlockText(note, block), "\n")
		text := strings.TrimSpace(readable([]byte(first)))
		if end := cutAt(text, maxBlockText); end < len(text) {
			text = text[:end] + "…"
		}
		rows = append(rows, Heading{Block: "^" + block.ID, Line: block.Line, Text: text})
	}
	return rows
}
