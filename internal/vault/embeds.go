package vault

import (
	"context"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/embed"
	"obsidian-mcp/internal/note/vpath"
)

// Embeds returns access to the notes that embeds name. A note that is closed to the caller looks missing.
func (w *View) Embeds(ctx context.Context, s *index.Snapshot) embed.Source {
	return embed.Source{
		Resolve: func(from vpath.Path, link string) (vpath.Path, bool) {
			resolver := s.Paths.From(from)
			return resolver.Resolve(link)
		},
		Read: func(path vpath.Path) ([]byte, error) {
			file, err := w.Read(ctx, path, MaxNote)
			return file.Data, err
		},
	}
}
