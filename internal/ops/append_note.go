package ops

import (
	"context"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/ops/resource"
	"obsidian-mcp/internal/tool"
)

// AppendNote are the parameters of append_note.
type AppendNote struct {
	Name         string `json:"name" jsonschema:"name or path"`
	Text         string `json:"text" jsonschema:"Markdown to add at the end"`
	ExpectedHash string `json:"expected_hash" hidden:"true"`
}

// Status is the result of tools that change a note's body.
type Status struct {
	tool.Meta `json:"-"`
	Name      string `json:"name"`
	Status    string `json:"status"`
}

var appendNote = tool.New(tool.Spec{
	Name: "append_note", Toolset: "notes", Title: "Append to a note", Effect: tool.Adds,
	About: "Adds text at the end of a note, after a blank line. Use append_section to add under a heading, insert_text to add at a place in the body.",
}, (*Ops).AppendNote)

// AppendNote adds text at the end of a note.
func (o *Ops) AppendNote(ctx context.Context, in AppendNote) (Status, error) {
	path, edited, err := o.edit(ctx, in.Name, in.ExpectedHash, func(_ *index.Snapshot, note *md.Note) ([]md.Splice, error) {
		return edit.Append(note, resource.WithoutContext(in.Text)), nil
	})
	if err != nil {
		return Status{}, err
	}
	return Status{changed(edited), o.name(ctx, path), "appended"}, nil
}
