package ops

import (
	"context"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/tool"
)

// RemoveTag are the parameters of remove_tag.
type RemoveTag struct {
	Name         string `json:"name" jsonschema:"name or path"`
	Tag          string `json:"tag" jsonschema:"tag, with or without #"`
	ExpectedHash string `json:"expected_hash" hidden:"true"`
}

// RemovedTag is the result of remove_tag.
type RemovedTag struct {
	tool.Meta `json:"-"`
	Name      string   `json:"name"`
	Tags      []string `json:"tags"`
	Removed   bool     `json:"removed"`
}

var removeTag = tool.New(tool.Spec{
	Name: "remove_tag", Toolset: "notes", Title: "Remove a tag", Effect: tool.Destroys, Idempotent: true,
	About: "Removes a tag from a note's frontmatter. A #tag in the text stays; use replace_text for that.",
}, (*Ops).RemoveTag)

// RemoveTag removes a tag from a note's properties.
func (o *Ops) RemoveTag(ctx context.Context, in RemoveTag) (RemovedTag, error) {
	tag, err := tagName(in.Tag)
	if err != nil {
		return RemovedTag{}, err
	}
	var tags []string
	path, edited, err := o.edit(ctx, in.Name, in.ExpectedHash, func(_ *index.Snapshot, note *md.Note) ([]md.Splice, error) {
		splices, err := edit.RemoveTag(note, tag)
		tags = frontTags(note, splices)
		return splices, err
	})
	if err != nil {
		return RemovedTag{}, err
	}
	return RemovedTag{changed(edited), o.name(ctx, path), tags, edited.Changed}, nil
}
