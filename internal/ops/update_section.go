package ops

import (
	"context"

	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/ops/resource"
	"obsidian-mcp/internal/tool"
)

// UpdateSection are the parameters of update_section.
type UpdateSection struct {
	Name         string `json:"name" jsonschema:"name or path"`
	Section      string `json:"section" jsonschema:"heading; A/B for B under A, A[2] for the second A; ^id for a block"`
	Content      string `json:"content" jsonschema:"the new text, without the heading line or the ^id"`
	ExpectedHash string `json:"expected_hash" hidden:"true"`
}

var updateSection = tool.New(tool.Spec{
	Name: "update_section", Toolset: "notes", Title: "Replace a section", Effect: tool.Destroys, Idempotent: true,
	About: "Replaces everything under a heading, sub-sections included; the heading stays. Or the text of a block, whose id, list marker and nested items stay. Use replace_text for smaller edits.",
}, (*Ops).UpdateSection)

// UpdateSection replaces everything under a heading.
func (o *Ops) UpdateSection(ctx context.Context, in UpdateSection) (SectionStatus, error) {
	return o.editSection(ctx, in.Name, in.Section, in.ExpectedHash, "updated", guardsPart, sectionChange{
		section: func(note *md.Note, section md.Section) ([]md.Splice, error) {
			return edit.UpdateSection(note, section, withoutHeading(note, section, resource.WithoutContext(in.Content)))
		},
		block: func(note *md.Note, block edit.Block) ([]md.Splice, error) {
			return edit.UpdateBlock(note, block, resource.WithoutContext(in.Content))
		},
	})
}
