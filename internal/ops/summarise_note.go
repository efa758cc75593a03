package ops

import (
	"context"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/summary"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/vault"
)

// SummariseNote are the parameters of summarise_note.
type SummariseNote struct {
	URI      string `json:"uri" jsonschema:"uri from find_notes, name or path"`
	MaxWords int    `json:"max_words" jsonschema:"up to 2000" default:"100"`
}

// Summarised is the result of summarise_note.
type Summarised struct {
	tool.Meta  `json:"-"`
	URI        string `json:"uri"`
	Title      string `json:"title"`
	Summary    string `json:"summary"`
	Words      int    `json:"words"`
	TotalWords int    `json:"total_words"`
}

var summariseNote = tool.New(tool.Spec{
	Name: "summarise_note", Toolset: "find", Title: "Summarise a note", Effect: tool.Reads,
	About: "Returns the most informative sentences and list items of a note, in their order, without code and tables. Use read_note for the whole text, get_headings for the outline.",
}, (*Ops).SummariseNote)

// maxSummary is the most words of a summary, even if the caller asks for more.
const maxSummary = 2000

// SummariseNote returns an extract of a note.
func (o *Ops) SummariseNote(ctx context.Context, in SummariseNote) (Summarised, error) {
	if in.MaxWords < 1 {
		return Summarised{}, fault.InvalidArgument.Errorf("max_words must be at least 1")
	}
	_, path, err := o.findNote(ctx, in.URI)
	if err != nil {
		return Summarised{}, err
	}
	file, err := o.readText(ctx, in.URI, path, vault.MaxNote)
	if err != nil {
		return Summarised{}, err
	}
	s, err := o.vault.Snapshot(ctx)
	if err != nil {
		return Summarised{}, err
	}
	title := path.Name()
	extract := summary.Extract(file.Data, title, min(in.MaxWords, maxSummary), s.Weight)
	return Summarised{
		Meta: withConflicts(file.Conflicts, tool.Meta{"hash": store.Hash(file.Data)}),
		URI:  o.uris.Of(path), Title: title,
		Summary: extract.Text, Words: extract.Words, TotalWords: extract.Total,
	}, nil
}

// findByURI returns the file at a URI, and never another with the same name.
func (o *Ops) findByURI(ctx context.Context, uri string) (vpath.Path, error) {
	named, ok := o.uris.Parse(uri)
	if !ok {
		return "", index.NotFound(uri)
	}
	_, path, exists, err := o.fileAt(ctx, string(named))
	if err == nil && !exists {
		err = index.NotFound(uri)
	}
	return path, err
}
