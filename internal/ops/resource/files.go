package resource

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/media/kind"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/vault"
	"obsidian-mcp/internal/vault/call"
)

// File is a note as clients list it.
type File struct {
	URI         string
	Name        string // of the file, with its extension
	Title       string
	Description string
	MIMEType    string
	Size        int64
	Modified    time.Time
}

// recentNotes is how many notes are listed. Clients find the others by searching.
const recentNotes = 10

// List returns the notes that were modified most recently, newest first.
func (c *Catalog) List(ctx context.Context) ([]File, error) {
	s, err := c.vault.Texts(ctx)
	if err != nil {
		return nil, err
	}
	var files []File
	for _, path := range newest(s, recentNotes) {
		note := s.Entry(path)
		files = append(files, File{
			URI: c.uris.Of(note.Path), Name: note.Path.Base(), Title: note.Path.Name(), Description: "Path: " + string(note.Path),
			MIMEType: kind.NoteMIME, Size: note.Size, Modified: note.Modified,
		})
	}
	return files, nil
}

// newest returns the paths of the notes that were modified most recently.
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

// firstOf returns the first few items in an order. It never holds more than those, however many items there are.
func firstOf[T any](items iter.Seq[T], count int, order func(a, b T) int) []T {
	first := make([]T, 0, count+1)
	for item := range items {
		if len(first) == count && order(item, first[count-1]) >= 0 {
			continue
		}
		at, _ := slices.BinarySearchFunc(first, item, order)
		first = slices.Insert(first, at, item)
		first = first[:min(len(first), count)]
	}
	return first
}

// Template says how to make the URI of any file.
type Template struct {
	URITemplate string
	Name        string
	Title       string
	Description string
}

// Template returns the template for this vault's files.
func (c *Catalog) Template() Template {
	return Template{
		URITemplate: c.uris.root() + "{+path}", Name: "file", Title: "A file of the vault",
		Description: "A note (Markdown), canvas or attachment by its path from the vault's root, with its extension: work/Meeting.md",
	}
}

// Content is what a file holds: text, or bytes that are not text.
type Content struct {
	MIMEType string
	Text     string
	Blob     []byte // nil if the content is text
}

// maxFile is the largest file that is returned in one piece.
const maxFile = vault.MaxNote

// Read returns the content of a file. Any URI that does not name a file of this vault is NotFound, without a reason:
// the caller must not learn which files they may not see.
func (c *Catalog) Read(ctx context.Context, uri string) (content Content, err error) {
	ctx, done := c.reading(ctx, "resources/read")
	defer func() { done(err) }()
	path, err := c.pathOf(uri)
	if err != nil {
		return Content{}, err
	}
	if path, err = c.find(ctx, path); err != nil {
		return Content{}, err
	}
	file, err := c.vault.Read(ctx, path, maxFile)
	switch {
	case errors.Is(err, fault.NotFound):
		return Content{}, errNotFound
	case errors.Is(err, fault.InvalidArgument) && path.IsNote():
		return Content{}, fault.InvalidArgument.Errorf("%w", err).WithHint("read some lines with read_note, or a section with read_section")
	case err != nil:
		return Content{}, err
	}
	mime, isText := kind.Content(path, file.Data)
	if isText {
		call.NoteShown(ctx, string(path), call.Shown{Hash: store.Hash(file.Data), Text: file.Data})
		return Content{MIMEType: mime, Text: string(file.Data)}, nil
	}
	if file.Data == nil {
		file.Data = []byte{}
	}
	return Content{MIMEType: mime, Blob: file.Data}, nil
}

var errNotFound = fault.NotFound.Errorf("Resource not found")

func (c *Catalog) pathOf(uri string) (vpath.Path, error) {
	path, ok := c.uris.Parse(uri)
	if !ok {
		return "", errNotFound
	}
	return path, nil
}

// find returns the file at a path, which may be spelt differently on disk.
func (c *Catalog) find(ctx context.Context, path vpath.Path) (vpath.Path, error) {
	s, err := c.vault.Texts(ctx)
	if err != nil {
		return "", err
	}
	if found, ok := s.Paths.Find(path); ok {
		return found, nil
	}
	// A file created a moment ago may not be in the index yet.
	if found, ok := c.vault.Lookup(ctx, path); ok {
		return found, nil
	}
	return "", errNotFound
}

// Key identifies a file, however its URI is spelt.
type Key = vpath.Key

// Key returns the key of the file that a URI names. The file need not exist yet; subscribers hear when it appears.
// Key waits for the index, because earlier changes are not reported.
func (c *Catalog) Key(ctx context.Context, uri string) (Key, error) {
	path, err := c.pathOf(uri)
	if err != nil {
		return "", err
	}
	_, err = c.vault.Texts(ctx)
	return path.Key(), err
}

// Changed names the files that have changed.
type Changed = vault.Changed

// Changes reports every change from now on, until ctx ends.
func (c *Catalog) Changes(ctx context.Context) <-chan Changed { return c.vault.Changes(ctx) }
