package ops

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"
	"time"
	"unicode/utf8"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/vault"
)

// Resource is a note as clients list it.
type Resource struct {
	URI         string
	Name        string // of the file
	Title       string
	Description string
	MIMEType    string
	Size        int64
	Modified    time.Time
}

// recentNotes is how many notes are listed; a client finds the others by
// searching.
const recentNotes = 10

// Resources lists the notes that were modified last, the newest first.
func (o *Ops) Resources(ctx context.Context) ([]Resource, error) {
	s, err := o.vault.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	var list []Resource
	for _, path := range newest(s, recentNotes) {
		note := s.Entry(path)
		list = append(list, Resource{
			URI: o.uri(note.Path), Name: note.Path.Base(), Title: note.Path.Name(), Description: "Path: " + string(note.Path),
			MIMEType: noteMIME, Size: note.Size, Modified: note.Modified,
		})
	}
	return list, nil
}

// newest gives the notes that were modified last.
func newest(s *index.Snapshot, count int) []vpath.Path {
	type dated struct {
		path     vpath.Path
		modified time.Time
	}
	notes := func(yield func(dated) bool) {
		s.Files(func(path vpath.Path) bool { return !path.IsNote() || yield(dated{path, s.Modified(path)}) })
	}
	first := firstOf(notes, count, func(a, b dated) int {
		return cmp.Or(b.modified.Compare(a.modified), cmp.Compare(a.path, b.path))
	})
	paths := make([]vpath.Path, len(first))
	for i, note := range first {
		paths[i] = note.path
	}
	return paths
}

// firstOf gives the first few in an order. Only as many are ever held and
// compared, however many there are.
func firstOf[T any](all iter.Seq[T], count int, order func(a, b T) int) []T {
	first := make([]T, 0, count+1)
	for one := range all {
		if len(first) == count && order(one, first[count-1]) >= 0 {
			continue
		}
		at, _ := slices.BinarySearchFunc(first, one, order)
		first = slices.Insert(first, at, one)
		first = first[:min(len(first), count)]
	}
	return first
}

// ResourceTemplate tells how the URI of any file is made.
type ResourceTemplate struct {
	URITemplate string
	Name        string
	Title       string
	Description string
}

// ResourceTemplate is the template of this vault's files.
func (o *Ops) ResourceTemplate() ResourceTemplate {
	return ResourceTemplate{
		URITemplate: o.uriRoot() + "{+path}", Name: "file", Title: "A file of the vault",
		Description: "A note (Markdown), canvas or attachment by its path from the vault's root, with its extension: work/Meeting.md",
	}
}

// ResourceContent is what a file holds: text, or bytes that are no text.
type ResourceContent struct {
	MIMEType string
	Text     string
	Blob     []byte // nil: it is text
}

// maxResource is the largest file that is handed over whole.
const maxResource = vault.MaxNote

// ReadResource gives the content of a file. Whatever is not the URI of a file
// of this vault is NotFound, and does not tell why.
func (o *Ops) ReadResource(ctx context.Context, uri string) (ResourceContent, error) {
	path, err := o.resourcePath(uri)
	if err != nil {
		return ResourceContent{}, err
	}
	if path, err = o.fileAt(ctx, path); err != nil {
		return ResourceContent{}, err
	}
	file, err := o.vault.Read(ctx, path, maxResource)
	switch {
	case errors.Is(err, fault.NotFound):
		return ResourceContent{}, errNoResource
	case errors.Is(err, fault.InvalidArgument) && path.IsNote():
		return ResourceContent{}, fault.InvalidArgument.Errorf("%w", err).WithHint("read some lines with read_note, or a section with read_section")
	case err != nil:
		return ResourceContent{}, err
	}
	kind, isText := fileKind(path, file.Data)
	if isText {
		return ResourceContent{MIMEType: kind, Text: string(file.Data)}, nil
	}
	if file.Data == nil {
		file.Data = []byte{}
	}
	return ResourceContent{MIMEType: kind, Blob: file.Data}, nil
}

