package ops

import (
	"context"
	"slices"
	"strings"

	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/tool"
)

// DeleteSection are the parameters of delete_section.
type DeleteSection struct {
	Name         string `json:"name" jsonschema:"name or path"`
	Section      string `json:"section" jsonschema:"heading; A/B for B under A, A[2] for the second A; ^id for a block"`
	ExpectedHash string `json:"expected_hash" hidden:"true"`
}

var deleteSection = tool.New(tool.Spec{
	Name: "delete_section", Toolset: "notes", Title: "Delete a section", Effect: tool.Destroys,
	About: "Deletes a heading and everything under it, or a block with its id. Use update_section to keep the heading.",
}, (*Ops).DeleteSection)

// DeleteSection deletes a heading and everything under it, or a block.
func (o *Ops) DeleteSection(ctx context.Context, in DeleteSection) (SectionStatus, error) {
	var before, after []byte
	remember := func(note *md.Note, splices []md.Splice, err error) ([]md.Splice, error) {
		before, after = note.Source, md.Apply(note.Source, splices)
		return splices, err
	}
	result, err := o.editSection(ctx, in.Name, in.Section, in.ExpectedHash, "deleted", guardsPart, sectionChange{
		section: func(note *md.Note, section md.Section) ([]md.Splice, error) {
			splices, err := edit.DeleteSection(note, section)
			return remember(note, splices, err)
		},
		block: func(note *md.Note, block edit.Block) ([]md.Splice, error) {
			splices, err := edit.DeleteBlock(note, block)
			return remember(note, splices, err)
		},
	})
	if err == nil {
		o.hintBroken(ctx, in.Name, before, after)
	}
	return result, err
}

// hintBroken tells of the links in other notes that led to what was deleted.
func (o *Ops) hintBroken(ctx context.Context, name string, before, after []byte) {
	s, path, err := o.vault.Find(ctx, name)
	if err != nil {
		return
	}
	broken := s.BrokenBy(path, before, after)
	var names []string
	for _, link := range broken {
		if name := s.Name(link.From); len(names) < maxSuggested && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	switch len(broken) {
	case 0:
	case 1:
		tool.AddHint(ctx, tool.HintSuggest, "A link in %s led to what was deleted.", names[0])
	default:
		tool.AddHint(ctx, tool.HintSuggest, "%d links led to what was deleted, in: %s.", len(broken), strings.Join(names, ", "))
	}
}
