package ops

import (
	"context"
	"slices"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/media/kind"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/vault"
)

// ListFiles are the parameters of list_files.
type ListFiles struct {
	Folder string `json:"folder" jsonschema:"only in this folder" default:""`
	Kind   string `json:"kind" jsonschema:"all, image, pdf, audio, video, canvas, base or other" default:"all"`
	Note   string `json:"note" jsonschema:"only files that this note embeds" default:""`
	Unused bool   `json:"unused" jsonschema:"only attachments that nothing links to" default:"false"`
	Limit  int    `json:"limit" default:"100"`
	Offset int    `json:"offset"`
}

// FileList is the result of list_files.
type FileList struct {
	Files []ListedFile `json:"files"`
	Total int          `json:"total"`
}

// ListedFile is a file other than a note.
type ListedFile struct {
	Path       string   `json:"path"`
	Kind       string   `json:"kind"`
	Size       int64    `json:"size"`
	Modified   string   `json:"modified"`
	LinkedFrom []string `json:"linked_from"`
}

var listFiles = tool.New(tool.Spec{
	Name: "list_files", Toolset: "files", Title: "List files", Effect: tool.Reads,
	About: "Lists attachments, canvases and other files that are not notes: images, PDFs, audio, with size and the notes that link to them. Use list_notes for notes, read_file to see one.",
}, (*Ops).ListFiles)

// listedKinds are what the parameter kind may be, besides "all".
var listedKinds = []kind.Kind{kind.Image, kind.PDF, kind.Audio, kind.Video, kind.Canvas, kind.Base, kind.Other}

// maxSources is how many of the notes that link to a file are named.
const maxSources = 10

// ListFiles lists files other than notes.
func (o *Ops) ListFiles(ctx context.Context, in ListFiles) (FileList, error) {
	wanted := kind.Kind(in.Kind)
	if in.Kind != "all" && !slices.Contains(listedKinds, wanted) {
		return FileList{}, fault.InvalidArgument.Errorf("unknown kind '%s'", in.Kind).
			WithHint("kinds are: all, image, pdf, audio, video, canvas, base, other")
	}
	s, paths, err := o.filesToList(ctx, in)
	if err != nil {
		return FileList{}, err
	}
	paths = slices.DeleteFunc(paths, func(path vpath.Path) bool {
		is := kind.Of(path)
		switch {
		case is == kind.Note, in.Kind != "all" && is != wanted:
			return true
		case in.Unused && in.Kind == "all" && (is == kind.Canvas || is == kind.Base):
			return true // these are documents of their own
		}
		return in.Unused && len(s.Sources(path)) > 0
	})
	part, err := page(paths, in.Limit, in.Offset)
	if err != nil {
		return FileList{}, err
	}
	tool.ShownHint(ctx, len(part), in.Offset, len(paths))
	list := FileList{Files: make([]ListedFile, len(part)), Total: len(paths)}
	for i, path := range part {
		list.Files[i] = listed(s, path)
	}
	return list, nil
}

// filesToList returns the files in a folder, or those that a note embeds, in the order of their paths.
func (o *Ops) filesToList(ctx context.Context, in ListFiles) (*index.Snapshot, []vpath.Path, error) {
	s, err := o.vault.Texts(ctx)
	if err != nil {
		return nil, nil, err
	}
	folder, err := findFolder(s, in.Folder)
	if err != nil {
		return nil, nil, err
	}
	var paths []vpath.Path
	add := func(path vpath.Path) bool {
		if path.In(folder) {
			paths = append(paths, path)
		}
		return true
	}
	if in.Note == "" {
		s.Files(add)
	} else if err := o.embedded(ctx, in.Note, add); err != nil {
		return nil, nil, err
	}
	slices.Sort(paths)
	return s, slices.Compact(paths), nil
}

// embedded visits the files that a note or canvas embeds.
func (o *Ops) embedded(ctx context.Context, name string, visit func(vpath.Path) bool) error {
	s, path, err := o.find(ctx, name)
	if err != nil {
		return err
	}
	if path.IsCanvas() {
		for _, link := range s.Outgoing(path) {
			if link.Exact && link.To != "" {
				visit(link.To)
			}
		}
		return nil
	}
	if err := onlyNotes(name, path, nil); err != nil {
		return err
	}
	file, err := o.readText(ctx, name, path, vault.MaxNote)
	if err != nil {
		return err
	}
	note, resolver := md.Scan(file.Data), s.Paths.From(path)
	for _, link := range note.Links {
		if !link.Embed {
			continue
		}
		if to, ok := resolver.Resolve(link.Path(note.Source)); ok {
			visit(to)
		}
	}
	return nil
}

func listed(s *index.Snapshot, path vpath.Path) ListedFile {
	entry := s.Entry(path)
	sources := s.Sources(path)
	return ListedFile{
		Path: string(path), Kind: string(kind.Of(path)), Size: entry.Size, Modified: entry.Modified.UTC().Format(time.RFC3339),
		LinkedFrom: append([]string{}, sources[:min(maxSources, len(sources))]...),
	}
}
