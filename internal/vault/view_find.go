package vault

import (
	"context"
	"errors"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/vpath"
)

// Find returns the file that a name means, and the snapshot in which it was found.
func (w *View) Find(ctx context.Context, name string) (*index.Snapshot, vpath.Path, error) {
	s, err := w.Texts(ctx)
	if err != nil {
		return nil, "", err
	}
	path, err := s.Find(name)
	if errors.Is(err, fault.NotFound) {
		// A note created a moment ago may not be in the index yet.
		if asked, parseErr := vpath.ParseNote(name); parseErr == nil {
			if found, ok := w.Lookup(ctx, asked); ok {
				s, err = w.Texts(ctx)
				path = found
			}
		}
	}
	return s, path, err
}
