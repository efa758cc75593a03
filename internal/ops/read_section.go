package ops

import (
	"context"
	"errors"
	"slices"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/vault"
)

// ReadSection are the parameters of read_section.
type ReadSection struct {
	Name    string `json:"name" jsonschema:"name or path"`
	Section string `json:"section" jsonschema:"heading; A/B for B under A, A[2] for the second A; ^id for a block"`
}

var readSection = tool.New(tool.Spec{
	Name: "read_section", Toolset: "notes", Title: "Read a section", Effect: tool.Reads,
	About: "Returns the text under a heading, up to the next of the same or a higher level, or of a block. Use get_headings to list headings, read_note for the whole note.",
}, (*Ops).ReadSection)

// ReadSection returns the text under a heading, or of a block.
func (o *Ops) ReadSection(ctx context.Context, in ReadSection) (tool.Text, error) {
	_, path, err := o.findNote(ctx, in.Name)
	if err != nil {
		return tool.Text{}, err
	}
	file, err := o.readText(ctx, in.Name, path, maxPart)
	if err != nil {
		return tool.Text{}, err
	}
	note := md.Scan(file.Data)
	text, err := partOf(ctx, note, in.Name, in.Section)
	if err != nil {
		return tool.Text{}, err
	}
	notePart(ctx, path, file.Data)
	if len(text) > vault.MaxNote {
		return tool.Text{}, fault.InvalidArgument.Errorf("section '%s' of '%s' is too large: %d bytes. "+
			"Read some lines with read_note's start_line and max_lines", in.Section, in.Name, len(text))
	}
	return tool.Text{Meta: withConflicts(file.Conflicts, tool.Meta{"hash": store.Hash(file.Data)}), Text: readable([]byte(text))}, nil
}

// maxHeadings is how many headings an error suggests.
const maxHeadings = 20

// findSection finds a section of a note; name is what the caller called the note. If there is none, it suggests the
// note's headings.
func findSection(ctx context.Context, note *md.Note, name, section string) (md.Section, error) {
	found, err := edit.FindSection(note, section)
	if errors.Is(err, fault.NotFound) {
		var headings []string
		for _, heading := range note.Headings {
			text := readable(heading.Text.Of(note.Source))
			if len(headings) < maxHeadings && !slices.Contains(headings, text) {
				headings = append(headings, text)
			}
		}
		didYouMean(ctx, headings)
		return found, fault.NotFound.Errorf("Section '%s' not found in '%s'", section, name)
	}
	return found, err
}

// isBlockID reports whether the name of a section is the id of a block.
func isBlockID(section string) bool { return strings.HasPrefix(blockID(section), "^") }

// blockID returns the id of a block as it is written in the note. Callers copy it from links, where it follows a #.
func blockID(section string) string {
	return strings.TrimPrefix(strings.TrimSpace(section), "#")
}

// maxBlocks is how many block ids an error suggests.
const maxBlocks = 20

// findBlock finds the block of a note that an id names. If there is none, it suggests the ids that the note has.
func findBlock(ctx context.Context, note *md.Note, name, id string) (edit.Block, error) {
	block, err := edit.FindBlock(note, blockID(id))
	if err == nil {
		return block, nil
	}
	var ids []string
	for _, block := range edit.Blocks(note) {
		if len(ids) < maxBlocks {
			ids = append(ids, "^"+block.ID)
		}
	}
	didYouMean(ctx, ids)
	return edit.Block{}, fault.NotFound.Errorf("Block '%s' not found in '%s'", blockID(id), name)
}
