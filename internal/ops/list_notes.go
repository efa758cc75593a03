package ops

import (
	"context"
	"slices"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/tool"
)

// ListNotes are the parameters of list_notes.
type ListNotes struct {
	Limit  int    `json:"limit" default:"100"`
	Offset int    `json:"offset"`
	Folder string `json:"folder" jsonschema:"only in this folder" default:""`
}

// NoteList is the result of list_notes.
type NoteList struct {
	Names  []string `json:"names"`
	Total  int      `json:"total"`
	Limit  int      `json:"limit"`
	Offset int      `json:"offset"`
}

var listNotes = tool.New(tool.Spec{
	Name: "list_notes", Toolset: "notes", Title: "List notes", Effect: tool.Reads,
	About: "Lists the names of all notes, or of those in a folder, sorted. Use search_notes to find particular notes.",
}, (*Ops).ListNotes)

// ListNotes lists notes by name.
func (o *Ops) ListNotes(ctx context.Context, in ListNotes) (NoteList, error) {
	s, err := o.vault.Texts(ctx)
	if err != nil {
		return NoteList{}, err
	}
	folder, err := findFolder(s, in.Folder)
	if err != nil {
		return NoteList{}, err
	}
	all := s.Names()
	if folder != "" {
		all = slices.DeleteFunc(slices.Clone(all), func(note index.Named) bool { return !note.Path.In(folder) })
	}
	part, err := page(all, in.Limit, in.Offset)
	if err != nil {
		return NoteList{}, err
	}
	tool.ShownHint(ctx, len(part), in.Offset, len(all))
	names := make([]string, len(part))
	for i, note := range part {
		names[i] = note.Name
	}
	return NoteList{names, len(all), in.Limit, in.Offset}, nil
}

// findFolder returns a folder as the vault spells it; the root for an empty name.
func findFolder(s *index.Snapshot, name string) (vpath.Path, error) {
	trimmed := strings.TrimSuffix(name, "/")
	if trimmed == "" {
		return "", nil
	}
	path, err := vpath.Parse(trimmed)
	if err != nil {
		return "", err
	}
	folder, ok := s.Folder(path)
	if !ok {
		return "", fault.NotFound.Errorf("Folder '%s' not found", name)
	}
	return folder, nil
}