var errNoResource = fault.NotFound.Errorf("Resource not found")

func (o *Ops) resourcePath(uri string) (vpath.Path, error) {
	path, ok := o.parseURI(uri)
	if !ok {
		return "", errNoResource
	}
	return path, nil
}

// fileAt is the file at a path: as it is spelt, else under another spelling.
func (o *Ops) fileAt(ctx context.Context, path vpath.Path) (vpath.Path, error) {
	s, err := o.vault.Snapshot(ctx)
	if err != nil {
		return "", err
	}
	if found, ok := s.Paths.Find(path); ok {
		return found, nil
	}
	// One that came up a moment ago may not be in the index yet.
	if found, ok := o.vault.Lookup(ctx, path); ok {
		return found, nil
	}
	return "", errNoResource
}

// ResourceKey identifies a file whatever the spelling of its URI.
type ResourceKey = vpath.Key

// ResourceKey is the key of the file that a URI names. There need not be one
// yet: its coming will be told. It waits for the index, since what changes
// before that is not told.
func (o *Ops) ResourceKey(ctx context.Context, uri string) (ResourceKey, error) {
	path, err := o.resourcePath(uri)
	if err != nil {
		return "", err
	}
	_, err = o.vault.Snapshot(ctx)
	return path.Key(), err
}

// Changed tells which files are not what they were.
type Changed = vault.Changed

// ResourceChanges tells what changes from now on, until ctx ends.
func (o *Ops) ResourceChanges(ctx context.Context) <-chan Changed { return o.vault.Changes(ctx) }

const (
	noteMIME   = "text/markdown"
	textMIME   = "text/plain"
	binaryMIME = "application/octet-stream"
)

// fileKind is the MIME type of a file, and whether its content is text that
// can be handed over as it is.
func fileKind(path vpath.Path, data []byte) (mime string, isText bool) {
	valid := utf8.Valid(data)
	if mime, ok := textTypes[path.Ext()]; ok {
		return mime, valid
	}
	if mime, ok := binaryTypes[path.Ext()]; ok {
		return mime, false
	}
	if valid && bytes.IndexByte(data, 0) < 0 {
		return textMIME, true
	}
	return binaryMIME, false
}

// The types of files, from a table rather than from the system, so that a
// vault reads the same everywhere.
var (
	textTypes = map[string]string{
		vpath.NoteExt: noteMIME, ".markdown": noteMIME, ".txt": textMIME, ".log": textMIME,
		".canvas": "application/json", ".json": "application/json", ".base": "application/yaml", ".yaml": "application/yaml", ".yml": "application/yaml",
		".toml": "application/toml", ".csv": "text/csv", ".tsv": "text/tab-separated-values", ".svg": "image/svg+xml",
		".html": "text/html", ".htm": "text/html", ".css": "text/css", ".js": "text/javascript", ".xml": "application/xml",
		".ics": "text/calendar", ".vcf": "text/vcard", ".vtt": "text/vtt",
	}
	binaryTypes = map[string]string{
		".pdf": "application/pdf", ".zip": "application/zip", ".epub": "application/epub+zip",
		".avif": "image/avif", ".bmp": "image/bmp", ".gif": "image/gif", ".heic": "image/heic", ".ico": "image/vnd.microsoft.icon",
		".jpeg": "image/jpeg", ".jpg": "image/jpeg", ".png": "image/png", ".tif": "image/tiff", ".tiff": "image/tiff", ".webp": "image/webp",
		".flac": "audio/flac", ".m4a": "audio/mp4", ".mp3": "audio/mpeg", ".ogg": "audio/ogg", ".opus": "audio/ogg", ".wav": "audio/wav",
		".3gp": "video/3gpp", ".mkv": "video/x-matroska", ".mov": "video/quicktime", ".mp4": "video/mp4", ".ogv": "video/ogg", ".webm": "video/webm",
		".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
		".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
		".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
	}
)
