package ops

import (
	"context"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/tool"
)

// InsertText are the parameters of insert_text.
type InsertText struct {
	Name         string `json:"name" jsonschema:"name or path"`
	Text         string `json:"text" jsonschema:"the new line or lines"`
	Before       string `json:"before" jsonschema:"above the first line with this text" default:""`
	After        string `json:"after" jsonschema:"below the first line with this text" default:""`
	ExpectedHash string `json:"expected_hash" hidden:"true"`
}

// Inserted is the result of insert_text.
type Inserted struct {
	tool.Meta `json:"-"`
	Name      string `json:"name"`
	Position  string `json:"position"`
	Pattern   string `json:"pattern"`
}

var insertText = tool.New(tool.Spec{
	Name: "insert_text", Toolset: "notes", Title: "Insert lines", Effect: tool.Adds,
	About: "Inserts new lines before or after the first body line that contains a given text. Use append_section to add at the end of a section.",
}, (*Ops).InsertText)

// InsertText inserts lines before or after a line of the body.
func (o *Ops) InsertText(ctx context.Context, in InsertText) (Inserted, error) {
	if (in.Before == "") == (in.After == "") {
		return Inserted{}, fault.InvalidArgument.Errorf("Exactly one of 'before' or 'after' must be provided")
	}
	position, pattern, side := "before", in.Before, edit.Before
	if in.After != "" {
		position, pattern, side = "after", in.After, edit.After
	}
	path, edited, err := o.edit(ctx, in.Name, in.ExpectedHash, func(_ *index.Snapshot, note *md.Note) ([]md.Splice, error) {
		splices, found := edit.InsertLine(note, in.Text, pattern, side)
		if !found {
			return nil, textNotFound(ctx, note, in.Name, pattern)
		}
		return splices, nil
	})
	if err != nil {
		return Inserted{}, err
	}
	return Inserted{changed(edited), o.name(ctx, path), position, pattern}, nil
}
