package ops

import (
	"context"
	"errors"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/vault"
)

// NoteRead are the parameters of note_read.
type NoteRead struct {
	Path string `json:"path" jsonschema:"path from the vault's root"`
}

// NoteContent is the result of note_read.
type NoteContent struct {
	tool.Meta `json:"-"`
	Content   string `json:"content"`
	Exists    bool   `json:"exists"`
}

var noteRead = tool.New(tool.Spec{
	Name: "note_read", Toolset: "agent", Title: "Read a file that may not exist", Effect: tool.Reads,
	About: "Returns the text at an exact path; a missing file is not an error. Use read_note to find a note by name.",
}, (*Ops).NoteRead)

// NoteRead returns the text at a path.
func (o *Ops) NoteRead(ctx context.Context, in NoteRead) (NoteContent, error) {
	_, path, exists, err := o.fileAt(ctx, in.Path)
	if err != nil || !exists {
		return NoteContent{}, err
	}
	file, err := o.readText(ctx, in.Path, path, vault.MaxNote)
	if errors.Is(err, fault.NotFound) {
		return NoteContent{}, nil
	}
	if err != nil {
		return NoteContent{}, err
	}
	noteShown(ctx, path, file.Data)
	return NoteContent{withConflicts(file.Conflicts, tool.Meta{"hash": store.Hash(file.Data)}), readable(file.Data), true}, nil
}

// fileAt returns the file at a path, which may differ in case or Unicode form; it
// never looks elsewhere. A folder or special file at the path is an error.
func (o *Ops) fileAt(ctx context.Context, name string) (s *index.Snapshot, path vpath.Path, exists bool, err error) {
	path, err = vpath.ParseNote(name)
	if err != nil {
		return nil, "", false, err
	}
	if s, err = o.vault.Texts(ctx); err != nil {
		return nil, "", false, err
	}
	if written, ok := s.Paths.Find(vpath.Path(name)); ok {
		return s, written, true, nil // a file with another extension
	}
	if s.Entry(path) != nil {
		return s, path, true, nil
	}
	if found, ok := s.Paths.Find(path); ok {
		return s, found, true, nil
	}
	if _, isFolder := s.Folder(path); isFolder {
		return nil, "", false, fault.PermissionDenied.Errorf("'%s' is a folder", path)
	}
	exists, err = o.vault.Exists(ctx, path)
	return s, path, exists, err
}
