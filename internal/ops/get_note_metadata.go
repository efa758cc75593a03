package ops

import (
	"context"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/md/front"
	"obsidian-mcp/internal/tool"
)

// GetNoteMetadata are the parameters of get_note_metadata.
type GetNoteMetadata struct {
	Name string `json:"name" jsonschema:"name or path"`
}

// Metadata is the result of get_note_metadata.
type Metadata struct {
	tool.Meta   `json:"-"`
	Name        string      `json:"name"`
	Frontmatter tool.Object `json:"frontmatter"`
	Outgoing    []string    `json:"outgoing"`
	Incoming    []string    `json:"incoming"`
}

var getNoteMetadata = tool.New(tool.Spec{
	Name: "get_note_metadata", Toolset: "notes", Title: "Properties and links of a note", Effect: tool.Reads,
	About: "Returns a note's properties and links without its text. Use read_note for the text, get_headings for the outline.",
}, (*Ops).GetNoteMetadata)

// GetNoteMetadata returns what the index knows about a note.
func (o *Ops) GetNoteMetadata(ctx context.Context, in GetNoteMetadata) (Metadata, error) {
	s, path, err := o.find(ctx, in.Name)
	if err != nil {
		return Metadata{}, err
	}
	entry := s.Entry(path)
	if entry == nil {
		return Metadata{}, index.NotFound(in.Name)
	}
	properties, problem := properties(entry)
	meta := tool.Meta{"path": string(path), "modified": entry.Modified.UTC(), "size": entry.Size, "hash": s.Hash(path)}
	if problem != nil {
		meta["frontmatter_error"] = problem.Error()
	}
	withConflicts(o.vault.Conflicts(ctx, path), meta)
	return Metadata{meta, s.Name(path), properties, outgoing(s, path), s.Sources(path)}, nil
}

// properties returns a note's properties as JSON. Frontmatter that is not valid YAML
// has no properties.
func properties(entry *index.Entry) (tool.Object, error) {
	block, err := entry.Properties()
	if err != nil {
		return nil, err
	}
	object, err := front.Value{Kind: front.Map, Fields: block.Fields()}.MarshalJSON()
	return object, err
}
