package ops

import (
	"bytes"
	"context"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/md/front"
	"obsidian-mcp/internal/ops/resource"
	"obsidian-mcp/internal/tool"
)

// UpdateNote are the parameters of update_note.
type UpdateNote struct {
	Name         string `json:"name" jsonschema:"name or path"`
	Content      string `json:"content" jsonschema:"the new body, without frontmatter"`
	ExpectedHash string `json:"expected_hash"`
}

var updateNote = tool.New(tool.Spec{
	Name: "update_note", Toolset: "notes", Title: "Replace a note's body", Effect: tool.Destroys, Idempotent: true,
	About: "Replaces the whole body of a note; the frontmatter stays. Use update_section or replace_text for a part, set_frontmatter for properties.",
}, (*Ops).UpdateNote)

// UpdateNote replaces a note's body.
func (o *Ops) UpdateNote(ctx context.Context, in UpdateNote) (Status, error) {
	path, edited, err := o.editShown(ctx, in.Name, in.ExpectedHash, guardsWhole, func(_ *index.Snapshot, note *md.Note) ([]md.Splice, error) {
		body, err := bodyOf(note, resource.WithoutContext(in.Content))
		if err != nil {
			return nil, err
		}
		return edit.ReplaceBody(note, body), nil
	})
	if err != nil {
		return Status{}, err
	}
	return Status{changed(edited), o.name(ctx, path), "updated"}, nil
}

// bodyOf removes the note's own frontmatter from content that was sent with it, as
// callers do that have read the whole note. Any other block would end up in the
// text, or change properties that were meant to stay.
func bodyOf(note *md.Note, content string) (string, error) {
	sent := md.Scan([]byte(content))
	if !sent.Front.Present {
		return content, nil
	}
	if note.Front.Present && bytes.Equal(sent.Front.Block.Of(sent.Source), note.Front.Block.Of(note.Source)) {
		return content[sent.Body:], nil
	}
	if block, err := front.Parse(sent); err != nil || block.Empty() {
		return content, nil // two thematic breaks with text between them
	}
	return "", fault.InvalidArgument.Errorf("the content starts with a frontmatter block, but update_note replaces only the body").
		WithHint("leave the block out; change properties with set_frontmatter")
}
