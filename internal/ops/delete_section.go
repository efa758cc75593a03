package ops

import (
	"context"

	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/tool"
)

// DeleteSection are the parameters of delete_section.
type DeleteSection struct {
	Name         string `json:"name" jsonschema:"note name or path"`
	Section      string `json:"section" jsonschema:"heading text; A/B for B under A, A[2] for the second A"`
	ExpectedHash string `json:"expected_hash" hidden:"true"`
}

var deleteSection = tool.New(tool.Spec{
	Name: "delete_section", Toolset: "notes", Title: "Delete a section", Effect: tool.Destroys,
	About: "Deletes a heading and everything under it. Use update_section to keep the heading.",
}, (*Ops).DeleteSection)

// DeleteSection deletes a heading and everything under it.
func (o *Ops) DeleteSection(ctx context.Context, in DeleteSection) (SectionStatus, error) {
	return o.editSection(ctx, in.Name, in.Section, in.ExpectedHash, "deleted", guardsPart, func(note *md.Note, section md.Section) ([]md.Splice, error) {
		return edit.DeleteSection(note, section)
	})
}
