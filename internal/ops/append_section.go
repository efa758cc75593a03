package ops

import (
	"context"

	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/ops/resource"
	"obsidian-mcp/internal/tool"
)

// AppendSection are the parameters of append_section.
type AppendSection struct {
	Name         string `json:"name" jsonschema:"name or path"`
	Section      string `json:"section" jsonschema:"heading; A/B for B under A, A[2] for the second A; ^id for a block"`
	Text         string `json:"text" jsonschema:"Markdown to add at the section's end"`
	ExpectedHash string `json:"expected_hash" hidden:"true"`
}

var appendSection = tool.New(tool.Spec{
	Name: "append_section", Toolset: "notes", Title: "Append to a section", Effect: tool.Adds,
	About: "Adds text at the end of a section or block, continuing a list or table there. Use append_note for the end of the note.",
}, (*Ops).AppendSection)

// AppendSection adds text at the end of a section.
func (o *Ops) AppendSection(ctx context.Context, in AppendSection) (SectionStatus, error) {
	return o.editSection(ctx, in.Name, in.Section, in.ExpectedHash, "appended", unguarded, sectionChange{
		section: func(note *md.Note, section md.Section) ([]md.Splice, error) {
			return edit.AppendSection(note, section, withoutHeading(note, section, resource.WithoutContext(in.Text)))
		},
		block: func(note *md.Note, block edit.Block) ([]md.Splice, error) {
			return edit.AppendBlock(note, block, resource.WithoutContext(in.Text))
		},
	})
}
