package ops

import (
	"context"
	"strings"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/tool"
)

// SectionStatus is the result of tools that change a section.
type SectionStatus struct {
	tool.Meta `json:"-"`
	Name      string `json:"name"`
	Section   string `json:"section"`
	Status    string `json:"status"`
}

// withoutHeading removes the section's own heading from text that was sent with it,
// which would otherwise appear twice.
func withoutHeading(note *md.Note, section md.Section, text string) string {
	sent := md.ScanText([]byte(text))
	if len(sent.Headings) == 0 || strings.TrimSpace(text[:sent.Headings[0].Start]) != "" {
		return text
	}
	first, own := sent.Headings[0], note.Headings[section.Heading]
	if first.Level != own.Level || string(first.Text.Of(sent.Source)) != string(own.Text.Of(note.Source)) {
		return text
	}
	return strings.TrimLeft(text[first.End:], "\r\n")
}

// sectionChange says how a tool changes a part of a note: a section, or the block that an id names.
type sectionChange struct {
	section func(*md.Note, md.Section) ([]md.Splice, error)
	block   func(*md.Note, edit.Block) ([]md.Splice, error)
}

// editSection changes a section or block, which it looks up again for each attempt.
func (o *Ops) editSection(
	ctx context.Context, name, section, expected, status string, replaces guard, change sectionChange,
) (SectionStatus, error) {
	path, edited, err := o.editShown(ctx, name, expected, replaces, func(_ *index.Snapshot, note *md.Note) ([]md.Splice, error) {
		if isBlockID(section) {
			block, err := findBlock(ctx, note, name, section)
			if err != nil {
				return nil, err
			}
			return change.block(note, block)
		}
		found, err := findSection(ctx, note, name, section)
		if err != nil {
			return nil, err
		}
		return change.section(note, found)
	})
	if err != nil {
		return SectionStatus{}, err
	}
	return SectionStatus{changed(edited), o.name(ctx, path), section, status}, nil
}
